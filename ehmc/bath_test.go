package ehmc

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// whole returns a threshold as a whole number of 2⁻¹²⁸.
func (t Threshold) whole() *big.Int {
	v := new(big.Int).SetUint64(t.Hi)
	return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(t.Lo))
}

// stepped returns t moved by so many units of 2⁻¹²⁸.
func (t Threshold) stepped(by int64) Threshold {
	lo, carry := bits.Add64(t.Lo, uint64(by), 0)
	return Threshold{t.Hi + carry + uint64(by>>63), lo}
}

// A logit's threshold is 1/(1 + e⁻ˣ) of its lower end, from less than 2⁻¹²⁷ below.
func TestLogitThresholdIsExact(t *testing.T) {
	one := interval.Int(1)
	for _, x := range []float64{0, 1e-40, -1e-40, 1, -1, 3.7, -3.7, 40, -40, 87, -87, 89, -89, 999, -999, 1000, -1000} {
		got := LogitThreshold(interval.Between(x, x+.5)).whole()
		p := one.Quo(one.Add(interval.Float(x).Neg().Exp()))
		want, _ := new(big.Float).SetMantExp(p.MidFloat(interval.Prec), 128).Rat(nil)
		gap := new(big.Rat).Sub(want, new(big.Rat).SetInt(got))
		if gap.Cmp(big.NewRat(-1, 1000)) < 0 || gap.Cmp(big.NewRat(2, 1)) >= 0 {
			t.Errorf("logit %g: %v, want at most 2 below %s", x, got, want.FloatString(3))
		}
	}
	most := Threshold{math.MaxUint64, math.MaxUint64}
	for x, want := range map[float64]Threshold{-1001: {}, -1e300: {}, 1001: most, 1e300: most} {
		if got := LogitThreshold(interval.Float(x)); got != want {
			t.Errorf("logit %g: %x", x, got)
		}
	}
	for v, want := range map[float64]Threshold{0: {}, .5: {1 << 63, 0}, 0x1p-64: {1, 0}, 0x1p-65: {0, 1 << 63}, 0x1p-128: {0, 1}, 0x1p-129: {}, 1: most, 2: most} {
		if got := fractionOf(big.NewFloat(v)); got != want {
			t.Errorf("%g is the fraction %x, want %x", v, got, want)
		}
	}
}

// words is a source of the given words.
type words []uint64

func (w *words) Uint64() uint64 { v := (*w)[0]; *w = (*w)[1:]; return v }

