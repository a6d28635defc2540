package program_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/program"
)

// Runs must depend only on the dataset and earlier draws. A run that differs is an error.
func TestInconsistentRuns(t *testing.T) {
	half := program.RationalProbability(big.NewRat(1, 2))
	const want = "the program drew %s in one run and %s at the same place in another: want a function whose draws depend only on its dataset and its earlier draws"
	for _, c := range []struct {
		first, then func(n *program.Noise)
		now, before string
	}{
		{func(n *program.Noise) { n.Integer(2) }, func(n *program.Noise) { n.Integer(3) }, "integer(3)", "integer(2)"},
		{func(n *program.Noise) { n.Integer(2) }, func(n *program.Noise) {}, "nothing more", "integer(2)"},
		{func(n *program.Noise) { n.Flip(half) }, func(n *program.Noise) { n.Flip(program.RationalProbability(big.NewRat(1, 3))) }, "flip(1/3)", "flip(1/2)"},
		{func(n *program.Noise) { n.Flip(half); n.Flip(half) }, func(n *program.Noise) { n.Flip(program.RationalProbability(big.NewRat(1, 3))); n.Flip(half) }, "flip(1/3)", "flip(1/2)"},
		{func(n *program.Noise) { n.Flip(half) }, func(n *program.Noise) { n.Integer(2) }, "integer(2)", "flip(1/2)"},
		{func(n *program.Noise) { n.Integer(2); n.Flip(half) }, func(n *program.Noise) { n.Flip(half); n.Flip(half) }, "flip(1/2)", "integer(2)"},
		{func(n *program.Noise) { n.Choice([]program.Probability{half, half}) }, func(n *program.Noise) { n.Choice([]program.Probability{half, half, half}) }, "choice(1/2, 1/2, 1/2)", "choice(1/2, 1/2)"},
		{func(n *program.Noise) { n.Choice([]program.Probability{half, half}) }, func(n *program.Noise) {
			n.Choice([]program.Probability{half, program.RationalProbability(big.NewRat(1, 1))})
		}, "choice(1/2, 1)", "choice(1/2, 1/2)"},
		{func(n *program.Noise) { n.Exponential(rationals(0, 2), log2(2)) }, func(n *program.Noise) { n.Exponential(rationals(0, 4), log2(2)) }, "exponential([0, 4], ln(4))", "exponential([0, 2], ln(4))"},
		{func(n *program.Noise) { n.Exponential(rationals(0, 2), log2(2)) }, func(n *program.Noise) { n.Exponential(rationals(0, 2), log2(4)) }, "exponential([0, 2], ln(16))", "exponential([0, 2], ln(4))"},
		{func(n *program.Noise) { n.PermuteAndFlip(rationals(0, 2), log2(2)) }, func(n *program.Noise) { n.Exponential(rationals(0, 2), log2(2)) }, "exponential([0, 2], ln(4))", "permute_and_flip([0, 2], ln(4))"},
		{func(n *program.Noise) { below1(n, 1, 0) }, func(n *program.Noise) { below1(n, 1, 1) }, "X1 < 1", "X1 < 0"},
		{func(n *program.Noise) { below1(n, 1, 0) }, func(n *program.Noise) { below1(n, 2, 0) }, "X1+X2 < 0", "X1 < 0"},
		{func(n *program.Noise) { below1(n, 1, 0) }, func(n *program.Noise) { n.Flip(half) }, "flip(1/2)", "X1 < 0"},
		{func(n *program.Noise) { n.Flip(half) }, func(n *program.Noise) { below1(n, 1, 0) }, "X1 < 0", "flip(1/2)"},
	} {
		runs := 0
		_, err := runOne(t, func(n *program.Noise) program.Output {
			if runs++; runs == 1 {
				c.first(n)
			} else {
				c.then(n)
			}
			return program.Output{}
		})
		wantError(t, err, fmt.Sprintf(want, c.now, c.before))
	}
}

// below1 compares a sum of draws with a number.
func below1(n *program.Noise, draws int, than int64) {
	u := program.Constant(new(big.Rat))
	for range draws {
		u = u.Add(n.Geometric(log2(1), big.NewRat(1, 1)))
	}
	n.Less(u, program.Constant(big.NewRat(than, 1)))
}

