package mvg

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"

	"gonum.org/v1/gonum/mat"
)

// counting counts how often it is asked, which interior point methods do once a step.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Err() error {
	c.asked++
	return nil
}

func ratOf(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// signPatterns calls f for all of them.
func signPatterns(m int, f func(s []float64)) {
	s := make([]float64, m)
	for k := range 1 << m {
		for i := range s {
			s[i] = float64(1 - 2*(k>>i&1))
		}
		f(s)
	}
}

// inside says whether a rational number is between the ends, and these no further apart than a
// share of it.
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

func says(err error, what string) bool { return err != nil && strings.Contains(err.Error(), what) }

func exactRat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func diagonalOf(v ...float64) *mat.Dense { return mat.DenseCopyOf(mat.NewDiagDense(len(v), v)) }

// optimizerOf returns a search for differences of as many rows as there are weights, with directions w.
func optimizerOf(s Sensitivity, objective Objective, mode Mode, w mat.Matrix, weights ...float64) *optimizer {
	return &optimizer{
		ctx: nil, s: s, goal: Goal{objective, weights}, recipe: Params{Mode: mode},
		basis: ok(newBasis(w, weights)), mu: evidence.Certified{Lo: 1, Hi: 1}, n: float64(len(weights)), columns: 1,
	}
}

func (o *optimizer) withContext(t *testing.T) *optimizer { o.ctx = t.Context(); return o }

// freely seeks the most information of a list with weights, over all directions.
func (o *optimizer) freely(weights ...float64) (*Optimum, error) {
	o.goal.Weights, o.recipe.FreeAxes = weights, true
	o.basis = ok(newBasis(nil, weights))
	return o.solve()
}

// frustrated is a box of as many rows, in threes, under a covariance whose inverse wants the signs of any
// two of three to differ, and the largest vᵀΣ⁻¹v: beyond 2²⁰ vertices it is known by part.
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
	// s of (1, 1, −1) have sᵀQs = 3 + 2·0.4, of which the sum of all entries' sizes is 3 + 6·0.4; times (2·½)².
	return ok(NewBox(2, uniform(m, 0.5))), ok(NewDense(&inverse)), float64(threes) * 3.8
}

// set is one that no search knows.
type set struct{ Ball }
