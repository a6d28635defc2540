package ehmc

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
)

// logisticAt returns 1/(1 + e⁻ˣ) for |x| < 2¹⁰ to about 2^(30−prec), by Taylor's series of
// e^{x/2¹⁰}: it shares no code with the sampler.
func logisticAt(x *big.Rat, prec uint) *big.Rat {
	r := new(big.Float).SetPrec(prec).SetRat(x)
	r.Neg(r).SetMantExp(r, -10)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for n := int64(1); term.Sign() != 0 && term.MantExp(nil) > -int(prec)-8; n++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range 10 {
		sum.Mul(sum, sum)
	}
	sum.Add(sum, big.NewFloat(1))
	q, _ := new(big.Float).SetPrec(prec).Quo(big.NewFloat(1), sum).Rat(nil)
	return q
}

// fieldOf is the field of bit k in rationals, or of its complement.
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

// measured is the bath of a law, with the sizes of all fields.
func measured(q *Dense) *bath {
	b := newBath(q)
	for k := range q.d {
		row := make([]float64, q.d)
		q.AddRow(k, 1, row)
		b.measure(k, row)
	}
	return b
}

// Uniform numbers that agree with the probability for 128 digits, and for more, are decided
// by those behind as rational numbers say, and every time alike.
func TestBathRefines(t *testing.T) {
	const prec = 2000
	rng := rand.New(rand.NewPCG(26, 11))
	law, err := NewDense([][]float64{{.3, -1.5, .2}, {-1.5, -2, 3e-5}, {.2, 3e-5, 40}})
	if err != nil {
		t.Fatal(err)
	}
	b := measured(law)
	below := 0
	const trials = 400
	for trial := range trials {
		s := newState(law, fairBits(3, rng))
		k, zero := trial%3, trial%2 == 0
		p := logisticAt(fieldOf(law, s.Bits, k, zero), prec)
		v := new(big.Int).Quo(new(big.Int).Lsh(p.Num(), 128), p.Denom())
		if trial >= trials/2 { // and those next to them, zeros and ones
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
				if got := decided(t)(b.below(u, s, k, zero, func() rand.Source { return key.Source() })); got != want {
					t.Errorf("trial %d, lazily %t: %t, want %t", trial, lazy, got, want)
				}
			}
		}
	}
	if below < trials/10 || below > trials*4/10 {
		t.Errorf("%d of %d ties fall below", below, trials/2)
	}
}

