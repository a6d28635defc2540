package mvg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/mvg"
)

// exampleChecks returns the checks of the sensitivities in the examples and experiments.
func exampleChecks() check.Checks {
	return check.Checks{
		"mvg.example1": func(ctx context.Context, run check.Run) (check.Outcome, error) {
			var share seenRange
			s := outerDifference(func(m int64) int64 { return 4 * m * m })
			holds := s.Holds
			s.Holds = func(c recordPair) bool {
				d := c.distance() / float64(2*len(c.x)) // the rounding of a root and two quotients is below 4 ulps
				share.see(d*(1-4*check.Epsilon64), d*(1+4*check.Epsilon64))
				return holds(c)
			}
			out, err := s.Check(ctx, run)
			out.Evidence = append(out.Evidence, share.most("‖xxᵀ − yyᵀ‖_F over 2m"))
			return out, err
		},
		"mvg.section8.sensitivity": check.WithCorrection(outerSupremum(4, false, func(m int64) int64 { return 4 * m * m }).Check, outerSupremum(1, true, func(m int64) int64 { return 2 * m * m }).Check),
		"mvg.section8.shape":       check.WithCorrection(experimentShapes(func(e experimentShape) int { return e.printed }).Check, experimentShapes(func(e experimentShape) int { return e.columns }).Check),
		"mvg.example2":             kernelFunctions(func(n int64) int64 { return 8*n - 4 }).Check,
		"mvg.example2.psd":         kernelSupremum(func(n int64) int64 { return 8*n - 8 }).Check,
		"mvg.example2.bound": check.Loose(kernelSensitivity(7).Check, func(context.Context) []check.Item {
			// All records are equal, and one is replaced by its negative. The squared change is 8(n − 1), at most 8n −
			// 4.
			c := kernelCase{intMatrix{{1, 0}, {1, 0}, {1, 0}, {1, 0}}, []int64{-1, 0}}
			return []check.Item{numberWithin("n = 4, records alike, one turned round: move over c√(8n − 4)", math.Sqrt(float64(c.moved())/(8*4-4)), 2*check.Epsilon64, "whole numbers", "Example 2")}
		}),
	}
}

// experimentShape is the printed and the correct number of columns of an experiment's X.
type experimentShape struct {
	name                            string
	rows, printed, columns, samples int
}

// experimentShapes checks that the number of columns is the number of samples.
func experimentShapes(columns func(experimentShape) int) check.Statement[experimentShape] {
	return check.Statement[experimentShape]{
		Family: "Experiments I, II and III",
		Whole:  true,
		Each: func(yield func(experimentShape) bool) {
			_ = yield(experimentShape{"I", 6, 248, 248, 248}) && yield(experimentShape{"III", 21, 2126, 2126, 2126}) &&
				yield(experimentShape{"II", 4, 2021, 10176, 10176})
		},
		Holds: func(e experimentShape) bool { return columns(e) == e.samples },
		Witness: func(e experimentShape) *check.Witness {
			return check.NewWitness(check.Named("experiment", e.name, "X", fmt.Sprintf("%d × %d", e.rows, columns(e)), "samples", e.samples),
				check.Vars{"e": columns(e), "samples": e.samples}, "columns, samples = {e}, {samples}; print(columns, samples, columns == samples)")
		},
	}
}

