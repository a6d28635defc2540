package privacy_test

import (
	"dpworkbench/internal/must"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

func eps(t *testing.T, v float64) evidence.Epsilon { return at(t, v) }

// normalDelta is δ(ε) of two normal laws μ apart (Balle and Wang 2018, Theorem 8).
func normalDelta(eps, mu float64) float64 {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	return tail(eps/mu-mu/2) - math.Exp(eps)*tail(eps/mu+mu/2)
}

// laplaceDelta is δ(ε), ε of either sign, of two Laplace laws t scales apart.
func laplaceDelta(eps, t float64) float64 {
	switch {
	case eps >= t:
		return 0
	case eps >= -t:
		return -math.Expm1((eps - t) / 2)
	}
	return -math.Expm1(eps)
}

// simpson integrates f.
func simpson(f func(float64) float64, from, to float64) float64 {
	const n = 4000
	h, sum := (to-from)/n, f(from)+f(to)
	for i := 1; i < n; i++ {
		sum += float64(2+2*(i%2)) * f(from+float64(i)*h)
	}
	return sum * h / 3
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

// Uses of normal noise are one of μ√k.
func TestNormalUses(t *testing.T) {
	f := privacy.NormalPairs("normal", "test", interval.Rat(big.NewRat(1, 10)))
	for _, k := range []int{1, 9, 10000} {
		mu := math.Sqrt(float64(k)) / 10
		a := compose(t, []int{k}, f)
		for _, at := range []float64{1e-6, 1, 3} {
			d, err := a.Delta(ctx, eps(t, at))
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

// Grids of smooth pairs, alone beside a use that tells nothing, and together with discrete ones.
func TestGridsOfSmoothPairs(t *testing.T) {
	t.Parallel()
	half := big.NewRat(1, 2)
	nothing := family(t, "", []table{{[]*big.Rat{half, half}, []*big.Rat{half, half}}}, true)
	nothing.TranslationInvariant, nothing.Size = true, 1
	response := must.For(privacy.ApproxDP(eps(t, 0.75), new(big.Rat)))(t)
	heads := 1 / (1 + math.Exp(-0.75))
	mixed := func(one func(eps float64) float64, at float64) float64 { // with the response
		return heads*one(at-0.75) + (1-heads)*one(at+0.75)
	}
	normal := func(at float64) float64 {
		if at < 0 { // of the reverse
			return -math.Expm1(at) + math.Exp(at)*normalDelta(-at, 1)
		}
		return normalDelta(at, 1)
	}
	n := privacy.NormalPairs("normal", "test", interval.Int(1))
	l := privacy.LaplacePairs("Laplace", "test", eps(t, 1.25))
	laplace := func(at float64) float64 { return laplaceDelta(at, 1.25) }
	for _, c := range []struct {
		what string
		of   *privacy.Account
		want func(at float64) float64
	}{
		{"normal and response", compose(t, []int{1, 1}, n, response), func(at float64) float64 { return mixed(normal, at) }},
		{"two Laplace", compose(t, []int{2}, l), func(at float64) float64 {
			// Losses ±1.25 have the chances 1/2 and e^{−1.25}/2, others the density e^{(l−1.25)/2}/4.
			sum := laplace(at-1.25)/2 + math.Exp(-1.25)/2*laplace(at+1.25)
			f := func(x float64) float64 { return math.Exp((x-1.25)/2) / 4 * laplace(at-x) }
			kink := min(max(at-1.25, -1.25), 1.25)
			return sum + simpson(f, -1.25, kink) + simpson(f, kink, 1.25)
		}},
	} {
		d, err := must.Be(c.of.Within(1e-6)).Delta(ctx, eps(t, 0.8))
		holds(t, c.what, d, err, c.want(0.8), 1e-10, 1e-5)
	}
	want := laplace(0.8)
	e, err := compose(t, []int{1, 1}, l, nothing).Epsilon(ctx, evidencetest.Delta(want))
	holds(t, "ε of Laplace on a grid", e, err, 0.8, 1e-8, 1e-3)
}
