package ehmc

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
)

// The heat bath compares in float64 first and decides like the exact field, near the threshold and far from it, after
// any number of flips.
func TestHeatBathIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 31))
	for trial := range 8 {
		const d = 6
		pi, scale := make([][]float64, d), []float64{.3, 3, 1e-9, 12}[trial%4]
		for i := range pi {
			pi[i] = make([]float64, d)
			for j := range i + 1 {
				pi[i][j] = scale * rng.NormFloat64()
				pi[j][i] = pi[i][j]
			}
		}
		q := must.Be(NewDense(pi))
		b, s := measuredBath(q), newState(q, make([]bool, d))
		for k := range d {
			most := new(big.Rat).SetFloat64(math.Abs(pi[k][k]))
			for j, v := range pi[k] {
				if j != k {
					most.Add(most, new(big.Rat).SetFloat64(2*math.Abs(v)))
				}
			}
			if v, _ := most.Float64(); new(big.Rat).SetFloat64(b.size[k]).Cmp(most) < 0 || b.size[k] > v*(1+1e-14) {
				t.Errorf("the bound on the field is %v, want %v", b.size[k], v)
			}
		}
		for range 40 * (1 + trial*trial) {
			s.flip(rng.IntN(d))
		}
		for k := range d {
			for _, zero := range []bool{false, true} {
				at := LogitThreshold(interval.Rat(fieldOf(q, s.Bits, k, zero)))
				for _, by := range []int64{-1, 2, -1 << 40, 1 << 40} { // the threshold is at most 2 units below the probability
					if v := new(big.Int).Add(at.Whole(), big.NewInt(by)); v.Sign() < 0 || v.BitLen() > 128 {
						continue
					}
					u := at.stepped(by)
					if got, want := decisionOf(t)(b.below(u, s, k, zero, func() rand.Source { return rng })), by < 0; got != want {
						t.Errorf("bit %d, zero %t, %d from the threshold: %t", k, zero, by, got)
					}
				}
				for range 60 {
					u := Threshold{rng.Uint64(), rng.Uint64()}
					if rng.IntN(2) == 0 { // near the threshold, where float64 cannot decide
						u = Threshold{at.Hi + rng.Uint64N(1<<15) - 1<<14, u.Lo}
					}
					if got, want := decisionOf(t)(b.below(u, s, k, zero, func() rand.Source { return rng })), u.Less(at); got != want {
						t.Errorf("bit %d, zero %t: %x below %x: %t", k, zero, u, at, got)
					}
				}
			}
		}
	}
}

// stepped returns t plus by units of 2⁻¹²⁸.
func (t Threshold) stepped(by int64) Threshold {
	lo, carry := bits.Add64(t.Lo, uint64(by), 0)
	return Threshold{t.Hi + carry + uint64(by>>63), lo}
}

// decisionOf returns a function that returns a decision, or fails the test on an error.
func decisionOf(t *testing.T) func(bool, error) bool {
	return func(v bool, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// fieldOf returns the field of bit k, or of its complement, in rational arithmetic.
func fieldOf(q *Dense, bits []bool, k int, zero bool) *big.Rat {
	field := new(big.Rat).SetFloat64(q.Diagonal(k))
	for j, on := range bits {
		if on && j != k {
			v := new(big.Rat).SetFloat64(q.rows[k*q.d+j])
			field.Add(field, v).Add(field, v)
		}
	}
	if zero {
		field.Neg(field)
	}
	return field
}

// measuredBath returns the bath of a law with the sizes of all fields.
func measuredBath(q *Dense) *bath {
	b := newBath(q)
	for k := range q.d {
		row := make([]float64, q.d)
		q.AddRow(k, 1, row)
		b.measure(k, row)
	}
	return b
}

// If a uniform number agrees with the probability in its first 128 bits, the later bits decide as in rational
// arithmetic. The decision is the same every time.
func TestHeatBathRefines(t *testing.T) {
	const prec = 2000
	rng := rand.New(rand.NewPCG(26, 11))
	law := must.Be(NewDense([][]float64{{.3, -1.5, .2}, {-1.5, -2, 3e-5}, {.2, 3e-5, 40}}))
	b := measuredBath(law)
	below := 0
	const trials = 400
	for trial := range trials {
		s := newState(law, fairBits(3, rng))
		k, zero := trial%3, trial%2 == 0
		p := LogisticAt(fieldOf(law, s.Bits, k, zero), prec)
		v := new(big.Int).Quo(new(big.Int).Lsh(p.Num(), 128), p.Denom())
		if trial >= trials/2 { // the second half tries 0, the largest number, and numbers next to the probability
			v = []*big.Int{new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)), new(big.Int).Add(v, big.NewInt(1)), new(big.Int).Sub(v, big.NewInt(1))}[trial%4]
		}
		u := fractionOf(new(big.Float).SetMantExp(new(big.Float).SetPrec(200).SetInt(v), -128))
		key := draw.NewKey(rng)
		digits, src := new(big.Int).Set(v), key.Source()
		const places = 1024
		for have := 128; have < places; have += 64 {
			digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(src.Uint64()))
		}
		number := new(big.Rat).SetFrac(digits, new(big.Int).Lsh(big.NewInt(1), places))
		want := number.Cmp(p) < 0
		if want && trial < trials/2 {
			below++
		}
		for _, lazy := range []bool{false, true} {
			for range 2 {
				b.lazy = lazy
				if got := decisionOf(t)(b.below(u, s, k, zero, func() rand.Source { return key.Source() })); got != want {
					t.Errorf("trial %d, lazily %t: %t, want %t", trial, lazy, got, want)
				}
			}
		}
	}
	if below < trials/10 || below > trials*4/10 {
		t.Errorf("%d of %d ties are below the probability", below, trials/2)
	}
}

