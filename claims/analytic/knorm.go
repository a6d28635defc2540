package analytic

import (
	"context"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/continuous"
	"dpworkbench/internal/lists"
)

// normCase is a linear F: ℝⁿ → ℝ² with integer columns; K = conv{±F e_i}.
type normCase struct{ columns [][2]int64 }

func (c normCase) build() *continuous.KNorm {
	var columns []continuous.Point
	for _, v := range c.columns {
		columns = append(columns, continuous.Point{big.NewRat(v[0], 1), big.NewRat(v[1], 1)})
	}
	return check.Must(continuous.NewKNormPlane(columns, check.BudgetOf(1)))
}

// pairsOf writes points as a literal of the script language.
func pairsOf(points [][2]int64) string {
	out := lists.Of(len(points), func(i int) [2]int { return [2]int{int(points[i][0]), int(points[i][1])} })
	return check.Pairs(out)
}

// norms states that part holds for the polygons K.
func norms(part func(k *continuous.KNorm) bool) check.Statement[normCase] {
	return check.Statement[normCase]{
		Family: "two to four of the columns (1, 0), (0, 1), (1, 1), (1, −1) and of their doubles",
		Each: check.Grid(func(c *normCase) []check.Axis {
			var scale int64
			var count, chosen int
			columns := [][2]int64{{1, 0}, {0, 1}, {1, 1}, {1, -1}}
			return []check.Axis{
				check.Span(&scale, 1, 2),
				check.Span(&count, 2, len(columns)),
				check.Span(&chosen, 0, 1<<len(columns)-1),
				check.Where(func() bool { return bits.OnesCount(uint(chosen)) == count }),
				check.Let(func() {
					for i, v := range columns {
						if chosen>>i&1 == 1 {
							c.columns = append(c.columns, [2]int64{scale * v[0], scale * v[1]})
						}
					}
				}),
			}
		}),
		Draw: func(rng *rand.Rand) normCase {
			c := normCase{[][2]int64{{1, rng.Int64N(5)}, {0, 1 + rng.Int64N(4)}}}
			for range rng.IntN(4) {
				c.columns = append(c.columns, [2]int64{rng.Int64N(13) - 6, rng.Int64N(13) - 6})
			}
			return c
		},
		Holds:   func(c normCase) bool { return part(c.build()) },
		Witness: normCase.witness,
	}
}

// witness describes the polygon K. Its script shows a point of layer 1 that is in no R_0^y with ‖y‖₁ ≤ 1, if a search
// finds one.
func (c normCase) witness() *check.Witness {
	columns := pairsOf(c.columns)
	w := &check.Witness{Fields: check.Named("columns of F", columns)}
	w.Script = check.Script(check.Vars{"columns": check.Code(columns)}, "k = knorm({columns}, 1); print(k.is_basic(), k.is_basic())")
	gap, ok, err := c.build().FindLatticeGap(context.Background(), 1, finestGap)
	if err != nil || !ok {
		return w
	}
	w.Fields = append(w.Fields, check.Named("r", gap.R, "norm of r", gap.Norm, "layer", gap.Layer)...)
	den := new(big.Int).Mul(gap.R[0].Denom(), gap.R[1].Denom())
	scaled := func(i int) string { return new(big.Rat).Mul(gap.R[i], new(big.Rat).SetInt(den)).RatString() }
	w.Script = check.Script(check.Vars{"columns": check.Code(columns), "den": den, "first": check.Code(scaled(0)), "second": check.Code(scaled(1))},
		"k = knorm({columns}, 1); images = [(0, 0)] + [(s * a, s * b) for a, b in {columns} for s in [1, -1]]",
		`layer = lambda a, b: k.layer(("%d/{den}" % ({first} - {den} * a), "%d/{den}" % ({second} - {den} * b)))`,
		"nearest = min([layer(a, b) for a, b in images]); print(layer(0, 0), nearest, layer(0, 0) != 1 or nearest == 0)")
	return w
}

// convexSums reports whether Proposition 6 holds for one K: iK + K = (i+1)K.
func convexSums(k *continuous.KNorm) bool {
	_, ok, err := k.CheckBasic(context.Background(), 3)
	return check.Must(ok, err)
}

// finestGap is the largest denominator in the search for gaps.
const finestGap = 2

// latticeCovers reports whether Proposition 6 holds for one K and D = ℤⁿ, as far as a search for a gap can tell.
func latticeCovers(k *continuous.KNorm) bool {
	_, found, err := k.FindLatticeGap(context.Background(), 1, finestGap)
	return !check.Must(found, err)
}

// latticeCase is an injective F: ℤ² → ℤ² and a dataset y.
type latticeCase struct {
	columns [2][2]int64
	y       [2]int64
}

// latticeLayers states Proposition 6 for D = ℤⁿ, R = F(D) and F injective: R_i^0 is {F(y): ‖y‖₁ = i}, which (32) gives
// for R_0^y = {F(y)}. distance returns ‖y‖₁.
func latticeLayers(distance func(y [2]int64) int64) check.Statement[latticeCase] {
	return check.Statement[latticeCase]{
		Family: "F with entries −1…1 and determinant ≠ 0, y in {−3, …, 3}²",
		Each: check.Grid(func(c *latticeCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.columns[1][1], -1, 1),
				check.Span(&c.columns[1][0], -1, 1),
				check.Span(&c.columns[0][1], -1, 1),
				check.Span(&c.columns[0][0], -1, 1),
				check.Span(&c.y[1], -3, 3),
				check.Span(&c.y[0], -3, 3),
				check.Where(func() bool { return c.injective() }),
			}
		}),
		Draw: func(rng *rand.Rand) latticeCase {
			for {
				var c latticeCase
				for i := range c.columns {
					c.columns[i] = [2]int64{rng.Int64N(13) - 6, rng.Int64N(13) - 6}
					c.y[i] = rng.Int64N(21) - 10
				}
				if c.injective() {
					return c
				}
			}
		},
		Holds: func(c latticeCase) bool {
			k := normCase{c.columns[:]}.build()
			r := continuous.Point{
				big.NewRat(c.columns[0][0]*c.y[0]+c.columns[1][0]*c.y[1], 1),
				big.NewRat(c.columns[0][1]*c.y[0]+c.columns[1][1]*c.y[1], 1),
			}
			return k.Layer(r).Cmp(big.NewInt(distance(c.y))) == 0
		},
	}
}

func (c latticeCase) injective() bool {
	return c.columns[0][0]*c.columns[1][1] != c.columns[0][1]*c.columns[1][0]
}

// sumNorm returns ‖y‖₁.
func sumNorm(y [2]int64) int64 { return max(y[0], -y[0]) + max(y[1], -y[1]) }

// normChecks returns the checks of Proposition 6.
func normChecks() check.Checks {
	return check.Checks{
		"analytic.proposition6":         norms(convexSums).Check,
		"analytic.proposition6.lattice": check.WithException(latticeLayers(sumNorm).Check, norms(latticeCovers).Check),
	}
}
