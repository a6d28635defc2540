package mechanism_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/query"

	"github.com/cockroachdb/apd/v3"
)

// decimals is an independent arithmetic: 400 digits, exponentials of its own.
var decimals = apd.BaseContext.WithPrecision(400)

func dec(t testing.TB, op func(z *apd.Decimal) (apd.Condition, error)) *apd.Decimal {
	t.Helper()
	z := new(apd.Decimal)
	if _, err := op(z); err != nil {
		t.Fatal(err)
	}
	return z
}

func decOf(t testing.TB, v float64) *apd.Decimal {
	t.Helper()
	z, _, err := apd.NewFromString(new(big.Float).SetFloat64(v).Text('f', 1100))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// law is a law in decimals, 0 where a level is unreached.
type law [][]*apd.Decimal

func decimalLaw(t testing.TB, table [][]int32, u float64) law {
	t.Helper()
	out := make(law, len(table))
	for x, row := range table {
		sum := apd.New(0, 0)
		for _, level := range row {
			w := apd.New(0, 0)
			if level != query.Unreached {
				e := dec(t, func(z *apd.Decimal) (apd.Condition, error) {
					return decimals.Mul(z, decOf(t, u), apd.New(-int64(level), 0))
				})
				w = dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Exp(z, e) })
			}
			out[x] = append(out[x], w)
			sum = dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Add(z, sum, w) })
		}
		for r, w := range out[x] {
			out[x][r] = dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Quo(z, w, sum) })
		}
	}
	return out
}

// loss and delta are the definitions.
func (l law) loss(t testing.TB, x, y int) *apd.Decimal {
	best := apd.New(0, 0)
	for r, p := range l[x] {
		if p.Sign() == 0 {
			continue
		}
		ratio := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Quo(z, p, l[y][r]) })
		v := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Ln(z, ratio) })
		if v.Cmp(best) > 0 {
			best = v
		}
	}
	return best
}

func (l law) delta(t testing.TB, x, y int, w *apd.Decimal) *apd.Decimal {
	sum := apd.New(0, 0)
	for r, p := range l[x] {
		q := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Mul(z, w, l[y][r]) })
		gap := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Sub(z, p, q) })
		unit := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Mul(z, p, apd.New(1, -390)) })
		if gap.Cmp(unit) > 0 { // below lies nothing but rounding
			sum = dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Add(z, sum, gap) })
		}
	}
	return sum
}

func (l law) distortion(t testing.TB, x int, steps func(r int) float64) *apd.Decimal {
	sum := apd.New(0, 0)
	for r, p := range l[x] {
		v := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Mul(z, p, decOf(t, steps(r))) })
		sum = dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Add(z, sum, v) })
	}
	return sum
}

// holds fails unless the number contains the decimal, up to its own 200th digit, and
// is as narrow as float64s are where these reach.
func holds(t *testing.T, what string, n evidence.Number, want *apd.Decimal) {
	t.Helper()
	lo, hi := n.Bounds()
	if math.IsNaN(lo) || math.IsNaN(hi) {
		t.Fatalf("%s: [%v, %v]", what, lo, hi)
	}
	slack := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Mul(z, want, apd.New(1, -200)) })
	over := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Add(z, want, slack) })
	under := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Sub(z, want, slack) })
	if decOf(t, lo).Cmp(over) > 0 || !math.IsInf(hi, 1) && decOf(t, hi).Cmp(under) < 0 {
		t.Errorf("%s: [%v, %v] misses %s", what, lo, hi, want.Text('g'))
	}
	if v, _ := want.Float64(); hi-lo > 1e-14*v+1e-300 {
		t.Errorf("%s: [%v, %v] is wide around %v", what, lo, hi, v)
	}
}

// Random levels at units from 1e-60 to 100: smallest ε, profile and distortion hold
// the decimal truth and stay narrow, also where float64 underflows or sees one law
// in all of them.
func TestLevelsAtEveryScale(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(61, 3))
	for trial := range 30 {
		n, size := 2+rng.IntN(3), 2+rng.IntN(3)
		var values []float64
		for v := range size {
			values = append(values, float64(v))
		}
		f := make([]float64, n)
		for x := range f {
			f[x] = values[rng.IntN(size)]
		}
		q, err := query.NewNumeric("f", pathQuery(t, n).Space(), f, values)
		if err != nil {
			t.Fatal(err)
		}
		table, flat := make([][]int32, n), []int32(nil)
		for x := range table {
			for range values {
				table[x] = append(table[x], int32(rng.IntN(6)))
			}
			flat = append(flat, table[x]...)
		}
		u := math.Pow(10, -60+62*rng.Float64())
		levels, err := mechanism.NewLayerTable(ctx, q, flat)
		if err != nil {
			t.Fatal(err)
		}
		m := mechanism.NewLayered("levels", levels, eps(t, u), evidence.Claimed{Value: 1})
		truth := decimalLaw(t, table, u)
		label := fmt.Sprintf("trial %d, unit %g, levels %v", trial, u, table)
		loss := apd.New(0, 0)
		at := eps(t, u*math.Pow(10, 2*rng.Float64()-1))
		w := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Exp(z, decOf(t, at.Value())) })
		profile, variation := apd.New(0, 0), apd.New(0, 0)
		for x := range n {
			holds(t, label+": distortion", mechanism.Distortion(m, x), truth.distortion(t, x, func(r int) float64 {
				return math.Abs(values[r] - float64(q.Value(x).(query.Number)))
			}))
			for _, y := range q.Space().Neighbors(x) {
				for to, v := range map[**apd.Decimal]*apd.Decimal{
					&loss: truth.loss(t, x, int(y)), &profile: truth.delta(t, x, int(y), w), &variation: truth.delta(t, x, int(y), apd.New(1, 0)),
				} {
					if v.Cmp(*to) > 0 {
						*to = v
					}
				}
			}
		}
		got, err := mechanism.Privacy(m).Epsilon(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, label+": smallest ε", got, loss)
		if got, err = mechanism.Privacy(m).Delta(ctx, evidence.Epsilon{}); err != nil {
			t.Fatal(err)
		}
		holds(t, label+": δ(0)", got, variation)
		if got, err = mechanism.Privacy(m).Delta(ctx, at); err != nil {
			t.Fatal(err)
		}
		holds(t, fmt.Sprintf("%s: δ(%g)", label, at.Value()), got, profile)
	}
}