// The heat bath decides correctly at fields that make a bit nearly certain, that are 0, or that cancel in float64.
func TestHeatBathOfExtremeFields(t *testing.T) {
	for _, c := range []struct {
		field float64
		u     Threshold
		want  bool
	}{
		{1e6, Threshold{math.MaxUint64, math.MaxUint64}, true},
		{1e300, Threshold{math.MaxUint64, math.MaxUint64}, true},
		{-1e6, Threshold{}, false},
		{-1e300, Threshold{}, false},
		{0, Threshold{1 << 63, 0}, false},
		{0, Threshold{1<<63 - 1, math.MaxUint64}, true},
		{0, Threshold{}, true},
		{0, Threshold{math.MaxUint64, math.MaxUint64}, false},
	} {
		law := must.Be(NewDense([][]float64{{c.field}}))
		b, s := measuredBath(law), newState(law, []bool{true})
		for _, lazy := range []bool{false, true} {
			b.lazy = lazy
			if got := decisionOf(t)(b.below(c.u, s, 0, false, func() rand.Source { return &stattest.Spelled{Words: nil, Tail: 1 << 62} })); got != c.want {
				t.Errorf("field %g, %x: %t", c.field, c.u, got)
			}
		}
	}
	law := must.Be(NewDense([][]float64{{.7, 1e300, -1e300}, {1e300, 0, 0}, {-1e300, 0, 0}}))
	b, s := measuredBath(law), newState(law, []bool{false, true, true})
	at := LogitThreshold(interval.Float(.7))
	for by, want := range map[int64]bool{-1: true, 2: false, -1 << 40: true, 1 << 40: false} {
		if got := decisionOf(t)(b.below(at.stepped(by), s, 0, false, func() rand.Source { return &stattest.Spelled{} })); got != want {
			t.Errorf("cancelling field, %d units from the threshold: %t", by, got)
		}
	}
}

// The logistic function stays in [0, 1] and keeps its relative accuracy, also if e^x overflows.
func TestSigmoidOfLargeFields(t *testing.T) {
	for x, want := range map[float64]float64{0: .5, 800: 1, 1e300: 1, -1e300: 0, -740: math.Exp(-740), -40: math.Exp(-40), math.Log(3): .75, -math.Log(3): .25, math.Inf(1): 1, math.Inf(-1): 0} {
		if got := sigmoid(x); !(math.Abs(got-want) <= 1e-15*want+5e-324) {
			t.Errorf("at %g: %v, want %v", x, got, want)
		}
	}
}

// fractionOf rounds down to 128 bits, and its result is below 1.
func TestFractionsAreRoundedDown(t *testing.T) {
	for v, want := range map[float64]Threshold{0: {}, .5: {1 << 63, 0}, 0x1p-64: {1, 0}, 0x1p-65: {0, 1 << 63}, 0x1p-128: {0, 1}, 0x1p-129: {}, 1: {math.MaxUint64, math.MaxUint64}, 2: {math.MaxUint64, math.MaxUint64}} {
		if got := fractionOf(big.NewFloat(v)); got != want {
			t.Errorf("fractionOf(%g) = %x, want %x", v, got, want)
		}
	}
}
