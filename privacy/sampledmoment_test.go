package privacy_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// direction is one of the pairs of a subsampled mechanism.
type direction int

const (
	removal direction = iota
	addition
	replacement
)

// sampled returns a pair of a mechanism on sampled records: by Poisson sampling, or without replacement.
func sampled(t *testing.T, f *privacy.DominatingPairs, rate *big.Rat, how direction) privacy.Pair {
	t.Helper()
	kind, i := privacy.Poisson, int(how)
	if how == replacement {
		kind, i = privacy.WithoutReplacement, 0
	}
	a := must.For(privacy.Subsample(t.Context(), privacy.New(f), rate, kind))(t)
	return must.For(must.For(a.Pairs(t.Context()))(t).Pair(t.Context(), i))(t)
}

// The log-moment of order α is (α − 1) times the Rényi divergence. The expected values are quadratures of the
// definition by mpmath with 50 digits, written without cancellation. The first number of a row is σ of normal noise or
// ε of Laplace noise.
func TestLogMomentOfSampledRecords(t *testing.T) {
	for _, c := range []struct {
		noise string
		scale float64
		rate  string
		how   direction
		alpha float64
		want  string
	}{
		{"normal", 0.8, "0.01", removal, 1.5, "0.0001366553500201942775"},
		{"normal", 1, "0.001", removal, 1.25, "2.6794290648528960729e-7"},
		{"normal", 0.3, "0.2", removal, 4.5, "80.257529394046548547"},
		{"normal", 5, "0.5", removal, 5.5, "0.13020952627208128691"},
		{"normal", 0.8, "1.0e-5", removal, 3.0, "1.131316223137537517285874e-9"},
		{"normal", 10.0, "1.0e-9", addition, 1.25, "1.570338606865630158842609e-21"},
		{"normal", 2.5, "1.0e-9", replacement, 2.0, "2.277854550610866764702274e-19"},
		{"normal", 2.5, "1.0e-9", removal, 7.5, "4.229327484694898184765141e-18"},
		{"normal", 0.5, "1.0e-9", addition, 1.25, "8.374691891317677704813257e-18"},
		{"normal", 1.0, "0.01", replacement, 1.25, "0.00004376805297195792093331737"},
		{"normal", 0.5, "1.0e-9", removal, 7.5, "1.306462174345660526427491e-15"},
		{"Laplace", 1.0, "1.0e-9", addition, 50.0, "1.050192048873650257917758e-15"},
		{"normal", 2.5, "1.0e-9", replacement, 1.5, "8.54195456479075036686802e-20"},
		{"normal", 10.0, "0.5", removal, 7.5, "0.0620208788652295682363675"},
		{"normal", 0.3, "0.1", addition, 7.5, "0.6143181687170939691073154"},
		{"normal", 1.0, "1.0e-9", replacement, 1.5, "1.096720227269515120494761e-18"},
	} {
		rate, _ := new(big.Rat).SetString(c.rate)
		base := privacy.NormalPairs("normal", "test", interval.Int(1).Quo(interval.Rat(interval.Decimal(c.scale))))
		if c.noise == "Laplace" {
			base = privacy.LaplacePairs("Laplace", "test", must.For(evidence.NewEpsilon("eps", c.scale))(t))
		}
		order := interval.Decimal(c.alpha)
		got := sampled(t, base, rate, c.how).LogMoment(interval.Rat(order.Sub(order, big.NewRat(1, 1))))
		exact, _ := new(big.Rat).SetString(c.want)
		want, _ := exact.Float64()
		if lo, hi := got.Bounds(); lo > want*(1+1e-15) || hi < want*(1-1e-15) || hi-lo > 1e-12*hi {
			t.Errorf("%s noise of %g, rate %s, direction %d, order %g: [%g, %g], want %s", c.noise, c.scale, c.rate, c.how, c.alpha, lo, hi, c.want)
		}
	}
}

// Mean losses match mpmath's quadrature of the densities with 30 digits.
func TestMeanLossOfSampledRecords(t *testing.T) {
	half := privacy.NormalPairs("normal", "test", interval.Rat(big.NewRat(1, 2)))
	laplace := privacy.LaplacePairs("Laplace", "test", must.For(evidence.NewEpsilon("eps", 1.))(t))
	for _, c := range []struct {
		base *privacy.DominatingPairs
		rate *big.Rat
		how  direction
		want float64
	}{
		{half, big.NewRat(1, 100), removal, 0.000014157704831094273929},
		{half, big.NewRat(1, 100), addition, 0.0000141147168079339840316},
		{half, big.NewRat(99, 100), removal, 0.122514157704831094273929},
		{half, big.NewRat(99, 100), addition, 0.122186872552905108187953},
		{laplace, big.NewRat(1, 100), removal, 0.000042719572982800607163},
		{laplace, big.NewRat(1, 100), addition, 0.0000425756485161880123891},
	} {
		lo, hi := sampled(t, c.base, c.rate, c.how).Mean().Bounds()
		if !(lo <= c.want && c.want <= hi && hi-lo < 1e-8*hi) {
			t.Errorf("%v at rate %v, direction %d: [%g, %g], want %g", c.base.Name, c.rate, c.how, lo, hi, c.want)
		}
	}
	// Without replacement the formulas for positive and negative losses have the same form. The mean lies between the
	// divergences of orders just below and just above 1.
	if lo, hi := sampled(t, half, big.NewRat(1, 100), replacement).Mean().Bounds(); !(lo > 1.95388388e-5 && hi < 1.9538839e-5 && hi-lo < 1e-8*hi) {
		t.Errorf("without replacement: [%g, %g]", lo, hi)
	}
}

// The log-moment of a sampled normal pair is enclosed even if the means lie far apart.
func TestLogMomentOfDistantMeans(t *testing.T) {
	const mu, s, rate = 132, 5, 0.1
	p := sampled(t, privacy.NormalPairs("normal", "test", interval.Int(mu)), big.NewRat(1, 10), removal)
	// Under Q, E (1 − γ + γe^l)^{1+s} is at least γ^{1+s} E e^{(1+s)l} and at most 1 − γ + γ E e^{(1+s)l}, which is at
	// most the moment of the base.
	const whole = s * (1 + s) * mu * mu / 2
	lo, hi := p.LogMoment(interval.Int(s)).Bounds()
	if least, most := whole+(1+s)*math.Log(rate), whole+math.Log(rate); lo < 0 || lo > most || hi < least || hi > whole*(1+1e-12) {
		t.Errorf("the log-moment is in [%g, %g], want %g to %g", lo, hi, least, most)
	}
}