// Noise keeps the first error. The error of End replaces it, unless the program runs again with a finer unit or
// without the path.
func TestNoiseErrors(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	var none *program.Noise
	if none.Err() != nil {
		t.Error("a nil Noise has an error")
	}
	program.Constant(new(big.Rat)).Fail("nothing") // belongs to no run
	_, err := runOne(t, func(n *program.Noise) program.Output {
		u := n.OneSided(log2(1))
		n.Fail(first)
		if n.Fail(second); n.Err() != first {
			t.Errorf("error %v, want the first", n.Err())
		}
		if !n.Less(u, program.Constant(new(big.Rat))) { // the first outcome, though impossible
			t.Error("a comparison is decided after an error")
		}
		if n.End(second); n.Err() != second {
			t.Errorf("error %v, want that of End", n.Err())
		}
		return program.Output{}
	})
	if !errors.Is(err, second) {
		t.Errorf("error %v, want that of End", err)
	}
	for name, draw := range map[string]func(n *program.Noise){
		"a finer unit": func(n *program.Noise) { n.OneSided(log2(2)); n.Geometric(log2(1), big.NewRat(3, 1)) },
		"an impossible path": func(n *program.Noise) {
			u, v := n.Geometric(log2(1), big.NewRat(1, 1)), n.Geometric(log2(1), big.NewRat(1, 1))
			if n.Equal(u.Add(v), wholeDraw(1)) && n.Equal(u, v) { // so u = v = 1/2
				n.Less(u, wholeDraw(1))
			}
		},
	} {
		ended := 0
		_, err := runOne(t, func(n *program.Noise) program.Output {
			if draw(n); n.Err() != nil {
				ended++
				n.End(second)
			}
			return program.Output{}
		})
		if err != nil || ended == 0 {
			t.Errorf("%s: %d runs are ended with another error, %v, want one that is ignored", name, ended, err)
		}
	}
	_, err = runOne(t, func(n *program.Noise) program.Output {
		n.OneSided(log2(1)).Fail("%d things", 3)
		return program.Output{}
	})
	wantError(t, err, "3 things")
}

// A run that ends early skips the rest, and a cancelled context is noticed within 256 paths.
func TestPathsPollContext(t *testing.T) {
	half := program.RationalProbability(big.NewRat(1, 2))
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	_, err := program.New(ctx, "tosses", single(t), func(_ int, n *program.Noise) program.Output {
		if runs++; runs == 300 {
			cancel()
		}
		for range 12 {
			n.Flip(half)
		}
		return program.Output{}
	}, program.Default)
	if !errors.Is(err, context.Canceled) || runs != 511 {
		t.Errorf("%v after %d runs, want the context's error after 511", err, runs)
	}
}

