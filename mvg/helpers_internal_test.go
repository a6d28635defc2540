package mvg

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// counting is a context that counts the calls of Err. Interior point methods make one call per step.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Err() error {
	c.asked++
	return nil
}

func ratOf(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// signPatterns calls f with every vector of m signs.
func signPatterns(m int, f func(s []float64)) {
	s := make([]float64, m)
	for k := range 1 << m {
		for i := range s {
			s[i] = float64(1 - 2*(k>>i&1))
		}
		f(s)
	}
}

// inside reports whether lo ≤ v ≤ hi and hi − lo ≤ width·|v|.
func inside(v *big.Rat, lo, hi, width float64) bool {
	f, _ := v.Float64()
	return ratOf(lo).Cmp(v) <= 0 && v.Cmp(ratOf(hi)) <= 0 && hi-lo <= width*math.Abs(f)
}

// ratInverse returns the inverse of a matrix of order 2.
func ratInverse(a *mat.SymDense) [2][2]*big.Rat {
	x, y, z := ratOf(a.At(0, 0)), ratOf(a.At(0, 1)), ratOf(a.At(1, 1))
	det := new(big.Rat).Sub(new(big.Rat).Mul(x, z), new(big.Rat).Mul(y, y))
	of := func(v *big.Rat) *big.Rat { return new(big.Rat).Quo(v, det) }
	return [2][2]*big.Rat{{of(z), of(new(big.Rat).Neg(y))}, {of(new(big.Rat).Neg(y)), of(x)}}
}

func ErrorContains(err error, what string) bool {
	return err != nil && strings.Contains(err.Error(), what)
}

func diagonalOf(v ...float64) *mat.Dense { return mat.DenseCopyOf(mat.NewDiagDense(len(v), v)) }

// optimizerOf returns an optimizer with directions w. The number of weights is the number of rows.
func optimizerOf(s Sensitivity, objective Objective, mode Mode, w mat.Matrix, weights ...float64) *optimizer {
	return &optimizer{
		ctx: nil, s: s, goal: Goal{objective, weights}, recipe: Params{Mode: mode},
		basis: must.Be(newBasis(w, weights)), mu: evidence.Certified{Lo: 1, Hi: 1}, n: float64(len(weights)), columns: 1,
	}
}

func (o *optimizer) withContext(t *testing.T) *optimizer { o.ctx = t.Context(); return o }

// solveFree solves the problem with these weights over all directions of Σ.
func (o *optimizer) solveFree(weights ...float64) (*Optimum, error) {
	o.goal.Weights, o.recipe.FreeAxes = weights, true
	o.basis = must.Be(newBasis(nil, weights))
	return o.solve()
}

// frustrated returns a box of 3·threes rows, a covariance, and the largest vᵀΣ⁻¹v. Within each triple, Σ⁻¹ favours
// different signs for each pair. Above 2²⁰ vertices the package only bounds the maximum.
func frustrated(t *testing.T, threes int) (Box, Covariance, float64) {
	m := 3 * threes
	q := mat.NewSymDense(m, nil)
	for i := range m {
		q.SetSym(i, i, 1)
		for j := range i {
			if i/3 == j/3 {
				q.SetSym(i, j, -0.4)
			}
		}
	}
	var inverse mat.Dense
	if err := inverse.Inverse(q); err != nil {
		t.Fatal(err)
	}
	for i := range m {
		for j := range m {
			if i/3 != j/3 {
				inverse.Set(i, j, 0)
			}
		}
	}
	// In each triple the signs s = (1, 1, −1) give sᵀQs = 3 + 2·0.4 = 3.8, while the absolute entries sum to 3 + 6·0.4.
	// The factor (2·½)² is 1.
	return must.Be(NewBox(2, uniform(m, 0.5))), must.Be(NewDense(&inverse)), float64(threes) * 3.8
}

// set is a Sensitivity of a type that Optimal does not know.
type set struct{ Ball }

func DrawCovariance(t testing.TB, d int, spread float64, rng *rand.Rand) Covariance {
	v := make([]float64, d)
	for i := range v {
		v[i] = math.Exp(spread * rng.NormFloat64())
	}
	return must.Be(NewDirectional(v, symmetric.RandomBasis(d, rng)))
}

// RowStreams returns an independent stream for each row.
func RowStreams(seed uint64) func(row uint64) rand.Source {
	return func(row uint64) rand.Source { return rand.NewPCG(seed, row) }
}

// DesignOf returns the design of a ball with the given covariances.
func DesignOf(sigma, psi Covariance) *Design {
	return must.Be(NewDesign(context.Background(), must.Be(NewBall(sigma.Order(), psi.Order(), BallOptions{S2: 1, Gamma: 1})), sigma, psi))
}

// RandomVariances returns a diagonal covariance of order n whose variances span the given number of powers of two.
func RandomVariances(n, powers int, rng *rand.Rand) Covariance {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Ldexp(1+rng.Float64(), rng.IntN(powers+1)-powers/2)
	}
	return must.Be(NewDirectional(v, nil))
}

// RandomAnswers returns a random matrix whose entries have many magnitudes and both signs.
func RandomAnswers(m, n int, rng *rand.Rand) *mat.Dense {
	fx := mat.NewDense(m, n, nil)
	fx.Apply(func(i, j int, _ float64) float64 {
		switch rng.IntN(4) {
		case 0:
			return 0
		case 1:
			return math.Ldexp(rng.NormFloat64(), rng.IntN(200)-150)
		}
		return rng.NormFloat64()
	}, fx)
	return fx
}

// NoiseRemainder returns an answer that cancels the noise of a seed up to float64 rounding. The release then shows the
// digits of the noise after the first 53.
func NoiseRemainder(d *Design, step *big.Rat, seed uint64) *mat.Dense {
	m, n := d.sigma.Order(), d.psi.Order()
	fx := must.Be(d.Release(context.Background(), mat.NewDense(m, n, nil), step, RowStreams(seed)))
	fx.Scale(-1, fx)
	return fx
}

// illRoot returns a triangle L such that LLᵀ is exact in float64, with a condition number above 10¹³.
func illRoot() *mat.TriDense {
	return mat.NewTriDense(3, mat.Lower, []float64{1, 0, 0, 3, 0x1p-20, 0, -5, 7 * 0x1p-20, 0x1p-18})
}

func IllConditioned() *mat.SymDense {
	s := mat.NewSymDense(3, nil)
	for i := range 3 {
		for j := range i + 1 {
			v := 0.0
			for k := range j + 1 {
				v += illRoot().At(i, k) * illRoot().At(j, k)
			}
			s.SetSym(i, j, v)
		}
	}
	return s
}
