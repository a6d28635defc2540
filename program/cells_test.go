package program_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/program"
	"dpworkbench/query"
)

// oneNumber returns an output of a single number.
func oneNumber(u program.SymbolicDraw) program.Output {
	return program.Output{Shape: program.NumberShape, Numbers: []program.SymbolicDraw{u}, Show: func(n []string) string { return n[0] }}
}

func wholeDraw(n int64) program.SymbolicDraw { return program.Constant(big.NewRat(n, 1)) }

// line returns a path of n datasets.
func line(t testing.TB, n int) *query.Space {
	t.Helper()
	var edges [][2]int
	for i := range n - 1 {
		edges = append(edges, [2]int{i, i + 1})
	}
	return must.For(query.NewPathSpace(n, edges))(t)
}

// The outcomes of a draw in the output are listed individually where the laws of datasets differ. The tails, where
// the ratios are constant, are merged.
func TestMergedTails(t *testing.T) {
	one := big.NewRat(1, 1)
	for name, c := range map[string]struct {
		run     func(x int, n *program.Noise) program.Output
		outputs string
		laws    []string
	}{
		"shifted by x": {func(x int, n *program.Noise) program.Output {
			return oneNumber(n.Geometric(log2(1), one).Plus(big.NewRat(int64(x), 1)))
		},
			"≤ -1, 0, 1, ≥ 2", []string{"1/3 1/3 1/6 1/6", "1/6 1/6 1/3 1/3", "1/12 1/12 1/6 2/3"}},
		"by thirds": {func(x int, n *program.Noise) program.Output {
			return oneNumber(n.Geometric(log2(1), one).Plus(big.NewRat(int64(x)-3, 3)))
		},
			"≤ -2, ≥ -1, ≤ -5/3, ≥ -2/3, ≤ -4/3, ≥ -1/3", []string{"1/3 2/3 0 0 0 0", "0 0 1/3 2/3 0 0", "0 0 0 0 1/3 2/3"}},
		"one-sided": {func(x int, n *program.Noise) program.Output {
			return oneNumber(n.OneSided(log2(1)).Plus(big.NewRat(int64(x), 1)))
		},
			"0, 1, ≥ 2", []string{"1/2 1/4 1/4", "0 1/2 1/2", "0 0 1"}},
		"negative one-sided": {func(x int, n *program.Noise) program.Output {
			return oneNumber(n.OneSided(log2(1)).Neg().Plus(big.NewRat(int64(x), 1)))
		},
			"≤ 0, 1, 2", []string{"1 0 0", "1/2 1/2 0", "1/4 1/4 1/2"}},
		"a draw or a constant": {func(x int, n *program.Noise) program.Output {
			if n.Flip(program.RationalProbability(big.NewRat(1, 2))) {
				return oneNumber(wholeDraw(4))
			}
			return oneNumber(n.OneSided(log2(1)).Plus(big.NewRat(int64(x), 1)))
		}, "0, 1, 2, 3, 4, ≥ 5", []string{"1/4 1/8 1/16 1/32 33/64 1/64", "0 1/4 1/8 1/16 17/32 1/32", "0 0 1/4 1/8 9/16 1/16"}},
		"constants": {func(x int, n *program.Noise) program.Output {
			return oneNumber(wholeDraw(int64(5*x - 3)).Plus(big.NewRat(int64(n.Integer(2)), 2)))
		},
			"-3, -5/2, 2, 5/2, 7, 15/2", []string{"1/2 1/2 0 0 0 0", "0 0 1/2 1/2 0 0", "0 0 0 0 1/2 1/2"}},
		"two numbers": {func(x int, n *program.Noise) program.Output {
			return program.Output{Shape: "pair", Numbers: []program.SymbolicDraw{n.OneSided(log2(1)).Plus(big.NewRat(int64(x/2), 1)), wholeDraw(int64(x))}}
		}, "pair(0, 0), pair(0, 1), pair(≥ 1, 0), pair(≥ 1, 1), pair(≥ 1, 2)", []string{"1/2 0 1/2 0 0", "0 1/2 0 1/2 0", "0 0 0 0 1"}},
		"different shapes": {func(x int, n *program.Noise) program.Output { return program.Output{Shape: string("bac"[x])} }, "b, a, c", []string{"1 0 0", "0 1 0", "0 0 1"}},
		"equal names": {func(x int, n *program.Noise) program.Output {
			return program.Output{Shape: []string{"3", "text 3", "other 3"}[x], Show: func([]string) string { return "3" }}
		}, "3, 3 #2, 3 #3", []string{"1 0 0", "0 1 0", "0 0 1"}},
		"a name that looks numbered": {func(x int, n *program.Noise) program.Output {
			return program.Output{Shape: []string{"3", "text 3", "3 #2"}[x], Show: func([]string) string { return []string{"3", "3", "3 #2"}[x] }}
		}, "3, 3 #2, 3 #2 #2", []string{"1 0 0", "0 1 0", "0 0 1"}},
		"a name that looks numbered, first": {func(x int, n *program.Noise) program.Output {
			return program.Output{Shape: []string{"3 #2", "3", "text 3"}[x], Show: func([]string) string { return []string{"3 #2", "3", "3"}[x] }}
		}, "3 #2, 3, 3 #3", []string{"1 0 0", "0 1 0", "0 0 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := must.For(program.New(t.Context(), "cells", line(t, 3), c.run, program.Default))(t)
			if got := strings.Join(p.Outputs()[0], ", "); got != c.outputs {
				t.Fatalf("outputs %s, want %s", got, c.outputs)
			}
			for x, want := range c.laws {
				var got []string
				for _, v := range p.Law(x)[0] {
					n, _ := v.Number()
					got = append(got, evidence.Rational(n))
				}
				if strings.Join(got, " ") != want {
					t.Errorf("law %v at %d, want %s", got, x, want)
				}
			}
			for x := range 3 { // the law includes the merged tails
				sum := new(big.Rat)
				for _, v := range p.Law(x)[0] {
					n, _ := v.Number()
					q, _ := new(big.Rat).SetString(evidence.Rational(n))
					sum.Add(sum, q)
				}
				if sum.Cmp(one) != 0 {
					t.Errorf("the law at %d sums to %v", x, sum)
				}
			}
		})
	}
}