// Invalid draws are rejected, and the error has their arguments.
func TestRefusedDraws(t *testing.T) {
	one := big.NewRat(1, 1)
	coin := program.RationalProbability
	for text, run := range map[string]func(n *program.Noise){
		"p = \"-1/100\", want a probability in [0, 1]":                                                func(n *program.Noise) { n.Flip(coin(big.NewRat(-1, 100))) },
		"p = \"101/100\", want a probability in [0, 1]":                                               func(n *program.Noise) { n.Flip(coin(big.NewRat(101, 100))) },
		"weights[1] = \"-1\", want at least 0":                                                        func(n *program.Noise) { n.Choice([]program.Probability{coin(one), coin(big.NewRat(-1, 1))}) },
		"the sum of 2 weights is not positive for every ε, want at least one positive weight":         func(n *program.Noise) { n.Choice([]program.Probability{coin(new(big.Rat)), coin(new(big.Rat))}) },
		"the sum of 0 weights is not positive for every ε, want at least one positive weight":         func(n *program.Noise) { n.Choice(nil) },
		"n = 0, want 1 … 1048576":                                                                     func(n *program.Noise) { n.Integer(0) },
		"n = 1048577, want 1 … 1048576":                                                               func(n *program.Noise) { n.Integer(1<<20 + 1) },
		"scores is empty, want at least one score":                                                    func(n *program.Noise) { n.Exponential(nil, log2(1)) },
		"sensitivity = 0, want a positive number":                                                     func(n *program.Noise) { n.Geometric(log2(1), new(big.Rat)) },
		"sensitivity = -1/2, want a positive number":                                                  func(n *program.Noise) { n.Geometric(log2(1), big.NewRat(-1, 2)) },
		"a weight is the power 1048576 of e^{−ε/1}, want an exponent below 1048576 in absolute value": func(n *program.Noise) { n.Geometric(log2(1), one); n.Geometric(log2(1), big.NewRat(1, 1<<20)) },
		"a weight is the power 1048577 of e^{−ε/2}, want an exponent below 1048576 in absolute value": func(n *program.Noise) { n.PermuteAndFlip(rationals(0, 1<<20+1), log2(1)) },
		"the rates of the noise have the common denominator 10001, want at most 10000":                func(n *program.Noise) { n.Geometric(log2(1), big.NewRat(10001, 1)) },
		"X1 < 1048578: a comparison with 1048577, want at most 1048576 in absolute value": func(n *program.Noise) {
			n.Less(n.Geometric(log2(1), one), program.Constant(big.NewRat(1<<20+2, 1)))
		},
		"X1 == −1048577: a comparison with -1048577, want at most 1048576 in absolute value": func(n *program.Noise) {
			n.Equal(n.Geometric(log2(1), one), program.Constant(big.NewRat(-1<<20-1, 1)))
		},
	} {
		_, err := runOne(t, func(n *program.Noise) program.Output { run(n); return program.Output{} })
		wantError(t, err, text)
		// After the first error, a run gets zero results, and the error stays.
		_, err = runOne(t, func(n *program.Noise) program.Output {
			run(n)
			if n.Err() == nil {
				t.Errorf("%s: the run has no error", text)
			}
			if n.Flip(coin(big.NewRat(5, 1))) || n.Choice(nil) != 0 || n.Integer(7) != 0 || n.Order(n.OneSided(log2(1)), program.Constant(new(big.Rat))) != 0 {
				t.Errorf("%s: a run returns results after its error", text)
			}
			n.Fail(errors.New("another"))
			return program.Output{}
		})
		wantError(t, err, text)
	}
	for name, run := range map[string]func(n *program.Noise) program.Output{ // limits of accepted draws
		"a denominator of 10000": func(n *program.Noise) program.Output {
			n.Geometric(log2(1), big.NewRat(10000, 1))
			return program.Output{}
		},
		"a power of 2²⁰ − 1": func(n *program.Noise) program.Output {
			n.Geometric(log2(1), one)
			n.Geometric(log2(1), big.NewRat(1, 1<<20-1))
			return program.Output{}
		},
		"cuts at ±2²⁰": func(n *program.Noise) program.Output {
			u := n.Geometric(log2(1), one)
			n.Equal(u, program.Constant(big.NewRat(1<<20, 1)))
			n.Equal(u, program.Constant(big.NewRat(-1<<20, 1)))
			return program.Output{}
		},
	} {
		if _, err := runOne(t, run); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := program.New(t.Context(), "many", single(t), func(_ int, n *program.Noise) program.Output { n.Integer(1 << 20); return program.Output{} }, program.Limits{Paths: 1, Cells: 1})
	wantError(t, err, "the program has more than 1 paths at one dataset, want fewer, or a larger limit")
}

// A run has a limit on draws, coin flips and comparisons together.
func TestRunLimit(t *testing.T) {
	const most = 400
	sure := program.RationalProbability(big.NewRat(1, 1))
	var first program.SymbolicDraw
	for kind, question := range map[string]func(n *program.Noise, i int){
		"tosses": func(n *program.Noise, i int) { n.Flip(sure) },
		"draws":  func(n *program.Noise, i int) { n.OneSided(log2(1)) },
		"all": func(n *program.Noise, i int) {
			switch i % 3 {
			case 0:
				if u := n.OneSided(log2(1)); i == 0 {
					first = u
				}
			case 1:
				n.Flip(sure)
			case 2: // always false, since draws are at least 0
				n.Less(first, program.Constant(big.NewRat(-int64(i), 1)))
			}
		},
	} {
		run := func(times int) error {
			_, err := runOne(t, func(n *program.Noise) program.Output {
				for i := range times {
					question(n, i)
				}
				return program.Output{Shape: "done"}
			})
			return err
		}
		if err := run(most); err != nil {
			t.Errorf("%d %s: %v", most, kind, err)
		}
		wantError(t, run(most+1), "a run makes 400 draws and comparisons, want fewer: does the program terminate?")
	}
}
