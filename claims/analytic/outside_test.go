package analytic

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// If a mechanism rejects an instance, the check ends with an error and decides nothing.
func TestRejectedInstancesAreErrors(t *testing.T) {
	ctx := t.Context()
	triangles := func(c comparatorCase) comparatorCase { // returns c with 3 nodes and the first noise kind, unless c has its own
		if c.nodes == 0 {
			c.nodes = 3
		}
		if c.noise.law == "" {
			c.noise = noiseKinds[0]
		}
		return c
	}
	own := func(e float64) float64 { return e }
	ladder := func(distance [][]int, f []int, root int64) error {
		return checktest.Held(ladderPrivacy(ctx, asGiven), ladderCase{sensitivityCase{distance, f}, root})
	}
	basic := func(edges [][2]int, values int, base int64) error {
		return check.Try(func() { check.Must(basicCase{2, edges, values, [][]int{{0}, {0}}, base}.build(ctx, [][]int{{0}, {0}})) })
	}
	for name, err := range map[string]error{
		"no nodes, smooth":                   checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{nodes: -1, tenth: 5})),
		"ε = 0, smooth":                      checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{})),
		"a claim of 0, smooth":               checktest.Held(smoothWorse(ctx, 0), triangles(comparatorCase{tenth: 5})),
		"noise without moments":              checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{tenth: 5, noise: noiseKind{"cauchy", 0}})),
		"Student of no degree":               checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{tenth: 5, noise: noiseKind{"student", 0}})),
		"no nodes, extended":                 checktest.Held(extensionWorse(ctx, 2, 5), comparatorCase{nodes: -1, tenth: 5, on: 2}),
		"a claim of 0, extended":             checktest.Held(extensionWorse(ctx, 0, 5), comparatorCase{nodes: 3, tenth: 5, on: 2}),
		"no graph to extend from":            check.Try(func() { newComparators().extension(ctx, 3, -1) }),
		"an extension on no nodes":           check.Try(func() { newComparators().extension(ctx, -1, 1) }),
		"a rival on no nodes":                check.Try(func() { newComparators().rival(ctx, comparatorCase{nodes: -1, tenth: 5}, 2) }),
		"a rival on an extension of nothing": check.Try(func() { newComparators().rival(ctx, comparatorCase{nodes: 3, tenth: 5, on: -1}, 2) }),
		"a quotient on no nodes":             check.Try(func() { overPurest(comparatorCase{nodes: -1, tenth: 5})(ctx) }),
		"distances that are none":            ladder([][]int{{0, 2}, {4, 0}}, []int{0, 1}, 2),
		"values of three of two datasets":    ladder(metrics[0], []int{0, 1, 2}, 2),
		"e^ε = 0":                            ladder(metrics[0], []int{0, 1}, 0),
		"an edge to nowhere":                 basic([][2]int{{0, 2}}, 2, 2),
		"no values":                          basic([][2]int{{0, 1}}, 0, 2),
		"e^ε = 0, basic":                     basic([][2]int{{0, 1}}, 2, 0),
		"shares at a radius of −1":           checktest.Held(figure2Order(staircaseShares()), panelCase{3, -1}),
		"balls of a radius of −1":            checktest.Held(everywhereBetter(own), everywhereCase{panelCase{1, -1}, 0}),
		"one direction":                      checktest.Held(norms(convexSums), normCase{[][2]int64{{1, 0}, {2, 0}}}),
		"a lattice of one direction":         checktest.Held(latticeLayers(sumNorm), latticeCase{columns: [2][2]int64{{1, 0}, {2, 0}}}),
		"a staircase at ε = 0":               checktest.Held(staircaseLeast(hyperbolic), staircaseCase{1, big.NewRat(1, 2)}),
		"a staircase of e^ε = 0":             checktest.Held(staircaseLeast(hyperbolic), staircaseCase{0, big.NewRat(1, 2)}),
		"a step at 2":                        checktest.Held(staircaseLeast(hyperbolic), staircaseCase{2, big.NewRat(2, 1)}),
	} {
		if err == nil {
			t.Errorf("%s: decided, want an error", name)
		}
	}
	if holds, err := checktest.Holds(onLines(layersOf, converges), lineCase{[][2]int64{{0, 0}}, 0, 1}); !holds || err != nil {
		t.Errorf("V = {0}, which the statement excludes: %v, %v", holds, err)
	}
}

