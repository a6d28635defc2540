package lp

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/interval"
)

// A budget lies between 0 and 1.
func TestBudgetsAreChances(t *testing.T) {
	for _, delta := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2), big.NewRat(1, 1), big.NewRat(3, 2)} {
		p, _ := line(3).program(exp(1))
		if x, err := Solve(t.Context(), p.spend(delta), Options{}); x != nil || !errors.Is(err, ErrProgram) || !strings.Contains(err.Error(), "delta") {
			t.Errorf("delta = %v: %v, %v", delta, x, err)
		}
	}
}

// Where budgets are little the program without them answers if what it leaves open is as narrow as asked for, and only then.
func TestLittleBudgets(t *testing.T) {
	p, _ := line(6).program(exp(1))
	p.spend(big.NewRat(9, 10_000_000_000))
	whole, err := Solve(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for width, narrow := range map[float64]bool{1e-6: true, 1e-13: false} {
		x, done, _ := p.unspent(t.Context(), Options{Width: width})
		if x == nil || x.Lo > whole.Hi || x.Hi < whole.Lo || done != narrow || narrow != (x.Hi-x.Lo <= width*x.Hi) {
			t.Errorf("to a width of %g: %+v is enough: %t", width, x, done)
		}
	}
}

// Weights that are infinite, zero or no numbers keep no budget.
func TestAffordsNumbers(t *testing.T) {
	p, _ := line(1).program(exp(1))
	p.spend(big.NewRat(1, 2))
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
		t.Error("equal weights keep no budget")
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for at := range good {
			w := []float64{1, 1, 1, 1}
			w[at] = bad
			if p.affords(t.Context(), w, sums(w)) {
				t.Errorf("%v keep the budgets", w)
			}
		}
	}
}

// Sharpening stops where its context ends, at a rate that is known to do.
func TestSharpeningEnds(t *testing.T) {
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
			t.Errorf("at most %d: %v", c.most, rates)
		}
	}
}

// An exact solution that spends more than its budgets is none.
func TestVerifyBudgets(t *testing.T) {
	w := big.NewRat(3, 1)
	p, _ := line(3).program(interval.Rat(w))
	p.spend(big.NewRat(1, 10))
	x, err := SolveExact(t.Context(), p, w, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.verify(x, w); err != nil {
		t.Fatal(err)
	}
	p.Delta = big.NewRat(1, 20)
	if err := p.verify(x, w); err == nil || !strings.Contains(err.Error(), "budget 0 is exceeded") {
		t.Errorf("half the budget: %v", err)
	}
}
