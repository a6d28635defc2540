package sampling

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// digits is a source of the binary digits of a number below 1, followed by zeros.
type digits []uint64

func digitsOf(x Number, bits int) *digits {
	v, _ := x(bits)
	out := make(digits, bits/64)
	for i := range out {
		out[i] = new(big.Int).Rsh(v, uint(bits-64*(i+1))).Uint64()
	}
	return &out
}

func (d *digits) Uint64() (word uint64) {
	if len(*d) > 0 {
		word, *d = (*d)[0], (*d)[1:]
	}
	return word
}

// If a uniform number agrees with a threshold in all digits drawn, or in all digits known of the weights, Draw
// returns ErrUndecided and no outcome.
func TestUndecidedDigits(t *testing.T) {
	e := Exp(Int(-1)).Known()
	law, err := NewLaw(Int(1), e)
	if err != nil {
		t.Fatal(err)
	}
	share := Sum(Int(1), e).Inverse() // probability of outcome 0
	if i, err := law.Draw(digitsOf(share, mostBits+256)); i != 0 || !errors.Is(err, ErrUndecided) || !strings.Contains(err.Error(), "2^−65536") {
		t.Errorf("all digits agree: outcome %d, %v", i, err)
	}
	// A number that agrees for 1024 bits is decided by the next ones.
	for want, more := range []uint64{0, ^uint64(0)} {
		src := digitsOf(share, 1024)
		*src = append(*src, more, more, more, more, more, more, more, more)
		if i, err := law.Draw(src); i != want || err != nil {
			t.Errorf("after 1024 equal bits: outcome %d, %v, want %d", i, err, want)
		}
	}
	// A weight known to 400 bits decides draws of 64 digits, but not of 1024.
	vague := func(bits int) (lo, hi *big.Int) {
		if lo, hi = e(bits); bits > 400 {
			hi = new(big.Int).Add(hi, new(big.Int).Lsh(one, uint(bits-400)))
		}
		return lo, hi
	}
	if law, err = NewLaw(Int(1), vague); err != nil {
		t.Fatal(err)
	}
	if i, err := law.Draw(digitsOf(share, 1024)); i != 0 || !errors.Is(err, ErrUndecided) || !strings.Contains(err.Error(), "weight 1") {
		t.Errorf("a weight known to 400 bits: outcome %d, %v", i, err)
	}
}

// The bounds of a Real are its digits and the next number, with its sign.
func TestRealBounds(t *testing.T) {
	for _, negative := range []bool{false, true} {
		src := rand.NewPCG(5, 6)
		r := &Real{Negative: negative, Whole: 5, fraction: newFraction(src), src: src}
		r.Draw(3)
		digits := new(big.Int).SetUint64(5)
		for i := range 3 {
			digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(r.fraction.word(i, src)))
		}
		for _, bits := range []int{1, 17, 63, 64, 65, 128, 150, 192} {
			want := new(big.Int).Rsh(digits, uint(192-bits))
			next := new(big.Int).Add(want, one)
			if bits%64 != 0 { // with the whole word known, the last digit is exact
				next = want
			}
			lo, hi := r.Number()(bits)
			if negative {
				lo, hi = new(big.Int).Neg(hi), new(big.Int).Neg(lo)
			}
			if lo.Cmp(want) != 0 || hi.Cmp(next) < 0 || new(big.Int).Sub(hi, want).Cmp(one) > 0 {
				t.Errorf("%d bits of a number, negative %v: [%v, %v], want %v and 1 more", bits, negative, lo, hi, want)
			}
		}
	}
}

// Words from the system's generator differ, also across buffers.
func TestSystemWordsDiffer(t *testing.T) {
	src, seen := Or(nil), map[uint64]bool{}
	var zeros [8]int
	for range 2000 {
		w := src.Uint64()
		seen[w] = true
		for i := range zeros {
			if byte(w>>(8*i)) == 0 {
				zeros[i]++
			}
		}
	}
	for i, n := range zeros { // about 8 of 2000 each
		if n > 100 {
			t.Errorf("byte %d is 0 in %d of 2000 words", i, n)
		}
	}
	if len(seen) != 2000 {
		t.Errorf("2000 words from the system have only %d values", len(seen))
	}
	seeded := rand.NewPCG(1, 2)
	if Or(seeded) != rand.Source(seeded) {
		t.Error("Or replaces a given source")
	}
}

