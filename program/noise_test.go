package program_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/program"
	"dpworkbench/query"
)

// single returns the space of one dataset.
func single(t testing.TB) *query.Space {
	t.Helper()
	return must.For(query.NewPathSpace(1, nil))(t)
}

// runOne runs a program on one dataset.
func runOne(t *testing.T, run func(n *program.Noise) program.Output) (*program.Program, error) {
	t.Helper()
	return program.New(t.Context(), "alone", single(t), func(_ int, n *program.Noise) program.Output { return run(n) }, program.Default)
}

// wantLaw fails unless the program's law at x is exactly the given one, without other outputs.
func wantLaw(t *testing.T, p *program.Program, x int, want map[string]string) {
	t.Helper()
	for i, v := range p.Law(x)[0] {
		name := p.Outputs()[0][i]
		n, ok := v.Number()
		if !ok {
			t.Fatalf("the probability of %s is not a number", name)
		}
		if w, ok := want[name]; !ok && evidence.Rational(n) != "0" || ok && evidence.Rational(n) != w {
			t.Errorf("%q has the probability %v, want %q", name, n, w)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no outputs %v", want)
	}
}

// wantError fails unless err is a parameter error that contains the text.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if !errors.Is(err, evidence.ErrParameter) || err.Error() != text {
		t.Errorf("error %v, want %q about a parameter", err, text)
	}
}

func rationals(q ...int64) []*big.Rat {
	var out []*big.Rat
	for _, n := range q {
		out = append(out, big.NewRat(n, 1))
	}
	return out
}

// log2 returns the rate k·ln 2.
func log2(k int64) program.Rate {
	return program.Known(must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))).Times(k))
}

// Draws from lists have their laws, in exact rational numbers.
func TestDiscreteDraws(t *testing.T) {
	q := func(n, d int64) program.Probability { return program.RationalProbability(big.NewRat(n, d)) }
	index := func(i int) program.Output { return program.Output{Shape: fmt.Sprint(i)} }
	for name, c := range map[string]struct {
		run  func(n *program.Noise) program.Output
		want map[string]string
	}{
		"never":  {func(n *program.Noise) program.Output { return program.Output{Shape: fmt.Sprint(n.Flip(q(0, 1)))} }, map[string]string{"false": "1"}},
		"always": {func(n *program.Noise) program.Output { return program.Output{Shape: fmt.Sprint(n.Flip(q(1, 1)))} }, map[string]string{"true": "1"}},
		"a coin": {func(n *program.Noise) program.Output { return program.Output{Shape: fmt.Sprint(n.Flip(q(2, 7)))} }, map[string]string{"true": "2/7", "false": "5/7"}},
		"coins": {func(n *program.Noise) program.Output {
			third, half, sum := q(1, 3), q(1, 2), 0
			for i := range 5 {
				p := third
				if i == 3 {
					p = half
				}
				if n.Flip(p) {
					sum += 1 << i
				}
			}
			return index(sum % 3) // the coins count 1, 2, 1, 2, 1 modulo 3
		}, map[string]string{"0": sumOfCoins(0), "1": sumOfCoins(1), "2": sumOfCoins(2)}},
		"a choice": {func(n *program.Noise) program.Output {
			return index(n.Choice([]program.Probability{q(1, 1), q(1, 2), q(0, 1), q(3, 1)}))
		}, map[string]string{"0": "2/9", "1": "1/9", "3": "2/3"}},
		"a number":       {func(n *program.Noise) program.Output { return index(n.Integer(4)) }, map[string]string{"0": "1/4", "1": "1/4", "2": "1/4", "3": "1/4"}},
		"a single value": {func(n *program.Noise) program.Output { return index(n.Integer(1)) }, map[string]string{"0": "1"}},
		"exponential": {func(n *program.Noise) program.Output { return index(n.Exponential(rationals(0, 3, 1), log2(2))) }, // weights 2^score
			map[string]string{"0": "1/11", "1": "8/11", "2": "2/11"}},
		"permute": {func(n *program.Noise) program.Output { return index(n.PermuteAndFlip(rationals(0, 3, 1, 3), log2(2))) },
			byPermutations([]*big.Rat{big.NewRat(1, 8), big.NewRat(1, 1), big.NewRat(1, 4), big.NewRat(1, 1)})},
		"permute a single score": {func(n *program.Noise) program.Output { return index(n.PermuteAndFlip(rationals(5), log2(2))) }, map[string]string{"0": "1"}},
		"order": {func(n *program.Noise) program.Output {
			return index(n.Order(n.Geometric(log2(1), big.NewRat(1, 1)), program.Constant(big.NewRat(1, 1))))
		},
			map[string]string{"-1": "2/3", "0": "1/6", "1": "1/6"}}, // (1/3) 2^{−|k|}
		"order of numbers": {func(n *program.Noise) program.Output {
			a, b := program.Constant(big.NewRat(1, 2)), program.Constant(big.NewRat(2, 3))
			return program.Output{Shape: fmt.Sprint(n.Order(a, b), n.Order(b, a), n.Order(a, a), n.Less(a, b), n.Less(b, a), n.Less(a, a), n.Equal(a, a), n.Equal(a, b))}
		}, map[string]string{"-1 1 0 true false false true false": "1"}},
	} {
		t.Run(name, func(t *testing.T) { wantLaw(t, must.For(runOne(t, c.run))(t), 0, c.want) })
	}
}

