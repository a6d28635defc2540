package mvg

import (
	"cmp"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Harmonic returns the generalised harmonic number Σ_{i=1}^r i^{−s}: H_r at s = 1, H_{r,1/2} at s = 1/2 (Table 1).
// Terms are added from the smallest up. Terms beyond 2²⁰ are summed by the Euler–Maclaurin formula, whose remainder
// is below a rounding error for 0 ≤ s ≤ 2.
func Harmonic(r int, s float64) float64 {
	const most = 1 << 20
	n := min(r, most)
	sum := 0.0
	if r > n {
		a, b := float64(n), float64(r)
		if s == 1 {
			sum = math.Log(b / a)
		} else {
			sum = (math.Pow(b, 1-s) - math.Pow(a, 1-s)) / (1 - s)
		}
		sum += (math.Pow(b, -s)-math.Pow(a, -s))/2 + s/12*(math.Pow(a, -s-1)-math.Pow(b, -s-1))
	}
	for i := n; i >= 1; i-- {
		sum += math.Pow(float64(i), -s)
	}
	return sum
}

// Zeta selects the reading of ζ(δ).
type Zeta int

// Table 1 prints ζ(δ) = 2√(−mn ln δ) − 2 ln δ + mn. The tail bound that the paper quotes (Laurent and Massart, Ann.
// Statist. 28, 2000, Lemma 1) gives that number for ζ², so Theorems 2 and 3 are proven for its square root.
const (
	ZetaRoot Zeta = iota
	ZetaPublished
)

// Value returns ζ(δ) for an m×n query, in float64, computed from the float64 nearest to δ.
func (z Zeta) Value(m, n int, delta evidence.Delta) float64 {
	k := float64(m) * float64(n)
	logDelta := math.Log(delta.Value())
	square := 2*math.Sqrt(-k*logDelta) - 2*logDelta + k
	if z == ZetaPublished {
		return square
	}
	return math.Sqrt(square)
}

// Theorem names the sufficient condition that is claimed.
type Theorem int

// The two published theorems.
const (
	Theorem2 Theorem = 2
	Theorem3 Theorem = 3
)

// Paper is the name of the mechanism's paper in the provenance of claims.
const Paper = "Chanyaswad, Dytso, Poor and Mittal (MVG)"

// Constants are the quantities of Table 1 and Theorems 2 and 3, as claimed.
type Constants struct {
	Alpha, Beta, Omega, Zeta evidence.Claimed
	// Norm is the right-hand side of (1) or (8): the bound on
	// ‖σ(Σ⁻¹)‖₂·‖σ(Ψ⁻¹)‖₂.
	Norm float64
}

// Premises are the hypotheses of Theorems 2 and 3: a query with Rows×Columns entries, ‖f(X)‖_F ≤ Gamma and L2
// sensitivity S2, in one unit, and the target privacy.
type Premises struct {
	Theorem       Theorem
	Zeta          Zeta
	Rows, Columns int
	Gamma, S2     float64
	Epsilon       evidence.Epsilon
	Delta         evidence.Delta
}

// Published returns the constants of a theorem. It returns an error wrapping
// evidence.ErrParameter for premises out of range, and for Theorem 3 unless the query
// is square.
func Published(p Premises) (Constants, error) {
	theorem, m, n, gamma, s2 := p.Theorem, p.Rows, p.Columns, p.Gamma, p.S2
	if theorem != Theorem2 && theorem != Theorem3 {
		return Constants{}, parameter.Errorf("Theorem %d, want %d or %d", theorem, Theorem2, Theorem3)
	}
	if _, err := NewBall(m, n, BallOptions{S2: s2, Gamma: gamma, PSD: theorem == Theorem3}); err != nil {
		return Constants{}, err
	}
	if err := cmp.Or(p.Epsilon.Positive("eps"), p.Delta.Positive("delta")); err != nil {
		return Constants{}, err
	}
	r := min(m, n)
	h, half := Harmonic(r, 1), Harmonic(r, 0.5)
	zeta := p.Zeta.Value(m, n, p.Delta)
	claim := func(v float64, place string) evidence.Claimed {
		return evidence.Claimed{Value: v, Provenance: evidence.From(Paper + ", " + place)}
	}
	c := Constants{
		Alpha: claim((h+half)*gamma*gamma+2*h*gamma*s2, "Theorem 2"),
		Beta:  claim(2*math.Sqrt(math.Sqrt(float64(m)*float64(n)))*zeta*h*s2, "Theorem 2"),
		Omega: claim(4*h*gamma*s2, "Theorem 3"),
		Zeta:  claim(zeta, "Table 1"),
	}
	lead := c.Alpha.Value
	if theorem == Theorem3 {
		lead = c.Omega.Value
	}
	// (−β + √(β² + 8aε))/2a = 4ε/(β + √(β² + 8aε)), without the cancellation.
	eps, beta := p.Epsilon.Enclosure(), interval.Float(c.Beta.Value)
	under := beta.Mul(beta).Add(interval.Int(8).Mul(interval.Float(lead)).Mul(eps))
	c.Norm = square(interval.Int(4).Mul(eps).Quo(beta.Add(under.Sqrt()))).Mid()
	return c, nil
}

// UnimodalBudget returns the bound on Σ p_i² when Ψ = I_n (Theorem 5).
func (c Constants) UnimodalBudget(n int) float64 { return c.Norm * c.Norm / float64(n) }

// EquimodalBudget returns the bound on Σ p_i² when Ψ = Σ (Theorem 6).
func (c Constants) EquimodalBudget() float64 { return c.Norm }

// Theorem3Helps reports whether Theorem 3 allows more precision than Theorem 2 for an r×r query, that is whether α
// ≥ ω. Theorem 4 promises it if s2 ≤ γ or r > 12.
func Theorem3Helps(r int, gamma, s2 float64) bool {
	return (Harmonic(r, 1)+Harmonic(r, 0.5))*gamma >= 2*Harmonic(r, 1)*s2
}

// KernelSensitivity returns γ and s₂ of the kernel matrix of n records with
// |k(x, y)| ≤ c (Example 2): nc and c√(8n − 4).
func KernelSensitivity(n int, c float64) (gamma, s2 float64) {
	return float64(n) * c, c * math.Sqrt(8*float64(n)-4)
}
