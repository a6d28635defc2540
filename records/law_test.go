package records_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

func floats(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

// The law of a median by its definition: L(r) counts records between, by visiting all of them, and the
// density is added up piece by piece.
func medianLaw(x []float64, decay float64) (distortion float64, within func(e float64) float64) {
	n := len(x)
	sorted := append([]float64{0}, x...)
	for i := 1; i < len(sorted); i++ {
		for j := i; j > 1 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	sorted = append(sorted, 1)
	m := (n + 1) / 2
	f := sorted[m]
	var lo, hi, w []float64
	for i := 0; i <= n; i++ {
		t := i + 1 - m
		if i < m {
			t = m - i
		}
		lo, hi, w = append(lo, sorted[i]), append(hi, sorted[i+1]), append(w, math.Exp(-float64(t)*decay))
	}
	mass := 0.0
	for i := range w {
		mass += w[i] * (hi[i] - lo[i])
		a, b := math.Abs(lo[i]-f), math.Abs(hi[i]-f)
		distortion += w[i] * (hi[i] - lo[i]) * (a + b) / 2
	}
	return distortion / mass, func(e float64) float64 {
		sum := 0.0
		for i := range w {
			if a, b := max(lo[i], f-e), min(hi[i], f+e); a < b {
				sum += w[i] * (b - a)
			}
		}
		return sum / mass
	}
}

func TestMedianLaw(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 64, 65, 101, 400} {
		x := floats(n, uint64(n))
		r := must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
		q := must.For(r.Median())(t)
		for _, eps := range []float64{0.01, 0.3, 2} {
			decay := must.For(evidence.NewEpsilon("decay", eps))(t)
			m := must.For(records.NewPurest(q, decay))(t)
			want, within := medianLaw(x, eps)
			have := must.For(m.Distortion(context.Background()))(t)
			if math.Abs(have.Float()-want) > 1e-9*want {
				t.Errorf("n = %d, decay %g: distortion %v, want %g", n, eps, have, want)
			}
			for _, p := range []float64{0.1, 0.5, 0.99} {
				e := must.For(records.ErrorQuantile(context.Background(), m, new(big.Rat).SetFloat64(p)))(t)
				if got := within(e.Float()); math.Abs(got-p) > 1e-9 {
					t.Errorf("n = %d, decay %g: Pr[error ≤ %v] = %g, want %g", n, eps, e, got, p)
				}
			}
			total := 0.0
			for _, piece := range must.For(m.(*records.Layered).Pieces(context.Background()))(t) {
				total += piece.Weight
			}
			if math.Abs(total-1) > 1e-9 {
				t.Errorf("n = %d, decay %g: pieces weigh %g together", n, eps, total)
			}
		}
	}
}

// Both routes to a law, by rationals and by places, agree where both are open.
func TestRoutesAgree(t *testing.T) {
	x := floats(200, 5)
	for i := range x {
		x[i] = math.Round(x[i]*50) / 50 // ties
	}
	r := must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
	q := must.For(r.Quantile(rat(1, 3)))(t)
	exact := must.For(records.NewPurest(q, must.For(evidence.LogEpsilon("decay", rat(5, 4)))(t)))(t)
	near := must.For(records.NewPurest(q, must.For(evidence.NewEpsilon("decay", math.Log(1.25)))(t)))(t)
	a, b := must.For(exact.Distortion(context.Background()))(t), must.For(near.Distortion(context.Background()))(t)
	if a.Kind() != evidence.KindExact || math.Abs(a.Float()-b.Float()) > 1e-14 {
		t.Errorf("distortion %v by rationals, %v by places", a, b)
	}
}

// What is drawn follows the law: by Hoeffding's inequality a share of 40000 draws is off by 0.015 with a
// chance below 1e-7 each.
func TestDrawsFollowTheLaw(t *testing.T) {
	const n = 40000
	eps := must.For(evidence.NewEpsilon("eps", 0.7))(t)
	r := small(records.Replace)
	open := must.For(records.New([]float64{0.1, 0.2, 0.7}, records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
	for _, q := range []*records.Query{must.For(r.Median())(t), must.For(open.Mean())(t), must.For(triangle(records.Edge).Triangles(context.Background()))(t)} {
		for _, of := range []func(q *records.Query, eps evidence.Epsilon) (records.Law, error){records.NewPurest, records.NewLaplace, records.NewExponential,
			func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
				return records.NewStaircase(q, eps, nil)
			}} {
			m := must.For(of(q, eps))(t)
			drawn := must.For(m.Simulate(context.Background(), n, draw.Source(1, 0)))(t)
			released, _, err := m.(records.Releaser).Release(context.Background(), 4000, draw.Source(2, 0))
			if err != nil {
				t.Fatal(err)
			}
			f, _ := q.Value().Float64()
			for _, e := range []float64{0.05, 0.3, 1, 2} {
				p := must.For(m.Within(context.Background(), new(big.Rat).SetFloat64(e)))(t).Mid()
				for what, values := range map[string][]float64{"simulated": drawn, "released": released} {
					count := 0
					for _, v := range values {
						if math.Abs(v-f) <= e+1e-9 {
							count++
						}
					}
					if share := float64(count) / float64(len(values)); math.Abs(share-p) > 0.015*math.Sqrt(n/float64(len(values))) {
						t.Errorf("%s of %s, %s: %g within %g, want %g", m.Name(), q.Name(), what, share, e, p)
					}
				}
			}
		}
	}
}

// Laws of graphs with unlimited noise add up, and so do those of a range without an end.
func TestOpenRanges(t *testing.T) {
	r := small(records.AddRemove)
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	for _, q := range []*records.Query{must.For(r.Count(func(*big.Rat) (bool, error) { return true, nil }))(t), must.For(r.Total())(t)} {
		for _, of := range []func(q *records.Query, eps evidence.Epsilon) (records.Law, error){records.NewPurest, records.NewLadder, records.NewLaplace, records.NewExponential} {
			m := must.For(of(q, eps))(t)
			all := must.For(m.Between(context.Background(), rat(0, 1), rat(10000, 1)))(t)
			sum := 0.0
			for v := int64(0); v <= 400; v++ {
				p := must.For(m.Between(context.Background(), rat(v, 1), rat(v, 1)))(t).Mid()
				f, _ := q.Value().Float64()
				sum += p * math.Abs(float64(v)-f)
			}
			have := must.For(m.Distortion(context.Background()))(t).Float()
			if math.Abs(all.Mid()-1) > 1e-12 || math.Abs(have-sum) > 1e-9*sum {
				t.Errorf("%s of %s: %g in all, distortion %g, want %g", m.Name(), q.Name(), all.Mid(), have, sum)
			}
		}
	}
}
