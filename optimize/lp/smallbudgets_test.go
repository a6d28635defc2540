package lp

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// If the budgets are small, the solution without them is used if and only if its gap is within the requested width.
func TestSmallBudgets(t *testing.T) {
	p, _ := Line(6).Program(Exp(1))
	p.Spend(big.NewRat(9, 10_000_000_000))
	whole := must.For(Solve(t.Context(), p, Options{}))(t)
	for width, narrow := range map[float64]bool{1e-6: true, 1e-13: false} {
		x, done, _ := p.unspent(t.Context(), Options{Width: width})
		if x == nil || x.Lo > whole.Hi || x.Hi < whole.Lo || done != narrow || narrow != (x.Hi-x.Lo <= width*x.Hi) {
			t.Errorf("width %g: %+v, accepted %t", width, x, done)
		}
	}
	for n := range 400 { // cancellation returns the bounds known without budgets
		x, done, err := p.unspent(ctxtest.CancelAfter(t.Context(), n), Options{Width: 1e-13})
		if !done {
			if n < 10 || err != nil {
				t.Errorf("after %d polls: %v", n, err)
			}
			break
		}
		if x != nil && (x.Lo > whole.Hi || x.Hi < whole.Lo) || !errors.Is(err, context.Canceled) { // nil if certification takes too long
			t.Fatalf("after %d polls: %+v, %v", n, x, err)
		}
	}
}

// overspent returns how much of the uniform point must be mixed in until a point keeps its budgets. The rate is
// positive if and only if the point itself exceeds them.
func TestOverspent(t *testing.T) {
	w, delta := big.NewRat(2, 1), big.NewRat(1, 16)
	p, _ := Line(5).Program(interval.Rat(w))
	needs, least := countOverspent(t, p.Spend(delta), w, 200)
	if needs < 50 || least < 10 { // if one constraint of the worst budget is exceeded, the rate is the least possible
		t.Errorf("only %d of 200 points need mixing, and for %d of them the rate is minimal", needs, least)
	}
	// One budget for rows of two and of forty values, whose uniform points leave different slack.
	mixed := &Program{Rows: 4, Weight: []float64{1, 1, 1, 1}, Ratio: interval.Rat(w), Delta: big.NewRat(1, 64), Budgets: 1}
	for k, length := range []int32{2, 40} {
		start := int32(len(mixed.Row))
		for j := range 2 * length {
			mixed.Row, mixed.Loss = append(mixed.Row, int32(2*k)+j/length), append(mixed.Loss, float64(len(mixed.Loss)))
			if j < length {
				mixed.Pairs, mixed.Budget = append(mixed.Pairs, [2]int32{start + j, start + j + length}), append(mixed.Budget, 0, 0)
			}
		}
	}
	if err := mixed.check(); err != nil {
		t.Fatal(err)
	}
	if needs, _ := countOverspent(t, mixed, w, 20); needs < 5 {
		t.Errorf("only %d of 20 points need mixing with rows of different length", needs)
	}
}

// countOverspent counts the random points that need mixing to keep p's budgets, and those for which 0.1 % less is too
// little.
func countOverspent(t *testing.T, p *Program, w *big.Rat, points int) (needs, least int) {
	t.Helper()
	s, delta := newSolver(p.merge()), p.Delta
	rng := rand.New(rand.NewPCG(1, 2))
	for range points {
		sum, length := make([]float64, s.rows), make([]float64, s.rows)
		for j, i := range s.row {
			s.p[j] = math.Ldexp(1+rng.Float64(), -rng.IntN(6))
			sum[i] += s.p[j] // merged variables may count once, because the rate holds for any point
			length[i]++
		}
		rate := s.overspent(sum, length)
		over := func(rate float64) bool {
			total, r, one := make([]*big.Rat, s.budgets), ratOf(rate), big.NewRat(1, 1)
			chance := func(j int32) *big.Rat {
				own := new(big.Rat).Quo(ratOf(s.p[j]), ratOf(sum[s.row[j]]))
				own.Mul(own, one.Sub(big.NewRat(1, 1), r))
				return own.Add(own, new(big.Rat).Quo(r, ratOf(length[s.row[j]])))
			}
			for k, g := range s.budget {
				if total[g] == nil {
					total[g] = new(big.Rat)
				}
				a, b := s.ends(int32(k))
				if d := new(big.Rat).Sub(chance(a), new(big.Rat).Mul(w, chance(b))); d.Sign() > 0 {
					total[g].Add(total[g], d.Mul(d, ratOf(s.share[k])))
				}
			}
			for _, v := range total {
				if v != nil && v.Cmp(new(big.Rat).Mul(delta, big.NewRat(1_000_000_001, 1_000_000_000))) > 0 {
					return true
				}
			}
			return false
		}
		if rate < 0 || rate >= 1 || over(rate) || over(0) != (rate > 0) {
			t.Fatalf("at %v the rate is %g: over budget with it %t, without it %t", s.p, rate, over(rate), over(0))
		}
		if rate > 0 {
			needs++
			if over(0.999 * rate) {
				least++
			}
		}
	}
	return needs, least
}

