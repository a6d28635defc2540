package sampling

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"dpworkbench/evidence"
)

// asked is q, and how many bits it was asked for at most.
func asked(q *big.Rat, most *int) Number {
	x := Rat(q)
	return func(bits int) (lo, hi *big.Int) {
		*most = max(*most, bits)
		return x(bits)
	}
}

// Numbers ask what they are made of for the bits that their bounds need, and no more: each digit of a Real is a
// draw.
func TestBitsAskedFor(t *testing.T) {
	third, seven := big.NewRat(1, 3), big.NewRat(7, 1)
	for _, c := range []struct {
		what string
		of   func(x Number) Number
		q    *big.Rat
		want int // of 100
	}{
		{"a product", func(x Number) Number { return x.Mul(Rat(big.NewRat(5, 2))) }, third, 100 + 2 + 3},
		{"a product that it is the second of", func(x Number) Number { return Rat(big.NewRat(5, 2)).Mul(x) }, third, 100 + 2 + 3},
		{"a product of larger numbers", func(x Number) Number { return x.Mul(Int(1000)) }, seven, 100 + 10 + 3},
		{"an inverse of 1/3 > 1/4", Number.Inverse, third, 100 + 2*2 + 5},
		{"an inverse of 7 > 4", Number.Inverse, seven, 100 - 2*2 + 5},
		{"e to the third", Exp, third, 100 + 2 + 6},
		{"e to the seventh", Exp, seven, 100 + 11 + 6},
		{"e to less than 0", Exp, big.NewRat(-1, 3), 100 + 6},
		{"a sum of two", func(x Number) Number { return Sum(x, Int(1)) }, third, 100 + 3},
		{"a root", func(x Number) Number { return x.Root(3) }, third, 3 * 104},
		{"four times", func(x Number) Number { return x.shifted(2) }, third, 102},
	} {
		most := 0
		c.of(asked(c.q, &most))(100)
		if most != c.want {
			t.Errorf("%s asks for %d bits, want %d", c.what, most, c.want)
		}
	}
	// An exponential below all that is asked for is not looked at.
	most := 0
	lo, hi := Exp(asked(big.NewRat(-100, 1), &most))(100)
	if most != 0 || lo.Sign() != 0 || hi.Cmp(one) != 0 {
		t.Errorf("e^-100 to 100 bits lies in [%v, %v], asking for %d", lo, hi, most)
	}
	// Of one whose bounds hold a width of 16 no more is wanted, and of 17 nothing is taken.
	for width, ok := range map[int64]bool{16: true, 17: false, -1: false} {
		x := Number(func(int) (lo, hi *big.Int) { return big.NewInt(3), big.NewInt(3 + width) })
		if _, _, err := x.enclose(9); (err == nil) != ok || !ok && !errors.Is(err, ErrUndecided) {
			t.Errorf("a width of %d: %v", width, err)
		}
	}
}

// A Real's bounds are its digits, one apart, on the side of its sign.
func TestRealsAreTheirDigits(t *testing.T) {
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
			if bits%64 != 0 { // where digits are left out of a word that is known, only the last one may differ
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

// Normals are those that Normal draws one by one.
func TestNormalsInTurn(t *testing.T) {
	many := make([]Real, 20)
	Normals(many, rand.NewPCG(7, 8))
	src := rand.NewPCG(7, 8)
	for i := range many {
		if one := Normal(src); one.Negative != many[i].Negative || one.Whole != many[i].Whole || one.First() != many[i].First() {
			t.Errorf("number %d is %+v, want %+v", i, many[i], one)
		}
	}
}

// Words of the system's generator differ, beyond a buffer of them too.
func TestWordsOfTheSystem(t *testing.T) {
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
		t.Errorf("2000 words of the system are %d different ones", len(seen))
	}
	seeded := rand.NewPCG(1, 2)
	if Or(seeded) != rand.Source(seeded) {
		t.Error("a seed is not kept")
	}
}

// Float64s of what is too large, and multiples.
func TestFloatsAtTheEnds(t *testing.T) {
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
			t.Errorf("a grid of %v passes", grid)
		}
	}
	if CheckGrid(nil) != nil || CheckGrid(big.NewRat(1, 3)) != nil {
		t.Error("a good grid does not pass")
	}
}

// What cannot be decided says so, and which of two numbers it was.
func TestUndecided(t *testing.T) {
	vague := Number(func(bits int) (lo, hi *big.Int) { return new(big.Int), new(big.Int).Lsh(one, uint(bits)) })
	third := Rat(big.NewRat(1, 3))
	for what, f := range map[string]func() error{
		"a vague number's floor": func() error { _, err := Floor(vague); return err },
		"a vague left":           func() error { _, err := Less(vague, third); return err },
		"a vague right":          func() error { _, err := Less(third, vague); return err },
		"two equal numbers":      func() error { _, err := Less(third, third); return err },
		"a vague rounding":       func() error { _, err := Round(vague, big.NewRat(1, 3)); return err },
		"a vague rate":           func() error { _, err := GeometricOver(vague.Inverse(), rand.NewPCG(1, 2)); return err },
	} {
		err := f()
		if !errors.Is(err, ErrUndecided) {
			t.Errorf("%s: %v, want ErrUndecided", what, err)
		} else if vague := strings.Contains(err.Error(), "fixed bounds"); vague != (what != "two equal numbers") {
			t.Errorf("%s: %v, which is not what is wrong", what, err)
		}
	}
	for i, weights := range [][]Number{{vague, third}, {third, vague}, {third, Int(-1)}} {
		if _, err := NewLaw(weights...); !errors.Is(err, ErrUndecided) || !strings.Contains(err.Error(), "weight "+string("011"[i])) {
			t.Errorf("law %d: %v, want the weight to be named", i, err)
		}
	}
	if _, err := NewLaw(Int(0), Int(0)); !errors.Is(err, ErrUndecided) {
		t.Errorf("no weight at all: %v", err)
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

// Known answers one call at a time.
func TestKnownIsGuarded(t *testing.T) {
	inside, met := make(chan bool, 2), false
	x := Number(func(bits int) (lo, hi *big.Int) {
		inside <- true
		for range 1000 { // whoever else comes, comes now
			runtime.Gosched()
			met = met || len(inside) > 1
		}
		<-inside
		return Rat(big.NewRat(1, 3))(bits)
	}).Known()
	var done sync.WaitGroup
	for bits := range 4 {
		done.Go(func() { x(100 + bits) })
	}
	done.Wait()
	if met {
		t.Error("two calls compute at once")
	}
}

// A seed gives the same draws for good. Printed by this test.
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
