package program_test

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
	"dpworkbench/program"
	"dpworkbench/query"
)

// tossed is a random program over three draws. It compares pairs of a tree, in any order and direction, and outputs
// the answers, perhaps with one of the draws.
type tossed struct {
	rates     [3]int64 // in units of ln(2)/2
	sided     [3]bool
	questions []question
	output    int // index of a draw in the output, or negative for none
}

type question struct {
	of    [3]int
	than  *big.Rat
	equal bool
}

func randomProgram(src *rand.Rand) tossed {
	p := tossed{output: src.IntN(6) - 3}
	for i := range p.rates {
		p.rates[i], p.sided[i] = 2+src.Int64N(3), src.IntN(4) == 0
	}
	centre := src.IntN(3)
	for range 1 + src.IntN(4) {
		var a question
		i := src.IntN(3)
		a.of[i] = 1 - 2*src.IntN(2)
		if p.output >= 0 {
			// the draw in the output alone, or the other two
			if src.IntN(2) == 0 {
				j := (p.output + 1) % 3
				a.of = [3]int{}
				a.of[j] = 1
				a.of[(j+1)%3] = 1 - 2*src.IntN(2)
			}
		} else if i != centre {
			a.of[centre] = 1 - 2*src.IntN(2)
		}
		a.than = big.NewRat(src.Int64N(9)-4, 1+src.Int64N(2))
		a.equal = src.IntN(4) == 0
		p.questions = append(p.questions, a)
	}
	return p
}

func (p tossed) run(rate func(k int64) program.Rate) program.Run {
	return func(_ int, n *program.Noise) program.Output {
		var x [3]program.SymbolicDraw
		for i := range x {
			if p.sided[i] {
				x[i] = n.OneSided(rate(p.rates[i]))
			} else {
				x[i] = n.Geometric(rate(p.rates[i]), big.NewRat(1, 1))
			}
		}
		var heard strings.Builder
		for _, a := range p.questions {
			u := program.Constant(new(big.Rat))
			for i, k := range a.of {
				u = u.Add(x[i].Times(k))
			}
			if a.equal {
				fmt.Fprint(&heard, n.Equal(u, program.Constant(a.than)), " ")
			} else {
				fmt.Fprint(&heard, n.Less(u, program.Constant(a.than)), " ")
			}
		}
		if p.output >= 0 {
			return program.Output{Shape: heard.String(), Numbers: []program.SymbolicDraw{x[p.output].Plus(big.NewRat(1, 2))}}
		}
		return program.Output{Shape: heard.String()}
	}
}

// brute returns the law of the program by enumeration of all draws up to distance far.
func (p tossed) brute(far int) map[string]float64 {
	weight := func(i, k int) float64 {
		z := math.Pow(2, -float64(p.rates[i])/2)
		if p.sided[i] {
			if k < 0 {
				return 0
			}
			return (1 - z) * math.Pow(z, float64(k))
		}
		return (1 - z) / (1 + z) * math.Pow(z, math.Abs(float64(k)))
	}
	out := make(map[string]float64)
	var w [3][]float64
	for i := range w {
		for k := -far; k <= far; k++ {
			w[i] = append(w[i], weight(i, k))
		}
	}
	than := make([]float64, len(p.questions))
	for i, a := range p.questions {
		than[i], _ = a.than.Float64()
	}
	codes := make(map[[2]int]float64)
	for a := -far; a <= far; a++ {
		for b := -far; b <= far; b++ {
			for c := -far; c <= far; c++ {
				mass := w[0][a+far] * w[1][b+far] * w[2][c+far]
				x := [3]int{a, b, c}
				code := 0
				for i, q := range p.questions {
					v := float64(q.of[0]*a + q.of[1]*b + q.of[2]*c)
					if q.equal && v == than[i] || !q.equal && v < than[i] {
						code |= 1 << i
					}
				}
				k := 0
				if p.output >= 0 {
					k = x[p.output]
				}
				codes[[2]int{code, k}] += mass
			}
		}
	}
	for at, mass := range codes {
		var heard strings.Builder
		for i := range p.questions {
			fmt.Fprint(&heard, at[0]>>i&1 == 1, " ")
		}
		name := heard.String()
		if p.output >= 0 {
			name += fmt.Sprintf("(%d/2)", 2*at[1]+1)
		}
		out[name] += mass
	}
	return out
}

// TestForestsByBruteForce compares laws in closed form with sums over all draws up to a distance beyond which the
// probability is below 1e-7.
func TestForestsByBruteForce(t *testing.T) {
	const far = 26
	src := rand.New(rand.NewPCG(11, 7))
	ln2 := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	for range 60 {
		p := randomProgram(src)
		known := must.For(program.New(context.Background(), "tossed", space, p.run(func(k int64) program.Rate { return program.Known(ln2.Ratio(k, 2)) }), program.Default))(t)
		symbolic := must.For(program.New(context.Background(), "tossed", space, p.run(func(k int64) program.Rate { return must.Be(program.Symbol(big.NewRat(k, 2))) }), program.Default))(t)
		want := p.brute(far)
		for _, tossed := range []*program.Program{known, symbolic.At(ln2)} {
			sum := 0.0
			for i, name := range tossed.Outputs()[0] {
				n, _ := tossed.Law(0)[0][i].Number()
				got := n.Float()
				sum += got
				if strings.Contains(name, "≤") || strings.Contains(name, "≥") {
					continue // part of a tail, which the sum below covers
				}
				if math.Abs(got-want[name]) > 1e-6 {
					t.Fatalf("%+v: %s has %.9f, want %.9f", p, name, got, want[name])
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("%+v: probabilities sum to %.15f", p, sum)
			}
		}
	}
}
