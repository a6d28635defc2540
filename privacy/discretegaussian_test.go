package privacy_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// sumOf returns the law of the sum of k discrete Gaussians in float64, on the integers within reach·k of 0.
func sumOf(square float64, k, reach int) []float64 {
	one := make([]float64, 2*reach+1)
	total := 0.0
	for i := range one {
		d := float64(i - reach)
		one[i] = math.Exp(-d * d / 2 / square)
		total += one[i]
	}
	for i := range one {
		one[i] /= total
	}
	out := []float64{1}
	for range k {
		next := make([]float64, len(out)+2*reach)
		for i, p := range out {
			for j, q := range one {
				next[i+j] += p * q
			}
		}
		out = next
	}
	return out
}

// shifted returns Σ g(P, Q) over all sums, where Q is law and P is law shifted by the given integer.
func shifted(law []float64, by int, g func(p, q float64) float64) float64 {
	at := func(i int) float64 {
		if i < 0 || i >= len(law) {
			return 0
		}
		return law[i]
	}
	sum := 0.0
	for i := range len(law) + by {
		sum += g(at(i-by), at(i))
	}
	return sum
}

func discreteGaussian(t *testing.T, square *big.Rat, n int64) *privacy.DominatingPairs {
	t.Helper()
	f := must.For(privacy.DiscreteGaussianPairs("discrete Gaussian", "test", square, n))(t)
	return f
}

// δ, ε, Rényi divergences and ρ of one use and of many match float64 sums over all outputs.
func TestDiscreteGaussianUses(t *testing.T) {
	for _, c := range []struct {
		square  *big.Rat
		n, uses int
	}{{big.NewRat(25, 1), 1, 1}, {big.NewRat(25, 1), 1, 5}, {big.NewRat(9, 4), 2, 3}, {big.NewRat(1, 3), 1, 4}, {big.NewRat(40, 7), 11, 2}} {
		square, _ := c.square.Float64()
		a := compose(t, []int{c.uses}, discreteGaussian(t, c.square, int64(c.n)))
		law := sumOf(square, c.uses, int(40*math.Sqrt(square))+4)
		by := c.n * c.uses
		for _, at := range []float64{1e-9, 0.25, 1, 3} {
			want := shifted(law, by, func(p, q float64) float64 { return max(p-math.Exp(at)*q, 0) })
			d, err := a.Delta(ctx, evidencetest.Epsilon(at))
			holds(t, "δ", d, err, want, 1e-11, 1e-11)
			if at > 1e-3 && want > 1e-12 {
				e, err := a.Epsilon(ctx, evidencetest.Delta(want))
				holds(t, "ε", e, err, at, 1e-6, 1e-9)
			}
		}
		rho := float64(c.uses*c.n*c.n) / 2 / square
		z, err := a.ZCDP(ctx)
		holds(t, "ρ", z, err, rho, 1e-14, 1e-14)
		for _, alpha := range []*big.Rat{big.NewRat(5, 4), big.NewRat(2, 1), big.NewRat(7, 2)} {
			order, _ := alpha.Float64()
			one := sumOf(square, 1, int(60*math.Sqrt(square))+4)
			sum := 0.0 // becomes Σ p^α q^{1−α}, computed from logarithms
			for i := range one {
				k := float64(i - len(one)/2)
				sum += math.Exp(-(order*(k-float64(c.n))*(k-float64(c.n)) - (order-1)*k*k) / 2 / square)
			}
			total := 0.0
			for i := range one {
				k := float64(i - len(one)/2)
				total += math.Exp(-k * k / 2 / square)
			}
			want := float64(c.uses) * math.Log(sum/total) / (order - 1)
			d, err := a.Renyi(ctx, alpha)
			holds(t, "D", d, err, want, 1e-11, 1e-13)
			if want > rho*order*(1+1e-12) {
				t.Errorf("D_%v = %v is above ρα = %v", order, want, rho*order)
			}
		}
		g, err := a.GDP(ctx)
		// The lower end of μ uses the events {sum ≥ t} for t between the two centers. The upper end covers all events.
		middle, most := 0.0, 0.0
		p, q := 0.0, 0.0
		for i := len(law) + by - 1; i >= by; i-- {
			p += law[i-by]
			if i < len(law) {
				q += law[i]
			}
			if p < 1e-6 || p > 1-1e-6 {
				continue
			}
			mu := math.Sqrt2 * (math.Erfcinv(2*q) - math.Erfcinv(2*p))
			most = max(most, mu)
			if t := i - len(law)/2; t == by || t == (by+1)/2 {
				middle = max(middle, mu)
			}
		}
		lo, hi := ask(t, g, err).Bounds()
		if !(middle > 0 && lo <= most*(1+1e-9) && lo >= middle*(1-1e-9)) || !math.IsInf(hi, 1) {
			t.Errorf("%d uses of σ² = %g: μ is %v, want at least %v for all events and %v for the middle ones",
				c.uses, square, g, most, middle)
		}
		pure, err := a.Epsilon(ctx, evidence.Delta{})
		if _, hi := pure.Bounds(); err != nil || !math.IsInf(hi, 1) {
			t.Errorf("ε at δ = 0 is %v, %v", pure, err)
		}
	}
}

