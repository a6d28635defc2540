package records_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/records"
)

// If all datasets can be listed, the smallest ε equals the result of Verify. Several uses on one dataset are composed
// pair by pair: ε is the largest sum of losses over all pairs.
func TestPairsOfSmallUniverses(t *testing.T) {
	ctx := context.Background()
	r := recordsOf(t, []int64{0, 2, 3}, 3, big.NewRat(1, 1), records.Replace)
	one := must.Be(evidence.NewEpsilon("eps", 1))
	median, total := must.Be(r.Median()), must.Be(r.Total())
	laws := map[string]records.Law{
		"purest": must.Be(records.NewPurest(median, one)), "ladder": must.Be(records.NewLadder(total, one)), "exponential": must.Be(records.NewExponential(median, one)),
	}
	for name, m := range laws {
		v := must.Be(records.Verify(ctx, m.Query(), m.Remake, records.VerifyOptions{Records: 3, Values: []float64{0, 1, 2, 3}}))
		got := must.Be(must.Be(privacy.Of(ctx, m)).Epsilon(ctx, evidence.Delta{}))
		if got.Float() != v.Smallest.Float() {
			t.Errorf("%s: smallest ε %v, verify finds %v", name, got, v.Smallest)
		}
	}
	both := must.Be(privacy.Compose(ctx, []*privacy.Account{must.Be(privacy.Of(ctx, laws["purest"])), must.Be(privacy.Of(ctx, laws["exponential"]))}, []int{2, 1}))
	want, purest, exponential := 0.0, logsOf(laws["purest"]), logsOf(laws["exponential"])
	eachDataset(4, func(x []float64) {
		for i := range x {
			for v := range 4 {
				y := append([]float64(nil), x...)
				y[i] = float64(v)
				want = max(want, 2*loss(purest(x), purest(y))+loss(exponential(x), exponential(y)))
			}
		}
	})
	if lo, hi := must.Be(both.Epsilon(ctx, evidence.Delta{})).Bounds(); both.IsBound() || want < lo-1e-12 || want > hi+1e-12 || hi-lo > 1e-9 {
		t.Errorf("composed ε in [%v, %v], want %v", lo, hi, want)
	}
}

// Uses on different datasets, or of queries with other values or neighbors, are not composed by pair.
func TestPairsNeedSameDataset(t *testing.T) {
	ctx, one := context.Background(), must.Be(evidence.NewEpsilon("eps", 1))
	of := func(x ...int64) *privacy.Account {
		r := recordsOf(t, x, 2, big.NewRat(1, 1), records.Replace)
		return must.Be(privacy.Of(ctx, must.Be(records.NewPurest(must.Be(r.Median()), one))))
	}
	for _, other := range [][]int64{{0, 1}, {1, 1}, {0, 1, 1}} {
		both := must.Be(privacy.Compose(ctx, []*privacy.Account{of(0, 1), of(other...)}, []int{1, 1}))
		if same := len(other) == 2 && other[0] == 0; both.IsBound() == same {
			t.Errorf("uses on [0 1] and on %v: bound is %t", other, both.IsBound())
		}
	}
}

// eachDataset visits all datasets of three records from 0 to n − 1.
func eachDataset(n int, visit func(x []float64)) {
	for a := range n {
		for b := range n {
			for c := range n {
				visit([]float64{float64(a), float64(b), float64(c)})
			}
		}
	}
}

// logsOf returns a function that computes the log-probabilities of a median's outputs at a dataset, and caches them.
func logsOf(m records.Law) func(x []float64) []interval.Interval {
	made := make(map[string][]interval.Interval)
	return func(x []float64) []interval.Interval {
		name := fmt.Sprint(x)
		if made[name] == nil {
			again := must.Be(records.New(x, records.Options{Lo: new(big.Rat), Hi: big.NewRat(3, 1), Grid: big.NewRat(1, 1), Neighbors: records.Replace}))
			law := must.Be(m.Remake(must.Be(again.Median())))
			for v := range int64(4) {
				made[name] = append(made[name], must.Be(law.Between(context.Background(), big.NewRat(v, 1), big.NewRat(v, 1))).Log())
			}
		}
		return made[name]
	}
}

