package program_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/program"
)

// tangle is a program that compares linear forms of three draws with 0.
type tangle struct {
	forms    [][4]int64 // coefficients of the draws, and a constant
	oneSided [3]bool
	shown    bool // whether the output contains a fourth draw
}

func (c tangle) run(x int, n *program.Noise) program.Output {
	half := program.Known(must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))))
	one := big.NewRat(1, 1)
	var draws []program.SymbolicDraw
	for _, up := range c.oneSided {
		if up {
			draws = append(draws, n.OneSided(half))
		} else {
			draws = append(draws, n.Geometric(half, one))
		}
	}
	said := ""
	for _, f := range c.forms {
		u := program.Constant(big.NewRat(f[3]+int64(x), 1))
		for i, d := range draws {
			u = u.Add(d.Times(int(f[i])))
		}
		said += map[bool]string{true: "+", false: "-"}[n.Less(program.Constant(new(big.Rat)), u)]
	}
	o := program.Output{Shape: said}
	if c.shown {
		o.Numbers = []program.SymbolicDraw{n.Geometric(half, one).Add(program.Constant(big.NewRat(int64(x), 1)))}
	}
	return o
}

// enumerated returns the law by enumeration of all draws at distance at most 34 from 0, and a bound on the omitted
// probability.
func (c tangle) enumerated(x int64) (law map[string]*big.Rat, rest *big.Rat) {
	const far = 34
	law = make(map[string]*big.Rat)
	ways := make(map[string]*[3*far + 1]int64) // number of cases for each sum of the draws' distances from 0
	from := func(i int) int64 {
		if c.oneSided[i] {
			return 0
		}
		return -far
	}
	for a := from(0); a <= far; a++ {
		for b := from(1); b <= far; b++ {
			for d := from(2); d <= far; d++ {
				said := make([]byte, len(c.forms))
				for i, f := range c.forms {
					said[i] = '-'
					if f[0]*a+f[1]*b+f[2]*d+f[3]+x > 0 {
						said[i] = '+'
					}
				}
				w := ways[string(said)]
				if w == nil {
					w = new([3*far + 1]int64)
					ways[string(said)] = w
				}
				w[max(a, -a)+max(b, -b)+max(d, -d)]++
			}
		}
	}
	scale := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 3*far))
	for _, up := range c.oneSided {
		if up {
			scale.Mul(scale, big.NewRat(1, 2))
		} else {
			scale.Mul(scale, big.NewRat(1, 3))
		}
	}
	rest = big.NewRat(1, 1)
	for said, w := range ways {
		weight := new(big.Int) // multiplied by 2^{3·far}
		for apart, n := range w {
			weight.Add(weight, new(big.Int).Lsh(big.NewInt(n), uint(3*far-apart)))
		}
		law[said] = new(big.Rat).Mul(new(big.Rat).SetInt(weight), scale)
		rest.Sub(rest, law[said])
	}
	return law, rest
}

// TestTangledProgramsMatchEnumeration tests programs that compare several draws, also in cycles, against sums over
// all draws.
func TestTangledProgramsMatchEnumeration(t *testing.T) {
	src := rand.New(rand.NewPCG(31, 8))
	ctx := context.Background()
	cut := 0
	rounds := cases.Of(4, 10)
	for round := range rounds {
		c := tangle{shown: round%4 == 3}
		for i := range c.oneSided {
			c.oneSided[i] = src.IntN(3) == 0
		}
		for range 1 + src.IntN(3) {
			f := [4]int64{src.Int64N(5) - 2, src.Int64N(5) - 2, src.Int64N(3) - 1, src.Int64N(5) - 2}
			c.forms = append(c.forms, f)
		}
		p := must.For(program.New(ctx, "tangle", twoVectors(t), c.run, program.Default))(t)
		for x := range 2 {
			law, rest := c.enumerated(int64(x))
			got := make(map[string]evidence.Number)
			for i, v := range p.Law(x)[0] {
				n, ok := v.Number()
				if !ok {
					t.Fatalf("%v is not a number", v)
				}
				got[p.Outputs()[0][i]] = n
				if n.Kind() == evidence.KindCertified {
					cut++
				}
			}
			for said, q := range law {
				least, _ := q.Float64()
				most, _ := new(big.Rat).Add(q, rest).Float64()
				lo, hi := 0.0, 0.0
				for name, n := range got {
					if name == said || strings.HasPrefix(name, said+"(") {
						a, b := n.Bounds()
						lo, hi = lo+a, hi+b
					}
				}
				if lo > most*(1+1e-14) || hi < least*(1-1e-14) || hi-lo > 1e-9 {
					t.Fatalf("%+v at %d: %s has %.17g … %.17g, want %.17g … %.17g", c, x, said, lo, hi, least, most)
				}
			}
		}
	}
	if cut < 2*rounds {
		t.Errorf("%d probabilities were summed by cases, want at least %d", cut, 2*rounds)
	}
}

type here string

func (p here) String() string { return string(p) }

// circle compares every pair of n draws.
func circle(n int, rate program.Rate) program.Run {
	return func(x int, noise *program.Noise) program.Output {
		noise.Place = func() fmt.Stringer { return here("here") }
		draws := make([]program.SymbolicDraw, n)
		for i := range draws {
			draws[i] = noise.Geometric(rate, big.NewRat(1, 1))
		}
		for i := range draws {
			for j := range i {
				if noise.Less(draws[j], draws[i].Plus(big.NewRat(int64(x+5*j), 1))) {
					return program.Output{Shape: "less"}
				}
			}
		}
		return program.Output{Shape: "more"}
	}
}

// Cyclic comparisons are summed case by case for numeric rates, if fixing a few draws removes the cycles. They are
// rejected for symbolic rates.
func TestCyclicComparisons(t *testing.T) {
	const circles = "here: the comparison of X1 with X3 makes the graph of comparisons cyclic, want a forest"
	_, err := program.New(t.Context(), "circle", line(t, 1), circle(3, times(t, 1, 1)), program.Default)
	if err == nil || !errors.Is(err, evidence.ErrParameter) || (err.Error() != circles && err.Error() != "here: the comparison of X2 with X3 makes the graph of comparisons cyclic, want a forest" && err.Error() != "here: the comparison of X1 with X2 makes the graph of comparisons cyclic, want a forest") {
		t.Errorf("cyclic comparisons with a symbolic rate: %v, want %q", err, circles)
	}
	// The law sums to 1, up to the omitted tail.
	p := must.For(program.New(t.Context(), "circle", line(t, 1), circle(3, log2(1)), program.Default))(t)
	lo, hi, certified := 0.0, 0.0, false
	for _, v := range p.Law(0)[0] {
		n, _ := v.Number()
		a, b := n.Bounds()
		lo, hi, certified = lo+a, hi+b, certified || n.Kind() == evidence.KindCertified
	}
	if lo > 1+1e-15 || hi < 1-1e-15 || hi-lo > 1e-14 || !certified { // two outputs, each with a relative error of 2⁻⁵²
		t.Errorf("the law sums to [%.17g, %.17g], certified %v, want about 1, certified", lo, hi, certified)
	}
	q := must.For(p.SmallestEpsilon(t.Context()))(t)
	if b, _ := q.Bounds(); b != 0 {
		t.Errorf("one dataset has the smallest ε %v", q)
	}
}
