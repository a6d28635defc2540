package privacy

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// normalMu is the distance of the two normal laws in these tests.
const normalMu = 1.25

func tailOf(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// normalDivergence is the hockey-stick divergence of order t ≥ 0 of the two normal laws.
func normalDivergence(t float64) float64 {
	if t <= 0 {
		return 1 - t
	}
	e := math.Log(t)
	return tailOf(e/normalMu-normalMu/2) - t*tailOf(e/normalMu+normalMu/2)
}

// sampledDivergence is the divergence of order t after sampling at rate g.
func sampledDivergence(how mixture, g, t float64) float64 {
	if how == addition { // 1 − t plus t times that of the reverse at 1/t
		return 1 - t + t*g*normalDivergence((1/t-1+g)/g)
	}
	return g * normalDivergence((t-1+g)/g)
}

// The log-moment of a sampled pair with an interval μ encloses that of every μ in the interval, and is close if μ is a
// point.
func TestLogMomentOfSampledIntervalPair(t *testing.T) {
	t.Parallel()
	const g = 0.25
	moment := func(how mixture, mu, s float64) float64 { // the midpoint rule over the base's z under Q
		const n, far = 20000, 30
		sum := 0.0
		for k := range n {
			z := -far/2 + far*(float64(k)+0.5)/n
			q := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * far / n
			ratio := math.Exp(mu*z - mu*mu/2)
			switch mixed := 1 - g + g*ratio; how {
			case removal:
				sum += q * mixed * math.Pow(mixed, s)
			case addition:
				sum += q * math.Pow(mixed, -s)
			default:
				if ratio >= 1 {
					sum += q*mixed*math.Pow(mixed, s) + (1-g)*q*(ratio-1)
				} else {
					sum += q * ratio * math.Pow(ratio/((1-g)*ratio+g), s)
				}
			}
		}
		return math.Log(sum)
	}
	for _, how := range []mixture{removal, addition, replacement} {
		for _, mu := range [][2]float64{{1.25, 1.25}, {1.2, 1.25}} {
			p := newSubsampled(Normal(interval.Between(mu[0], mu[1])).(*closedForm), big.NewRat(1, 4), how)
			orders := []float64{3}
			if mu[0] == mu[1] {
				if how != replacement { // the other log-moments are tested elsewhere
					continue
				}
				orders = []float64{0.25}
			}
			for _, s := range orders {
				lo, hi := p.LogMoment(interval.Float(s)).Bounds()
				for _, m := range []float64{mu[0], (mu[0] + mu[1]) / 2, mu[1]} {
					if want := moment(how, m, s); lo > want+1e-9 || hi < want-1e-9 {
						t.Errorf("%v, μ = %g of %v, s = %g: in [%g, %g], want %g", how, m, mu, s, lo, hi, want)
					}
				}
				if want := moment(how, mu[0], s); mu[0] == mu[1] && hi-lo > 2e-3*want+s*s/1500 { // cells are 1/16 wide, or half of that
					t.Errorf("%v, s = %g: in [%g, %g], too wide for %g", how, s, lo, hi, want)
				}
			}
		}
	}
}

// An added record that is sampled at rate γ cannot cause a loss above ln 1/(1 − γ). From there on δ is exactly 0, and
// just below it is small. For an interval of orders, δ lies between the values at its ends.
func TestSampledDeltaNearItsLargestLoss(t *testing.T) {
	p := newSubsampled(Normal(interval.Float(normalMu)).(*closedForm), big.NewRat(1, 4), addition)
	for _, c := range []struct {
		w    *big.Rat
		zero bool
	}{{big.NewRat(4, 3), true}, {big.NewRat(3, 2), true}, {big.NewRat(400, 301), false}, {big.NewRat(5, 4), false}} {
		d := must.For(p.Delta(t.Context(), must.Be(evidence.LogEpsilon("eps", c.w))))(t)
		w, _ := c.w.Float64()
		lo, hi := d.Enclosure.Bounds()
		if want := sampledDivergence(addition, 0.25, w); c.zero != (d.Rational != nil) || c.zero && (lo != 0 || hi != 0) || !c.zero && (lo > want+1e-15 || hi < want-1e-15 || hi <= 0) {
			t.Errorf("δ(ln %v) in [%g, %g], want %g", c.w, lo, hi, want)
		}
	}
	// ε agrees with ln 4/3 to 40 digits, so the sign of the excess is undecided.
	near := must.Be(evidence.RationalEpsilon("eps", rationalOf("0.28768207245178092743921900599382743150350971089776105650666705")))
	if lo, hi := must.For(p.Delta(t.Context(), near))(t).Enclosure.Bounds(); lo != 0 || hi > 1e-50 {
		t.Errorf("δ near the largest loss is in [%g, %g]", lo, hi)
	}
	base := Normal(interval.Float(normalMu)).(*closedForm)
	of := func(order evidence.RatOrInterval) interval.Interval {
		return must.Be(hockeyStickOf(order, func(eps evidence.Epsilon) (evidence.RatOrInterval, error) { return base.delta(eps), nil })).Enclosure
	}
	at := func(lo, hi float64) (float64, float64) {
		return of(evidence.RatOrInterval{Enclosure: interval.Between(lo, hi)}).Bounds()
	}
	for _, c := range [][2]float64{{1.5, 1.5}, {1.1, 1.5}, {1, 3}, {0.5, 2}, {0.5, 0.75}} {
		lo, hi := at(c[0], c[1])
		most, least := normalDivergence(max(c[0], 1)), normalDivergence(max(c[1], 1))
		if math.Abs(lo-least) > 1e-14 || math.Abs(hi-most) > 1e-14 {
			t.Errorf("orders in %v: δ in [%g, %g], want [%g, %g]", c, lo, hi, least, most)
		}
	}
	for _, c := range []struct{ t, want *big.Rat }{{big.NewRat(1, 1), one}, {big.NewRat(1, 2), one}, {big.NewRat(3, 2), big.NewRat(3, 2)}} {
		w, _ := c.want.Float64()
		if got := of(evidence.ExactRat(c.t)).Mid(); math.Abs(got-normalDivergence(w)) > 1e-14 {
			t.Errorf("order %v: δ = %g, want %g", c.t, got, normalDivergence(w))
		}
	}
}

func rationalOf(digits string) *big.Rat {
	q, ok := new(big.Rat).SetString(digits)
	if !ok {
		panic(digits)
	}
	return q
}

// Answers for normal laws with an interval distance enclose those for both ends of the interval, sampled or not, for
// one use and for two.
func TestNormalPairsOfIntervalDistance(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	asked := map[string]func(a *Account) (evidence.Number, error){
		"δ(0)": func(a *Account) (evidence.Number, error) { return a.Delta(ctx, evidence.Epsilon{}) },
		"δ(.7)": func(a *Account) (evidence.Number, error) {
			return a.Delta(ctx, must.Be(evidence.NewEpsilon("eps", 0.7)))
		},
		"ε": func(a *Account) (evidence.Number, error) {
			return a.Epsilon(ctx, must.Be(evidence.NewDelta("delta", 1e-3)))
		},
		"D":  func(a *Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(5, 2)) },
		"D₃": func(a *Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(3, 1)) },
		"ρ":  func(a *Account) (evidence.Number, error) { return a.ZCDP(ctx) },
		"μ":  func(a *Account) (evidence.Number, error) { return a.GDP(ctx) },
		"KL": func(a *Account) (evidence.Number, error) { return a.KL(ctx) },
	}
	for name, drawn := range map[string]Sampling{"all": "", "Poisson": Poisson, "a part": WithoutReplacement} {
		for _, uses := range cases.Of([]int{1}, []int{1, 2}) {
			of := func(lo, hi float64) *Account {
				a := New(NormalPairs("normal", "test", interval.Between(lo, hi)))
				if drawn != "" {
					a = must.For(Subsample(ctx, a, big.NewRat(1, 3), drawn))(t)
				}
				return must.For(must.For(Compose(ctx, []*Account{a}, []int{uses}))(t).Within(0.05))(t)
			}
			open, ends := of(1, 1.25), []*Account{of(1, 1), of(1.25, 1.25)}
			for what, ask := range asked {
				if uses == 2 && drawn != "" && what != "δ(.7)" { // these are sums or bounds
					continue
				}
				lo, hi := must.For(ask(open))(t).Bounds()
				for i, end := range ends {
					if l, h := must.For(ask(end))(t).Bounds(); lo > h || hi < l || what != "μ" && what != "ρ" && (i == 0 && lo > l*(1+1e-9) && uses == 1 || i == 1 && hi < h*(1-1e-9) && uses == 1) {
						t.Errorf("%s of %d uses, %s: [%g, %g], and for one end [%g, %g]", what, uses, name, lo, hi, l, h)
					}
				}
			}
		}
	}
}
