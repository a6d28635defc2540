package program_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/program"
	"dpworkbench/query"
)

// twoVectors returns the space of two neighbors, the query vectors a and b.
func twoVectors(t *testing.T) *query.Space {
	t.Helper()
	return must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
}

// sparse is a variant of the sparse vector technique for integer queries and threshold 0.
type sparse struct {
	vectors   [][]int64
	threshold program.Rate
	query     *program.Rate // nil without query noise
	stop      int           // number of positives before it stops; 0 for no limit
}

func (s sparse) run(x int, n *program.Noise) program.Output {
	rho := n.Geometric(s.threshold, big.NewRat(1, 1))
	out, positives := "", 0
	for _, q := range s.vectors[x] {
		v := program.Constant(big.NewRat(q, 1))
		if s.query != nil {
			v = v.Add(n.Geometric(*s.query, big.NewRat(1, 1)))
		}
		if n.Less(v, rho) {
			out += "-"
			continue
		}
		out += "+"
		if positives++; positives == s.stop {
			break
		}
	}
	return program.Output{Shape: out}
}

// wide draws at two rates with ratio 10⁶, and compares far in the tail.
func wide(slow, fast program.Rate) program.Run {
	return func(x int, n *program.Noise) program.Output {
		one := big.NewRat(1, 1)
		a, b := n.Geometric(slow, one), n.Geometric(fast, one)
		said := ""
		if n.Less(program.Constant(new(big.Rat)), a.Plus(big.NewRat(int64(x), 1))) {
			said += "+"
		}
		if n.Less(b, program.Constant(big.NewRat(3000, 1))) {
			said += "<"
		}
		return program.Output{Shape: said}
	}
}

// Powers that overflow int32 are summed too. The probability e^{−3000·693} of the fast draw's tail underflows
// float64.
func TestPowersBeyondInt32(t *testing.T) {
	ln2 := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	p := must.For(program.New(t.Context(), "wide", twoVectors(t), wide(program.Known(ln2.Ratio(1, 1000)), program.Known(ln2.Ratio(1000, 1))), program.Default))(t)
	z := math.Exp2(-.001)
	for x, positive := range []float64{z / (1 + z), 1 / (1 + z)} {
		for output, want := range map[string]float64{"+<": positive, "<": 1 - positive, "+": 0, "": 0} {
			n, _ := must.For(p.Probability(x, output))(t).Number()
			lo, hi := n.Bounds()
			if lo < 0 || math.Abs(lo-want) > 1e-15 || math.Abs(hi-want) > 1e-15 {
				t.Errorf("%q at %d has the probability %g … %g, want %g", output, x, lo, hi, want)
			}
		}
	}
}
