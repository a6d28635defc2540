package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

func TestExpectedDistortionPriors(t *testing.T) {
	ctx := context.Background()
	q := randomQuery(t, rand.New(rand.NewPCG(13, 14)), 1)
	m := build(t, "ladder", q, eps(t, 1))
	prior := make([]*big.Rat, q.Size())
	for x := range prior {
		prior[x] = new(big.Rat)
	}
	prior[1].SetInt64(1)
	got, err := mechanism.ExpectedDistortion(ctx, m, prior)
	if want := mechanism.Distortion(m, 1).Float(); err != nil || math.Abs(got.Float()-want) > 1e-14 {
		t.Errorf("a point prior gives %v, %v, want %v", got, err, want)
	}
	for n, at := range map[evidence.Number]bool{got: false, mechanism.Distortion(m, 1): true} {
		if says := n.Citation().Statement.Says(); strings.Contains(says, " at dataset ") != at {
			t.Errorf("%v is %q", n, says)
		}
	}
	for _, bad := range [][]*big.Rat{prior[1:], make([]*big.Rat, q.Size()), append(append([]*big.Rat(nil), prior[:q.Size()-1]...), big.NewRat(1, 9)), append(append([]*big.Rat(nil), prior[:q.Size()-1]...), big.NewRat(-1, 1<<40))} {
		if _, err := mechanism.ExpectedDistortion(ctx, m, bad); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("prior %v gives %v, want ErrParameter", bad, err)
		}
	}
}

// At every decay u from 1e-300 to 1e308 the loss 4u + ln((1 + e^{−5u})/(1 + e^{−u})) of two datasets is between 2u
// and 4u. No probability is 0, and no certified distortion is 0.
func TestDistortionsUnderflow(t *testing.T) {
	ctx := context.Background()
	space, _ := query.NewPathSpace(2, [][2]int{{0, 1}})
	q := must.For(query.NewNumeric("f", space, []float64{0, 0}, []float64{0, 1}))(t)
	levels := must.For(mechanism.NewLayerTable(ctx, q, []int32{0, 5, 0, 1}))(t)
	for _, u := range []float64{1e-300, 1e-100, 1e-20, 1, 200, 800, 1e9, 1e150, 1e308} {
		m := mechanism.NewLayered("levels", levels, eps(t, u), evidence.Claimed{Value: 1})
		loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		lo, hi := loss.Bounds()
		if most := 4 * u; !(lo >= min(2*u*(1-1e-15), math.MaxFloat64)) || !(hi <= most*(1+1e-15)) || !(lo <= hi) || hi-lo > 1e-14*hi && !math.IsInf(hi, 1) {
			t.Errorf("decay %g: smallest ε in [%v, %v]", u, lo, hi)
		}
		d := must.For(mechanism.Distortions(ctx, m))(t)
		mean := must.For(mechanism.ExpectedDistortion(ctx, m, nil))(t)
		for what, n := range map[string]evidence.Number{"distortion": mechanism.Distortion(m, 0), "mean": mean} {
			if _, hi := n.Bounds(); !(hi > 0) || !(d[0] > 0) {
				t.Errorf("decay %g: %s up to %v, in float64 %v", u, what, hi, d[0])
			}
		}
		if math.IsInf(m.LogProb(0, 1), -1) {
			t.Errorf("decay %g: ln p is −∞ where p is positive", u)
		}
		profile := must.For(mechanism.Privacy(m).Delta(ctx, eps(t, u)))(t)
		if lo, hi := profile.Bounds(); !(hi > 0) || lo > 1 || math.IsNaN(lo) {
			t.Errorf("decay %g: δ(unit) in [%v, %v], want more than 0", u, lo, hi)
		}
	}
}

// Worst identifies datasets and outputs by their names in the universe. No other pair of datasets has a larger loss or
// δ.
func TestWorstDistortion(t *testing.T) {
	graphs := must.For(query.NewGraphs(t.Context(), 4))(t)
	histograms := must.For(query.NewHistograms(t.Context(), 3, 3, query.Replace))(t)
	own := must.For(query.New("own", must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t), []query.Value{query.Number(0), query.Number(1), query.Number(5)}, nil, query.ValueMetric{}))(t)
	for _, c := range []struct {
		q     *query.Query
		named func(d query.Dataset) (int, error)
	}{
		{must.For(graphs.Count("triangle"))(t), func(d query.Dataset) (int, error) { return graphs.Index(d.Name.(string)) }},
		{must.For(graphs.Count("2-star"))(t), func(d query.Dataset) (int, error) { return graphs.Index(d.Name.(string)) }},
		{must.For(histograms.Median([]*big.Rat{big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(3, 1)}))(t), func(d query.Dataset) (int, error) { return histograms.Index(d.Name.([]int)) }},
		{own, func(d query.Dataset) (int, error) {
			if d.Name != nil {
				return 0, fmt.Errorf("named %v", d.Name)
			}
			return d.Index, nil
		}},
	} {
		m := must.For(layers.NewPurest(t.Context(), c.q, logOf(t, 2)))(t)
		space, a := c.q.Space(), privacy.New(mechanism.Pairs(m))
		mass := func(x, r int) *big.Rat { p, _ := m.Rational(x, r); return p }
		over := func(x, y int) *big.Rat { // the largest P(E) − e^ε Q(E), ε = ln 2
			sum := new(big.Rat)
			for r := range c.q.Range() {
				if d := new(big.Rat).Sub(mass(x, r), new(big.Rat).Mul(big.NewRat(2, 1), mass(y, r))); d.Sign() > 0 {
					sum.Add(sum, d)
				}
			}
			return sum
		}
		largest, gap := new(big.Rat), new(big.Rat)
		for i := range 2 * space.Pairs() {
			x, y := space.Pair(i)
			for r := range c.q.Range() {
				if ratio := new(big.Rat).Quo(mass(x, r), mass(y, r)); ratio.Cmp(largest) > 0 {
					largest = ratio
				}
			}
			if d := over(x, y); d.Cmp(gap) > 0 {
				gap = d
			}
		}
		at := func(d any) int {
			i, err := c.named(d.(query.Dataset))
			if err != nil || i != d.(query.Dataset).Index {
				t.Fatalf("%s: %v has index %d by its name, %d in the answer, %v", c.q.Name(), d, i, d.(query.Dataset).Index, err)
			}
			return i
		}
		w := must.For(a.Worst(t.Context(), nil))(t)
		x, y := at(w.X), at(w.Y)
		if len(w.Outputs) == 0 {
			t.Errorf("%s: no output", c.q.Name())
		}
		place := map[string]int{}
		for r, v := range c.q.Range() {
			place[v.String()] = r
		}
		for _, v := range w.Outputs {
			r := place[v.(query.Value).String()]
			if new(big.Rat).Quo(mass(x, r), mass(y, r)).Cmp(largest) != 0 {
				t.Errorf("%s: output %v at %v and %v does not have the largest loss, ln(%v)", c.q.Name(), v, w.X, w.Y, largest)
			}
		}
		eps := logOf(t, 2)
		w = must.For(a.Worst(t.Context(), &eps))(t)
		if got := over(at(w.X), at(w.Y)); got.Cmp(gap) != 0 {
			t.Errorf("%s: %v and %v have δ = %v at ln 2, the most is %v", c.q.Name(), w.X, w.Y, got, gap)
		}
	}
}