// Two datasets on which e^{−5u} meets e^{−u}: at every unit from 1e-300 to 1e308 the
// loss 4u + ln((1 + e^{−5u})/(1 + e^{−u})) lies between 2u and 4u, no probability is 0,
// and no distortion is certified as 0.
func TestExtremesAreNeverZero(t *testing.T) {
	ctx := context.Background()
	space, _ := query.NewPathSpace(2, [][2]int{{0, 1}})
	q, err := query.NewNumeric("f", space, []float64{0, 0}, []float64{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	levels, err := mechanism.NewLayerTable(ctx, q, []int32{0, 5, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []float64{1e-300, 1e-100, 1e-20, 1, 200, 800, 1e9, 1e150, 1e308} {
		m := mechanism.NewLayered("levels", levels, eps(t, u), evidence.Claimed{Value: 1})
		loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := loss.Bounds()
		if most := 4 * u; !(lo >= min(2*u*(1-1e-15), math.MaxFloat64)) || !(hi <= most*(1+1e-15)) || !(lo <= hi) || hi-lo > 1e-14*hi && !math.IsInf(hi, 1) {
			t.Errorf("unit %g: smallest ε in [%v, %v]", u, lo, hi)
		}
		d, err := mechanism.Distortions(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		mean, err := mechanism.ExpectedDistortion(ctx, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for what, n := range map[string]evidence.Number{"distortion": mechanism.Distortion(m, 0), "mean": mean} {
			if _, hi := n.Bounds(); !(hi > 0) || !(d[0] > 0) {
				t.Errorf("unit %g: %s up to %v, in float64 %v", u, what, hi, d[0])
			}
		}
		if math.IsInf(m.LogProb(0, 1), -1) {
			t.Errorf("unit %g: ln p is −∞ where p is positive", u)
		}
		profile, err := mechanism.Privacy(m).Delta(ctx, eps(t, u))
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := profile.Bounds(); !(hi > 0) || lo > 1 || math.IsNaN(lo) {
			t.Errorf("unit %g: δ(unit) in [%v, %v], want more than 0", u, lo, hi)
		}
	}
}

// The ratio of two distortions is right where float64 holds neither: purest levels
// with twice the decay cost e^{−u} as much as with the decay itself.
func TestRatiosOfUnderflow(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	levels, err := mechanism.NewLayerTable(ctx, q, []int32{0, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	of := func(u float64) mechanism.Mechanism {
		return mechanism.NewLayered("levels", levels, eps(t, u), evidence.Claimed{Value: 1})
	}
	for _, c := range []struct{ a, b, want float64 }{
		{800, 800, 1}, {801, 800, math.Exp(-1)}, {1e5, 1e5 + 2, math.Exp(2)}, {1e308, 1e308, 1}, {1e200, 1e100, math.SmallestNonzeroFloat64},
	} {
		got, err := mechanism.Compare(ctx, of(c.a), of(c.b))
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Ratios[0]; !(math.Abs(r-c.want) <= 1e-9*c.want) {
			t.Errorf("decays %g and %g: ratio %v, want %v", c.a, c.b, r, c.want)
		}
	}
}

// Noise of a single step on two values: the smallest ε is ε, the total variation
// tanh-like, at every ε.
func TestNoiseAtEveryScale(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	for _, e := range []float64{1e-300, 1e-150, 1e-20, 1e-3, 1, 50, 1e4, 1e9, 1e150, 1e308} {
		for _, name := range []string{"laplace", "geometric"} {
			m := build(t, name, q, eps(t, e))
			loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			// Laplace moved to {0, 1}: p = 1 − e^{−ε/2}/2 against e^{−ε/2}/2, a loss of
			// ln(2e^{ε/2} − 1) ≤ ε; geometric p = 1/(1 + e^{−ε}), a loss of ε.
			want := e
			if name == "laplace" {
				want = e/2 + math.Log(2)
				if e < 1000 {
					want = math.Log1p(2 * math.Expm1(e/2))
				}
			}
			if lo, hi := loss.Bounds(); !(lo <= want*(1+1e-12) && hi >= want*(1-1e-12)) || hi-lo > 1e-12*want {
				t.Errorf("%s at %g: smallest ε in [%v, %v], want %v", name, e, lo, hi, want)
			}
			variation, err := mechanism.Privacy(m).Delta(ctx, evidence.Epsilon{})
			if err != nil {
				t.Fatal(err)
			}
			want = math.Tanh(e / 2)
			if name == "laplace" {
				want = -math.Expm1(-e / 2)
			}
			if lo, hi := variation.Bounds(); !(lo <= want*(1+1e-12) && hi >= want*(1-1e-12)) || hi-lo > 1e-12*want {
				t.Errorf("%s at %g: δ(0) in [%v, %v], want %v", name, e, lo, hi, want)
			}
			if at, err := mechanism.Privacy(m).Delta(ctx, eps(t, e)); err != nil || at.Float() != 0 {
				t.Errorf("%s at %g: δ(ε) = %v, %v, want 0", name, e, at, err)
			}
		}
	}
}
