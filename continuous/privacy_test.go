package continuous_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// The profile of Laplace noise matches a sum of (p(r) − e^ε p(r − Δ))⁺ over a fine grid of r.
func TestLaplaceProfile(t *testing.T) {
	ctx := context.Background()
	q := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(2, 1), big.NewRat(2, 1)}}))(t)
	for _, top := range []float64{0.1, 1, 4} {
		m := must.For(continuous.NewLaplace(q, evidencetest.Epsilon(top)))(t)
		for _, share := range []float64{0.01, 0.3, 0.9, 1, 1.7} {
			const steps = 200_000
			b := 2 / top
			from, to, sum := -60*b, 60*b+2, 0.0
			h := (to - from) / steps
			for i := range steps {
				r := from + (float64(i)+0.5)*h
				p, shifted := math.Exp(-math.Abs(r)/b)/(2*b), math.Exp(-math.Abs(r-2)/b)/(2*b)
				sum += math.Max(0, p-math.Exp(share*top)*shifted) * h
			}
			got := must.For(m.Privacy().Delta(ctx, evidencetest.Epsilon(share*top)))(t)
			if lo, hi := got.Bounds(); math.Abs(lo-sum) > 1e-4 || math.Abs(hi-sum) > 1e-4 {
				t.Errorf("ε₀ = %g, ε = %g: δ in [%g, %g], want %g", top, share*top, lo, hi, sum)
			}
			if share >= 1 {
				continue
			}
			_, delta := got.Bounds()
			back := must.For(m.Privacy().Epsilon(ctx, evidencetest.Delta(delta)))(t)
			if lo, hi := back.Bounds(); !(lo <= share*top*(1+1e-12) && hi >= share*top*(1-1e-12) && hi-lo < 1e-9*(1+hi)) {
				t.Errorf("δ = %g: ε in [%g, %g], want %g", delta, lo, hi, share*top)
			}
		}
	}
}

// The profiles of geometric noise, the integer Staircase and the discrete Gaussian match the sum of (p(k) − e^ε p(k −
// v))⁺ over all k, at the worst v in V. They are exact if e^ε is rational.
func TestLatticeProfiles(t *testing.T) {
	ctx := context.Background()
	three := evidencetest.LogEpsilon(3, 1)
	taken := 0
	for _, v := range [][]int64{{1}, {2}, {1, 3}, {4, 6, 7}} {
		var points [][2]*big.Rat
		for _, p := range v {
			points = append(points, [2]*big.Rat{big.NewRat(p, 1), big.NewRat(p, 1)})
		}
		q := must.For(continuous.NewLinear(points))(t)
		unit, _ := q.Lattice()
		n := new(big.Rat).Quo(q.Sensitivity().Value, unit).Num().Int64()
		for _, top := range []evidence.Epsilon{evidencetest.Epsilon(0.1), evidencetest.Epsilon(1), evidencetest.Epsilon(4), three, three.Times(7)} {
			var laws []continuous.Mechanism
			if taken++; !cases.Every(3, taken) {
				continue
			}
			g := must.For(continuous.NewGeometric(q, top))(t)
			laws = append(laws, g)
			d := must.For(continuous.NewDiscreteGaussian(q, big.NewRat(n+3, 2)))(t)
			laws = append(laws, d)
			far := int(40*float64(v[len(v)-1])/top.Value()) + 20 // the tail is below e^{−40}
			for _, m := range laws {
				p := make([]float64, 2*far+1)
				for k := range far + 1 {
					d := must.For(m.Density(big.NewRat(int64(k), 1)))(t)
					p[far+k], p[far-k] = d.Float(), d.Float()
				}
				budgets := []evidence.Epsilon{{}, top, top.Times(2), three.Ratio(1, 2), three.Ratio(1, 7), evidencetest.Epsilon(0.05), evidencetest.Epsilon(0.73)}
				for i := int64(1); i < 8; i++ {
					budgets = append(budgets, top.Ratio(i, 8), top.Ratio(i, 7))
				}
				for _, e := range budgets {
					want, factor := 0.0, math.Exp(e.Value())
					for _, shift := range v {
						for _, way := range []int{int(shift), -int(shift)} {
							sum := 0.0
							for k := range p {
								if from := k - way; from >= 0 && from < len(p) {
									sum += max(0, p[k]-factor*p[from])
								}
							}
							want = math.Max(want, sum)
						}
					}
					got := must.For(m.Privacy().Delta(ctx, e))(t)
					if lo, hi := got.Bounds(); !(lo <= hi) || math.Abs(lo-want) > 1e-10 || math.Abs(hi-want) > 1e-10 {
						t.Errorf("V = %v, %s: δ(%v) in [%g, %g], want %g", v, m.Name(), e, lo, hi, want)
					}
				}
			}
		}
	}
	q := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 1), big.NewRat(1, 1)}}))(t)
	g := must.For(continuous.NewGeometric(q, evidencetest.LogEpsilon(9, 1)))(t)
	got, err := g.Privacy().Delta(ctx, three) // (1 − 3/9)/(1 + 1/9)
	if err != nil {
		t.Fatal(err)
	}
	if x, ok := got.(evidence.Exact); !ok || x.Value.Cmp(big.NewRat(3, 5)) != 0 {
		t.Errorf("δ(ln 3) at ε₀ = ln 9 is %v, want 3/5 exactly", got)
	}
}

