package mechanism_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"

	"github.com/cockroachdb/apd/v3"
)

// decRat is a rational in decimals, expDec e^{−t}, lnDec ln p.
func decRat(t testing.TB, v *big.Rat) *apd.Decimal {
	return dec(t, func(z *apd.Decimal) (apd.Condition, error) {
		return decimals.Quo(z, apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(v.Num()), 0), apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(v.Denom()), 0))
	})
}

func expDec(t testing.TB, e *apd.Decimal, times *big.Rat) *apd.Decimal {
	at := mulDec(t, e, decRat(t, new(big.Rat).Neg(times)))
	return dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Exp(z, at) })
}

func lnDec(t testing.TB, v *apd.Decimal) *apd.Decimal {
	return dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Ln(z, v) })
}

func mulDec(t testing.TB, a, b *apd.Decimal) *apd.Decimal {
	return dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Mul(z, a, b) })
}

func subDec(t testing.TB, a, b *apd.Decimal) *apd.Decimal {
	return dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Sub(z, a, b) })
}

func addDec(t testing.TB, a, b *apd.Decimal) *apd.Decimal {
	return dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Add(z, a, b) })
}

func quoDec(t testing.TB, a, b *apd.Decimal) *apd.Decimal {
	return dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Quo(z, a, b) })
}

func floatDec(v *apd.Decimal) float64 {
	f, err := v.Float64()
	if err != nil && v.Sign() < 0 {
		return math.Inf(-1)
	}
	return f
}

// valueOf is a value of a query as a rational.
func valueOf(t testing.TB, v query.Value) *big.Rat {
	t.Helper()
	r, ok := query.RationalOf(v)
	if !ok {
		t.Fatalf("%v is no number", v)
	}
	return r
}

// decimalNoise is the law of a mechanism that adds noise, by its distribution
// function, and of the exponential mechanism by its weights.
func decimalNoise(t testing.TB, name string, q *query.Query, e *apd.Decimal) law {
	t.Helper()
	delta := new(big.Rat)
	for x := range q.Size() {
		for _, y := range q.Space().Neighbors(x) {
			if d := new(big.Rat).Sub(valueOf(t, q.Value(x)), valueOf(t, q.Value(int(y)))); d.Cmp(delta) > 0 {
				delta = d
			}
		}
	}
	known := map[string]*apd.Decimal{}
	tail := func(at *big.Rat) *apd.Decimal { // e^{−ε|at|/Δ}
		v := new(big.Rat).Quo(at, delta)
		key := v.Abs(v).RatString()
		if known[key] == nil {
			known[key] = expDec(t, e, v)
		}
		return known[key]
	}
	between := func(lo, hi *big.Rat) *apd.Decimal { // twice Laplace noise in (lo, hi], nil for an open end
		left, right := apd.New(0, 0), apd.New(0, 0)
		if lo != nil {
			left = tail(lo)
		}
		if hi != nil {
			right = tail(hi)
		}
		switch {
		case lo != nil && lo.Sign() >= 0:
			return subDec(t, left, right)
		case hi != nil && hi.Sign() <= 0:
			return subDec(t, right, left)
		}
		return subDec(t, subDec(t, apd.New(2, 0), left), right)
	}
	const far = 12 // beyond all whole values
	out := make(law, q.Size())
	for x := range out {
		f := valueOf(t, q.Value(x))
		sum := apd.New(0, 0)
		ends := func(r int) (lo, hi *big.Rat) {
			middle := func(a, b int) *big.Rat {
				v := new(big.Rat).Add(valueOf(t, q.Range()[a]), valueOf(t, q.Range()[b]))
				return v.Sub(v.Quo(v, big.NewRat(2, 1)), f)
			}
			if r > 0 {
				lo = middle(r-1, r)
			}
			if r+1 < len(q.Range()) {
				hi = middle(r, r+1)
			}
			return lo, hi
		}
		for r, v := range q.Range() {
			p := apd.New(0, 0)
			lo, hi := ends(r)
			switch name {
			case "exponential":
				d := new(big.Rat).Sub(valueOf(t, v), f)
				p = tail(d.Quo(d, big.NewRat(2, 1)))
			case "laplace":
				p = between(lo, hi)
			case "geometric": // times (1 − w)
				for k := int64(-far); k <= far; k++ {
					if at := big.NewRat(k, 1); (lo == nil || at.Cmp(lo) > 0) && (hi == nil || at.Cmp(hi) <= 0) {
						w := tail(at)
						if k != far && k != -far { // the last ones stand for all beyond
							w = subDec(t, w, mulDec(t, w, tail(big.NewRat(1, 1))))
						}
						p = addDec(t, p, w)
					}
				}
			}
			out[x] = append(out[x], p)
			sum = addDec(t, sum, p)
		}
		for r, p := range out[x] {
			out[x][r] = quoDec(t, p, sum)
		}
	}
	return out
}

