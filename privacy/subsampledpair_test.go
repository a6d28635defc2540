package privacy_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// The log-moment of a sampled pair with an interval μ encloses the log-moment for every μ in the interval. It is narrow
// if μ is a point.
func TestLogMomentOfSampledIntervalPair(t *testing.T) {
	t.Parallel()
	const g = 0.25
	moment := func(how direction, mu, s float64) float64 { // midpoint rule over z, standard normal under Q
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
	for _, how := range []direction{removal, addition, replacement} {
		for _, mu := range [][2]float64{{1.25, 1.25}, {1.2, 1.25}} {
			p := sampled(t, privacy.NormalPairs("normal", "test", interval.Between(mu[0], mu[1])), big.NewRat(1, 4), how)
			orders := []float64{3}
			if mu[0] == mu[1] {
				if how != replacement { // other tests cover removal and addition
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
				if want := moment(how, mu[0], s); mu[0] == mu[1] && hi-lo > 2e-3*want+s*s/1500 {
					t.Errorf("%v, s = %g: in [%g, %g], too wide for %g", how, s, lo, hi, want)
				}
			}
		}
	}
}

// Answers for normal laws with an interval distance enclose the answers for both ends of the interval, with and without
// sampling, for one use and for two.
func TestNormalPairsOfIntervalDistance(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	asked := map[string]func(a *privacy.Account) (evidence.Number, error){
		"δ(0)": func(a *privacy.Account) (evidence.Number, error) { return a.Delta(ctx, evidence.Epsilon{}) },
		"δ(.7)": func(a *privacy.Account) (evidence.Number, error) {
			return a.Delta(ctx, must.Be(evidence.NewEpsilon("eps", 0.7)))
		},
		"ε": func(a *privacy.Account) (evidence.Number, error) {
			return a.Epsilon(ctx, must.Be(evidence.NewDelta("delta", 1e-3)))
		},
		"D":  func(a *privacy.Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(5, 2)) },
		"D₃": func(a *privacy.Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(3, 1)) },
		"ρ":  func(a *privacy.Account) (evidence.Number, error) { return a.ZCDP(ctx) },
		"μ":  func(a *privacy.Account) (evidence.Number, error) { return a.GDP(ctx) },
		"KL": func(a *privacy.Account) (evidence.Number, error) { return a.KL(ctx) },
	}
	for name, drawn := range map[string]privacy.Sampling{
		"all": "", "Poisson": privacy.Poisson, "a part": privacy.WithoutReplacement,
	} {
		for _, uses := range cases.Of([]int{1}, []int{1, 2}) {
			of := func(lo, hi float64) *privacy.Account {
				a := privacy.New(privacy.NormalPairs("normal", "test", interval.Between(lo, hi)))
				if drawn != "" {
					a = must.For(privacy.Subsample(ctx, a, big.NewRat(1, 3), drawn))(t)
				}
				return must.For(must.For(privacy.Compose(ctx, []*privacy.Account{a}, []int{uses}))(t).Within(0.05))(t)
			}
			open, ends := of(1, 1.25), []*privacy.Account{of(1, 1), of(1.25, 1.25)}
			for what, ask := range asked {
				if uses == 2 && drawn != "" && what != "δ(.7)" { // other answers are sums or bounds
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
