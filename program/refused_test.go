package program

import (
	"errors"
	"math/big"
	"testing"
)

// What cannot be drawn is refused, with what was asked for.
func TestRefusedDraws(t *testing.T) {
	one := big.NewRat(1, 1)
	coin := RationalProbability
	for text, run := range map[string]func(n *Noise){
		"p = \"-1/100\", want a probability in [0, 1]":                         func(n *Noise) { n.Flip(coin(big.NewRat(-1, 100))) },
		"p = \"101/100\", want a probability in [0, 1]":                        func(n *Noise) { n.Flip(coin(big.NewRat(101, 100))) },
		"weights[1] = \"-1\", want at least 0":                                 func(n *Noise) { n.Choice([]Probability{coin(one), coin(big.NewRat(-1, 1))}) },
		"the sum of 2 weights is not positive for every ε, want some weight":   func(n *Noise) { n.Choice([]Probability{coin(zero), coin(zero)}) },
		"the sum of 0 weights is not positive for every ε, want some weight":   func(n *Noise) { n.Choice(nil) },
		"n = 0, want 1 … 1048576":                                              func(n *Noise) { n.Integer(0) },
		"n = 1048577, want 1 … 1048576":                                        func(n *Noise) { n.Integer(largestCut + 1) },
		"scores is empty, want at least one score":                             func(n *Noise) { n.Exponential(nil, log2(1)) },
		"sensitivity = \"0\", want a positive number":                          func(n *Noise) { n.Geometric(log2(1), zero) },
		"sensitivity = \"-1/2\", want a positive number":                       func(n *Noise) { n.Geometric(log2(1), big.NewRat(-1, 2)) },
		"a weight is the power 1048576 of e^{−ε/1}, want less than 1048576":    func(n *Noise) { n.Geometric(log2(1), one); n.Geometric(log2(1), big.NewRat(1, 1<<20)) },
		"a weight is the power 1048577 of e^{−ε/2}, want less than 1048576":    func(n *Noise) { n.PermuteAndFlip(rationals(0, 1<<20+1), log2(1)) },
		"rates of noise have the common denominator 10001, want at most 10000": func(n *Noise) { n.Geometric(log2(1), big.NewRat(10001, 1)) },
		"X1 < 1048578: a comparison with 1048577, want at most 1048576 in absolute value": func(n *Noise) {
			n.Less(n.Geometric(log2(1), one), Constant(big.NewRat(1<<20+2, 1)))
		},
		"X1 == −1048577: a comparison with -1048577, want at most 1048576 in absolute value": func(n *Noise) {
			n.Equal(n.Geometric(log2(1), one), Constant(big.NewRat(-1<<20-1, 1)))
		},
	} {
		_, err := alone(t, func(n *Noise) Output { run(n); return Output{} })
		wantError(t, err, text)
		// After the first error a run is told nothing, and the error stays.
		_, err = alone(t, func(n *Noise) Output {
			run(n)
			if n.Err() == nil {
				t.Errorf("%s: the run is told nothing of it", text)
			}
			if n.Flip(coin(big.NewRat(5, 1))) || n.Choice(nil) != 0 || n.Integer(7) != 0 || len(n.OneSided(log2(1)).of) > 0 || n.compared(comparison{}, nil) != 0 {
				t.Errorf("%s: a run goes on after its error", text)
			}
			n.Fail(errors.New("another"))
			return Output{}
		})
		wantError(t, err, text)
	}
	for name, run := range map[string]func(n *Noise) Output{ // the ends of what is allowed
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
		if _, err := alone(t, run); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := New(t.Context(), "many", single(t), func(_ int, n *Noise) Output { n.Integer(largestCut); return Output{} }, Limits{Paths: 1, Cells: 1})
	wantError(t, err, "the program has more than 1 paths at one dataset, want fewer, or a larger limit")
}

// A run makes so many draws, tosses and comparisons, and no more.
func TestDrawsOfARun(t *testing.T) {
	sure := RationalProbability(big.NewRat(1, 1))
	for kind, ask := range map[string]func(n *Noise, i int){
		"tosses": func(n *Noise, i int) { n.Flip(sure) },
		"draws":  func(n *Noise, i int) { n.OneSided(log2(1)) },
		"all": func(n *Noise, i int) {
			switch i % 3 {
			case 0:
				n.OneSided(log2(1))
			case 1:
				n.Flip(sure)
			case 2: // draws are at least 0
				n.Less(Unknown{of: []part{{0, 1}}, add: zero, noise: n}, Constant(big.NewRat(-int64(i), 1)))
			}
		},
	} {
		run := func(times int) error {
			_, err := alone(t, func(n *Noise) Output {
				for i := range times {
					ask(n, i)
				}
				return Output{Shape: "done"}
			})
			return err
		}
		if err := run(largestDraws); err != nil {
			t.Errorf("%d %s: %v", largestDraws, kind, err)
		}
		wantError(t, run(largestDraws+1), "a run makes 400 draws and comparisons, want fewer: does it end?")
	}
}