// For sampled records, answers match sums over the mixtures.
func TestDiscreteGaussianOnSampledRecords(t *testing.T) {
	t.Parallel()
	const square, n, gamma = 9.0, 2, 0.125
	law := sumOf(square, 1, 200)
	a := privacy.New(discreteGaussian(t, big.NewRat(9, 1), n))
	drawn := map[privacy.Sampling]*privacy.Account{}
	for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
		s := must.For(privacy.Subsample(ctx, a, big.NewRat(1, 8), kind))(t)
		drawn[kind] = s
	}
	for _, at := range []float64{1e-9, 0.125, 0.5} {
		w := math.Exp(at)
		removed := shifted(law, n, func(p, q float64) float64 { return max(gamma*p+(1-gamma)*q-w*q, 0) })
		added := shifted(law, n, func(p, q float64) float64 { return max(q-w*(gamma*p+(1-gamma)*q), 0) })
		for kind, want := range map[privacy.Sampling]float64{privacy.Poisson: max(removed, added), privacy.WithoutReplacement: removed} {
			s := drawn[kind]
			d, err := s.Delta(ctx, evidencetest.Epsilon(at))
			holds(t, string(kind), d, err, want, 1e-11, 1e-13)
			if at < 0.5 {
				continue
			}
			// With M the law of the sampled output, Σ M²/Q and Σ Q²/M are at most the sums without sampling.
			over := shifted(law, n, func(p, q float64) float64 { return square2(gamma*p+(1-gamma)*q, q) })
			under := shifted(law, n, func(p, q float64) float64 { return square2(q, gamma*p+(1-gamma)*q) })
			if kind == privacy.WithoutReplacement {
				under = shifted(law, n, func(p, q float64) float64 {
					if p >= q { // the remaining mass has loss 0
						return square2(gamma*p+(1-gamma)*q, q) + (1-gamma)*(p-q)
					}
					return square2(p, (1-gamma)*p+gamma*q)
				})
				over = under
			}
			r, err := s.Renyi(ctx, big.NewRat(2, 1))
			lo, hi := ask(t, r, err).Bounds()
			if least := math.Log(max(over, under)); lo > least*(1+1e-12) || hi < least*(1-1e-12) || hi > 4.0/9*(1+1e-12) {
				t.Errorf("Rényi divergence of records sampled %s is %v, want one that encloses %v", kind, r, least)
			}
			z, err := s.ZCDP(ctx)
			if lo, hi := ask(t, z, err).Bounds(); lo > 0 || hi < math.Log(over)/2 || hi > 2.0/9*(1+1e-12) {
				t.Errorf("ρ of records sampled %s is %v", kind, z)
			}
			for _, uses := range []*privacy.Account{s, composeAll(t, s, 2)} {
				g, err := uses.GDP(ctx)
				if lo, hi := ask(t, g, err).Bounds(); lo > 0.9 || !math.IsInf(hi, 1) { // without sampling μ is about 2/3, and √2 times as large for two uses
					t.Errorf("μ of records sampled %s is %v", kind, g)
				}
				pure, err := uses.Epsilon(ctx, evidence.Delta{})
				if c, ok := ask(t, pure, err).(evidence.Certified); !ok || !math.IsInf(c.Lo, 1) || c.Method != "losses without a bound" {
					t.Errorf("the smallest ε of records sampled %s is %T by %q", kind, pure, c.Method)
				}
			}
		}
	}
}

