package program

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// twoVectors is the universe of two neighbors, query vectors a and b.
func twoVectors(t *testing.T) *query.Space {
	t.Helper()
	return must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
}

// sparse is a variant of the sparse vector technique on whole queries and threshold 0.
type sparse struct {
	vectors   [][]int64
	threshold Rate
	query     *Rate // nil without query noise
	stop      int   // positives; 0 for no limit
}

func (s sparse) run(x int, n *Noise) Output {
	rho := n.Geometric(s.threshold, big.NewRat(1, 1))
	out, positives := "", 0
	for _, q := range s.vectors[x] {
		v := Constant(big.NewRat(q, 1))
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
	return Output{Shape: out}
}

func steps(m int) [][]int64 {
	a, b := make([]int64, 2*m), make([]int64, 2*m)
	for i := range m {
		a[m+i], b[i] = 1, 1
	}
	return [][]int64{a, b}
}

func ln2(t *testing.T) Rate {
	t.Helper()
	return Known(must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t))
}

// oneWay returns the largest log ratio of x's law over y's.
func oneWay(t *testing.T, p *Program, x, y int) float64 {
	t.Helper()
	m := must.For(p.laws(context.Background()))(t)[0]
	worst := 0.0
	for r := range m.Query().Range() {
		a, ok := m.Rational(x, r)
		b, ok2 := m.Rational(y, r)
		if !ok || !ok2 {
			t.Fatal("no rational law")
		}
		if a.Sign() == 0 {
			continue
		}
		if b.Sign() == 0 {
			return math.Inf(1)
		}
		q, _ := new(big.Rat).Quo(a, b).Float64()
		worst = max(worst, math.Log(q))
	}
	return worst
}

// TestSparseVectors: smallest ε of an ordered pair, computed elsewhere by summing over all draws.
func TestSparseVectors(t *testing.T) {
	half := ln2(t)
	for m, want := range []float64{1.0116, 2.1323, 3.3252, 4.5731} {
		s := sparse{vectors: steps(m + 1), threshold: half, query: &half}
		p := must.For(New(context.Background(), "sparse", twoVectors(t), s.run, Default))(t)
		got := oneWay(t, p, 0, 1)
		if math.Abs(got-want) > 5e-5 {
			t.Errorf("unlimited, m = %d: %.5f, want %.4f", m+1, got, want)
		}
	}
	for c, want := range []float64{1.5846, 2.7815, 4.0314, 5.3226} {
		s := sparse{vectors: steps(c + 2), threshold: half, query: &half, stop: c + 1}
		p := must.For(New(context.Background(), "sparse", twoVectors(t), s.run, Default))(t)
		got := oneWay(t, p, 0, 1)
		if math.Abs(got-want) > 5e-5 {
			t.Errorf("stopping after %d: %.5f, want %.4f", c+1, got, want)
		}
	}
	s := sparse{vectors: steps(1), threshold: half}
	p := must.For(New(context.Background(), "sparse", twoVectors(t), s.run, Default))(t)
	if got := oneWay(t, p, 0, 1); !math.IsInf(got, 1) {
		t.Errorf("without query noise: %g, want infinite", got)
	}
}

// The coins before a comparison count on every path, those that are replayed too.
func TestTossesBeforeComparisons(t *testing.T) {
	fifth, half := RationalProbability(big.NewRat(1, 5)), RationalProbability(big.NewRat(1, 2))
	rate := Known(must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t))
	p := must.For(New(t.Context(), "coins", must.For(query.NewPathSpace(1, nil))(t), func(_ int, n *Noise) Output {
		a, b := n.Flip(fifth), n.Flip(half)
		x := n.Geometric(rate, big.NewRat(1, 1))
		less := n.Less(x, Constant(big.NewRat(0, 1)))
		return Output{Shape: map[bool]string{true: "+", false: "-"}[a] + map[bool]string{true: "+", false: "-"}[b] + map[bool]string{true: "+", false: "-"}[less]}
	}, Default))(t)
	for a, pa := range map[string]int64{"+": 1, "-": 4} {
		for _, b := range []string{"+", "-"} {
			for less, pl := range map[string]int64{"+": 1, "-": 2} { // Pr[X < 0] = z/(1 + z) = 1/3
				v := must.For(p.Probability(0, a+b+less))(t)
				got, _ := v.Number()
				want := big.NewRat(pa*pl, 5*2*3)
				if evidence.Rational(got) != want.RatString() {
					t.Errorf("%s%s%s has the probability %v, want %v", a, b, less, got, want)
				}
			}
		}
	}
}
