package program

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/internal/must"
)

// A run that does not follow from its dataset and earlier draws is found out.
func TestStrayingRuns(t *testing.T) {
	half := RationalProbability(big.NewRat(1, 2))
	const want = "a run that was replayed asks for %s where it asked for %s: want a function whose draws follow from its dataset and earlier draws alone"
	for _, c := range []struct {
		first, then func(n *Noise)
		now, before string
	}{
		{func(n *Noise) { n.Integer(2) }, func(n *Noise) { n.Integer(3) }, "integer(3)", "integer(2)"},
		{func(n *Noise) { n.Integer(2) }, func(n *Noise) {}, "nothing more", "integer(2)"},
		{func(n *Noise) { n.Flip(half) }, func(n *Noise) { n.Flip(RationalProbability(big.NewRat(1, 3))) }, "flip(1/3)", "flip(1/2)"},
		{func(n *Noise) { n.Flip(half); n.Flip(half) }, func(n *Noise) { n.Flip(RationalProbability(big.NewRat(1, 3))); n.Flip(half) }, "flip(1/3)", "flip(1/2)"},
		{func(n *Noise) { n.Flip(half) }, func(n *Noise) { n.Integer(2) }, "integer(2)", "flip(1/2)"},
		{func(n *Noise) { n.Integer(2); n.Flip(half) }, func(n *Noise) { n.Flip(half); n.Flip(half) }, "flip(1/2)", "integer(2)"},
		{func(n *Noise) { n.Choice([]Probability{half, half}) }, func(n *Noise) { n.Choice([]Probability{half, half, half}) }, "choice(1/2, 1/2, 1/2)", "choice(1/2, 1/2)"},
		{func(n *Noise) { n.Choice([]Probability{half, half}) }, func(n *Noise) { n.Choice([]Probability{half, RationalProbability(big.NewRat(1, 1))}) }, "choice(1/2, 1)", "choice(1/2, 1/2)"},
		{func(n *Noise) { n.Exponential(rationals(0, 2), log2(2)) }, func(n *Noise) { n.Exponential(rationals(0, 4), log2(2)) }, "exponential([0, 4], ln(4))", "exponential([0, 2], ln(4))"},
		{func(n *Noise) { n.Exponential(rationals(0, 2), log2(2)) }, func(n *Noise) { n.Exponential(rationals(0, 2), log2(4)) }, "exponential([0, 2], ln(16))", "exponential([0, 2], ln(4))"},
		{func(n *Noise) { n.PermuteAndFlip(rationals(0, 2), log2(2)) }, func(n *Noise) { n.Exponential(rationals(0, 2), log2(2)) }, "exponential([0, 2], ln(4))", "permute_and_flip([0, 2], ln(4))"},
		{func(n *Noise) { below1(n, 1, 0) }, func(n *Noise) { below1(n, 1, 1) }, "X1 < 1", "X1 < 0"},
		{func(n *Noise) { below1(n, 1, 0) }, func(n *Noise) { below1(n, 2, 0) }, "X1+X2 < 0", "X1 < 0"},
		{func(n *Noise) { below1(n, 1, 0) }, func(n *Noise) { n.Flip(half) }, "flip(1/2)", "X1 < 0"},
		{func(n *Noise) { n.Flip(half) }, func(n *Noise) { below1(n, 1, 0) }, "X1 < 0", "flip(1/2)"},
	} {
		runs := 0
		_, err := alone(t, func(n *Noise) Output {
			if runs++; runs == 1 {
				c.first(n)
			} else {
				c.then(n)
			}
			return Output{}
		})
		wantError(t, err, fmt.Sprintf(want, c.now, c.before))
	}
}

// below1 compares a sum of draws with a number.
func below1(n *Noise, draws int, than int64) {
	u := Constant(new(big.Rat))
	for range draws {
		u = u.Add(n.Geometric(log2(1), big.NewRat(1, 1)))
	}
	n.Less(u, Constant(big.NewRat(than, 1)))
}