// Draws compare 128 random bits, the second 64 where the first leave it open, and
// outcomes have exactly the words between two thresholds.
func TestThresholdsAreExact(t *testing.T) {
	at := Threshold{5, 9}
	for _, c := range []struct {
		src  words
		want bool
		left int
	}{{words{4, 0}, true, 1}, {words{6, 0}, false, 1}, {words{5, 8}, true, 0}, {words{5, 9}, false, 0}, {words{5, 10}, false, 0}} {
		src := c.src
		if got := at.Sample(&src); got != c.want || len(src) != c.left {
			t.Errorf("%v below %v: %t, %d words left", c.src, at, got, len(src))
		}
	}
	law := Thresholds{{1, 0}, {1, 0}, {1, 7}, {9, 0}}
	for _, c := range []struct {
		src  words
		want int
	}{{words{0, 0}, 0}, {words{0, math.MaxUint64}, 0}, {words{1, 0}, 2}, {words{1, 6}, 2}, {words{1, 7}, 3}, {words{8, 0}, 3}, {words{9, 0}, 3}, {words{math.MaxUint64, 0}, 3}} {
		src := c.src
		if got := law.Draw(&src); got != c.want || len(src) != 0 {
			t.Errorf("%v draws %d, want %d", c.src, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b Threshold
		want bool
	}{{Threshold{1, 2}, Threshold{1, 2}, false}, {Threshold{1, 2}, Threshold{1, 3}, true}, {Threshold{1, 3}, Threshold{1, 2}, false}, {Threshold{0, 3}, Threshold{1, 2}, true}, {Threshold{2, 1}, Threshold{1, 2}, false}} {
		if c.a.Less(c.b) != c.want {
			t.Errorf("%v less than %v: %t", c.a, c.b, !c.want)
		}
	}
}

// A heat bath that compares float64s first decides as the exact field does, on either
// side of the threshold and far from it, however many flips its fields have summed.
func TestBathDecidesExactly(t *testing.T) {
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
		q, err := NewDense(pi)
		if err != nil {
			t.Fatal(err)
		}
		b, s := newBath(q), newState(q, make([]bool, d))
		for k := range d {
			row := make([]float64, d)
			q.AddRow(k, 1, row)
			b.measure(k, row)
			most := new(big.Rat).SetFloat64(math.Abs(pi[k][k]))
			for j, v := range pi[k] {
				if j != k {
					most.Add(most, new(big.Rat).SetFloat64(2*math.Abs(v)))
				}
			}
			if v, _ := most.Float64(); new(big.Rat).SetFloat64(b.size[k]).Cmp(most) < 0 || b.size[k] > v*(1+1e-14) {
				t.Errorf("no field is above %v, want %v", b.size[k], v)
			}
		}
		for range 40 * (1 + trial*trial) {
			s.flip(rng.IntN(d))
		}
		for k := range d {
			for _, zero := range []bool{false, true} {
				field := new(big.Rat).SetFloat64(pi[k][k])
				for j, on := range s.Bits {
					if on && j != k {
						field.Add(field, new(big.Rat).SetFloat64(2*pi[k][j]))
					}
				}
				if zero {
					field.Neg(field)
				}
				at := LogitThreshold(interval.Rat(field))
				for _, by := range []int64{-1, 2, -1 << 40, 1 << 40} { // the threshold is less than 2 below the probability
					if v := new(big.Int).Add(at.whole(), big.NewInt(by)); v.Sign() < 0 || v.BitLen() > 128 {
						continue
					}
					u := at.stepped(by)
					if got, want := decided(t)(b.below(u, s, k, zero, func() rand.Source { return rng })), by < 0; got != want {
						t.Errorf("bit %d, zero %t, %d from the threshold: %t", k, zero, by, got)
					}
				}
				for range 60 {
					u := Threshold{rng.Uint64(), rng.Uint64()}
					if rng.IntN(2) == 0 { // near, where a float64 cannot tell
						u = Threshold{at.Hi + rng.Uint64N(1<<15) - 1<<14, u.Lo}
					}
					if got, want := decided(t)(b.below(u, s, k, zero, func() rand.Source { return rng })), u.Less(at); got != want {
						t.Errorf("bit %d, zero %t: %x below %x: %t", k, zero, u, at, got)
					}
				}
			}
		}
	}
}

// decided returns what was decided, without an error.
func decided(t *testing.T) func(bool, error) bool {
	return func(v bool, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Fields are what the state makes them, from the last time that they were summed afresh.
func TestFieldsAreRefreshed(t *testing.T) {
	q, err := NewDense([][]float64{{.1, .7, -.3}, {.7, 1e9, .01}, {-.3, .01, -.9}})
	if err != nil {
		t.Fatal(err)
	}
	s := newState(q, []bool{false, true, false})
	for n := range refresh {
		if s.moves != n {
			t.Fatalf("%d moves after %d flips", s.moves, n)
		}
		s.flip(n % 3)
	}
	fresh := newState(q, s.Bits)
	if s.moves != 0 || fresh.moves != 0 {
		t.Errorf("%d moves after a refresh", s.moves)
	}
	for k := range 3 {
		want := q.Diagonal(k)
		for j, on := range s.Bits {
			if on && j != k {
				want += 2 * q.rows[3*k+j]
			}
		}
		if s.field[k] != fresh.field[k] || math.Abs(s.Logit(k)-want) > 1e-15*math.Abs(want) {
			t.Errorf("the field of bit %d is %v, want %v", k, s.field[k], want)
		}
	}
	s.flip(1)
	if s.moves != 1 {
		t.Errorf("%d moves after a flip", s.moves)
	}
}

// Noise at ε from a sampler τ away is (ε, (1 + e^ε)τ)-private, from above.
func TestDeltaOfIsABound(t *testing.T) {
	for _, eps := range []float64{0, 1e-9, .1, 1, 30, 700, 800} {
		e := evidence.Epsilon{}
		if eps > 0 {
			var err error
			if e, err = evidence.NewEpsilon("eps", eps); err != nil {
				t.Fatal(err)
			}
		}
		for _, tv := range []float64{5e-324, 1e-300, 1e-9, .1, .5, 1} {
			got, err := DeltaOf(e, tv)
			if err != nil {
				t.Fatal(err)
			}
			v := interval.Float(eps).Exp().Add(interval.Int(1)).Mul(interval.Float(tv))
			lo, hi := v.Bounds()
			if got < math.Min(lo, 1) || got > math.Min(hi, 1) {
				t.Errorf("ε = %g, τ = %g: δ = %v, want [%v, %v]", eps, tv, got, lo, hi)
			}
		}
		if got, err := DeltaOf(e, 0); got != 0 || err != nil {
			t.Errorf("no distance gives δ = %v, %v", got, err)
		}
	}
	far, err := evidence.NewEpsilon("eps", 801)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DeltaOf(far, 5e-324); got != 1 || err != nil {
		t.Errorf("at ε = 801: δ = %v, %v", got, err)
	}
}

func TestSigmoid(t *testing.T) {
	one := interval.Int(1)
	for _, x := range []float64{0, 1e-300, 1, -1, 36, -36, 700, -700, -745} {
		want := one.Quo(one.Add(interval.Float(-x).Exp())).Mid()
		if got := sigmoid(x); math.Abs(got-want) > 4e-16*want+5e-324 {
			t.Errorf("sigmoid(%g) = %v, want %v", x, got, want)
		}
	}
}

// Long sweeps look at their context about every million steps of a row.
func TestPollEvery(t *testing.T) {
	for d, want := range map[int]int{0: 1 << 20, 1: 1 << 20, 2: 1 << 19, 1 << 20: 1, 1 << 21: 1} {
		if got := pollEvery(d); got != want {
			t.Errorf("%d bits: every %d, want %d", d, got, want)
		}
	}
}