// Every function returns the error of its context, even if only one poll of the context reports it, whichever poll that
// is.
func TestEveryPoll(t *testing.T) {
	q := triangleCounts(t.Context(), 3)
	purer := func(ctx context.Context, q *query.Query, eps evidence.Epsilon) mechanism.Mechanism {
		return purestContender(ctx, q, eps.Times(2))
	}
	noisy := comparatorCase{nodes: 3, tenth: 5, noise: noiseKinds[0]}
	extended := comparatorCase{nodes: 3, tenth: 5, on: 1}
	for name, run := range map[string]func(ctx context.Context) error{
		"smooth sensitivity": func(ctx context.Context) error { return checktest.Held(smoothWorse(ctx, 2), noisy) },
		"an extension":       func(ctx context.Context) error { return checktest.Held(extensionWorse(ctx, 2, 5), extended) },
		"quotients":          func(ctx context.Context) error { return check.Try(func() { overPurest(extended)(ctx) }) },
		"an optimum":         func(ctx context.Context) error { return check.Try(func() { overOptimum(noisy)(ctx) }) },
		"a contest":          func(ctx context.Context) error { return checktest.Held(mostGraphs(ctx, q, purer, purestContender), 1) },
		"the upper panel": func(ctx context.Context) error {
			return check.Try(func() { upperPanel(q, purer, purestContender)(ctx) })
		},
		"the lower panel": func(ctx context.Context) error { return check.Try(func() { check.Must(lowerPanelOf(ctx, q, 2)) }) },
		"Ladder": func(ctx context.Context) error {
			return checktest.Held(ladderPrivacy(ctx, asGiven), ladderCase{sensitivityCase{metrics[0], []int{0, 1}}, 2})
		},
		"losses":              func(ctx context.Context) error { return check.Try(func() { losses(3)(ctx) }) },
		"counts of triangles": func(ctx context.Context) error { return check.Try(func() { triangleCounts(ctx, 3) }) },
	} {
		t.Run(name, func(t *testing.T) { ctxtest.EachPoll(t, 7, run) })
	}
}

// Definition 20 as printed requires a layer that is one interval of length 2Δ. Such a layer exists if R_0 = [−δ, δ]
// with δ = Δ, but not for [0, a] ∪ [b, c].
func TestPrintedInterval(t *testing.T) {
	for _, c := range []struct {
		of   lineCase
		want bool
	}{{lineCase{[][2]int64{{0, 1}}, 1, 1}, true}, {lineCase{[][2]int64{{0, 3}}, 3, 2}, true}, {lineCase{[][2]int64{{0, 1}}, 2, 1}, false}, {lineCase{[][2]int64{{0, 1}, {2, 3}}, 0, 1}, false}} {
		if got, err := checktest.Holds(printedInterval, c.of); got != c.want || err != nil {
			t.Errorf("%v: %v, %v, want %v", c.of, got, err, c.want)
		}
	}
}