// sumOfCoins returns a probability of the "coins" case of TestDiscreteDraws, by enumeration.
func sumOfCoins(rest int) string {
	sum := new(big.Rat)
	for code := range 32 {
		p, n := big.NewRat(1, 1), 0
		for i := range 5 {
			heads := big.NewRat(1, 3)
			if i == 3 {
				heads = big.NewRat(1, 2)
			}
			if code>>i&1 == 1 {
				n += 1 << i
			} else {
				heads.Sub(big.NewRat(1, 1), heads)
			}
			p.Mul(p, heads)
		}
		if n%3 == rest {
			sum.Add(sum, p)
		}
	}
	return sum.RatString()
}

// byPermutations returns the law of permute-and-flip by its definition: in each order of the indices, the first whose
// coin shows heads is the output.
func byPermutations(heads []*big.Rat) map[string]string {
	sums := make([]*big.Rat, len(heads))
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	orders := int64(0)
	var visit func(order []int)
	visit = func(order []int) {
		if len(order) == len(heads) {
			orders++
			left := big.NewRat(1, 1)
			for _, i := range order {
				sums[i].Add(sums[i], new(big.Rat).Mul(left, heads[i]))
				left.Mul(left, new(big.Rat).Sub(big.NewRat(1, 1), heads[i]))
			}
			return
		}
	next:
		for i := range heads {
			for _, j := range order {
				if i == j {
					continue next
				}
			}
			visit(append(order[:len(order):len(order)], i))
		}
	}
	visit(nil)
	out := make(map[string]string)
	for i, s := range sums {
		out[fmt.Sprint(i)] = s.Quo(s, big.NewRat(orders, 1)).RatString()
	}
	return out
}

// Draws in the output have the right laws: discrete Laplace with its sensitivity, and one-sided.
func TestDrawsInOutput(t *testing.T) {
	clipped := func(draw func(n *program.Noise) program.SymbolicDraw, lo, hi int64) func(n *program.Noise) program.Output {
		return func(n *program.Noise) program.Output {
			u := draw(n)
			if n.Less(u, program.Constant(big.NewRat(lo, 1))) {
				return program.Output{Shape: "low"}
			}
			if n.Less(program.Constant(big.NewRat(hi, 1)), u) {
				return program.Output{Shape: "high"}
			}
			return program.Output{Shape: program.NumberShape, Numbers: []program.SymbolicDraw{u}, Show: func(n []string) string { return n[0] }}
		}
	}
	third := big.NewRat(1, 3)
	for name, c := range map[string]struct {
		run  func(n *program.Noise) program.Output
		want map[string]string
	}{
		"two-sided":           {clipped(func(n *program.Noise) program.SymbolicDraw { return n.Geometric(log2(1), big.NewRat(1, 1)) }, -2, 1), map[string]string{"low": "1/12", "-2": "1/12", "-1": "1/6", "0": "1/3", "1": "1/6", "high": "1/6"}},
		"sensitivity 2":       {clipped(func(n *program.Noise) program.SymbolicDraw { return n.Geometric(log2(2), big.NewRat(2, 1)) }, 0, 0), map[string]string{"low": "1/3", "0": "1/3", "high": "1/3"}},
		"sensitivity ⅓":       {clipped(func(n *program.Noise) program.SymbolicDraw { return n.Geometric(log2(1), third) }, 0, 0), map[string]string{"low": "1/9", "0": "7/9", "high": "1/9"}}, // z = 1/8
		"one-sided":           {clipped(func(n *program.Noise) program.SymbolicDraw { return n.OneSided(log2(2)) }, 0, 1), map[string]string{"0": "3/4", "1": "3/16", "high": "1/16"}},
		"negative one-sided":  {clipped(func(n *program.Noise) program.SymbolicDraw { return n.OneSided(log2(2)).Neg() }, -1, 0), map[string]string{"0": "3/4", "-1": "3/16", "low": "1/16"}},
		"one-sided minus 3/2": {clipped(func(n *program.Noise) program.SymbolicDraw { return n.OneSided(log2(2)).Plus(big.NewRat(-3, 2)) }, -1, 0), map[string]string{"low": "3/4", "-1/2": "3/16", "high": "1/16"}},
	} {
		t.Run(name, func(t *testing.T) { wantLaw(t, must.For(runOne(t, c.run))(t), 0, c.want) })
	}
}
