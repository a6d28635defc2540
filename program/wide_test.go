package program

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// wide draws at rates of which one is a million times the other, and compares far out.
func wide(slow, fast Rate) Run {
	return func(x int, n *Noise) Output {
		one := big.NewRat(1, 1)
		a, b := n.Geometric(slow, one), n.Geometric(fast, one)
		said := ""
		if n.Less(Constant(zero), a.Plus(big.NewRat(int64(x), 1))) {
			said += "+"
		}
		if n.Less(b, Constant(big.NewRat(3000, 1))) {
			said += "<"
		}
		return Output{Shape: said}
	}
}

// Powers that no int32 holds are summed as others are: e^{−3000·693} is left of the fast draw, less than any float64.
func TestPowersBeyondInt32(t *testing.T) {
	ln2 := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	p := must.For(New(t.Context(), "wide", twoVectors(t), wide(Known(ln2.Ratio(1, 1000)), Known(ln2.Ratio(1000, 1))), Default))(t)
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

// A polynomial of a degree that cannot be handled is refused, and shown by its terms.
func TestDegreesBeyondMemory(t *testing.T) {
	p := must.For(New(t.Context(), "wide", twoVectors(t), wide(times(t, 1, 1000), times(t, 1000, 1)), Default))(t)
	_, err := p.Private(t.Context(), big.NewRat(1, 1))
	if err == nil || !strings.Contains(err.Error(), "an inequality of program wide is a polynomial of degree 30") {
		t.Errorf("degree 3000·10⁶: %v, want it refused", err)
	}
	if got := must.For(p.Probability(0, "+"))(t).String(); !strings.HasPrefix(got, "z^3000000001/(") {
		t.Errorf("the probability is %s, want z^3000000001 over something", got)
	}
	// z = e^{−ε}, and with times·ε for times = largest·ε + 1/10000 the polynomial's variable is z^{1/10000}
	coin := must.For(New(t.Context(), "coin", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), func(x int, n *Noise) Output {
		if n.Less(n.Geometric(times(t, 1, 1), big.NewRat(1, 1)), Constant(big.NewRat(int64(x), 1))) {
			return Output{Shape: "<"}
		}
		return Output{Shape: ">"}
	}, Default))(t)
	if _, err := coin.Private(t.Context(), big.NewRat(4294947297, 10000)); err == nil || !strings.Contains(err.Error(), "a polynomial of degree 42949") {
		t.Errorf("times = 4294947297/10000: %v, want it refused", err)
	}
}