// Errors of a run: the first is kept, what the run itself ended with has the last word, but where the program goes on.
func TestErrorsOfARun(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	var none *Noise
	if none.Err() != nil {
		t.Error("no run has an error")
	}
	n := &Noise{rates: newRates()}
	n.Fail(first)
	if n.Fail(second); n.Err() != first {
		t.Errorf("the error %v, want the first", n.Err())
	}
	if n.End(second); n.Err() != second {
		t.Errorf("the error %v, want the one of the end", n.Err())
	}
	for _, own := range []error{errFiner, errImpossible} {
		n := &Noise{rates: newRates(), err: fmt.Errorf("somewhere: %w", own)}
		if n.End(second); !errors.Is(n.Err(), own) {
			t.Errorf("%v is forgotten for %v", own, n.Err())
		}
	}
	u := Unknown{of: []part{{0, 1}}, add: zero, noise: &Noise{rates: newRates()}}
	u.Fail("%d things", 3)
	wantError(t, u.noise.Err(), "3 things")
	Constant(zero).Fail("nothing") // belongs to no run
	p := &Noise{rates: newRates()}
	if p.place() != nil {
		t.Error("a run without a caller is somewhere")
	}
	if p.Place = func() fmt.Stringer { return here("line 3") }; p.place().String() != "line 3" {
		t.Errorf("the run is at %v", p.place())
	}
}

// A run that ends early leaves what it was asked to do, and a context that has ended is told within 256 paths.
func TestPathsLookAtTheContext(t *testing.T) {
	half := RationalProbability(big.NewRat(1, 2))
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	_, err := New(ctx, "tosses", single(t), func(_ int, n *Noise) Output {
		if runs++; runs == 300 {
			cancel()
		}
		for range 12 {
			n.Flip(half)
		}
		return Output{}
	}, Default)
	if !errors.Is(err, context.Canceled) || runs != 511 {
		t.Errorf("%v after %d runs, want the context's error after 511", err, runs)
	}
}

// A run that loops until its coin falls is told that its units are made finer, and ends: the second draw is at a third of the first's rate.
func TestFinerUnitsEndARun(t *testing.T) {
	half := RationalProbability(big.NewRat(1, 2))
	runs, told := 0, 0
	p := must.For(alone(t, func(n *Noise) Output {
		runs++
		u, v := n.OneSided(log2(3)), n.OneSided(log2(2))
		for i, heads := 0, false; !heads && i < 3; i, heads = i+1, n.Flip(half) {
			if n.Err() != nil {
				told++
				return Output{}
			}
		}
		return Output{Shape: fmt.Sprint(n.Less(u, v))}
	}))(t)
	if told != 1 || runs < 2 {
		t.Errorf("%d of %d runs were told of finer units, want the first", told, runs)
	}
	wantLaw(t, p, 0, map[string]string{"true": "7/31", "false": "24/31"}) // Σ_u (7/8) 8^{−u} 4^{−u−1}
}

// A path that cannot be, as three comparisons of two draws show together, is left out: X1 − X2 = 0 and X1 + X2 = 1.
func TestImpossiblePaths(t *testing.T) {
	one := big.NewRat(1, 1)
	p := must.For(alone(t, func(n *Noise) Output {
		u, v := n.Geometric(log2(1), one), n.Geometric(log2(1), one)
		if n.Equal(u, v) && n.Equal(u.Add(v), whole64s(1)) {
			return Output{Shape: fmt.Sprint("odd ", n.Less(u, whole64s(1)))}
		}
		return Output{Shape: "other"}
	}))(t)
	wantLaw(t, p, 0, map[string]string{"other": "1"})
	p = must.For(alone(t, func(n *Noise) Output {
		u, v := n.Geometric(log2(1), one), n.Geometric(log2(1), one)
		if !n.Less(u, v) && !n.Less(v, u) { // the last path of all
			if !n.Less(u.Add(v), whole64s(1)) && !n.Less(whole64s(1), u.Add(v)) {
				return Output{Shape: fmt.Sprint("odd ", n.Less(u, whole64s(1)))}
			}
		}
		return Output{Shape: "other"}
	}))(t)
	wantLaw(t, p, 0, map[string]string{"other": "1"})
}
