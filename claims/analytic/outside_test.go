package analytic

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/smooth"
)

// An instance that a statement's mechanisms refuse, or a rule that has no answer for it, ends the
// check with an error: it is not decided.
func TestInstancesOutside(t *testing.T) {
	ctx := t.Context()
	triangles := func(c comparatorCase) comparatorCase { // what c leaves out
		if c.nodes == 0 {
			c.nodes = 3
		}
		if c.noise.law == "" {
			c.noise = noiseKinds[0]
		}
		return c
	}
	own := func(e float64) float64 { return e }
	line := lineCase{[][2]int64{{1, 2}}, 0, 1}
	ladder := func(distance [][]int, f []int, root int64) error {
		return checktest.Held(ladderPrivacy(ctx, asGiven), ladderCase{sensitivityCase{distance, f}, root})
	}
	basic := func(edges [][2]int, values int, base int64) error {
		_, err := basicCase{2, edges, values, [][]int{{0}, {0}}, base}.build(ctx, [][]int{{0}, {0}})
		return err
	}
	for name, err := range map[string]error{
		"no nodes, smooth":         checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{nodes: -1, tenth: 5})),
		"ε = 0, smooth":            checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{})),
		"a claim of 0, smooth":     checktest.Held(smoothWorse(ctx, 0), triangles(comparatorCase{tenth: 5})),
		"noise without moments":    checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{tenth: 5, noise: noiseKind{"cauchy", 0}})),
		"Student of no degree":     checktest.Held(smoothWorse(ctx, 2), triangles(comparatorCase{tenth: 5, noise: noiseKind{"student", 0}})),
		"no nodes, extended":       checktest.Held(extensionWorse(ctx, 2, 5), comparatorCase{nodes: -1, tenth: 5, on: 2}),
		"a claim of 0, extended":   checktest.Held(extensionWorse(ctx, 0, 5), comparatorCase{nodes: 3, tenth: 5, on: 2}),
		"no graph to extend from":  func() error { _, err := newComparators().extension(ctx, 3, -1); return err }(),
		"an extension on no nodes": func() error { _, err := newComparators().extension(ctx, -1, 1); return err }(),
		"a rival on no nodes": func() error {
			_, err := newComparators().rival(ctx, comparatorCase{nodes: -1, tenth: 5}, 2)
			return err
		}(),
		"a rival on an extension of nothing": func() error {
			_, err := newComparators().rival(ctx, comparatorCase{nodes: 3, tenth: 5, on: -1}, 2)
			return err
		}(),
		"a quotient on no nodes":             func() error { _, err := overPurest(comparatorCase{nodes: -1, tenth: 5})(ctx); return err }(),
		"distances that are none":            ladder([][]int{{0, 2}, {4, 0}}, []int{0, 1}, 2),
		"values of three of two datasets":    ladder(metrics[0], []int{0, 1, 2}, 2),
		"e^ε = 0":                            ladder(metrics[0], []int{0, 1}, 0),
		"an edge to nowhere":                 basic([][2]int{{0, 2}}, 2, 2),
		"no values":                          basic([][2]int{{0, 1}}, 0, 2),
		"e^ε = 0, basic":                     basic([][2]int{{0, 1}}, 2, 0),
		"shares without an answer":           checktest.Held(figure2Order(func(panelCase) ([]evidence.Certified, error) { return nil, checktest.ErrNoAnswer }), panelCase{3, 5}),
		"shares at a radius of −1":           checktest.Held(figure2Order(staircaseShares()), panelCase{3, -1}),
		"balls of a radius of −1":            checktest.Held(everywhereBetter(own), everywhereCase{panelCase{1, -1}, 0}),
		"one direction":                      checktest.Held(norms(convexSums), normCase{[][2]int64{{1, 0}, {2, 0}}}),
		"a lattice of one direction":         checktest.Held(latticeLayers(sumNorm), latticeCase{columns: [2][2]int64{{1, 0}, {2, 0}}}),
		"a line that is not built":           checktest.Held(onLines(func(lineCase) (*continuous.Sequence, error) { return nil, checktest.ErrNoAnswer }, converges), line),
		"a part of a line without an answer": checktest.Held(onLines(layersOf, func(lineCase, *continuous.Sequence) (bool, error) { return false, checktest.ErrNoAnswer }), line),
		"a staircase at ε = 0":               checktest.Held(staircaseLeast(hyperbolic), staircaseCase{1, big.NewRat(1, 2)}),
		"a staircase of e^ε = 0":             checktest.Held(staircaseLeast(hyperbolic), staircaseCase{0, big.NewRat(1, 2)}),
		"a step at 2":                        checktest.Held(staircaseLeast(hyperbolic), staircaseCase{2, big.NewRat(2, 1)}),
		"a migration that is refused": func() error {
			met := 0
			return checktest.Held(atomicOrigin(&met, false, func(context.Context, *layers.Mechanism, int, int) (*layers.Mechanism, error) {
				return nil, checktest.ErrNoAnswer
			}), basicCase{2, [][2]int{{0, 1}}, 2, [][]int{{0, 1}, {0, 1}}, 2})
		}(),
	} {
		if err == nil {
			t.Errorf("%s: decided", name)
		}
	}
	if extensionWorse(ctx, 0, 5).Measure(comparatorCase{nodes: 3, tenth: 5, on: 2}) != nil {
		t.Error("evidence of a mechanism that claims 0")
	}
	if w := (normCase{[][2]int64{{1, 0}, {2, 0}}}).witness(); len(w.Fields) != 1 {
		t.Errorf("a gap of what is no norm: %v", w.Fields)
	}
	if holds, err := onLines(layersOf, converges).Holds(lineCase{[][2]int64{{0, 0}}, 0, 1}); !holds || err != nil {
		t.Errorf("V = {0}, of which nothing is said: %v, %v", holds, err)
	}
}