// loss returns the largest difference of log-probabilities.
func loss(p, q []interval.Interval) float64 {
	out := 0.0
	for i := range p {
		out = max(out, p[i].Sub(q[i]).Mid())
	}
	return out
}

// If datasets cannot be listed, or neighbors add and remove records, the claimed ε replaces the laws, and every
// result is Claimed.
func TestPairsFallBackToClaims(t *testing.T) {
	ctx := context.Background()
	half := must.Be(evidence.NewEpsilon("eps", 0.5))
	for name, r := range map[string]*records.Records{
		"no grid":    recordsOf(t, []int64{0, 2, 3}, 3, nil, records.Replace),
		"add_remove": recordsOf(t, []int64{0, 2, 3}, 3, big.NewRat(1, 1), records.AddRemove),
		"many":       recordsOf(t, make([]int64, 60), 9, big.NewRat(1, 1), records.Replace),
	} {
		m := must.Be(records.NewPurest(must.Be(r.Median()), half))
		three := must.Be(must.Be(privacy.Of(ctx, m)).Compose(3))
		known := must.Be(privacy.New(must.Be(privacy.ApproxDP(half.Times(2), new(big.Rat)))).Compose(3))
		for what, of := range map[string]func(a *privacy.Account) (evidence.Number, error){
			"ε":  func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidencetest.Delta(1e-6)) },
			"δ":  func(a *privacy.Account) (evidence.Number, error) { return a.Delta(ctx, half) },
			"ρ":  func(a *privacy.Account) (evidence.Number, error) { return a.ZCDP(ctx) },
			"D₂": func(a *privacy.Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(2, 1)) },
		} {
			got := must.Be(of(three))
			_, want := must.Be(of(known)).Bounds()
			if _, ok := got.(evidence.Claimed); !ok || got.Float() != want || !strings.Contains(got.Origin(), "Proposition 3") {
				t.Errorf("%s: %s = %v from %q, want %v claimed by Proposition 3", name, what, got, got.Origin(), want)
			}
		}
	}
	r := recordsOf(t, []int64{0, 2, 3}, 3, big.NewRat(1, 1), records.AddRemove)
	added := must.Be(privacy.Of(ctx, must.Be(records.NewPurest(must.Be(r.Median()), half))))
	twice := must.Be(added.Under(records.Replace))
	for what, n := range map[string]evidence.Number{"ε": must.Be(twice.Epsilon(ctx, evidence.Delta{})), "δ": must.Be(twice.Delta(ctx, half)), "ε at δ": must.Be(twice.Epsilon(ctx, evidencetest.Delta(0.1)))} {
		if _, ok := n.(evidence.Claimed); !ok {
			t.Errorf("%s of a claim under replacement: %v", what, n)
		}
	}
	replaced := must.Be(privacy.Of(ctx, must.Be(records.NewPurest(must.Be(recordsOf(t, []int64{0, 2, 3}, 3, nil, records.Replace).Median()), half))))
	if _, err := privacy.Compose(ctx, []*privacy.Account{added, replaced}, []int{1, 1}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("uses under two relations: %v", err)
	}
	if both := must.Be(privacy.Compose(ctx, []*privacy.Account{twice, replaced}, []int{1, 1})); must.Be(both.Epsilon(ctx, evidence.Delta{})).Float() < 3-1e-9 {
		t.Errorf("losses of 2 and 1 compose to %v", must.Be(both.Epsilon(ctx, evidence.Delta{})))
	}
	m := must.Be(privacy.Of(ctx, must.Be(records.NewPurest(must.Be(r.Median()), half))))
	drawn := must.Be(privacy.Subsample(ctx, m, big.NewRat(1, 10), privacy.Poisson))
	if e, ok := must.Be(drawn.Epsilon(ctx, evidence.Delta{})).(evidence.Claimed); !ok || e.Value > 0.159 || e.Value < 0.158 { // ln(1 + (e − 1)/10)
		t.Errorf("sampled ε = %v", e)
	}
}
