package signrp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/signrp"
)

// The moments for OPORP and Rademacher W agree with an enumeration of every W. The enumeration is exact in rational
// arithmetic apart from square roots.
func TestNormalizedMomentsAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for trial := range 12 {
		p := 2 + rng.IntN(4)
		k := 1 + rng.IntN(min(p, 3))
		u, v := make([]float64, p), make([]float64, p)
		for i := range u {
			u[i], v[i] = float64(rng.IntN(9)-4)/4, float64(rng.IntN(9)-4)/4
		}
		u[0], v[p-1] = 1, 0.5
		count, mean, square := 0.0, 0.0, 0.0
		visit := func(x, y []float64) {
			xx, yy, xy := 0.0, 0.0, 0.0
			for j := range x {
				xx, yy, xy = xx+x[j]*x[j], yy+y[j]*y[j], xy+x[j]*y[j]
			}
			if count++; xx*yy > 0 {
				mean, square = mean+xy/math.Sqrt(xx*yy), square+xy*xy/(xx*yy)
			}
		}
		var w *signrp.Projection
		if trial%2 == 0 {
			w = must.Be(signrp.NewProjection(signrp.Rademacher, p, k, signrp.ProjectionOptions{Seed: 1}))
			for signs := range 1 << (p * k) {
				x, y := make([]float64, k), make([]float64, k)
				for j := range k {
					for i := range p {
						s := float64(2*(signs>>(i*k+j)&1) - 1)
						x[j], y[j] = x[j]+s*u[i], y[j]+s*v[i]
					}
				}
				visit(x, y)
			}
		} else {
			w = must.Be(signrp.NewOPORP(context.Background(), p, k, 1))
			size := w.Padded() / k
			room, bin := make([]int, k), make([]int, w.Padded())
			var deal func(i int)
			deal = func(i int) {
				if i == len(bin) {
					for signs := range 1 << p {
						x, y := make([]float64, k), make([]float64, k)
						for i := range u {
							s := float64(2*(signs>>i&1) - 1)
							x[bin[i]], y[bin[i]] = x[bin[i]]+s*u[i], y[bin[i]]+s*v[i]
						}
						visit(x, y)
					}
					return
				}
				for j := range room {
					if room[j] < size {
						room[j]++
						bin[i] = j
						deal(i + 1)
						room[j]--
					}
				}
			}
			deal(0)
		}
		m := must.Be(signrp.NormalizedMoments(context.Background(), w, u, v, new(big.Rat)))
		mean, square = mean/count, square/count
		rho := math.Cos(must.Be(signrp.Angle(u, v)))
		if math.Abs(m.Mean.Float()-mean) > 1e-12 || math.Abs(m.Variance.Float()-(square-mean*mean)) > 1e-12 || math.Abs(m.Error.Float()-(square-2*rho*mean+rho*rho)) > 1e-12 {
			t.Errorf("%s W, p = %d, k = %d, u = %v, v = %v: mean %v, variance %v, error %v; enumeration %v, %v", w.Kind(), p, k, u, v, m.Mean, m.Variance, m.Error, mean, square-mean*mean)
		}
	}
}

// The formula is the limit of k times the variance.
func TestNormalizedFormula(t *testing.T) {
	u, v := []float64{1, 0.5, 0.5}, []float64{0.5, -0.25, 1}
	for _, kind := range []signrp.Kind{signrp.Gaussian, signrp.Rademacher, signrp.Sparse} {
		if kind == signrp.Sparse {
			u, v = u[:2], v[:2]
		}
		before := math.Inf(1)
		for _, k := range []int{8, 16, 32} {
			w := must.Be(signrp.NewProjection(kind, len(u), k, signrp.ProjectionOptions{Sparsity: 2, Seed: 1}))
			m := must.Be(signrp.NormalizedMoments(context.Background(), w, u, v, new(big.Rat)))
			f := must.Be(signrp.NormalizedFormula(w, u, v))
			gap := math.Abs(m.Variance.Float()/f.Value - 1)
			if gap > 8/float64(k) || gap > 0.7*before {
				t.Errorf("%s W, k = %d: variance %v, formula %v", kind, k, m.Variance, f.Value)
			}
			before = gap
		}
	}
	// OPORP with one coordinate a bin preserves the cosine.
	w := must.Be(signrp.NewOPORP(context.Background(), 2, 2, 1))
	m := must.Be(signrp.NormalizedMoments(context.Background(), w, u, v, new(big.Rat)))
	if f := must.Be(signrp.NormalizedFormula(w, u, v)); f.Value != 0 || m.Variance.Float() > 1e-15 || m.Error.Float() > 1e-15 {
		t.Errorf("OPORP, k = p: variance %v, error %v, formula %v", m.Variance, m.Error, f.Value)
	}
}

func TestNormalizedExact(t *testing.T) {
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 2, 1, signrp.ProjectionOptions{Seed: 1}))
	m := must.Be(signrp.NormalizedMoments(context.Background(), w, []float64{1, 0.5}, []float64{0.5, 1}, new(big.Rat)))
	if m.Mean.Kind() != evidence.KindExact || m.Mean.Float() != 0 && m.Mean.(evidence.Exact).Value.Cmp(big.NewRat(0, 1)) != 0 {
		t.Errorf("k = 1: ρ̂ is 1 or −1, mean %v", m.Mean)
	}
	same := must.Be(signrp.NormalizedMoments(context.Background(), must.Be(signrp.NewProjection(signrp.Gaussian, 2, 3, signrp.ProjectionOptions{Seed: 1})), []float64{0.1, 0.3}, []float64{-0.2, -0.6}, new(big.Rat)))
	if same.Mean.Float() != -1 || same.Variance.Float() != 0 || same.Error.Float() != 0 || same.Mean.Kind() != evidence.KindExact {
		t.Errorf("opposite vectors: %+v", same)
	}
}

func TestNormalizedRefuses(t *testing.T) {
	ctx := context.Background()
	u, v := []float64{1, 0.5}, []float64{0.5, 1}
	gaussian := must.Be(signrp.NewProjection(signrp.Gaussian, 2, 3, signrp.ProjectionOptions{Seed: 1}))
	for what, f := range map[string]func() (*signrp.CosineMoments, error){
		"another length": func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, gaussian, u, v[:1], new(big.Rat))
		},
		"zeros": func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, gaussian, u, []float64{0, 0}, new(big.Rat))
		},
		"sigma < 0": func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, gaussian, u, v, interval.Decimal(-1))
		},
		"a small sigma": func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, nil, u, v, interval.Decimal(1e-4))
		},
		"uniform W": func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, must.Be(signrp.NewProjection(signrp.Uniform, 2, 3, signrp.ProjectionOptions{Seed: 1})), u, v, new(big.Rat))
		},
		"too many digits": func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, must.Be(signrp.NewProjection(signrp.Rademacher, 2, 3, signrp.ProjectionOptions{Seed: 1})), []float64{math.Pi / 4, 1}, v, new(big.Rat))
		},
		"too much work": func() (*signrp.CosineMoments, error) {
			x := make([]float64, 40)
			for i := range x {
				x[i] = float64(i*i+1) / 2048
			}
			return signrp.NormalizedMoments(ctx, must.Be(signrp.NewProjection(signrp.Rademacher, 40, 30, signrp.ProjectionOptions{Seed: 1})), x, x[:40], new(big.Rat))
		},
	} {
		if _, err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if _, err := signrp.NormalizedFormula(nil, u, v); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("raw data give %v", err)
	}
}