// Digits of the probability itself, 1,500 of them, and then zeros or ones.
func TestBathOfItsOwnDigits(t *testing.T) {
	for _, x := range []float64{.3, -7, 40, -40} {
		law, err := NewDense([][]float64{{x}})
		if err != nil {
			t.Fatal(err)
		}
		b, s := measured(law), newState(law, []bool{false})
		p := logisticAt(new(big.Rat).SetFloat64(x), 2000)
		v := new(big.Int).Quo(new(big.Int).Lsh(p.Num(), 1536), p.Denom())
		var words []uint64
		for k := range 24 {
			w := new(big.Int).Rsh(v, uint(64*(23-k)))
			words = append(words, w.And(w, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
		}
		u := Threshold{words[0], words[1]}
		for tail, want := range map[uint64]bool{0: true, math.MaxUint64: false} {
			behind := func() rand.Source { return &stattest.Spelled{Words: words[2:], Tail: tail} }
			if got := decided(t)(b.below(u, s, 0, false, behind)); got != want {
				t.Errorf("field %g, then %x: %t", x, tail, got)
			}
		}
	}
}

// Fields that are all but certain, that are 0, and that cancel where float64s lose them.
func TestBathOfExtremeFields(t *testing.T) {
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
		law, err := NewDense([][]float64{{c.field}})
		if err != nil {
			t.Fatal(err)
		}
		b, s := measured(law), newState(law, []bool{true})
		for _, lazy := range []bool{false, true} {
			b.lazy = lazy
			if got := decided(t)(b.below(c.u, s, 0, false, func() rand.Source { return &stattest.Spelled{Words: nil, Tail: 1 << 62} })); got != c.want {
				t.Errorf("field %g, %x: %t", c.field, c.u, got)
			}
		}
	}
	law, err := NewDense([][]float64{{.7, 1e300, -1e300}, {1e300, 0, 0}, {-1e300, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	b, s := measured(law), newState(law, []bool{false, true, true})
	at := LogitThreshold(interval.Float(.7))
	for by, want := range map[int64]bool{-1: true, 2: false, -1 << 40: true, 1 << 40: false} {
		if got := decided(t)(b.below(at.stepped(by), s, 0, false, func() rand.Source { return &stattest.Spelled{} })); got != want {
			t.Errorf("a field that cancels, %d from the threshold: %t", by, got)
		}
	}
}

// ties is a source of the thresholds of fields, pair after pair.
type ties struct {
	at []Threshold
	n  int
}

func (s *ties) Uint64() uint64 {
	t := s.at[s.n/2%len(s.at)]
	if s.n++; s.n%2 == 1 {
		return t.Hi
	}
	return t.Lo
}

// A sweep whose 128 digits decide nothing moves both chains alike, and alike again when it
// is run again; another sweep's digits move them otherwise.
func TestSweepsOfTies(t *testing.T) {
	ctx := context.Background()
	diag := []float64{.3, -1.2, 2.5, -.01, 5}
	pi := make([][]float64, len(diag))
	var at []Threshold
	for k, v := range diag {
		pi[k] = make([]float64, len(diag))
		pi[k][k] = v
		at = append(at, LogitThreshold(interval.Float(v)))
	}
	law, err := NewDense(pi)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPerfect(ctx, law)
	if err != nil {
		t.Fatal(err)
	}
	high := slices.Repeat([]bool{true}, len(diag))
	results := map[string]bool{}
	for sweep := range uint64(20) {
		key := draw.NewKey(draw.Source(26, sweep))
		var first []bool
		for again := range 2 {
			top, bottom := newState(law, high), newState(law, make([]bool, len(diag)))
			for i := range uint64(3) {
				if err := p.sweep(ctx, top, bottom, &ties{at: at}, func(k int) rand.Source { return key.Part(i, uint64(k)).Source() }); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(top.Bits, bottom.Bits) {
					t.Fatalf("chains of independent bits part: %v, %v", top.Bits, bottom.Bits)
				}
			}
			if again == 0 {
				first = slices.Clone(top.Bits)
			} else if !slices.Equal(first, top.Bits) {
				t.Errorf("a sweep run again gives %v, not %v", top.Bits, first)
			}
		}
		text := ""
		for _, on := range first {
			text += map[bool]string{true: "1", false: "0"}[on]
		}
		results[text] = true
	}
	if len(results) < 4 {
		t.Errorf("ties of 20 keys give %v alone", results)
	}
}

// Coupling from the past is the same whether the filter decides or the exact path does.
func TestPerfectIsTheSameLazily(t *testing.T) {
	ctx := context.Background()
	law, err := NewDense([][]float64{{-.4, .3, 0, -.2}, {.3, .1, .5, 0}, {0, .5, -1, -.1}, {-.2, 0, -.1, .6}})
	if err != nil {
		t.Fatal(err)
	}
	fast, err := NewPerfect(ctx, law)
	if err != nil {
		t.Fatal(err)
	}
	lazy, err := NewPerfect(ctx, law)
	if err != nil {
		t.Fatal(err)
	}
	lazy.bath.lazy = true
	a, b := draw.Source(26, 12), draw.Source(26, 12)
	for range 60 {
		bits, sweeps, err := fast.Sample(ctx, 1<<10, a)
		if err != nil {
			t.Fatal(err)
		}
		same, also, err := lazy.Sample(ctx, 1<<10, b)
		if err != nil || sweeps != also || !slices.Equal(bits, same) {
			t.Fatalf("%v after %d sweeps, lazily %v after %d, %v", bits, sweeps, same, also, err)
		}
	}
}

// Draws against the law of all states, at a false-positive rate of 1e-6; a weight 1% off
// is told.
func TestPerfectDraws(t *testing.T) {
	const draws, rate, by = 5_000_000, 1e-6, .01
	ctx := context.Background()
	law, err := NewDense([][]float64{{-.4, .2}, {.2, .1}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPerfect(ctx, law)
	if err != nil {
		t.Fatal(err)
	}
	counts, src := make([]int, 4), draw.Source(26, 13)
	for range draws {
		bits, _, err := p.Sample(ctx, 1<<10, src)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := Index(bits)
		counts[n]++
	}
	want, err := Probabilities(law)
	if err != nil {
		t.Fatal(err)
	}
	stattest.Tells(t, "a weight 1% off", counts, want, stattest.Heavier(want, 3, by), rate)
}
