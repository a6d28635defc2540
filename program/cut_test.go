package program

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// tangle is a program that asks for signs of linear forms of three draws, whatever they are.
type tangle struct {
	forms    [][4]int64 // coefficients of the draws, and what is added
	oneSided [3]bool
	shown    bool // whether a fourth draw is part of the output
}

func (c tangle) run(x int, n *Noise) Output {
	half := Known(must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))))
	one := big.NewRat(1, 1)
	var draws []Unknown
	for _, up := range c.oneSided {
		if up {
			draws = append(draws, n.OneSided(half))
		} else {
			draws = append(draws, n.Geometric(half, one))
		}
	}
	said := ""
	for _, f := range c.forms {
		u := Constant(big.NewRat(f[3]+int64(x), 1))
		for i, d := range draws {
			u = u.Add(d.Times(int(f[i])))
		}
		said += map[bool]string{true: "+", false: "-"}[n.Less(Constant(zero), u)]
	}
	o := Output{Shape: said}
	if c.shown {
		o.Numbers = []Unknown{n.Geometric(half, one).Add(Constant(big.NewRat(int64(x), 1)))}
	}
	return o
}

// enumerated returns the law by visiting all draws up to 34 away from 0, exactly, and what that leaves out at most.
func (c tangle) enumerated(x int64) (law map[string]*big.Rat, rest *big.Rat) {
	const far = 34
	law = make(map[string]*big.Rat)
	weights := make(map[string]*big.Int) // times 2^{3·far}
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
				w := weights[string(said)]
				if w == nil {
					w = new(big.Int)
					weights[string(said)] = w
				}
				w.Add(w, new(big.Int).Lsh(big.NewInt(1), uint(3*far-max(a, -a)-max(b, -b)-max(d, -d))))
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
	for said, w := range weights {
		law[said] = new(big.Rat).Mul(new(big.Rat).SetInt(w), scale)
		rest.Sub(rest, law[said])
	}
	return law, rest
}

// TestTangles compares programs whose comparisons have several draws, or close circles, with sums over all draws.
func TestTangles(t *testing.T) {
	src := rand.New(rand.NewPCG(31, 8))
	ctx := context.Background()
	cut := 0
	for round := range 10 {
		c := tangle{shown: round%4 == 3}
		for i := range c.oneSided {
			c.oneSided[i] = src.IntN(3) == 0
		}
		for range 1 + src.IntN(3) {
			f := [4]int64{src.Int64N(5) - 2, src.Int64N(5) - 2, src.Int64N(3) - 1, src.Int64N(5) - 2}
			c.forms = append(c.forms, f)
		}
		p := must.For(New(ctx, "tangle", twoVectors(t), c.run, Default))(t)
		for x := range 2 {
			law, rest := c.enumerated(int64(x))
			got := make(map[string]evidence.Number)
			for i, v := range p.Law(x)[0] {
				n, ok := v.Number()
				if !ok {
					t.Fatalf("%v is no number", v)
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
	if cut < 20 {
		t.Errorf("%d probabilities were summed by cases, want at least 20", cut)
	}
}

// What lies in a bounded range is summed exactly, for every ε; what does not is refused with the place of the comparison.
func TestTangledSymbol(t *testing.T) {
	ctx := context.Background()
	eps := times(t, 1, 1)
	one := big.NewRat(1, 1)
	bounded := func(limit bool) Run {
		return func(x int, n *Noise) Output {
			n.Place = func() fmt.Stringer { return here("here") }
			a, b, c := n.Geometric(eps, one), n.Geometric(eps, one), n.Geometric(eps, one)
			if limit && (n.Less(Constant(big.NewRat(2, 1)), a) || n.Less(a, Constant(big.NewRat(-2, 1)))) {
				return Output{Shape: "far"}
			}
			if n.Less(a.Add(b), c.Plus(big.NewRat(int64(x), 1))) {
				return Output{Shape: "less"}
			}
			return Output{Shape: "more"}
		}
	}
	p := must.For(New(ctx, "bounded", twoVectors(t), bounded(true), Default))(t)
	for _, e := range []float64{.3, 1, 4} {
		at := p.At(must.For(evidence.NewEpsilon("eps", e))(t))
		v := must.For(at.Probability(1, "less"))(t)
		n, _ := v.Number()
		z, want := math.Exp(-e), 0.0
		pmf := func(k int) float64 { return (1 - z) / (1 + z) * math.Pow(z, math.Abs(float64(k))) }
		for a := -2; a <= 2; a++ {
			for b := -200; b <= 200; b++ { // c > a + b − 1
				tail := math.Pow(z, float64(a+b)) / (1 + z)
				if a+b < 0 {
					tail = 1 - math.Pow(z, float64(1-a-b))/(1+z)
				}
				want += pmf(a) * pmf(b) * tail
			}
		}
		if math.Abs(n.Float()-want) > 1e-12 {
			t.Errorf("at %g: %v, want %.15g", e, n, want)
		}
	}
	_, err := New(ctx, "unbounded", twoVectors(t), bounded(false), Default)
	if err == nil || !strings.Contains(err.Error(), "here: a comparison of X1+X2−X3, want one of one or two draws") {
		t.Errorf("three unbounded draws: %v", err)
	}
}

type here string

func (p here) String() string { return string(p) }
