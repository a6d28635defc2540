package continuous

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"

	"github.com/cockroachdb/apd/v3"
)

// far is decimal arithmetic with 800 digits: at decay 1e-300, the square of 1 − e^{−decay} loses 600.
var far = apd.BaseContext.WithPrecision(800)

func farRat(t *testing.T, q *big.Rat) *apd.Decimal {
	t.Helper()
	out := new(apd.Decimal)
	num, den := new(apd.BigInt).SetMathBigInt(q.Num()), new(apd.BigInt).SetMathBigInt(q.Denom())
	must.For(far.Quo(out, apd.NewWithBigInt(num, 0), apd.NewWithBigInt(den, 0)))(t)
	return out
}

func farInt(v int) *apd.Decimal { return apd.New(int64(v), 0) }

// farOf applies an operation, which can fail only by its range.
func farOf(f func(out, a, b *apd.Decimal) (apd.Condition, error), a, b *apd.Decimal) *apd.Decimal {
	out := new(apd.Decimal)
	if _, err := f(out, a, b); err != nil {
		panic(err)
	}
	return out
}

// perLayer returns the weight and moment of every layer. Weights count units or points. Moments are in half units
// times units, or in units for points.
func (o gridOracle) perLayer(last int, counting bool) (weights, moments []int) {
	weights, moments = make([]int, last+1), make([]int, last+1)
	for i, l := range o.layer {
		if l < 0 || (i%2 == 0) != counting {
			continue
		}
		d := i - 2*o.reach
		weights[l]++
		moments[l] += max(d, -d)
	}
	if counting {
		for i := range moments {
			moments[i] /= 2
		}
	}
	return weights, moments
}

// Normalizer, distortion, densities and curve match an 800-digit sum over enumerated layers, extended by their
// period. Decays start at 1e-300, and grid units range from 1e-300 to 1e300.
func TestLayeredAtEveryScale(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	const last = 24
	decays := []float64{1e-300, 1e-150, 1e-80, 1e-20, 1e-16, 0.03, 1.5, 120, 690}
	beyond := []float64{800, 1e4, 1e300} // decays for curves only
	powers := map[float64]*apd.Decimal{} // powers of e
	for _, e := range append(beyond, decays...) {
		powers[e] = new(apd.Decimal)
		if e < 1e4 { // otherwise z is 0 beside 1
			must.For(far.Exp(powers[e], farRat(t, new(big.Rat).SetFloat64(-e))))(t)
		}
	}
	for trial := range cases.Of(12, 36) {
		v, radius := randomSet(r, 1+r.IntN(7), trial%3 == 0)
		o := newGridOracle(v, radius, last)
		unit := rat(t, []string{"1", "1/7", "1e-300", "1e300"}[trial%4])
		times := func(n int) *big.Rat { return new(big.Rat).Mul(unit, big.NewRat(int64(n), 1)) }
		var ends []*big.Rat
		for _, p := range v {
			ends = append(ends, times(p[0]), times(p[1]))
		}
		l := sequenceOf(t, times(radius), ends...)
		weights, moments := o.perLayer(last, l.Counting())
		n := last - 2
		for i := last - 6; i < last; i++ {
			if weights[i] != weights[last] || moments[i+1]-moments[i] != moments[last]-moments[last-1] {
				t.Fatalf("V = %v, radius %d are not periodic at layer %d", v, radius, i)
			}
		}
		for _, e := range append(beyond, decays...) {
			name := fmt.Sprintf("V = %v·%v, radius %d, decay %g", v, unit.FloatString(3), radius, e)
			z := powers[e]
			rest := farOf(far.Sub, farInt(1), z)
			first := 0
			for weights[first] == 0 {
				first++
			}
			// Both sums are divided by z^first and multiplied by (1−z)².
			sum := func(terms []int) *apd.Decimal {
				s := new(apd.Decimal)
				for i := n - 1; i >= first; i-- {
					s = farOf(far.Add, farOf(far.Mul, s, z), farInt(terms[i]))
				}
				s = farOf(far.Mul, farOf(far.Mul, s, rest), rest)
				tail := farOf(far.Add, farOf(far.Mul, farInt(terms[n]), rest), farOf(far.Mul, farInt(terms[n+1]-terms[n]), z))
				for range n - first {
					tail = farOf(far.Mul, tail, z)
				}
				return farOf(far.Add, s, tail)
			}
			weight, moment := sum(weights), sum(moments)
			step := farRat(t, unit)
			if !l.Counting() {
				step = farOf(far.Quo, step, farInt(2))
			}
			distortion := farOf(far.Mul, farOf(far.Quo, moment, weight), step)
			want, _ := distortion.Float64()
			curve := must.For(l.Curve(decaysOf(t, e)))(t)[0]
			least := math.SmallestNonzeroFloat64 // a positive value is never reported as 0
			if !(math.Abs(curve-want) <= math.Max(4e-15*want, least)) && !math.IsInf(want, 1) {
				t.Errorf("%s: curve %v, want %v", name, curve, want)
			}
			eps := evidencetest.Epsilon(e)
			farHolds(t, name+": distortion", l.Distortion(eps), distortion)
			if e > maxRate {
				continue
			}
			m := must.For(NewLayered(l, eps))(t)
			// alpha is divided by z^first and the unit; densities are z^{L − first}/alpha.
			alpha := farOf(far.Quo, farOf(far.Quo, weight, rest), rest)
			if !l.Counting() {
				alpha = farOf(far.Mul, alpha, farRat(t, unit))
			}
			head := alpha
			for range first {
				head = farOf(far.Mul, head, z)
			}
			farHolds(t, name+": normaliser", m.Normalizer(), head)
			for range 4 {
				i := 2*o.reach + r.IntN(24)
				at := new(big.Rat).Mul(unit, big.NewRat(int64(i-2*o.reach), 2))
				d := must.For(m.Density(at))(t)
				want := new(apd.Decimal)
				if layer := o.layer[i]; layer >= 0 {
					want = farOf(far.Quo, farInt(1), alpha)
					for range layer - first {
						want = farOf(far.Mul, want, z)
					}
					for range first - layer {
						want = farOf(far.Quo, want, z)
					}
				} else if layer, ok, _ := l.Layer(at); ok && layer.Int64() <= last {
					t.Errorf("%s: %v is in layer %v, want none up to %d", name, at, layer, last)
					continue
				} else if ok {
					continue
				}
				farHolds(t, fmt.Sprintf("%s: density at half %d", name, i-2*o.reach), d, want)
			}
		}
	}
}

// farHolds fails unless a number encloses want, narrowly if float64 can represent it.
func farHolds(t *testing.T, what string, got evidence.Number, want *apd.Decimal) {
	t.Helper()
	lo, hi := got.Bounds()
	below := math.IsInf(lo, -1) || farRat(t, new(big.Rat).SetFloat64(lo)).Cmp(want) <= 0
	above := math.IsInf(hi, 1) || farRat(t, new(big.Rat).SetFloat64(hi)).Cmp(want) >= 0
	w, _ := want.Float64()
	if v := got.Float(); !below || !above || !(lo <= v && v <= hi) {
		t.Errorf("%s: %g in [%g, %g] misses %.30s…", what, v, lo, hi, want.Text('E'))
	}
	if w > 1e-300 && w < 1e300 && hi-lo > 9e-16*w {
		t.Errorf("%s: [%g, %g] is too wide", what, lo, hi)
	}
}