// Float, FloorLog2 and GridFor are right at overflow and at powers of two.
func TestFloatLimits(t *testing.T) {
	huge := new(big.Rat).SetInt(new(big.Int).Lsh(one, 2000))
	for _, c := range []struct {
		q    *big.Rat
		want float64
	}{{huge, math.MaxFloat64}, {new(big.Rat).Neg(huge), -math.MaxFloat64}, {big.NewRat(1, 3), 1.0 / 3}, {new(big.Rat).Inv(huge), 0}} {
		if got := Float(c.q); got != c.want {
			t.Errorf("Float(%v) = %v, want %v", c.q.FloatString(3), got, c.want)
		}
	}
	if got := Multiple(big.NewInt(-7), big.NewRat(1, 4)); got != -1.75 {
		t.Errorf("-7/4 = %v", got)
	}
	for _, c := range []struct {
		q    *big.Rat
		want int
	}{{big.NewRat(1, 1), 0}, {big.NewRat(3, 2), 0}, {big.NewRat(2, 1), 1}, {big.NewRat(1, 3), -2}, {big.NewRat(1, 4), -2}, {big.NewRat(7, 8), -1}} {
		if got := FloorLog2(c.q); got != c.want {
			t.Errorf("FloorLog2(%v) = %d, want %d", c.q, got, c.want)
		}
		if got, want := GridFor(c.q), new(big.Rat).Quo(TwoTo(c.want), TwoTo(32)); got.Cmp(want) != 0 {
			t.Errorf("GridFor(%v) = %v, want %v", c.q, got, want)
		}
	}
	for _, grid := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2)} {
		if !errors.Is(CheckGrid(grid), evidence.ErrParameter) {
			t.Errorf("a grid of %v is accepted", grid)
		}
	}
	if CheckGrid(nil) != nil || CheckGrid(big.NewRat(1, 3)) != nil {
		t.Error("a valid grid is rejected")
	}
}

// An undecided comparison returns ErrUndecided, and names the number that was too imprecise.
func TestUndecided(t *testing.T) {
	vague := Number(func(bits int) (lo, hi *big.Int) { return new(big.Int), new(big.Int).Lsh(one, uint(bits)) })
	third := Rat(big.NewRat(1, 3))
	for what, f := range map[string]func() error{
		"floor of fixed bounds":     func() error { _, err := Floor(vague); return err },
		"fixed bounds on the left":  func() error { _, err := Less(vague, third); return err },
		"fixed bounds on the right": func() error { _, err := Less(third, vague); return err },
		"two equal numbers":         func() error { _, err := Less(third, third); return err },
		"rounding of fixed bounds":  func() error { _, err := Round(vague, big.NewRat(1, 3)); return err },
		"rate with fixed bounds":    func() error { _, err := GeometricOver(vague.Inverse(), rand.NewPCG(1, 2)); return err },
	} {
		err := f()
		if !errors.Is(err, ErrUndecided) {
			t.Errorf("%s: %v, want ErrUndecided", what, err)
		} else if vague := strings.Contains(err.Error(), "fixed bounds"); vague != (what != "two equal numbers") {
			t.Errorf("%s: the error %v names another cause", what, err)
		}
	}
	for i, weights := range [][]Number{{vague, third}, {third, vague}, {third, Int(-1)}} {
		if _, err := NewLaw(weights...); !errors.Is(err, ErrUndecided) || !strings.Contains(err.Error(), "weight "+string("011"[i])) {
			t.Errorf("law %d: %v, want an error that names the weight", i, err)
		}
	}
	if _, err := NewLaw(Int(0), Int(0)); !errors.Is(err, ErrUndecided) {
		t.Errorf("no weights: %v", err)
	}
	for _, square := range []*big.Rat{new(big.Rat), big.NewRat(-1, 1), new(big.Rat).SetFloat64(0x1p101)} {
		if _, err := NewDiscreteGaussian(square); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("σ² = %v: %v", square, err)
		}
	}
	if _, err := NewDiscreteGaussian(new(big.Rat).SetFloat64(0x1p100)); err != nil {
		t.Errorf("σ² = 2^100: %v", err)
	}
}