// Weights that are infinite, zero or NaN fail.
func TestAffordsInvalidWeights(t *testing.T) {
	p, _ := Line(1).Program(Exp(1))
	p.Spend(big.NewRat(1, 2))
	sums := func(w []float64) []interval.Interval {
		out := make([]interval.Interval, p.Rows)
		for i := range out {
			out[i] = interval.Int(0)
		}
		for j, v := range w {
			out[p.Row[j]] = out[p.Row[j]].Add(interval.Float(v))
		}
		return out
	}
	good := []float64{1, 1, 1, 1}
	if !p.affords(t.Context(), good, sums(good)) {
		t.Error("equal weights exceed the budget")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if uneven := []float64{4, 1, 1, 4}; !p.affords(t.Context(), uneven, sums(uneven)) || p.affords(ended, uneven, sums(uneven)) {
		t.Error("shares 0.8 and 0.2 must keep a budget of 1/2, unless the context is cancelled")
	}
	if uneven := []float64{4, 1, 1, 4}; p.affords(ctxtest.CancelAfter(t.Context(), 1), uneven, sums(uneven)) {
		t.Error("affords is true although the context is cancelled in between")
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if w := []float64{bad, bad, bad, bad}; p.satisfies(t.Context(), w) {
			t.Errorf("invalid weights %v keep the budgets", w)
		}
		for at := range good {
			w := []float64{1, 1, 1, 1}
			w[at] = bad
			if p.satisfies(t.Context(), w) {
				t.Errorf("invalid weights %v keep the budgets", w)
			}
		}
	}
}

// A budget is kept if and only if the total excess of its constraints is below the budget minus the margin, to within a
// few bits.
func TestAffordsIsTight(t *testing.T) {
	rng, w := rand.New(rand.NewPCG(3, 9)), big.NewRat(2, 1)
	p, _ := Line(4).Program(interval.Rat(w))
	tried := 0
	for range 60 {
		weights := make([]float64, len(p.Row))
		for j := range weights {
			weights[j] = math.Ldexp(1+rng.Float64(), -rng.IntN(6))
		}
		_, share := p.ratShares(weights)
		p.Spend(big.NewRat(1, 2))
		total := Zeros(p.Budgets)
		for k, e := range p.Pairs {
			for side := range 2 {
				if over := new(big.Rat).Sub(share[e[side]], new(big.Rat).Mul(w, share[e[1-side]])); over.Sign() > 0 {
					g := total[p.Budget[2*k+side]]
					g.Add(g, over)
				}
			}
		}
		most := total[0]
		for _, v := range total {
			if v.Cmp(most) > 0 {
				most = v
			}
		}
		if most.Sign() == 0 || most.Cmp(big.NewRat(9, 10)) > 0 {
			continue
		}
		tried++
		limit := new(big.Rat).Quo(most, new(big.Rat).Sub(big.NewRat(1, 1), ratOf(margin)))
		for part, want := range map[float64]bool{0x1p-20: true, 0x1p-35: true, 0x1p-45: true, 0x1p-51: true, -0x1p-51: false, -0x1p-45: false, -0x1p-35: false, -0x1p-20: false} {
			p.Delta = new(big.Rat).Mul(limit, ratOf(1+part))
			if got := p.affords(t.Context(), weights, p.rowSums(weights)); got != want {
				t.Errorf("weights %v at %g beside the least budget: %t, want %t", weights, part, got, want)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d points exceed the ratio", tried)
	}
}

// sharpen stops when its context ends, at a rate that is known to work.
func TestSharpenStops(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx  context.Context
		most int // mixtures
	}{{ended, 1}, {t.Context(), 20}} {
		var rates []float64
		(&Program{}).sharpen(c.ctx, 0.5, func(rate float64) bool { rates = append(rates, rate); return rate >= 0.3 })
		last := rates[len(rates)-1]
		if len(rates) > c.most || last < 0.3 || last > 0.5 || c.most > 1 && last > 0.31 {
			t.Errorf("at most %d mixtures: rates %v", c.most, rates)
		}
	}
}

// An exact solution that exceeds its budgets is invalid.
func TestVerifyBudgets(t *testing.T) {
	w := big.NewRat(3, 1)
	p, _ := Line(3).Program(interval.Rat(w))
	p.Spend(big.NewRat(1, 10))
	x := must.For(SolveExact(t.Context(), p, w, 100))(t)
	if err := p.verify(x, w); err != nil {
		t.Fatal(err)
	}
	p.Delta = big.NewRat(1, 20)
	if err := p.verify(x, w); err == nil || !strings.Contains(err.Error(), "budget 0 is exceeded") {
		t.Errorf("half the budget: %v", err)
	}
}

// A panic in a worker goroutine reaches the caller, which can recover.
func TestWorkerPanicReachesCaller(t *testing.T) {
	s := &solver{factors: []*factor{{block: &block{start: 5, n: 3}}}}
	defer func() {
		if recover() == nil {
			t.Error("a block outside the vector is solved")
		}
	}()
	s.blocksSolve(make([]float64, 2))
}
