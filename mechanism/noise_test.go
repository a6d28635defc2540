package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"

	"github.com/cockroachdb/apd/v3"
)

// decRat converts a rational number to a decimal.
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

// valueOf returns a query's value as a rational number.
func valueOf(t testing.TB, v query.Value) *big.Rat {
	t.Helper()
	r, ok := query.RationalOf(v)
	if !ok {
		t.Fatalf("%v is not a number", v)
	}
	return r
}

// decimalNoise computes the law of a noise mechanism from its distribution function, or of the exponential mechanism
// from its weights.
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
	between := func(lo, hi *big.Rat) *apd.Decimal { // twice the Laplace mass of (lo, hi]; a nil end is infinite
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
	const far = 12 // larger than every noise value used
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
			case "geometric": // up to the factor 1 − w
				for k := int64(-far); k <= far; k++ {
					if at := big.NewRat(k, 1); (lo == nil || at.Cmp(lo) > 0) && (hi == nil || at.Cmp(hi) <= 0) {
						w := tail(at)
						if k != far && k != -far { // the last value on each side holds the whole tail
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

// encloses fails unless the interval contains the decimal and its width is at most 2⁻¹⁰⁰ times the larger of |want| and
// least.
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

// followsLaw fails unless m's law, distortion and privacy contain the values that decimal arithmetic gives.
func followsLaw(t *testing.T, label string, m mechanism.Mechanism, truth law, at []evidence.Epsilon) {
	t.Helper()
	ctx := context.Background()
	q := m.Query()
	floats := must.For(mechanism.Distortions(ctx, m))(t)
	ratio, mean, worst := apd.New(1, 0), apd.New(0, 0), apd.New(0, 0)
	profile := make([]*apd.Decimal, len(at)+1)
	for x := range truth {
		inFloats := must.For(mechanism.Law(m, x))(t)
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
				continue // logarithms are slow
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
			t.Errorf("%s: reported positive: %v, want %s", what, positive, distortion)
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
	got, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	isLoss(label+": smallest ε", got, err, lnDec(t, ratio))
	for i, want := range profile {
		var e evidence.Epsilon
		if i > 0 {
			e = at[i-1]
		}
		got, err := mechanism.Privacy(m).Delta(ctx, e)
		isLoss(fmt.Sprintf("%s: δ(%v)", label, e), got, err, want)
	}
	got = must.For(mechanism.ExpectedDistortion(ctx, m, nil))(t)
	holds(t, label+": mean distortion", got, mean)
	got = must.For(mechanism.WorstDistortion(ctx, m))(t)
	holds(t, label+": worst distortion", got, worst)
}

// Noise and the exponential mechanism match decimal arithmetic at integer and other values, at every ε.
func TestNoiseMatchesDecimals(t *testing.T) {
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

// Noise needs numbers, and geometric noise needs integers. A constant query is released without noise.
func TestNoiseRejectsNonNumbers(t *testing.T) {
	ctx := context.Background()
	space := pathQuery(t, 2).Space()
	names := must.For(query.New("f", space, []query.Value{query.Name("a"), query.Name("b")}, nil, query.ValueMetric{Discrete: true}))(t)
	if _, err := mechanism.NewLaplace(ctx, names, eps(t, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("Laplace noise of names: %v", err)
	}
	halves := must.For(query.NewNumeric("f", space, []float64{0.5, 1}, nil))(t)
	if _, err := mechanism.NewGeometric(ctx, halves, eps(t, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("geometric noise of halves: %v", err)
	}
	same := must.For(query.NewNumeric("f", space, []float64{1, 1}, []float64{0, 1, 2}))(t)
	for _, name := range []string{"laplace", "geometric", "exponential"} {
		if p := build(t, name, same, eps(t, 1)).Enclose(0, 1).Mid(); p != 1 {
			t.Errorf("%s: a constant is released with probability %v", name, p)
		}
		zero := evidence.Epsilon{}
		for what, f := range map[string]func() error{
			"laplace":     func() error { _, err := mechanism.NewLaplace(ctx, same, zero); return err },
			"geometric":   func() error { _, err := mechanism.NewGeometric(ctx, same, zero); return err },
			"exponential": func() error { _, err := mechanism.NewExponential(ctx, same, zero); return err },
			"ladder":      func() error { _, err := mechanism.NewLadder(ctx, same, zero); return err },
			"inverse":     func() error { _, err := mechanism.NewInverseSensitivity(ctx, same, zero, nil); return err },
		} {
			if err := f(); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s at ε = 0: %v", what, err)
			}
		}
	}
}

// decimals is an independent arithmetic with 400 digits and its own exponentials.
var decimals = apd.BaseContext.WithPrecision(400)

func dec(t testing.TB, op func(z *apd.Decimal) (apd.Condition, error)) *apd.Decimal {
	t.Helper()
	z := new(apd.Decimal)
	must.For(op(z))(t)
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

// law holds probabilities as decimals; unreached values have 0.
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

// loss returns the largest log-ratio by definition.
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

// delta returns the hockey-stick divergence by definition.
func (l law) delta(t testing.TB, x, y int, w *apd.Decimal) *apd.Decimal {
	sum := apd.New(0, 0)
	for r, p := range l[x] {
		q := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Mul(z, w, l[y][r]) })
		gap := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Sub(z, p, q) })
		unit := dec(t, func(z *apd.Decimal) (apd.Condition, error) { return decimals.Mul(z, p, apd.New(1, -390)) })
		if gap.Cmp(unit) > 0 { // differences up to unit are rounding errors
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

// holds fails unless the number contains the decimal, to 200 digits, and is narrow in float64.
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

// The law of a clamped geometric mechanism matches noise that is summed value by value and clamped to lo…hi:
// probabilities, expected errors and the largest loss. The cases have values on both sides of the bounds, none
// between them, and no noise.
func TestClampedGeometricMatchesNoise(t *testing.T) {
	space := must.For(query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}}))(t)
	for _, c := range []struct {
		values []float64
		lo, hi int64
	}{
		{[]float64{0, 1, 3, 2}, 0, 2}, {[]float64{-2, 0, 1, 3}, 0, 1}, {[]float64{5, 4, 7, 6}, -1, 3}, {[]float64{1, 2, 1, 3}, 2, 2}, {[]float64{2, 2, 2, 2}, 3, 5},
	} {
		for _, eps := range []evidence.Epsilon{must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t), must.For(evidence.NewEpsilon("eps", 0.7))(t)} {
			m := must.For(mechanism.NewClampedGeometric(context.Background(), must.For(query.NewNumeric("q", space, c.values, nil))(t), eps, big.NewInt(c.lo), big.NewInt(c.hi)))(t)
			delta, worst := 0.0, 0.0
			for x := range c.values[1:] {
				delta = max(delta, math.Abs(c.values[x+1]-c.values[x]))
			}
			laws := make([]map[float64]float64, len(c.values))
			for x, f := range c.values {
				laws[x] = map[float64]float64{}
				far, z := 0.0, 0.0
				if delta > 0 {
					z = math.Exp(-eps.Value() / delta)
					far = math.Ceil(-40 / math.Log(z))
				}
				want := 0.0
				for k := -far; k <= far; k++ {
					p, v := (1-z)/(1+z)*math.Pow(z, math.Abs(k)), min(max(f+k, float64(c.lo)), float64(c.hi))
					laws[x][v] += p
					want += p * math.Abs(v-f)
				}
				for r, v := range m.Query().Range() {
					at, _ := valueOf(t, v).Float64()
					if lo, hi := m.Enclose(x, r).Bounds(); !(lo-1e-14 <= laws[x][at] && laws[x][at] <= hi+1e-14) {
						t.Errorf("%s of %g: %v has probability %g…%g, want %g", m.Name(), f, v, lo, hi, laws[x][at])
					}
				}
				if d := mechanism.Distortion(m, x).Float(); math.Abs(d-want) > 1e-12 {
					t.Errorf("%s of %g: an error of %g, want %g", m.Name(), f, d, want)
				}
			}
			for x := range c.values[1:] {
				for v, p := range laws[x] {
					worst = max(worst, math.Abs(math.Log(p/laws[x+1][v])))
				}
			}
			got := must.For(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))(t)
			if lo, hi := got.Bounds(); !(lo-1e-12 <= worst && worst <= hi+1e-12) || worst > eps.Value()*(1+1e-12) {
				t.Errorf("%s of %v: ε is %v, want %g", m.Name(), c.values, got, worst)
			}
		}
	}
	q := must.For(query.NewNumeric("q", space, []float64{0, 1, 2, 3}, nil))(t)
	for _, ends := range [][2]int64{{2, 1}, {0, 4096}} {
		_, err := mechanism.NewClampedGeometric(context.Background(), q, must.For(evidence.NewEpsilon("eps", 1))(t), big.NewInt(ends[0]), big.NewInt(ends[1]))
		if want := fmt.Sprintf("clamp = (%d, %d), want lo ≤ hi and at most 4096 integers from lo to hi", ends[0], ends[1]); err == nil || err.Error() != want || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v, want %s", ends, err, want)
		}
	}
}
