package lp_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/optimize/lp"
)

// scaledBy multiplies all losses, so the optimum scales by the same factor.
func scaledBy(p *lp.Program, by float64) *lp.Program {
	for j := range p.Loss {
		p.Loss[j] *= by
	}
	return p
}

// families returns programs of every kind for the comparison of search lengths.
func families() map[string][]*lp.Program {
	rng := rand.New(rand.NewPCG(7, 1))
	out := map[string][]*lp.Program{}
	add := func(name string, p *lp.Program) { out[name] = append(out[name], p) }
	for range 40 {
		p, _ := lp.RandomProgram(rng, big.NewRat(int64(5+rng.IntN(20)), 4))
		add("random", p)
		q, _ := lp.RandomProgram(rng, big.NewRat(int64(5+rng.IntN(20)), 4))
		add("random worst", q.Worst())
		r, size := lp.RandomProgram(rng, big.NewRat(5, 2))
		loss := make([]float64, r.Rows)
		for j, i := range r.Row {
			loss[i] += r.Loss[j] / float64(size)
		}
		for i := range loss {
			r.Bound = append(r.Bound, interval.Float(math.Ceil(64*loss[i]+1)/64))
			r.Weight[i]++
		}
		add("bounds", r)
	}
	for n := range 10 {
		for _, w := range []float64{1.001, 2, 1e3, 1e9} {
			p, _ := lp.Line(n + 2).Program(interval.Float(w))
			add("lines", p)
			q, _ := lp.Line(n + 2).Program(interval.Float(w))
			add("worst lines", q.Worst())
			r, _ := lp.Line(n + 2).Program(interval.Float(w))
			add("small lines", scaledBy(r, 1e-7))
			l, _ := lp.Line(n + 2).Program(interval.Float(w))
			add("large lines", scaledBy(l, 1e7).Worst())
		}
	}
	cube := lp.Universe{}
	for x := range 32 {
		cube.Values = append(cube.Values, 0)
		for k := range 5 {
			if x>>k&1 == 1 {
				cube.Values[x]++
				cube.Edges = append(cube.Edges, [2]int{x ^ 1<<k, x})
			}
		}
	}
	for _, u := range []lp.Universe{cube, lp.GraphUniverse(4), lp.GraphUniverse(5)} {
		for _, eps := range []float64{0.3, 1, 4} {
			p, _ := u.Program(lp.Exp(eps))
			add("graphs", p)
			q, _ := u.Program(lp.Exp(eps))
			add("graphs", q.Worst())
		}
	}
	return out
}

// quality sums up how well a family of programs was solved.
type quality struct {
	reached    int // programs whose default width was reached
	steps      int // steps to the default width
	cells      int // variables left after merging
	far        int // steps to the smallest gap
	digits     int // quarters of decimal digits on which the bounds agree after far steps
	once, tens int // exact optima within one attempt, and within ten
}