// kernelFunctions states that the given number is the square of the largest change of a kernel matrix of n records, c
// = 1. It covers the symmetric kernels on three points with values −1, 0 and 1 and all data sets of those points.
func kernelFunctions(square func(n int64) int64) check.Statement[int64] {
	largest := func(n int64) (most int64) {
		for d := range check.Words(3, 6) {
			v := func(i int) int64 { return int64(d[i] - 1) }
			k := [3][3]int64{{v(0), v(1), v(2)}, {v(1), v(3), v(4)}, {v(2), v(4), v(5)}}
			for x := range k { // x is replaced by y
				for y := range x {
					own, entry := k[y][y]-k[x][x], int64(0)
					for z := range k { // every other record maximises the change
						move := k[y][z] - k[x][z]
						entry = max(entry, move*move)
					}
					most = max(most, own*own+2*(n-1)*entry)
				}
			}
		}
		return most
	}
	return check.Statement[int64]{
		Family: "1 to 12 records, symmetric kernels on three points with values −1, 0, 1",
		Each:   check.Grid(func(c *int64) []check.Axis { return []check.Axis{check.Span(c, 1, 12)} }),
		Holds:  func(n int64) bool { return largest(n) == square(n) },
	}
}

// recordPair is two records with entries −grid … grid, which stand for −1 … 1.
type recordPair struct {
	x, y []int64
	grid int64
}

// moved returns ‖xxᵀ − yyᵀ‖_F², in units of 1/grid⁴.
func (c recordPair) moved() int64 {
	xx, yy, xy := int64(0), int64(0), int64(0)
	for i := range c.x {
		xx, yy, xy = xx+c.x[i]*c.x[i], yy+c.y[i]*c.y[i], xy+c.x[i]*c.y[i]
	}
	return xx*xx + yy*yy - 2*xy*xy
}

// distance returns ‖xxᵀ − yyᵀ‖_F.
func (c recordPair) distance() float64 { return math.Sqrt(float64(c.moved())) / float64(c.grid*c.grid) }

// outerDifference states that ‖xxᵀ − yyᵀ‖_F², which is (n s₂)² for c = 1, is at most a bound.
func outerDifference(bound func(m int64) int64) check.Statement[recordPair] {
	return check.Statement[recordPair]{
		Family: "pairs of records with entries −1, 0, 1, up to four features",
		Each: check.Grid(func(c *recordPair) []check.Axis {
			c.grid = 1
			return []check.Axis{
				check.From(&c.x, intVectors(1, 4, -1, 1)),
				check.From(&c.y, intVectors(1, 4, -1, 1)),
				check.Where(func() bool { return len(c.x) == len(c.y) }),
			}
		}),
		Draw: func(rng *rand.Rand) recordPair {
			m := 1 + rng.IntN(12)
			return recordPair{drawInts(rng, 1, m, 10)[0], drawInts(rng, 1, m, 10)[0], 10}
		},
		Holds: func(c recordPair) bool { return c.moved() <= bound(int64(len(c.x)))*c.grid*c.grid*c.grid*c.grid },
	}
}

// outerSupremum states that bound(m) is the largest ‖xxᵀ − yyᵀ‖_F² of records with m entries −1, 0 and 1, for m from
// least on. If evenOnly is set, bound(m) may be larger than that for odd m.
func outerSupremum(least int, evenOnly bool, bound func(m int64) int64) check.Statement[int] {
	largest := func(m int) (most int64) {
		// Up to symmetry, x has ones in a places and zeros elsewhere. y is ±1 in b of these places, and +1 in k of the
		// b. Elsewhere y has d nonzero entries.
		for a := range m + 1 {
			for b := range a + 1 {
				for k := range b + 1 {
					for d := range m - a + 1 {
						xx, yy, xy := int64(a), int64(b+d), int64(2*k-b)
						most = max(most, xx*xx+yy*yy-2*xy*xy)
					}
				}
			}
		}
		return most
	}
	return check.Statement[int]{
		Family: fmt.Sprintf("%d to 12 features, records with entries −1, 0, 1", least),
		Each:   check.Grid(func(c *int) []check.Axis { return []check.Axis{check.Span(c, least, 12)} }),
		Holds: func(m int) bool {
			most, want := largest(m), bound(int64(m))
			return most == want || evenOnly && m%2 == 1 && most < want
		},
		Witness: func(m int) *check.Witness {
			return check.NewWitness(check.Named("m", m, "c", "1", "n", "1"),
				// gram_sensitivity takes records of norm at most √m, which include the cube.
				check.Vars{"m": m}, `m = {m}; a = gram_sensitivity(m, math.sqrt(m), "bounded").s2.hi; print(a, 2 * m, a >= 2 * m)`)
		},
	}
}