// encloses fails unless the interval holds the decimal, as narrow as 2⁻¹⁰⁰ of it or
// of least.
func encloses(t *testing.T, what string, got interval.Interval, want *apd.Decimal, least float64) {
	t.Helper()
	v, _, err := big.ParseFloat(want.Text('e'), 10, 1300, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	at := interval.Big(v)
	width := got.Upper().Sub(got.Lower())
	size := interval.Max(interval.Max(at, at.Neg()), interval.Float(least))
	if at.Less(got.Lower()) || got.Upper().Less(at) || size.Mul(interval.Float(0x1p-100)).Less(width) {
		t.Errorf("%s: %v, want %s", what, got, want.Text('e'))
	}
}

// followsLaw fails unless all that a mechanism says of its law, its distortion and its
// privacy holds the decimal truth.
func followsLaw(t *testing.T, label string, m mechanism.Mechanism, truth law, at []evidence.Epsilon) {
	t.Helper()
	ctx := context.Background()
	q := m.Query()
	floats, err := mechanism.Distortions(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	ratio, mean, worst := apd.New(1, 0), apd.New(0, 0), apd.New(0, 0)
	profile := make([]*apd.Decimal, len(at)+1)
	for x := range truth {
		inFloats, err := mechanism.Law(m, x)
		if err != nil {
			t.Fatal(err)
		}
		distortion := apd.New(0, 0)
		for r, p := range truth[x] {
			what := fmt.Sprintf("%s: p^%d(%v)", label, x, q.Range()[r])
			encloses(t, what, m.Enclose(x, r), p, math.SmallestNonzeroFloat64)
			if v := floatDec(p); !(math.Abs(inFloats[r]-v) <= 1e-15*v+math.SmallestNonzeroFloat64) || inFloats[r] == 0 {
				t.Errorf("%s = %v in float64, want %v", what, inFloats[r], v)
			}
			d := new(big.Rat).Sub(valueOf(t, q.Range()[r]), valueOf(t, q.Value(x)))
			distortion = addDec(t, distortion, mulDec(t, p, decRat(t, d.Abs(d))))
			if x > 0 {
				continue // logarithms take their time
			}
			log := lnDec(t, p)
			encloses(t, what+" in logarithms", m.EncloseLog(x, r), log, 1)
			want := floatDec(log)
			if got := m.LogProb(x, r); !(math.Abs(got-want) <= m.LogError()+1e-16*math.Abs(want)) || !(m.LogError() <= 1e-12*(1+math.Abs(want))) && m.LogError() > 1e-6 {
				t.Errorf("%s: ln p = %v, want %v within %v", what, got, want, m.LogError())
			}
		}
		what := fmt.Sprintf("%s: distortion at %d", label, x)
		holds(t, what, mechanism.Distortion(m, x), distortion)
		if log, positive := mechanism.LogDistortion(m, x); positive != (distortion.Sign() > 0) {
			t.Errorf("%s: positive is %v, want %s", what, positive, distortion)
		} else if positive {
			encloses(t, what+" in logarithms", log, lnDec(t, distortion), 1)
		}
		if v := floatDec(distortion); !(math.Abs(floats[x]-v) <= 1e-13*v+math.SmallestNonzeroFloat64) || floats[x] == 0 {
			t.Errorf("%s = %v in float64, want %v", what, floats[x], v)
		}
		mean = addDec(t, mean, quoDec(t, distortion, apd.New(int64(q.Size()), 0)))
		if distortion.Cmp(worst) > 0 {
			worst = distortion
		}
		for _, y := range q.Space().Neighbors(x) {
			for r, p := range truth[x] {
				if v := quoDec(t, p, truth[y][r]); v.Cmp(ratio) > 0 {
					ratio = v
				}
			}
			for i := range profile {
				w := apd.New(1, 0)
				if i > 0 {
					w = dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Exp(z, decOf(t, at[i-1].Value())) })
				}
				if v := truth.delta(t, x, int(y), w); profile[i] == nil || v.Cmp(profile[i]) > 0 {
					profile[i] = v
				}
			}
		}
	}
	isLoss := func(what string, n evidence.Number, err error, want *apd.Decimal) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		holds(t, what, n, want)
		if _, hi := n.Bounds(); n.Kind() == evidence.KindCertified && n.Float() != hi {
			t.Errorf("%s = %v, want its upper end %v", what, n.Float(), hi)
		}
	}
	got, err := mechanism.Privacy(m).Epsilon(ctx, 0)
	isLoss(label+": smallest ε", got, err, lnDec(t, ratio))
	for i, want := range profile {
		var e evidence.Epsilon
		if i > 0 {
			e = at[i-1]
		}
		got, err := mechanism.Privacy(m).Delta(ctx, e)
		isLoss(fmt.Sprintf("%s: δ(%v)", label, e), got, err, want)
	}
	got, err = mechanism.ExpectedDistortion(ctx, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, label+": mean distortion", got, mean)
	if got, err = mechanism.WorstDistortion(ctx, m); err != nil {
		t.Fatal(err)
	}
	holds(t, label+": worst distortion", got, worst)
}

// What noise and the exponential mechanism say of themselves holds the decimal truth,
// at whole values and at others, at every ε.
func TestNoiseInDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 3))
	for trial, e := range []float64{1e-40, 0.3, 30, 400} {
		q := randomQuery(t, rng, []float64{1, 10}[trial%2])
		for q.SensitivitySteps() == 0 || q.Size() > 4 || len(q.Range()) > 4 {
			q = randomQuery(t, rng, []float64{1, 10}[trial%2])
		}
		for _, name := range []string{"laplace", "geometric", "exponential"} {
			if name == "geometric" && trial%2 == 1 {
				continue
			}
			m := build(t, name, q, eps(t, e))
			followsLaw(t, fmt.Sprintf("%s(%g)", name, e), m, decimalNoise(t, name, q, decOf(t, e)), []evidence.Epsilon{eps(t, 0.7*e)})
		}
	}
	q, _ := fractionQuery(t, rng, 3)
	for _, e := range []float64{1e-30, 0.8, 500} {
		m := build(t, "exponential", q, eps(t, e))
		followsLaw(t, fmt.Sprintf("exponential of fractions(%g)", e), m, decimalNoise(t, "exponential", q, decOf(t, e)), []evidence.Epsilon{eps(t, e/3)})
	}
}