// The searches take no more steps, have no wider gaps, merge no fewer variables and identify the optimal face no less
// often than when this test was written. Rounding differs between machines and may cost a step or two.
func TestSearchesAreShort(t *testing.T) {
	want := map[string]quality{
		"random":       {35, 606, 358, 705, 1925, 35, 35},
		"random worst": {39, 326, 389, 446, 2163, 39, 39},
		"bounds":       {32, 832, 375, 936, 1590, 0, 0},
		"lines":        {40, 376, 1300, 502, 1995, 16, 16},
		"worst lines":  {40, 494, 1300, 574, 1758, 16, 16},
		"small lines":  {40, 376, 1300, 497, 1909, 16, 16},
		"large lines":  {40, 500, 1300, 581, 1761, 16, 16},
		"graphs":       {18, 207, 2004, 270, 919, 0, 0},
	}
	for name, list := range families() {
		got := quality{}
		for _, p := range list {
			x, err := lp.Solve(t.Context(), p, lp.Options{})
			if err != nil && !errors.Is(err, lp.ErrPrecision) {
				t.Fatal(err)
			}
			if err == nil {
				got.reached++
			}
			got.steps += x.Iterations
			got.cells += x.Cells
			far, _ := lp.Solve(t.Context(), p, lp.Options{Aim: 1e-16, Width: 1})
			got.far += far.Iterations
			if gap := (far.Hi - far.Lo) / far.Hi; gap > 0 && gap < 1 {
				got.digits += int(-4 * math.Log10(gap))
			}
			if w, ok := map[string]int64{"lines": 2, "random": 3, "random worst": 4, "worst lines": 5, "small lines": 6, "large lines": 7}[name]; ok && p.Size() < 40 {
				p.Ratio = interval.Int(w)
				if _, err := lp.SolveExact(t.Context(), p, big.NewRat(w, 1), 1); err == nil {
					got.once++
				}
				if _, err := lp.SolveExact(t.Context(), p, big.NewRat(w, 1), 10); err == nil {
					got.tens++
				}
			}
		}
		w, spare := want[name], 0
		if runtime.GOARCH != "amd64" {
			spare = 10
		}
		if got.reached < w.reached || got.steps > w.steps+spare || got.cells > w.cells || got.far > w.far+spare || got.digits < w.digits-spare ||
			got.once < w.once || got.tens < w.tens {
			t.Errorf("%q: %d, want %d", name, got, w)
		}
	}
}

// The bounds that a search reports are on both sides of the optimum, in the caller's unit. They are negative only if a
// loss or a bound can be.
func TestSearchesReport(t *testing.T) {
	for name, c := range map[string]struct {
		eps   float64
		shift float64 // of all losses
		bound float64 // of every row, none if 0
		low   func(lo float64) bool
	}{
		"losses from 0":  {0.8, 0, 0, func(lo float64) bool { return lo >= 0 }},
		"a small loss":   {9, 0, 0, func(lo float64) bool { return lo >= 0 }},
		"a small ε":      {0.01, 0, 0, func(lo float64) bool { return lo >= 0 }},
		"losses from ½":  {0.8, 0.5, 0, func(lo float64) bool { return lo >= 0 }},
		"losses below 0": {0.8, -1, 0, func(lo float64) bool { return true }},
		"bounds":         {0.8, 0, 30, func(lo float64) bool { return true }},
	} {
		p, _ := lp.Line(4).Program(lp.Exp(c.eps))
		for j := range p.Loss {
			p.Loss[j] += c.shift
		}
		if c.bound > 0 {
			for range p.Rows {
				p.Bound = append(p.Bound, interval.Float(c.bound))
			}
		}
		steps, below := 0, false
		var last [2]float64
		ctx := parallel.WithProgress(t.Context(), func(done, total int64, what string) {
			if steps++; done != int64(steps) || total != 0 {
				t.Errorf("%s: step %d of %d, want %d of 0", name, done, total, steps)
			}
			if _, err := fmt.Sscanf(what, "between %g and %g", &last[0], &last[1]); err != nil || !c.low(last[0]) {
				t.Errorf("%s: step %d reports %q, %v", name, done, what, err)
			}
			below = below || last[0] < 0
		})
		x, err := lp.Solve(ctx, p, lp.Options{Unit: 8})
		if err != nil || x.Iterations != steps {
			t.Errorf("%s: %d steps, %d reports, %v", name, x.Iterations, steps, err)
		}
		if width := 1e-4 * math.Abs(8*x.Hi); math.Abs(last[0]-8*x.Lo) > width || math.Abs(last[1]-8*x.Hi) > width {
			t.Errorf("%s: the last report is %v, the optimum in [%v, %v]", name, last, 8*x.Lo, 8*x.Hi)
		}
		if name == "bounds" && !below {
			t.Errorf("%s: no bound below 0 was reported", name)
		}
	}
}
