package program_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/roots"
	"dpworkbench/program"
)

// branches formats a program's paths at x, one per line.
func branches(t *testing.T, p *program.Program, x int, run program.Run) string {
	t.Helper()
	var b strings.Builder
	for _, c := range must.For(p.Branches(t.Context(), x, run))(t) {
		said := c.Probability.String()
		if n, ok := c.Probability.Number(); ok {
			said = evidence.Rational(n)
		}
		fmt.Fprintf(&b, "%s → %s: %s\n", strings.Join(c.Told, "; "), c.Output, said)
	}
	return strings.TrimSpace(b.String())
}

// Branches returns outputs in order, with their probabilities.
func TestBranches(t *testing.T) {
	one := big.NewRat(1, 1)
	run := func(x int, n *program.Noise) program.Output {
		if n.Flip(program.RationalProbability(big.NewRat(1, 4))) {
			return program.Output{Shape: "heads", Numbers: []program.SymbolicDraw{wholeDraw(int64(n.Integer(2)))}}
		}
		u := n.Geometric(log2(1), one)
		if n.Less(u, wholeDraw(int64(x))) {
			return program.Output{Shape: "less"}
		}
		return program.Output{Shape: "more", Numbers: []program.SymbolicDraw{u.Neg().Plus(big.NewRat(1, 2))}}
	}
	p := must.For(program.New(t.Context(), "paths", line(t, 2), run, program.Default))(t)
	for x, want := range []string{
		"flip(1/4) = False; X1 < 0 → less: 1/4\nflip(1/4) = False; not X1 < 0 → more(−X1+1/2): 1/2\nflip(1/4) = True; integer(2) = 0 → heads(0): 1/8\nflip(1/4) = True; integer(2) = 1 → heads(1): 1/8",
		"flip(1/4) = False; X1 < 1 → less: 1/2\nflip(1/4) = False; not X1 < 1 → more(−X1+1/2): 1/4\nflip(1/4) = True; integer(2) = 0 → heads(0): 1/8\nflip(1/4) = True; integer(2) = 1 → heads(1): 1/8",
	} {
		if got := branches(t, p, x, nil); got != want {
			t.Errorf("at %d the paths\n%s\nwant\n%s", x, got, want)
		}
	}
	shown := func(x int, n *program.Noise) program.Output { // the same program with another Show function
		o := run(x, n)
		o.Show = func([]string) string { return "shown" }
		return o
	}
	if got := branches(t, p, 0, shown); strings.Count(got, "→ shown: ") != 4 {
		t.Errorf("with another Show function\n%s", got)
	}
	if _, err := p.Branches(t.Context(), 0, func(_ int, n *program.Noise) program.Output { n.Integer(0); return program.Output{} }); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a run that fails: %v", err)
	}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := p.Branches(ctx, 0, func(_ int, n *program.Noise) program.Output { n.Integer(600); return program.Output{} })
		return err
	})
	// Impossible paths are omitted: no integer is above 0 and below 1.
	p = must.For(runOne(t, func(n *program.Noise) program.Output {
		u, v := n.OneSided(log2(1)), n.OneSided(log2(1))
		twice := u.Add(v).Times(2) // even, so never 1
		return program.Output{Shape: fmt.Sprint(n.Equal(twice, wholeDraw(1)), n.Less(twice, wholeDraw(1)))}
	}))(t)
	if got := branches(t, p, 0, nil); got != "X1+X2 < 1 → false true: 1/4\nnot X1+X2 < 1 → false false: 3/4" && got != "2·X1+2·X2 < 1 → false true: 1/4\nnot 2·X1+2·X2 < 1 → false false: 3/4" {
		t.Errorf("paths\n%s", got)
	}
	// Paths of probability 0 are omitted, even if single comparisons do not exclude them: X1 + X2 = 1 and X1 = X2.
	p = must.For(runOne(t, func(n *program.Noise) program.Output {
		u, v := n.Geometric(log2(1), one), n.Geometric(log2(1), one)
		if n.Equal(u.Add(v), wholeDraw(1)) && n.Equal(u, v) {
			return program.Output{Shape: "never"}
		}
		return program.Output{Shape: "always"}
	}))(t)
	if got := branches(t, p, 0, nil); strings.Contains(got, "never") || strings.Count(got, "always") != 4 {
		t.Errorf("paths\n%s\nwant four possible paths", got)
	}
	wantLaw(t, p, 0, map[string]string{"always": "1"})
}

