package privacy

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// openMu is the distance of the two normal laws of these tests.
const openMu = 1.25

func tailOf(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// openDelta is the divergence of order t ≥ 0 of the two normal laws.
func openDelta(t float64) float64 {
	if t <= 0 {
		return 1 - t
	}
	e := math.Log(t)
	return tailOf(e/openMu-openMu/2) - t*tailOf(e/openMu+openMu/2)
}

// blendDelta is that of what drawing records with chance g makes of them.
func blendDelta(how mixture, g, t float64) float64 {
	if how == addition { // 1 − t + t times that of the reverse at 1/t
		return 1 - t + t*g*openDelta((1/t-1+g)/g)
	}
	return g * openDelta((t-1+g)/g)
}

// The log-moments of drawn records enclose those of every law that the enclosures stand for, and are near where these
// are points.
func TestLogMomentsOfOpenPairs(t *testing.T) {
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
				if how != replacement { // TestLogMomentsOfBlends has them
					continue
				}
				orders = []float64{0.25}
			}
			for _, s := range orders {
				lo, hi := p.LogMoment(interval.Float(s)).Bounds()
				for _, m := range []float64{mu[0], (mu[0] + mu[1]) / 2, mu[1]} {
					if want := moment(how, m, s); lo > want+1e-9 || hi < want-1e-9 {
						t.Errorf("%v, μ = %g of %v, s = %g: from %g to %g, is %g", how, m, mu, s, lo, hi, want)
					}
				}
				if want := moment(how, mu[0], s); mu[0] == mu[1] && hi-lo > 2e-3*want+s*s/1500 { // cells are 1/16 wide, or half of that
					t.Errorf("%v, s = %g: from %g to %g, is %g: wide", how, s, lo, hi, want)
				}
			}
		}
	}
}

// Where a record that is added is too rare for a loss of ε, δ is 0, exactly, and near to there it is little; of an
// order that is open δ is between those of both ends.
func TestEndsOfBlends(t *testing.T) {
	p := newSubsampled(Normal(interval.Float(openMu)).(*closedForm), big.NewRat(1, 4), addition)
	for _, c := range []struct {
		w    *big.Rat
		zero bool
	}{{big.NewRat(4, 3), true}, {big.NewRat(3, 2), true}, {big.NewRat(400, 301), false}, {big.NewRat(5, 4), false}} {
		d := must.For(p.Delta(t.Context(), must.Be(evidence.LogEpsilon("eps", c.w))))(t)
		w, _ := c.w.Float64()
		lo, hi := d.Enclosure.Bounds()
		if want := blendDelta(addition, 0.25, w); c.zero != (d.Rational != nil) || c.zero && (lo != 0 || hi != 0) || !c.zero && (lo > want+1e-15 || hi < want-1e-15 || hi <= 0) {
			t.Errorf("δ(ln %v) in [%g, %g], want %g", c.w, lo, hi, want)
		}
	}
	// ε as near to ln 4/3 as 40 digits are, where the share's sign is open.
	near := must.Be(evidence.RationalEpsilon("eps", rationalOf("0.28768207245178092743921900599382743150350971089776105650666705")))
	if lo, hi := must.For(p.Delta(t.Context(), near))(t).Enclosure.Bounds(); lo != 0 || hi > 1e-50 {
		t.Errorf("δ near to the end is from %g to %g", lo, hi)
	}
	base := Normal(interval.Float(openMu)).(*closedForm)
	of := func(order evidence.RatOrInterval) interval.Interval {
		return must.Be(hockeyStickOf(order, func(eps evidence.Epsilon) (evidence.RatOrInterval, error) { return base.delta(eps), nil })).Enclosure
	}
	at := func(lo, hi float64) (float64, float64) {
		return of(evidence.RatOrInterval{Enclosure: interval.Between(lo, hi)}).Bounds()
	}
	for _, c := range [][2]float64{{1.5, 1.5}, {1.1, 1.5}, {1, 3}, {0.5, 2}, {0.5, 0.75}} {
		lo, hi := at(c[0], c[1])
		most, least := openDelta(max(c[0], 1)), openDelta(max(c[1], 1))
		if math.Abs(lo-least) > 1e-14 || math.Abs(hi-most) > 1e-14 {
			t.Errorf("of orders in %v: [%g, %g], want [%g, %g]", c, lo, hi, least, most)
		}
	}
	for _, c := range []struct{ t, want *big.Rat }{{big.NewRat(1, 1), one}, {big.NewRat(1, 2), one}, {big.NewRat(3, 2), big.NewRat(3, 2)}} {
		w, _ := c.want.Float64()
		if got := of(evidence.ExactRat(c.t)).Mid(); math.Abs(got-openDelta(w)) > 1e-14 {
			t.Errorf("of order %v: %g, want %g", c.t, got, openDelta(w))
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

// Answers about normal laws whose distance is known between two hold those of either, sampled or not, for one use
// and for two.
func TestOpenNormalsStandForAll(t *testing.T) {
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
		for _, uses := range []int{1, 2} {
			of := func(lo, hi float64) *Account {
				a := New(NormalPairs("normal", "test", interval.Between(lo, hi)))
				if drawn != "" {
					a = must.For(Subsample(ctx, a, big.NewRat(1, 3), drawn))(t)
				}
				return must.For(must.For(Compose(ctx, []*Account{a}, []int{uses}))(t).Within(0.05))(t)
			}
			open, ends := of(1, 1.25), []*Account{of(1, 1), of(1.25, 1.25)}
			for what, ask := range asked {
				if uses == 2 && drawn != "" && what != "δ(.7)" { // sums, or bounds
					continue
				}
				lo, hi := must.For(ask(open))(t).Bounds()
				for i, end := range ends {
					if l, h := must.For(ask(end))(t).Bounds(); lo > h || hi < l || what != "μ" && what != "ρ" && (i == 0 && lo > l*(1+1e-9) && uses == 1 || i == 1 && hi < h*(1-1e-9) && uses == 1) {
						t.Errorf("%s of %d uses, %s: [%g, %g], of one law [%g, %g]", what, uses, name, lo, hi, l, h)
					}
				}
			}
		}
	}
}
