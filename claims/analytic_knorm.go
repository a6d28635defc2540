package claims

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// normCase is a linear F: ℝⁿ → ℝ² with whole columns; K = conv{±F e_i}.
type normCase struct{ columns [][2]int64 }

func (c normCase) build() (*mechanism.KNorm, error) {
	eps, err := evidence.NewEpsilon("eps", 1)
	if err != nil {
		return nil, err
	}
	var columns []mechanism.Point
	for _, v := range c.columns {
		columns = append(columns, mechanism.Point{big.NewRat(v[0], 1), big.NewRat(v[1], 1)})
	}
	return mechanism.NewKNormPlane(columns, eps)
}

// pairsOf writes points as a literal of the script language.
func pairsOf(points [][2]int64) string {
	out := make([][2]int, len(points))
	for i, p := range points {
		out[i] = [2]int{int(p[0]), int(p[1])}
	}
	return pairs(out)
}

// norms quantifies over polygons K.
func norms(part func(k *mechanism.KNorm) (bool, error)) statement[normCase] {
	return statement[normCase]{
		family: "two columns with entries −1…1 that span the plane",
		each: func(yield func(normCase) bool) {
			for code := range 3 * 3 * 3 * 3 {
				a := [2]int64{int64(code%3) - 1, int64(code/3%3) - 1}
				b := [2]int64{int64(code/9%3) - 1, int64(code/27) - 1}
				if a[0]*b[1] != a[1]*b[0] && !yield(normCase{[][2]int64{a, b}}) {
					return
				}
			}
		},
		draw: func(rng *rand.Rand) normCase {
			c := normCase{[][2]int64{{1, rng.Int64N(5)}, {0, 1 + rng.Int64N(4)}}}
			for range rng.IntN(4) {
				c.columns = append(c.columns, [2]int64{rng.Int64N(13) - 6, rng.Int64N(13) - 6})
			}
			return c
		},
		holds: func(c normCase) (bool, error) {
			k, err := c.build()
			if err != nil {
				return false, err
			}
			return part(k)
		},
		witness: func(c normCase) *Witness {
			columns := pairsOf(c.columns)
			w := &Witness{
				Fields: []Field{{"columns of F", columns}},
				Script: fmt.Sprintf("k = knorm(%s, 1); print(k.is_basic(), k.lattice_gap())", columns),
			}
			if k, err := c.build(); err == nil {
				if gap, ok, err := k.FindLatticeGap(context.Background(), 1, 10); ok && err == nil {
					w.Fields = append(w.Fields, Field{"r", gap.R.String()}, Field{"norm of r", gap.Norm.RatString()}, Field{"layer", fmt.Sprint(gap.Layer)})
				}
			}
			return w
		},
	}
}

// convexSums is Proposition 6 at one K: iK + K = (i+1)K.
func convexSums(k *mechanism.KNorm) (bool, error) {
	_, ok := k.CheckBasic(3)
	return ok, nil
}

// latticeCovers is the same on D = ℤⁿ, as far as a search for a gap tells.
func latticeCovers(k *mechanism.KNorm) (bool, error) {
	_, found, err := k.FindLatticeGap(context.Background(), 1, 2)
	return !found, err
}

// normClaims holds Proposition 6.
func normClaims() []Claim {
	return []Claim{{
		ID: "analytic.proposition6", Paper: analyticPaper, Place: "Proposition 6",
		Statement:  "the K-norm mechanism is basic: R_i^x = ∪ R_0^y − A_{i−1}^x over i−1 < ‖x − y‖₁ ≤ i",
		Hypotheses: "D = ℝⁿ, F linear, K = F B₁ⁿ; checked for polygons by exact Minkowski sums",
		Recorded:   evidence.Confirmed,
		check:      norms(convexSums).check,
	}, {
		ID: "analytic.proposition6.lattice", Paper: analyticPaper, Place: "Proposition 6, on a lattice",
		Statement:  "the same for D = ℤⁿ and R = ℝ²",
		Hypotheses: "histograms are whole: the F(y) are points, and F(y) + K° need not cover",
		Recorded:   evidence.Refuted,
		check:      norms(latticeCovers).check,
	}}
}