// A contender that fails at any of its turns ends a contest, and shares that fail at any of theirs end Figure 2.
func TestFailuresInTurn(t *testing.T) {
	q := check.Must(triangleCounts(t.Context(), 3))
	failing := func(from int) contender {
		turn := 0
		return func(ctx context.Context, q *query.Query, eps evidence.Epsilon) (mechanism.Mechanism, error) {
			if turn++; turn > from {
				return nil, checktest.ErrNoAnswer
			}
			return purestContender(ctx, q, eps)
		}
	}
	for turn := range 4 {
		if _, err := upperPanel(q, failing(turn), purestContender)(t.Context()); !errors.Is(err, checktest.ErrNoAnswer) {
			t.Errorf("the first fails after %d turns: %v", turn, err)
		}
		if _, err := upperPanel(q, purestContender, failing(turn))(t.Context()); !errors.Is(err, checktest.ErrNoAnswer) {
			t.Errorf("the second fails after %d turns: %v", turn, err)
		}
	}
	if err := checktest.Held(mostGraphs(t.Context(), q, purestContender, failing(0)), 1); !errors.Is(err, checktest.ErrNoAnswer) {
		t.Errorf("a contest: %v", err)
	}
	for last := range 33 { // 30 instances and three points
		turn := 0
		_, err := figure2Check(func(panelCase) ([]evidence.Certified, error) {
			if turn++; turn > last {
				return nil, checktest.ErrNoAnswer
			}
			return []evidence.Certified{{Lo: 1, Hi: 2}, {Lo: 3, Hi: 4}}, nil
		})(t.Context(), check.Run{})
		if !errors.Is(err, checktest.ErrNoAnswer) {
			t.Errorf("shares that fail after %d turns: %v", last, err)
		}
	}
}