// Outputs that cannot be distinguished or listed are rejected.
func TestRefusedOutputs(t *testing.T) {
	one := big.NewRat(1, 1)
	sum := func(n *program.Noise) program.SymbolicDraw {
		return n.Geometric(log2(1), one).Add(n.Geometric(log2(1), one))
	}
	falls := "the probabilities of an output have no constant ratio in its tail: want a value clamped to a range, such as max(0, min(n, value))"
	for want, run := range map[string]func(x int, n *program.Noise) program.Output{
		"an output has the number X1+X2, want a draw or its negative, plus a constant": func(x int, n *program.Noise) program.Output { return oneNumber(sum(n)) },
		"an output has the number 2·X1, want a draw or its negative, plus a constant":  func(x int, n *program.Noise) program.Output { return oneNumber(n.OneSided(log2(1)).Times(2)) },
		"an output has a number that is neither a draw nor a rational":                 func(x int, n *program.Noise) program.Output { return oneNumber(program.SymbolicDraw{}) },
		"two numbers of an output depend on the draw X2, want each number to depend on at most one draw, and no draw to occur twice": func(x int, n *program.Noise) program.Output {
			n.OneSided(log2(1))
			u := n.OneSided(log2(1))
			return program.Output{Shape: "pair", Numbers: []program.SymbolicDraw{u, u.Neg()}}
		},
		"outputs of one shape have 1 and 2 numbers, want the same number": func(x int, n *program.Noise) program.Output {
			return program.Output{Shape: "some", Numbers: slices.Repeat([]program.SymbolicDraw{wholeDraw(1)}, 1+n.Integer(2))}
		},
		"outputs of one shape have 2 and 1 numbers, want the same number": func(x int, n *program.Noise) program.Output {
			return program.Output{Shape: "some", Numbers: slices.Repeat([]program.SymbolicDraw{wholeDraw(1)}, 2-x)}
		},
		"a number of an output: a comparison with 1048577, want at most 1048576 in absolute value": func(x int, n *program.Noise) program.Output {
			return oneNumber(n.OneSided(log2(1)).Plus(big.NewRat(1<<20+1, 1)))
		},
		"a number of an output: a comparison with -1048577, want at most 1048576 in absolute value": func(x int, n *program.Noise) program.Output {
			if n.Flip(program.RationalProbability(big.NewRat(1, 2))) {
				return oneNumber(wholeDraw(-1<<20 - 1))
			}
			return oneNumber(n.OneSided(log2(1)))
		},
		"the draws X1 and X2 are both in the output and depend on each other through comparisons: want outputs that are independent given the branches": func(x int, n *program.Noise) program.Output {
			u, v := n.OneSided(log2(1)), n.OneSided(log2(1))
			n.Less(u, v)
			return program.Output{Shape: "pair", Numbers: []program.SymbolicDraw{u, v}}
		},
		falls: func(x int, n *program.Noise) program.Output { return oneNumber(n.OneSided(log2(1 + int64(x)))) },
		falls + " ": func(x int, n *program.Noise) program.Output { // the left tail
			return oneNumber(n.OneSided(log2(1 + int64(x))).Neg())
		},
		falls + "  ": func(x int, n *program.Noise) program.Output { // a tail with two powers, from a maximum of two draws
			u, v := n.OneSided(log2(1)), n.OneSided(log2(1))
			if n.Less(v, u) {
				return oneNumber(u)
			}
			return oneNumber(v)
		},
	} {
		_, err := program.New(t.Context(), "refused", line(t, 2), run, program.Default)
		wantError(t, err, strings.TrimRight(want, " "))
	}
	// The limits of accepted outputs.
	for name, run := range map[string]func(x int, n *program.Noise) program.Output{
		"at 2²⁰": func(x int, n *program.Noise) program.Output {
			return oneNumber(n.OneSided(log2(1)).Plus(big.NewRat(1<<20, 1)))
		},
		"at −2²⁰": func(x int, n *program.Noise) program.Output {
			return oneNumber(n.OneSided(log2(1)).Plus(big.NewRat(-1<<20, 1)))
		},
		"moved by 1/2 − 1": func(x int, n *program.Noise) program.Output {
			return oneNumber(n.OneSided(log2(1)).Plus(big.NewRat(-1, 2)))
		},
	} {
		if _, err := program.New(t.Context(), "allowed", line(t, 2), run, program.Default); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// vector draws n numbers; the dataset shifts every second one.
func vector(n int, rate program.Rate) program.Run {
	return func(x int, noise *program.Noise) program.Output {
		o := program.Output{Shape: "v", Show: func(numbers []string) string { return "[" + strings.Join(numbers, ", ") + "]" }}
		for i := range n {
			at := int64(0)
			if i%2 == 0 {
				at = int64(x)
			}
			o.Numbers = append(o.Numbers, noise.Geometric(rate, big.NewRat(1, 1)).Plus(big.NewRat(at, 1)))
		}
		return o
	}
}

// If independent numbers have too many joint outcomes, each gets a table of its own.
func TestIndependentNumbers(t *testing.T) {
	// 3 · 2 · 3 · 2 … outcomes: 216 for 6 numbers, 648 for 7
	for n, tables := range map[int]int{6: 1, 7: 7} {
		p := must.For(program.New(t.Context(), "vector", line(t, 2), vector(n, log2(1)), program.Default))(t)
		if len(p.Outputs()) != tables {
			t.Fatalf("%d numbers have %d tables, want %d", n, len(p.Outputs()), tables)
		}
		if tables == 1 {
			continue
		}
		for i, names := range p.Outputs() {
			want, laws := "≤ -1, 0, ≥ 1", [][]string{{"1/3", "1/3", "1/3"}, {"1/6", "1/6", "2/3"}}
			if i%2 == 1 {
				want, laws = "≤ -1, ≥ 0", [][]string{{"1/3", "2/3"}, {"1/3", "2/3"}}
			}
			if got := strings.Join(names, ", "); got != want {
				t.Errorf("number %d has the outputs %s, want %s", i, got, want)
			}
			for x, law := range laws {
				for j, q := range law {
					if n, _ := p.Law(x)[i][j].Number(); evidence.Rational(n) != q {
						t.Errorf("number %d at %d is %s with %v, want %s", i, x, names[j], n, q)
					}
				}
			}
		}
		if _, err := p.Probability(0, "0"); err == nil || err.Error() != "outputs have 7 independent numbers, want at most one number" {
			t.Errorf("the probability of one number of seven: %v", err)
		}
	}
	// The law is not a product if there is a second shape, a constant output, or a second law of the numbers.
	for name, run := range map[string]program.Run{
		"two shapes": func(x int, n *program.Noise) program.Output {
			o := vector(7, log2(1))(x, n)
			if n.Flip(program.RationalProbability(big.NewRat(1, 2))) {
				o.Shape = "w"
			}
			return o
		},
		"a constant output": func(x int, n *program.Noise) program.Output {
			o := vector(7, log2(1))(x, n)
			if n.Flip(program.RationalProbability(big.NewRat(1, 2))) {
				o.Numbers = slices.Repeat([]program.SymbolicDraw{wholeDraw(0)}, 7)
			}
			return o
		},
		"two laws": func(x int, n *program.Noise) program.Output {
			o := vector(7, log2(1))(x, n)
			if n.Less(o.Numbers[0], wholeDraw(0)) {
				o.Numbers[1] = o.Numbers[1].Plus(big.NewRat(1, 1))
			}
			return o
		},
	} {
		p := must.For(program.New(t.Context(), name, line(t, 2), run, program.Default))(t)
		if len(p.Outputs()) != 1 {
			t.Errorf("%s: %d tables", name, len(p.Outputs()))
		}
	}
}