// kernelCase is n integer vectors in ℝ², and a replacement of the first.
type kernelCase struct {
	rows        intMatrix
	replacement []int64
}

func planeProduct(x, y []int64) int64 { return x[0]*y[0] + x[1]*y[1] }

// moved returns the squared norm of the kernel matrix's change.
func (c kernelCase) moved() int64 {
	own := planeProduct(c.replacement, c.replacement) - planeProduct(c.rows[0], c.rows[0])
	sum := own * own
	for _, row := range c.rows[1:] {
		d := planeProduct(row, c.replacement) - planeProduct(row, c.rows[0])
		sum += 2 * d * d
	}
	return sum
}

// kernelSupremum states that the given number is the square of the largest change of a kernel matrix of n records, c
// = 1, over vectors of the plane with entries k/5.
func kernelSupremum(square func(n int64) int64) check.Statement[int64] {
	const grid = 5
	disk := check.Keep(intVectors(2, 2, -grid, grid), func(v []int64) bool { return planeProduct(v, v) <= grid*grid })
	largest := func(n int64) (most int64) {
		for s := range int64(grid + 1) {
			x := []int64{s, 0} // the direction does not matter
			for y := range disk {
				own, entry := planeProduct(y, y)-planeProduct(x, x), int64(0)
				for z := range disk { // every other record maximises the change
					d := planeProduct(z, y) - planeProduct(z, x)
					entry = max(entry, d*d)
				}
				most = max(most, own*own+2*(n-1)*entry)
			}
		}
		return most
	}
	return check.Statement[int64]{
		Family: "2 to 12 records, vectors of norm at most 1 in the plane with entries k/5, the replaced one along an axis",
		Each:   check.Grid(func(c *int64) []check.Axis { return []check.Axis{check.Span(c, 2, 12)} }),
		Holds:  func(n int64) bool { return largest(n) == square(n)*grid*grid*grid*grid },
	}
}

// kernelSensitivity states that the change of a kernel matrix is at most c√(8n − 4), and that this is below nc if and
// only if n > beyond.
func kernelSensitivity(beyond int) check.Statement[kernelCase] {
	return check.Statement[kernelCase]{
		Family: "up to three vectors with entries −1, 0, 1, one replaced",
		Each: check.Grid(func(c *kernelCase) []check.Axis {
			var y intMatrix
			return []check.Axis{
				check.From(&c.rows, intShapes(-1, 1, [2]int{1, 2}, [2]int{2, 2}, [2]int{3, 2})),
				check.From(&y, intMatrices(1, 2, -1, 1)),
				check.Let(func() { c.replacement = y[0] }),
			}
		}),
		Draw: func(rng *rand.Rand) kernelCase {
			rows := drawInts(rng, 1+rng.IntN(20), 2, 9)
			if rng.IntN(2) == 0 { // the maximum: all equal, the first replaced by its negative
				for i := range rows {
					rows[i] = rows[0]
				}
				return kernelCase{rows, []int64{-rows[0][0], -rows[0][1]}}
			}
			return kernelCase{rows, drawInts(rng, 1, 2, 9)[0]}
		},
		Holds: func(c kernelCase) bool {
			n := int64(len(c.rows))
			most := planeProduct(c.replacement, c.replacement) // becomes c: no kernel value is larger, by the Cauchy-Schwarz inequality
			for _, row := range c.rows {
				most = max(most, planeProduct(row, row))
			}
			below := 8*n-4 < n*n
			gamma, s2 := mvg.KernelSensitivity(int(n), 1)
			return c.moved() <= most*most*(8*n-4) && below == (int(n) > beyond) && below == (s2 < gamma)
		},
	}
}