// What refuses first is what the error is from: nothing goes on without it.
func TestFirstRefusals(t *testing.T) {
	ctx := t.Context()
	_, noGraphs := triangleCounts(ctx, -1)
	_, noEpsilon := evidence.NewEpsilon("eps", 0)
	_, noLog := evidence.LogEpsilon("eps", new(big.Rat))
	_, noCauchy := smooth.Cauchy(new(big.Rat))
	_, noPart := smooth.UpToDegree(check.Must(triangleCounts(ctx, 3)), -1)
	student := noiseKind{"student", 3}
	rival := func(c comparatorCase, times float64) error {
		_, err := newComparators().rival(ctx, c, times)
		return err
	}
	of := func(_ any, err error) error { return err }
	for name, c := range map[string]struct{ got, want error }{
		"a rival on no nodes":        {rival(comparatorCase{nodes: -1, tenth: 5, noise: student}, 2), noGraphs},
		"a rival that claims 0":      {rival(comparatorCase{nodes: 3, tenth: 5, noise: student}, 0), noEpsilon},
		"noise without moments":      {rival(comparatorCase{nodes: 3, tenth: 5, on: -1, noise: noiseKind{"cauchy", 0}}, 2), noCauchy},
		"an extension on no nodes":   {of(newComparators().extension(ctx, -1, 1)), noGraphs},
		"an extension from no graph": {of(newComparators().extension(ctx, 3, -1)), noPart},
		"the purest on no nodes":     {of(newComparators().purest(ctx, comparatorCase{nodes: -1, tenth: 5})), noGraphs},
		"the purest at ε = 0":        {of(newComparators().purest(ctx, comparatorCase{nodes: 3})), noEpsilon},
		"an optimum on no nodes":     {of(overOptimum(comparatorCase{nodes: -1, tenth: 5, noise: student})(ctx)), noGraphs},
		"a figure on no nodes":       {of(figure1Check(-1, purestContender, ladderContender)(ctx, check.Run{})), noGraphs},
		"losses on no nodes":         {of(losses(-1)(ctx)), noGraphs},
		"a staircase of e^ε = 0":     {checktest.Held(staircaseLeast(hyperbolic), staircaseCase{0, big.NewRat(1, 2)}), noLog},
		"Ladder of e^ε = 0":          {checktest.Held(ladderPrivacy(ctx, asGiven), ladderCase{sensitivityCase{metrics[0], []int{0, 1}}, 0}), noLog},
		"a basic one of e^ε = 0":     {of(basicCase{2, [][2]int{{0, 1}}, 2, [][]int{{0}, {0}}, 0}.build(ctx, [][]int{{0}, {0}})), noLog},
	} {
		if c.want == nil || c.got == nil || c.got.Error() != c.want.Error() {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// What looks at the context ends with its error, whichever look finds that it is over, and if it were for that look alone.
func TestEveryLook(t *testing.T) {
	q := check.Must(triangleCounts(t.Context(), 3))
	purer := func(ctx context.Context, q *query.Query, eps evidence.Epsilon) (mechanism.Mechanism, error) {
		return purestContender(ctx, q, eps.Times(2))
	}
	noisy := comparatorCase{nodes: 3, tenth: 5, noise: noiseKinds[0]}
	extended := comparatorCase{nodes: 3, tenth: 5, on: 1}
	for name, run := range map[string]func(ctx context.Context) error{
		"smooth sensitivity": func(ctx context.Context) error { return checktest.Held(smoothWorse(ctx, 2), noisy) },
		"an extension":       func(ctx context.Context) error { return checktest.Held(extensionWorse(ctx, 2, 5), extended) },
		"quotients":          func(ctx context.Context) error { _, err := overPurest(extended)(ctx); return err },
		"an optimum":         func(ctx context.Context) error { _, err := overOptimum(noisy)(ctx); return err },
		"a contest":          func(ctx context.Context) error { return checktest.Held(mostGraphs(ctx, q, purer, purestContender), 1) },
		"the upper panel":    func(ctx context.Context) error { _, err := upperPanel(q, purer, purestContender)(ctx); return err },
		"the lower panel":    func(ctx context.Context) error { _, err := lowerPanelOf(ctx, q, 2); return err },
		"Ladder": func(ctx context.Context) error {
			return checktest.Held(ladderPrivacy(ctx, asGiven), ladderCase{sensitivityCase{metrics[0], []int{0, 1}}, 2})
		},
		"losses":              func(ctx context.Context) error { _, err := losses(3)(ctx); return err },
		"counts of triangles": func(ctx context.Context) error { _, err := triangleCounts(ctx, 3); return err },
	} {
		t.Run(name, func(t *testing.T) { looks.Each(t, 7, run) })
	}
}

// One interval of length 2Δ, which the printed definition asks for, there is where R_0 = [−δ, δ] has δ = Δ; for [0, a] ∪ [b, c] there is none.
func TestPrintedInterval(t *testing.T) {
	for _, c := range []struct {
		of   lineCase
		want bool
	}{{lineCase{[][2]int64{{0, 1}}, 1, 1}, true}, {lineCase{[][2]int64{{0, 3}}, 3, 2}, true}, {lineCase{[][2]int64{{0, 1}}, 2, 1}, false}, {lineCase{[][2]int64{{0, 1}, {2, 3}}, 0, 1}, false}} {
		if got, err := printedInterval.Holds(c.of); got != c.want || err != nil {
			t.Errorf("%v: %v, %v, want %v", c.of, got, err, c.want)
		}
	}
}

// Ratios are told apart from 1 beyond 1e-9 of it alone, on either side; shares enclose what is left open.
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
			t.Errorf("of %v: %v to %v, want %d to %d of %g", c.datasets, got.Lo, got.Hi, c.least, c.most, n)
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

// A number is below another where every value that it may have is.
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

// The quotient of two numbers lies within its ends whichever of their values they have, and the ends are
// the least and the greatest of the quotients to within two ulps: by rationals.
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
			out  int // the sign of what is left of the end, outside of it
		}{{got.Lo, quotient(c[0], c[3]), 1}, {got.Hi, quotient(c[1], c[2]), -1}} {
			gap := new(big.Rat).Sub(end.want, new(big.Rat).SetFloat64(end.got))
			off, _ := new(big.Rat).Quo(gap, end.want).Float64()
			if gap.Sign() != end.out || math.Abs(off) > 2*check.Epsilon64 {
				t.Errorf("%v: an end at %v, want outside of %v and near it", c, end.got, end.want)
			}
		}
	}
}