// Ratios within 1e-9 of 1 are undecided. The interval of shareBelow covers both decisions on each of them.
func TestSharesBelow(t *testing.T) {
	ratios := []float64{0.5, 1 - 1.5e-9, 1 - 0.5e-9, 1, 1 + 0.5e-9, 1 + 1.5e-9, 2, math.Inf(1)}
	for _, c := range []struct {
		datasets    []int
		least, most int
	}{
		{[]int{0}, 1, 1}, {[]int{1}, 1, 1}, {[]int{2}, 0, 1}, {[]int{3}, 0, 1}, {[]int{4}, 0, 1}, {[]int{5}, 0, 0}, {[]int{6}, 0, 0}, {[]int{7}, 0, 0},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, 2, 5}, {[]int{7, 2, 0}, 1, 2},
	} {
		n := float64(len(c.datasets))
		if got := shareBelow(ratios, c.datasets); got.Lo != float64(c.least)/n || got.Hi != float64(c.most)/n {
			t.Errorf("datasets %v: a share from %v to %v, want %d to %d of %g", c.datasets, got.Lo, got.Hi, c.least, c.most, n)
		}
	}
	for _, x := range []float64{0.25, 1, 3} {
		if w := widened(x); !(w.Lo > x*(1-2e-9) && w.Lo < x*(1-0.5e-9) && w.Hi > x*(1+0.5e-9) && w.Hi < x*(1+2e-9)) {
			t.Errorf("about %v: %v to %v", x, w.Lo, w.Hi)
		}
	}
	for _, c := range []struct {
		near, far []float64
		want      bool
	}{
		{[]float64{1, 1}, []float64{2, 2}, true}, {[]float64{1, 2}, []float64{2, 1}, false}, {[]float64{2, 1}, []float64{1, 2}, false}, {[]float64{1, 1}, []float64{2, 1}, false},
		{[]float64{1}, []float64{1 + 0.5e-9}, false}, {[]float64{1}, []float64{1 + 1.5e-9}, true}, {[]float64{math.NaN()}, []float64{1}, false},
	} {
		if got := everyLess(c.near, c.far); got != c.want {
			t.Errorf("%v below %v: %v", c.near, c.far, got)
		}
	}
}

// below(a, b) holds if every possible value of a is less than every possible value of b.
func TestBelow(t *testing.T) {
	for _, c := range []struct {
		a, b [2]float64
		want bool
	}{
		{[2]float64{1, 2}, [2]float64{3, 4}, true}, {[2]float64{3, 4}, [2]float64{1, 2}, false}, {[2]float64{1, 2}, [2]float64{2, 3}, false},
		{[2]float64{1, 3}, [2]float64{2, 4}, false}, {[2]float64{1, 4}, [2]float64{2, 3}, false}, {[2]float64{2, 3}, [2]float64{1, 4}, false}, {[2]float64{1, 2}, [2]float64{2.5, 9}, true},
	} {
		if got := below(evidence.Certified{Lo: c.a[0], Hi: c.a[1]}, evidence.Certified{Lo: c.b[0], Hi: c.b[1]}); got != c.want {
			t.Errorf("%v below %v: %v", c.a, c.b, got)
		}
	}
}

// The quotient of two intervals contains all quotients of their values. Its ends are within two ulps of the smallest
// and the largest quotient, computed in rationals.
func TestShareOf(t *testing.T) {
	for _, c := range [][4]float64{{1, 1, 3, 3}, {1, 2, 3, 7}, {0.1, 0.3, 0.7, 0.9}, {5, 5, 7, 7}, {2, 2, 3, 3}, {10, 11, 1, 3}, {1, 1, 1, 1}} {
		got := shareOf(evidence.Certified{Lo: c[0], Hi: c[1]}, evidence.Certified{Lo: c[2], Hi: c[3]})
		quotient := func(a, b float64) *big.Rat {
			q := new(big.Rat).SetFloat64(a)
			return q.Quo(q, new(big.Rat).SetFloat64(b))
		}
		for _, end := range []struct {
			got  float64
			want *big.Rat
			out  int // the sign of the true end minus the computed one
		}{{got.Lo, quotient(c[0], c[3]), 1}, {got.Hi, quotient(c[1], c[2]), -1}} {
			gap := new(big.Rat).Sub(end.want, new(big.Rat).SetFloat64(end.got))
			off, _ := new(big.Rat).Quo(gap, end.want).Float64()
			if gap.Sign() != end.out || math.Abs(off) > 2*check.Epsilon64 {
				t.Errorf("%v: the end %v is not just outside %v", c, end.got, end.want)
			}
		}
	}
}
