package signrp

import (
	"cmp"
	"math"

	"dpworkbench/internal/parameter"
)

// Normals is a pair (X, Y) of centred normal variables: σ_x = Ratio·σ_y, with
// correlation Rho.
type Normals struct {
	Ratio float64 // r = σ_x/σ_y > 0
	Rho   float64 // −1 < ρ < 1
}

func (n Normals) check() error {
	if err := parameter.Positive("r", n.Ratio); err != nil {
		return err
	}
	if !(n.Rho > -1 && n.Rho < 1) {
		return parameter.Bad("rho", n.Rho, "-1 < rho < 1")
	}
	return nil
}

// root returns √(1 − ρ²).
func (n Normals) root() float64 { return math.Sqrt((1 - n.Rho) * (1 + n.Rho)) }

// arcs returns arctan((r − ρ)/√(1−ρ²)) + arctan((r + ρ)/√(1−ρ²)). It computes the sum as the angle of the vector (1 −
// r², 2r√(1−ρ²)), which avoids cancellation. If r² overflows, the vector is divided by r².
func (n Normals) arcs() float64 {
	if n.Ratio <= 1 {
		return math.Atan2(2*n.Ratio*n.root(), (1-n.Ratio)*(1+n.Ratio))
	}
	q := 1 / n.Ratio
	return math.Atan2(2*q*n.root(), -(1-q)*(1+q))
}

// Exceeds returns Pr(|X| > |Y|) (Lemma E.1, 1). For r ≤ 1 it is largest at ρ = 0, where it is (2/π) arctan r. The
// lemma prints that as a maximum of Pr(|X| < |Y|). Errors wrap evidence.ErrParameter.
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
	// The mean contains (r − ρ)/A + (r + ρ)/B with A, B > 0 and A², B² = 1 + r² ∓ 2rρ. By B² − A² = 4rρ this is r((A +
	// B)² − 4ρ²)/((A + B)AB). There (A + B)² − 4ρ² is 2(1 − ρ²) + 2(AB + r² − ρ²), and (AB)² − (ρ² − r²)² = (1 − ρ²)(1
	// + ρ² + 2r²). For r > 1 everything is divided by powers of r.
	r, one := n.Ratio, 1.0
	if r > 1 {
		r, one = 1, 1/r
	}
	rho, root := n.Rho*one, n.root()*one
	a, b := math.Hypot(r-rho, root), math.Hypot(r+rho, root)
	gap := a*b + (r-rho)*(r+rho)
	if far := (rho - r) * (rho + r); far > 0 {
		gap = root * root * (one*one + rho*rho + 2*r*r) / (a*b + far)
	}
	ratio := (2*root*root + 2*gap) / ((a + b) * a * b)
	return math.Sqrt(math.Pi/2) * ratio * (r / n.arcs()), nil
}

// TailExceeding returns Pr(|X| > tσ_x given |X| > |Y|), by quadrature over the angle (Appendix E, proof of Lemma
// E.1), and the bound e^{−t²/2} of its third part. It returns an error wrapping evidence.ErrParameter for invalid
// normals, and unless t is positive and finite.
func (n Normals) TailExceeding(t float64) (probability, bound float64, err error) {
	if err := cmp.Or(n.check(), parameter.Positive("t", t)); err != nil {
		return 0, 0, err
	}
	// The probability is a mean over the angles from −arctan((r + ρ)/root) on, an interval of length arcs().
	root, wide := n.root(), n.arcs()
	middle := (math.Atan((n.Ratio-n.Rho)/root) - math.Atan((n.Ratio+n.Rho)/root)) / 2
	const panels = 32
	rule := legendre16()
	for i := range panels {
		at := (float64(i)+0.5)/panels - 0.5
		for m, x := range rule.x {
			c := t / math.Cos(middle+(at+x/2/panels)*wide)
			probability += rule.w[m] / 2 / panels * math.Exp(-c*c/2)
		}
	}
	return probability, math.Exp(-t * t / 2), nil
}