// Probabilities are exact if rational, and enclosed otherwise.
func TestProbabilitiesAsNumbers(t *testing.T) {
	eps := program.Known(must.For(evidence.NewEpsilon("eps", 1))(t))
	p := must.For(program.New(t.Context(), "numbers", line(t, 2), func(x int, n *program.Noise) program.Output {
		if n.Flip(program.RationalProbability(big.NewRat(int64(x), 2))) {
			return program.Output{Shape: "coin"}
		}
		return program.Output{Shape: fmt.Sprint(n.Less(n.OneSided(eps), wholeDraw(1)))}
	}, program.Default))(t)
	number := func(x int, output string) evidence.Number {
		n, ok := must.For(p.Probability(x, output))(t).Number()
		if !ok {
			t.Fatalf("%s is not a number", output)
		}
		return n
	}
	if n := number(0, "coin"); n.Kind() != evidence.KindExact || evidence.Rational(n) != "0" {
		t.Errorf("an impossible output has probability %v", n)
	}
	if n := number(1, "coin"); n.Kind() != evidence.KindExact || evidence.Rational(n) != "1/2" {
		t.Errorf("a coin has the probability %v", n)
	}
	const want = 0.632120558828557678 // 1 − 1/e
	if lo, hi := number(0, "true").Bounds(); number(0, "true").Kind() != evidence.KindCertified || lo > want || hi < want || hi-lo > 3e-16 {
		t.Errorf("1 − 1/e lies in [%.17g, %.17g]", lo, hi)
	}
}

// Every row of Written has one polynomial as its denominator, and equal rows appear once. The probabilities are
// Over/Under at z.
func TestWrittenRows(t *testing.T) {
	value := func(p roots.Polynomial, z *big.Rat) *big.Rat {
		sum := new(big.Rat)
		for i := len(p) - 1; i >= 0; i-- {
			sum.Add(sum.Mul(sum, z), new(big.Rat).SetInt(p[i]))
		}
		return sum
	}
	for name, run := range map[string]program.Run{
		"vector": vector(7, times(t, 1, 2)),
		"cut": func(x int, n *program.Noise) program.Output {
			u := n.Geometric(times(t, 1, 2), big.NewRat(1, 1)).Plus(big.NewRat(int64(x%2), 1))
			if n.Flip(program.RationalProbability(big.NewRat(1, 3))) {
				return program.Output{Shape: "third"}
			}
			return program.Output{Shape: fmt.Sprint(n.Order(u, wholeDraw(0)))}
		},
		"left tail": func(x int, n *program.Noise) program.Output { // negative powers of a left tail
			return oneNumber(n.OneSided(times(t, 1, 1)).Neg().Plus(big.NewRat(int64(3*(x%2)), 1)))
		},
	} {
		p := must.For(program.New(t.Context(), name, line(t, 3), run, program.Default))(t) // the third dataset equals the first in every second number
		at := big.NewRat(2, 3)                                                             // e^{−ε/d}
		d := 3 * p.Denominator()
		known := p.At(must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 2))).Times(d))
		all := p.Written(d)
		if len(all) != len(p.Outputs()) {
			t.Fatalf("%s: %d laws, want %d", name, len(all), len(p.Outputs()))
		}
		for i, w := range all {
			if strings.Join(w.Outputs, ";") != strings.Join(p.Outputs()[i], ";") || len(w.Of) != 3 {
				t.Fatalf("%s: %+v", name, w)
			}
			if w.Of[0] != 0 || (w.Of[2] == w.Of[0]) != (name != "vector" || i%2 == 1) {
				t.Errorf("%s: rows %v of number %d", name, w.Of, i)
			}
			for x, n := range w.Of {
				row := w.Rows[n]
				under := value(row.Under, at)
				if under.Sign() <= 0 || len(row.Under.Trimmed()) != len(row.Under) {
					t.Fatalf("%s: under %v", name, row.Under)
				}
				for j, over := range row.Over {
					want, _ := known.Law(x)[i][j].Number()
					if got := new(big.Rat).Quo(value(over, at), under); got.RatString() != evidence.Rational(want) {
						t.Errorf("%s: output %d of number %d at %d has probability %v, want %v", name, j, i, x, got, want)
					}
					if len(over) > 0 && over[len(over)-1].Sign() == 0 {
						t.Errorf("%s: %v ends in 0", name, over)
					}
				}
			}
		}
	}
}