// The profile of Staircase matches a sum of (p(r) − e^ε p(r − v))⁺ over a fine grid of r, at the worst v in V = [0, 1].
func TestStaircaseProfile(t *testing.T) {
	ctx := context.Background()
	q := must.For(continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(1, 1)}}))(t)
	const cells, far = 40, 30 // steps end between cells
	for _, top := range []float64{0.7, 3} {
		for i, gamma := range []int64{1, 10, 20, 27, 39} {
			if !cases.Every(2, i) {
				continue
			}
			s := must.For(continuous.NewStaircase(q, evidencetest.Epsilon(top), big.NewRat(gamma, cells)))(t)
			p := make([]float64, 2*cells*far)
			for i := range p {
				d := must.For(s.Density(big.NewRat(2*int64(i-cells*far)+1, 2*cells)))(t)
				p[i] = d.Float()
			}
			for _, share := range []float64{0.1, 0.5, 0.99, 1, 1.5} {
				want := 0.0
				for v := range cells + 1 {
					sum := 0.0
					for i := v; i < len(p); i++ {
						sum += math.Max(0, p[i]-math.Exp(share*top)*p[i-v]) / cells
					}
					want = math.Max(want, sum)
				}
				got := must.For(s.Privacy().Delta(ctx, evidencetest.Epsilon(share*top)))(t)
				if lo, hi := got.Bounds(); math.Abs(lo-want) > 1e-8 || math.Abs(hi-want) > 1e-8 {
					t.Errorf("ε₀ = %g, γ = %d/%d: δ(%g) in [%g, %g], want %g", top, gamma, cells, share*top, lo, hi, want)
				}
			}
		}
	}
}

// The bounds on δ of Laplace noise contain the true δ and are adjacent float64s, or nearly.
func TestLaplaceDeltaEnds(t *testing.T) {
	line := queryOf(t, "0", "3/2")
	for _, top := range []float64{1e-30, 1e-9, 0.1, 1, 4, 600} {
		m := must.For(continuous.NewLaplace(line, evidencetest.Epsilon(top)))(t)
		for _, share := range []float64{0, 0.1, 0.5, 0.9, 1 - 0x1p-50} {
			eps := evidence.Epsilon{}
			if share > 0 {
				eps = evidencetest.Epsilon(share * top)
			}
			got := must.For(m.Privacy().Delta(context.Background(), eps))(t)
			gap := evidencetest.Epsilon(top).Enclosure().Sub(eps.Enclosure()).Quo(interval.Int(2))
			truth := gap.Neg().Expm1().Neg()
			lo, hi := got.Bounds()
			if interval.Float(lo).CmpLo(truth) > 0 || interval.Float(hi).CmpHi(truth) < 0 || hi-lo > 0x1p-51*hi {
				t.Errorf("ε₀ = %v, ε = %v: δ in [%v, %v], want %v", top, share*top, lo, hi, truth)
			}
		}
	}
}
