package program

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"
)

// Runs must depend only on the dataset and earlier draws. A run that differs is an error.
func TestInconsistentRuns(t *testing.T) {
	half := RationalProbability(big.NewRat(1, 2))
	const want = "the program drew %s in one run and %s at the same place in another: want a function whose draws depend only on its dataset and its earlier draws"
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
		_, err := runOne(t, func(n *Noise) Output {
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

// Noise keeps the first error. The error of End replaces it, except for the errors that make the program continue.
func TestNoiseErrors(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	var none *Noise
	if none.Err() != nil {
		t.Error("a nil Noise has an error")
	}
	n := &Noise{rates: newRates()}
	n.Fail(first)
	if n.Fail(second); n.Err() != first {
		t.Errorf("error %v, want the first", n.Err())
	}
	if n.End(second); n.Err() != second {
		t.Errorf("error %v, want that of End", n.Err())
	}
	for _, own := range []error{errFiner, errImpossible} {
		n := &Noise{rates: newRates(), err: fmt.Errorf("somewhere: %w", own)}
		if n.End(second); !errors.Is(n.Err(), own) {
			t.Errorf("%v is replaced by %v", own, n.Err())
		}
	}
	u := SymbolicDraw{of: []part{{0, 1}}, add: zero, noise: &Noise{rates: newRates()}}
	u.Fail("%d things", 3)
	wantError(t, u.noise.Err(), "3 things")
	Constant(zero).Fail("nothing") // belongs to no run
	p := &Noise{rates: newRates()}
	if p.place() != nil {
		t.Error("a run without Place has a place")
	}
	if p.Place = func() fmt.Stringer { return here("line 3") }; p.place().String() != "line 3" {
		t.Errorf("the run is at %v", p.place())
	}
}

// A run that ends early skips the rest, and a cancelled context is noticed within 256 paths.
func TestPathsPollContext(t *testing.T) {
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

// Invalid draws are rejected, and the error has their arguments.
func TestRefusedDraws(t *testing.T) {
	one := big.NewRat(1, 1)
	coin := RationalProbability
	for text, run := range map[string]func(n *Noise){
		"p = \"-1/100\", want a probability in [0, 1]":                                                func(n *Noise) { n.Flip(coin(big.NewRat(-1, 100))) },
		"p = \"101/100\", want a probability in [0, 1]":                                               func(n *Noise) { n.Flip(coin(big.NewRat(101, 100))) },
		"weights[1] = \"-1\", want at least 0":                                                        func(n *Noise) { n.Choice([]Probability{coin(one), coin(big.NewRat(-1, 1))}) },
		"the sum of 2 weights is not positive for every ε, want at least one positive weight":         func(n *Noise) { n.Choice([]Probability{coin(zero), coin(zero)}) },
		"the sum of 0 weights is not positive for every ε, want at least one positive weight":         func(n *Noise) { n.Choice(nil) },
		"n = 0, want 1 … 1048576":                                                                     func(n *Noise) { n.Integer(0) },
		"n = 1048577, want 1 … 1048576":                                                               func(n *Noise) { n.Integer(largestCut + 1) },
		"scores is empty, want at least one score":                                                    func(n *Noise) { n.Exponential(nil, log2(1)) },
		"sensitivity = \"0\", want a positive number":                                                 func(n *Noise) { n.Geometric(log2(1), zero) },
		"sensitivity = \"-1/2\", want a positive number":                                              func(n *Noise) { n.Geometric(log2(1), big.NewRat(-1, 2)) },
		"a weight is the power 1048576 of e^{−ε/1}, want an exponent below 1048576 in absolute value": func(n *Noise) { n.Geometric(log2(1), one); n.Geometric(log2(1), big.NewRat(1, 1<<20)) },
		"a weight is the power 1048577 of e^{−ε/2}, want an exponent below 1048576 in absolute value": func(n *Noise) { n.PermuteAndFlip(rationals(0, 1<<20+1), log2(1)) },
		"the rates of the noise have the common denominator 10001, want at most 10000":                func(n *Noise) { n.Geometric(log2(1), big.NewRat(10001, 1)) },
		"X1 < 1048578: a comparison with 1048577, want at most 1048576 in absolute value": func(n *Noise) {
			n.Less(n.Geometric(log2(1), one), Constant(big.NewRat(1<<20+2, 1)))
		},
		"X1 == −1048577: a comparison with -1048577, want at most 1048576 in absolute value": func(n *Noise) {
			n.Equal(n.Geometric(log2(1), one), Constant(big.NewRat(-1<<20-1, 1)))
		},
	} {
		_, err := runOne(t, func(n *Noise) Output { run(n); return Output{} })
		wantError(t, err, text)
		// After the first error, a run gets zero results, and the error stays.
		_, err = runOne(t, func(n *Noise) Output {
			run(n)
			if n.Err() == nil {
				t.Errorf("%s: the run has no error", text)
			}
			if n.Flip(coin(big.NewRat(5, 1))) || n.Choice(nil) != 0 || n.Integer(7) != 0 || len(n.OneSided(log2(1)).of) > 0 || n.compared(comparison{}, nil) != 0 {
				t.Errorf("%s: a run returns results after its error", text)
			}
			n.Fail(errors.New("another"))
			return Output{}
		})
		wantError(t, err, text)
	}
	for name, run := range map[string]func(n *Noise) Output{ // limits of accepted draws
		"a denominator of 10000": func(n *Noise) Output {
			n.Geometric(log2(1), big.NewRat(10000, 1))
			return Output{}
		},
		"a power of 2²⁰ − 1": func(n *Noise) Output {
			n.Geometric(log2(1), one)
			n.Geometric(log2(1), big.NewRat(1, 1<<20-1))
			return Output{}
		},
		"cuts at ±2²⁰": func(n *Noise) Output {
			u := n.Geometric(log2(1), one)
			n.Equal(u, Constant(big.NewRat(1<<20, 1)))
			n.Equal(u, Constant(big.NewRat(-1<<20, 1)))
			return Output{}
		},
	} {
		if _, err := runOne(t, run); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := New(t.Context(), "many", single(t), func(_ int, n *Noise) Output { n.Integer(largestCut); return Output{} }, Limits{Paths: 1, Cells: 1})
	wantError(t, err, "the program has more than 1 paths at one dataset, want fewer, or a larger limit")
}

// A run has a limit on draws, coin flips and comparisons together.
func TestRunLimit(t *testing.T) {
	sure := RationalProbability(big.NewRat(1, 1))
	for kind, question := range map[string]func(n *Noise, i int){
		"tosses": func(n *Noise, i int) { n.Flip(sure) },
		"draws":  func(n *Noise, i int) { n.OneSided(log2(1)) },
		"all": func(n *Noise, i int) {
			switch i % 3 {
			case 0:
				n.OneSided(log2(1))
			case 1:
				n.Flip(sure)
			case 2: // always false, since draws are at least 0
				n.Less(SymbolicDraw{of: []part{{0, 1}}, add: zero, noise: n}, Constant(big.NewRat(-int64(i), 1)))
			}
		},
	} {
		run := func(times int) error {
			_, err := runOne(t, func(n *Noise) Output {
				for i := range times {
					question(n, i)
				}
				return Output{Shape: "done"}
			})
			return err
		}
		if err := run(largestDraws); err != nil {
			t.Errorf("%d %s: %v", largestDraws, kind, err)
		}
		wantError(t, run(largestDraws+1), "a run makes 400 draws and comparisons, want fewer: does the program terminate?")
	}
}