// square2 returns p²/q, or 0 where q underflows.
func square2(p, q float64) float64 {
	if q == 0 {
		return 0
	}
	return p * p / q
}

func composeAll(t *testing.T, a *privacy.Account, times int) *privacy.Account {
	t.Helper()
	c := must.For(privacy.Compose(ctx, []*privacy.Account{a}, []int{times}))(t)
	return c
}

// Invalid parameters, and questions without an answer, give errors that name them.
func TestDiscreteGaussianRefusals(t *testing.T) {
	for _, c := range []struct {
		square *big.Rat
		n      int64
	}{{big.NewRat(1, 1), 0}, {big.NewRat(1, 1), 1001}, {big.NewRat(1, 1<<21), 1}, {big.NewRat(-1, 1), 1}} {
		if _, err := privacy.DiscreteGaussian(c.square, c.n); !isParameter(err) {
			t.Errorf("σ² = %v, n = %d: %v", c.square, c.n, err)
		}
		if f, err := privacy.DiscreteGaussianPairs("pairs", "test", c.square, c.n); f != nil || !isParameter(err) {
			t.Errorf("the family of σ² = %v, n = %d: %v, %v", c.square, c.n, f, err)
		}
	}
	imprecise := compose(t, []int{2}, discreteGaussian(t, big.NewRat(1<<40, 1), 1))
	if _, err := imprecise.Delta(ctx, evidencetest.Epsilon(1)); !isParameter(err) {
		t.Errorf("sums of many steps: %v", err)
	}
	if z, err := imprecise.ZCDP(ctx); err != nil || z.Float() != 0x1p-40 {
		t.Errorf("ρ of two uses is %v, %v", z, err)
	}
}

func isParameter(err error) bool { return errors.Is(err, evidence.ErrParameter) }

// The search for ρ finds the supremum of D_α/α for compositions of a discrete Gaussian with other pairs.
func TestRatioSearchWithDiscreteGaussian(t *testing.T) {
	t.Parallel()
	of := func(p privacy.Pair) *privacy.Account {
		f := privacy.PairAndReverse("", "", p)
		f.Universe = scope("s")
		return privacy.New(f)
	}
	discrete := of(must.For(must.For(privacy.DiscreteGaussianPairs("discrete", "", big.NewRat(9, 4), 1))(t).Pair(t.Context(), 0))(t))
	laplace := of(privacy.Laplace(must.For(evidence.NewEpsilon("eps", 0.5))(t)))
	a := must.For(privacy.Compose(t.Context(), []*privacy.Account{discrete, laplace}, []int{2, 3}))(t)
	most := 0.0
	for k := range 60 {
		alpha := 1 + math.Exp2(float64(k)/4-8)
		lo, _ := must.For(a.Renyi(t.Context(), new(big.Rat).SetFloat64(alpha)))(t).Bounds()
		most = max(most, lo/alpha)
	}
	if lo, hi := must.For(a.ZCDP(t.Context()))(t).Bounds(); a.IsBound() || !(hi >= most && lo <= most*1.001 && hi <= lo*1.01) {
		t.Errorf("ρ in [%v, %v], want about %v", lo, hi, most)
	}
}