// Draws with a fixed seed never change. On a difference this test prints them.
func TestDrawsOfASeed(t *testing.T) {
	half := Rat(big.NewRat(1, 2))
	gauss, err := NewDiscreteGaussian(big.NewRat(49, 2))
	if err != nil {
		t.Fatal(err)
	}
	wide, err := NewDiscreteGaussian(new(big.Rat).SetFloat64(0x1p90))
	if err != nil {
		t.Fatal(err)
	}
	real := func(draw func(src rand.Source) *Real) func(src rand.Source) string {
		return func(src rand.Source) string {
			r := draw(src)
			lo, _ := r.Number()(20)
			return fmt.Sprint(lo)
		}
	}
	for what, c := range map[string]struct {
		draw func(src rand.Source) string
		want string
	}{
		"normal":      {real(Normal), "-1414943 -2089187 195914 840901 -488329 351699"},
		"exponential": {real(Exponential), "1059773 2959573 779718 130749 693668 1640861"},
		"uniform":     {real(UniformReal), "167158 111662 874520 11197 785924 366366"},
		"geometric": {func(src rand.Source) string {
			n, err := GeometricOver(half.Inverse(), src)
			return fmt.Sprint(n, err)
		}, "2 <nil> 0 <nil> 0 <nil> 3 <nil> 1 <nil> 3 <nil>"},
		"gaussian": {func(src rand.Source) string { return gauss.Draw(src).String() }, "3 -4 2 1 -10 -2"},
		"wide gaussian": {func(src rand.Source) string {
			return new(big.Int).Rsh(wide.Draw(src), 30).String()
		}, "10754 -13403 -34117 28144 24032 -395"},
		"coin": {func(src rand.Source) string {
			b, err := Bernoulli(Rat(big.NewRat(1, 3)), src)
			return fmt.Sprint(b, err)
		}, "true <nil> true <nil> false <nil> true <nil> false <nil> false <nil>"},
	} {
		src := rand.NewPCG(21, 22)
		var got []string
		for range 6 {
			got = append(got, c.draw(src))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

// Logistic matches intervals at many precisions, and logistic(x) + logistic(−x) = 1.
func TestLogistic(t *testing.T) {
	one := interval.Int(1)
	for _, x := range []float64{0, 5e-324, -5e-324, .1, -.1, 3, -3, 50, -50, 170, -170} {
		q := new(big.Rat).SetFloat64(x)
		for _, bits := range []int{0, 1, 64, 200, 1000, 5000} {
			lo, hi, err := Logistic(q).enclose(bits)
			if err != nil {
				t.Fatal(err)
			}
			e := interval.Float(x).Neg().Exp()
			want := one.Quo(one.Add(e))
			scale := new(big.Int).Lsh(big.NewInt(1), uint(bits))
			got := [2]interval.Interval{interval.Rat(new(big.Rat).SetFrac(lo, scale)), interval.Rat(new(big.Rat).SetFrac(hi, scale))}
			if want.Less(got[0]) || got[1].Less(want) {
				t.Errorf("logistic of %g at %d bits: [%s, %s] misses %v", x, bits, lo, hi, want)
			}
			a, b := Sum(Logistic(q), Logistic(new(big.Rat).Neg(q)))(bits)
			if a.Cmp(scale) > 0 || b.Cmp(scale) < 0 {
				t.Errorf("logistic of ±%g sums to [%s, %s] at %d bits", x, a, b, bits)
			}
		}
	}
	for _, x := range []float64{1e6, 1e300, -1e6, -1e300} {
		lo, hi, err := Logistic(new(big.Rat).SetFloat64(x)).enclose(500)
		whole := new(big.Int)
		if x > 0 {
			whole.Lsh(big.NewInt(1), 500)
		}
		if err != nil || lo.Cmp(whole) > 0 || hi.Cmp(whole) < 0 {
			t.Errorf("logistic of %g: [%s, %s], %v", x, lo, hi, err)
		}
	}
}

// UniformAfter keeps the digits already drawn, and draws more only if they decide.
func TestUniformAfter(t *testing.T) {
	half := Rat(big.NewRat(1, 2))
	src := rand.NewPCG(1, 2)
	for _, c := range []struct {
		first uint64
		more  []uint64
		want  bool
	}{{0, nil, true}, {1<<63 - 1, []uint64{math.MaxUint64 - 1}, true}, {1 << 63, []uint64{1}, false}, {1 << 63, nil, false}, {math.MaxUint64, nil, false}} {
		u := UniformAfter(src, c.first, c.more...)
		got, err := Less(u.Number(), half)
		if err != nil || got != c.want || u.First() != c.first {
			t.Errorf("%x, %x below a half: %t, %v", c.first, c.more, got, err)
		}
	}
	if _, err := Less(UniformAfter(zeros{}, 1<<63, 0).Number(), half); !errors.Is(err, ErrUndecided) {
		t.Errorf("a half below a half gives %v", err)
	}
}

// zeros is a source of zeros.
type zeros struct{}

func (zeros) Uint64() uint64 { return 0 }
