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

func times(t testing.TB, num, den int64) Rate {
	t.Helper()
	return must.For(Symbol(big.NewRat(num, den)))(t)
}

// cube is the universe of vectors in {0, 1}^m, neighbors being any two.
func cube(t testing.TB, m int) (*query.Space, [][]int64) {
	t.Helper()
	var v [][]int64
	for i := range 1 << m {
		row := make([]int64, m)
		for j := range m {
			row[j] = int64(i >> j & 1)
		}
		v = append(v, row)
	}
	var edges [][2]int
	for i := range v {
		for j := range i {
			edges = append(edges, [2]int{j, i})
		}
	}
	return must.For(query.NewPathSpace(len(v), edges))(t), v
}

// TestSparseForEveryEpsilon decides the sparse vector technique with one positive on three queries for multiples of
// ε around what its law at ε = 1 and 5 needs, which is summed here over thresholds in float64.
func TestSparseForEveryEpsilon(t *testing.T) {
	ctx := context.Background()
	space, v := cube(t, 3)
	q := times(t, 1, 4)
	s := sparse{vectors: v, threshold: times(t, 1, 2), query: &q, stop: 1}
	p := must.For(New(ctx, "sparse", space, s.run, Default))(t)
	if d := must.For(p.Private(ctx, big.NewRat(1, 1)))(t); d.Verdict != evidence.Confirmed || len(d.Fails) > 0 || d.Witness != nil {
		t.Errorf("at ε: %+v, want confirmed", d)
	}
	const share = 0.6 // refuted where the law needs more
	d := must.For(p.Private(ctx, big.NewRat(3, 5)))(t)
	for _, eps := range []float64{.3, 1, 2, 5, 9} {
		needs := sparseNeeds(v, eps/2, eps/4)
		at := must.For(p.At(must.For(evidence.NewEpsilon("eps", eps))(t)).Account(ctx))(t)
		if got := must.For(at.Epsilon(ctx, evidence.Delta{}))(t).Float(); math.Abs(got-needs) > 1e-9 {
			t.Errorf("smallest ε at %g: %.12f, want %.12f", eps, got, needs)
		}
		fails := false
		for _, r := range d.Fails {
			fails = fails || r.From.Float() < eps && (r.To == nil || eps < r.To.Float())
		}
		if fails != (needs > eps*share) {
			t.Errorf("at %g: fails %v, but the law needs %.6f of %.6f", eps, fails, needs, eps*share)
		}
	}
	if d.Verdict != evidence.Refuted || d.Witness == nil {
		t.Fatalf("at 3ε/5: %+v, want refuted with a witness", d)
	}
	w := d.Witness
	z, _ := w.Z.Float64()
	ratio, _ := new(big.Rat).Quo(w.P, w.Q).Float64()
	if needs := sparseNeeds(v, -math.Log(z)*float64(w.Denominator)/2, -math.Log(z)*float64(w.Denominator)/4); math.Log(ratio) > needs+1e-9 || math.Log(ratio) <= share*w.Epsilon().Float() {
		t.Errorf("witness at z = %v: ln ratio %.9f, want at most %.9f and more than %.9f", w.Z, math.Log(ratio), needs, share*w.Epsilon().Float())
	}
}

// sparseNeeds is the largest log ratio of one positive's place, over all pairs of vectors.
func sparseNeeds(v [][]int64, threshold, query float64) float64 {
	z, y := math.Exp(-threshold), math.Exp(-query)
	above := func(t int64) float64 {
		if t > 0 {
			return math.Pow(y, float64(t)) / (1 + y)
		}
		return 1 - math.Pow(y, float64(1-t))/(1+y)
	}
	law := func(x []int64) []float64 {
		out := make([]float64, len(x)+1)
		for r := int64(-800); r <= 800; r++ {
			p := (1 - z) / (1 + z) * math.Pow(z, math.Abs(float64(r)))
			for i, q := range x {
				up := above(r - q)
				out[i] += p * up
				p *= 1 - up
			}
			out[len(x)] += p
		}
		return out
	}
	worst := 0.0
	for _, a := range v {
		for _, b := range v {
			p, q := law(a), law(b)
			for i := range p {
				worst = max(worst, math.Log(p[i]/q[i]))
			}
		}
	}
	return worst
}
