package privacy_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// normalDelta returns δ(ε) of two normal laws with means μ apart (Balle and Wang 2018, Theorem 8).
func normalDelta(eps, mu float64) float64 {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	return tail(eps/mu-mu/2) - math.Exp(eps)*tail(eps/mu+mu/2)
}

// laplaceDelta returns δ(ε) of two Laplace laws whose centers are t times the scale apart, for ε of either sign.
func laplaceDelta(eps, t float64) float64 {
	switch {
	case eps >= t:
		return 0
	case eps >= -t:
		return -math.Expm1((eps - t) / 2)
	}
	return -math.Expm1(eps)
}

func holds(t *testing.T, what string, n evidence.Number, err error, want, tolerance, width float64) {
	t.Helper()
	if err != nil {
		t.Fatal(what, err)
	}
	if lo, hi := n.Bounds(); !(lo <= want*(1+tolerance) && hi >= want*(1-tolerance)) || !(hi-lo <= width*(1+want)) {
		t.Errorf("%s is %v, want %.15g within %g", what, n, want, width)
	}
}

// k uses of normal noise with distance μ have the privacy of one use with distance μ√k.
func TestNormalUses(t *testing.T) {
	f := privacy.NormalPairs("normal", "test", interval.Rat(big.NewRat(1, 10)))
	for _, k := range []int{1, 9, 10000} {
		mu := math.Sqrt(float64(k)) / 10
		a := compose(t, []int{k}, f)
		for _, at := range []float64{1e-6, 1, 3} {
			d, err := a.Delta(ctx, evidencetest.Epsilon(at))
			holds(t, "δ", d, err, normalDelta(at, mu), 1e-9, 1e-13)
		}
		rho, err := a.ZCDP(ctx)
		holds(t, "ρ", rho, err, mu*mu/2, 1e-13, 1e-13)
		g, err := a.GDP(ctx)
		holds(t, "μ", g, err, mu, 1e-13, 1e-13)
		d, err := a.Renyi(ctx, big.NewRat(7, 2))
		holds(t, "D", d, err, 3.5*mu*mu/2, 1e-13, 1e-13)
		for _, delta := range []float64{1e-30, 1e-6} {
			e, err := a.Epsilon(ctx, evidencetest.Delta(delta))
			lo, _ := ask(t, e, err).Bounds()
			holds(t, "δ at ε(δ)", evidence.FromFloat(normalDelta(lo, mu)), nil, delta, 1e-6, 1)
		}
	}
	same := compose(t, []int{3}, privacy.NormalPairs("one law", "test", interval.Int(0)))
	for _, delta := range []float64{0, 0.1} {
		e, err := same.Epsilon(ctx, evidencetest.Delta(delta))
		holds(t, "ε of one law", e, err, 0, 0, 0)
	}
}

// Divergences of Laplace noise equal Simpson's quadrature of the densities.
func TestLaplaceDivergences(t *testing.T) {
	for _, shift := range []float64{0.5, 3} {
		a := privacy.New(privacy.LaplacePairs("Laplace", "test", evidencetest.Epsilon(shift)))
		integral := func(f func(p, loss float64) float64) (sum float64) { // ∫ f(p, loss) dx; both centers are on the grid
			const cells, h = 16000, 1. / 256
			for k := -cells; k < cells; k++ {
				for i, weight := range []float64{1, 4, 1} {
					x := (float64(k) + float64(i)/2) * h
					sum += weight * h / 6 * f(math.Exp(-math.Abs(x))/2, math.Abs(x-shift)-math.Abs(x))
				}
			}
			return sum
		}
		d, err := a.KL(ctx)
		holds(t, "KL", d, err, integral(func(p, loss float64) float64 { return p * loss }), 1e-9, 1e-12)
		most := 0.0
		for _, alpha := range []float64{1.25, 2, 5} {
			want := math.Log(integral(func(p, loss float64) float64 { return p * math.Exp((alpha-1)*loss) })) / (alpha - 1)
			d, err := a.Renyi(ctx, new(big.Rat).SetFloat64(alpha))
			holds(t, "Rényi", d, err, want, 1e-8, 1e-12)
			most = max(most, want/alpha)
		}
		rho, err := a.ZCDP(ctx)
		if lo, hi := ask(t, rho, err).Bounds(); hi < most || lo > shift*shift/2 {
			t.Errorf("ρ of noise with ε = %v in [%v, %v], want above %v", shift, lo, hi, most)
		}
	}
}
