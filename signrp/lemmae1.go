package signrp

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
)

// Normals is a pair (X, Y) of centred normal variables: σ_x = Ratio·σ_y, with
// correlation Rho.
type Normals struct {
	Ratio float64 // r = σ_x/σ_y > 0
	Rho   float64 // −1 < ρ < 1
}

func (n Normals) check() error {
	if err := checkPositive("r", n.Ratio); err != nil {
		return err
	}
	if !(n.Rho > -1 && n.Rho < 1) {
		return fmt.Errorf("%w: rho = %g, want -1 < rho < 1", evidence.ErrParameter, n.Rho)
	}
	return nil
}

// arcs returns a + b for the angles a = arctan((r − ρ)/√(1 − ρ²)) and
// b = arctan((r + ρ)/√(1 − ρ²)): the angle of the point (1 − r², 2r√(1 − ρ²)), by
// the addition theorem, without the cancellation of a and b at small r.
func (n Normals) arcs() float64 {
	r, root := n.Ratio, math.Sqrt((1-n.Rho)*(1+n.Rho))
	if r > 1 { // divided by r², which may overflow
		return math.Atan2(2*root/r, (1/r-1)*(1/r+1))
	}
	return math.Atan2(2*r*root, (1-r)*(1+r))
}

// Exceeds returns Pr(|X| > |Y|) (Lemma E.1, 1). For r ≤ 1 it is largest at ρ = 0,
// where it is (2/π) arctan r; the lemma prints that as a maximum of
// Pr(|X| < |Y|). Errors wrap evidence.ErrParameter.
func (n Normals) Exceeds() (float64, error) {
	if err := n.check(); err != nil {
		return 0, err
	}
	return n.arcs() / math.Pi, nil
}

// MeanExceeding returns E[|X| given |X| > |Y|]/σ_x (Lemma E.1, 2). Errors wrap
// evidence.ErrParameter.
func (n Normals) MeanExceeding() (float64, error) {
	if err := n.check(); err != nil {
		return 0, err
	}
	// Lemma E.1 divides (r − ρ)/√(1 + r² − 2rρ) + (r + ρ)/√(1 + r² + 2rρ), which is
	// sin a + sin b, by a + b: that is cos((a − b)/2) times sin x/x at x = (a + b)/2.
	root := math.Sqrt((1 - n.Rho) * (1 + n.Rho))
	half := (math.Atan((n.Ratio-n.Rho)/root) - math.Atan((n.Ratio+n.Rho)/root)) / 2
	sinc := 1.0
	if x := n.arcs() / 2; x > 0 {
		sinc = math.Sin(x) / x
	}
	return math.Sqrt(math.Pi/2) * math.Cos(half) * sinc, nil
}

// TailExceeding returns Pr(|X| > tσ_x given |X| > |Y|), by quadrature over the
// angle (Appendix E, proof of Lemma E.1), and the bound e^{−t²/2} of its third
// part. Errors wrap evidence.ErrParameter, also unless t is positive and finite.
func (n Normals) TailExceeding(t float64) (probability, bound float64, err error) {
	if err := n.check(); err != nil {
		return 0, 0, err
	}
	if err := checkPositive("t", t); err != nil {
		return 0, 0, err
	}
	root := math.Sqrt((1 - n.Rho) * (1 + n.Rho))
	a, b := -math.Atan((n.Ratio+n.Rho)/root), math.Atan((n.Ratio-n.Rho)/root)
	const panels = 32
	h := (b - a) / panels
	rule := legendre16()
	for i := range panels {
		mid := a + (float64(i)+0.5)*h
		for m, x := range rule.x {
			c := math.Cos(mid + x*h/2)
			probability += rule.w[m] * h / 2 * math.Exp(-t*t/(2*c*c))
		}
	}
	return probability / (b - a), math.Exp(-t * t / 2), nil
}
