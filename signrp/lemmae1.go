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

func (n Normals) arcs() float64 {
	root := math.Sqrt((1 - n.Rho) * (1 + n.Rho))
	return math.Atan((n.Ratio-n.Rho)/root) + math.Atan((n.Ratio+n.Rho)/root)
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
	r, rho := n.Ratio, n.Rho
	sum := (r-rho)/math.Sqrt(1+r*r-2*r*rho) + (r+rho)/math.Sqrt(1+r*r+2*r*rho)
	return math.Sqrt(math.Pi/2) * sum / n.arcs(), nil
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
