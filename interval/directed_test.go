package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// nearest fails unless an interval has for its ends the numbers of Prec bits next to the
// ends given, on the outside.
func nearest(t *testing.T, what string, got Interval, lo, hi *big.Rat) {
	t.Helper()
	l, _ := got.lo.Rat(nil)
	h, _ := got.hi.Rat(nil)
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), Prec-1))
	within := func(a, b *big.Rat) bool {
		gap, size := new(big.Rat).Sub(a, b), new(big.Rat).Abs(b)
		return gap.Sign() >= 0 && gap.Cmp(size.Mul(size, unit)) <= 0
	}
	if !within(new(big.Rat).Neg(l), new(big.Rat).Neg(lo)) || !within(h, hi) {
		t.Fatalf("%s = %v, want the numbers next to %v and %v", what, got, lo.FloatString(30), hi.FloatString(30))
	}
}

// The ends of sums, differences, products and quotients are those of the four corners in
// rationals, rounded outward by one step at most, for ends of either sign and 0.
func TestEndsAreTheNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	end := func() *big.Rat {
		switch rng.IntN(12) {
		case 0:
			return new(big.Rat)
		case 1:
			return big.NewRat(rng.Int64N(21)-10, 1)
		}
		v := big.NewRat(rng.Int64N(2e9)-1e9, rng.Int64N(1e9)+1)
		w := Rat(v).lo // of 256 bits
		r, _ := w.Rat(nil)
		return r
	}
	type operation struct {
		name string
		do   func(a, b Interval) Interval
		of   func(z, x, y *big.Rat) *big.Rat
	}
	for range 1500 {
		ends := [2][2]*big.Rat{}
		for i := range ends {
			ends[i] = [2]*big.Rat{end(), end()}
			if rng.IntN(4) == 0 {
				ends[i][1] = ends[i][0]
			}
			if ends[i][0].Cmp(ends[i][1]) > 0 {
				ends[i][0], ends[i][1] = ends[i][1], ends[i][0]
			}
		}
		a, b := Hull(Rat(ends[0][0]), Rat(ends[0][1])), Hull(Rat(ends[1][0]), Rat(ends[1][1]))
		for _, o := range []operation{{"sum", Interval.Add, (*big.Rat).Add}, {"difference", Interval.Sub, (*big.Rat).Sub}, {"product", Interval.Mul, (*big.Rat).Mul}, {"quotient", Interval.Quo, (*big.Rat).Quo}} {
			if o.name == "quotient" && ends[1][0].Sign() <= 0 && ends[1][1].Sign() >= 0 {
				continue
			}
			var lo, hi *big.Rat
			for _, x := range ends[0] {
				for _, y := range ends[1] {
					v := o.of(new(big.Rat), x, y)
					if lo == nil || v.Cmp(lo) < 0 {
						lo = v
					}
					if hi == nil || v.Cmp(hi) > 0 {
						hi = v
					}
				}
			}
			nearest(t, o.name, o.do(a, b), lo, hi)
		}
		nearest(t, "a hull", a, ends[0][0], ends[0][1])
		nearest(t, "a negative", a.Neg(), new(big.Rat).Neg(ends[0][1]), new(big.Rat).Neg(ends[0][0]))
		larger := func(i int) *big.Rat {
			if ends[0][i].Cmp(ends[1][i]) > 0 {
				return ends[0][i]
			}
			return ends[1][i]
		}
		nearest(t, "the larger", Max(a, b), larger(0), larger(1))
		third := big.NewRat(rng.Int64N(1e9)-5e8, 3*rng.Int64N(1e9)+1)
		nearest(t, "a rational", Rat(third), third, third)
		long := new(big.Float).SetPrec(400).SetRat(third)
		r, _ := long.Rat(nil)
		nearest(t, "a long number", Big(long), r, r)
		x := Rat(new(big.Rat).Abs(third))
		root := x.Sqrt()
		for _, c := range []struct {
			root, of *big.Float
			sign     int
		}{{root.lo, x.lo, -1}, {root.hi, x.hi, 1}} {
			square := new(big.Float).SetPrec(4*Prec).Mul(c.root, c.root)
			gap := new(big.Float).SetPrec(4*Prec).Sub(square, c.of)
			if gap.Sign() == -c.sign || gap.Sign() != 0 && gap.MantExp(nil) > c.of.MantExp(nil)-Prec+5 {
				t.Fatalf("√%v = %v", x, root)
			}
		}
	}
}

// series sums terms in rationals until they are below 2⁻⁶⁰⁰.
func series(first *big.Rat, next func(term *big.Rat, k int64) *big.Rat) *big.Rat {
	least := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 600))
	sum, term := new(big.Rat), new(big.Rat).Set(first)
	for k := int64(1); new(big.Rat).Abs(term).Cmp(least) > 0; k++ {
		sum.Add(sum, term)
		term = next(term, k)
	}
	return sum
}

// Exponentials and logarithms hold what their series give in rationals to 600 bits, and to
// all of their own, at ordinary arguments and on both sides of where those near 0 begin.
func TestElementaryAgainstSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	check := func(what string, x *big.Rat, got Interval, want *big.Rat, bits int) {
		t.Helper()
		off := Rat(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 590)))
		around := Rat(want).Add(Hull(off.Neg(), off))
		if got.Less(around) || around.Less(got) || !got.Narrow(bits) {
			t.Errorf("%s(%v) = %v misses %v, or is wide", what, x.FloatString(10), got, around)
		}
		l, _ := got.lo.Rat(nil)
		h, _ := got.hi.Rat(nil)
		slack := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 590))
		if new(big.Rat).Sub(l, slack).Cmp(want) > 0 || new(big.Rat).Add(h, slack).Cmp(want) < 0 {
			t.Errorf("%s(%v) = %v misses the sum", what, x.FloatString(10), got)
		}
	}
	for k := range 160 {
		exp := []int{-30, -18, -17, -16, -15, -14, -8, -1}[k%8]
		x := big.NewRat(rng.Int64N(1<<20)+1<<20, 1<<21)
		if rng.IntN(2) == 0 {
			x.Neg(x)
		}
		x.Mul(x, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-exp))))
		expm1 := series(x, func(term *big.Rat, k int64) *big.Rat {
			term = new(big.Rat).Mul(term, x)
			return term.Quo(term, big.NewRat(k+1, 1))
		})
		check("expm1", x, Rat(x).Expm1(), expm1, 215)
		check("exp", x, Rat(x).Exp(), new(big.Rat).Add(expm1, big.NewRat(1, 1)), 225)
		// ln(1 + x) = 2 artanh(x/(2 + x))
		y := new(big.Rat).Quo(x, new(big.Rat).Add(x, big.NewRat(2, 1)))
		square := new(big.Rat).Mul(y, y)
		power := new(big.Rat).Set(y)
		log := series(y, func(_ *big.Rat, k int64) *big.Rat {
			power.Mul(power, square)
			return new(big.Rat).Quo(power, big.NewRat(2*k+1, 1))
		})
		log.Mul(log, big.NewRat(2, 1))
		check("log1p", x, Rat(x).Log1p(), log, 215)
		if k%8 == 7 {
			check("log", x, Rat(new(big.Rat).Add(x, big.NewRat(1, 1))).Log(), log, 215)
		}
	}
}

// Sums of numbers however far apart are rounded outward by a step at most, take no memory
// for the bits between, and are exact where a term is 0.
func TestSumsOfFarNumbers(t *testing.T) {
	third := Rat(big.NewRat(1, 3))
	for _, exp := range []int{1 << 26, -1 << 26} { // a shift by which would take 8 MB
		far := third.scale(exp)
		for _, sign := range []int{1, -1} {
			other := far
			if sign < 0 {
				other = far.Neg()
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for name, sum := range map[string]Interval{"sum": other.Add(third), "sum the other way": third.Add(other), "difference": other.Sub(third.Neg()), "difference the other way": third.Sub(other.Neg())} {
				large, small := other, third
				if exp < 0 {
					large, small = third, other
				}
				gap := sum.hi.MantExp(nil) - Prec // of the last bit
				if sum.lo.Cmp(sum.hi) >= 0 || small.lo.Sign() > 0 && (sum.lo.Cmp(large.lo) < 0 || sum.hi.Cmp(large.hi) <= 0) || small.lo.Sign() < 0 && (sum.hi.Cmp(large.hi) > 0 || sum.lo.Cmp(large.lo) >= 0) ||
					new(big.Float).Sub(sum.hi, sum.lo).MantExp(nil) > gap+3 {
					t.Errorf("%v and %v: the %s is %v", other, third, name, sum)
				}
			}
			runtime.ReadMemStats(&after)
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
				t.Errorf("sums of %v and %v take %d bytes", other, third, bytes)
			}
		}
		for name, sum := range map[string]Interval{"0 + x": Int(0).Add(far), "x + 0": far.Add(Int(0)), "x - 0": far.Sub(Int(0)), "-(0 - x)": Int(0).Sub(far).Neg()} {
			if sum.lo.Cmp(far.lo) != 0 || sum.hi.Cmp(far.hi) != 0 {
				t.Errorf("%s = %v for %v", name, sum, far)
			}
		}
	}
	if half := new(big.Float).Mul(least, big.NewFloat(0.5)); half.Sign() != 0 || least.Sign() <= 0 {
		t.Errorf("half of the least number is %v", half)
	}
	if next := new(big.Float).SetPrec(Prec).SetMode(big.AwayFromZero).Mul(highest, Rat(new(big.Rat).SetFloat64(1+0x1p-52)).hi); !next.IsInf() || highest.IsInf() || highest.MinPrec() != Prec {
		t.Errorf("the largest number is %v", highest)
	}
}

// ln 2 = Σ 1/k2ᵏ is within the ends that stand for it, which are next to one another.
func TestLn2(t *testing.T) {
	sum := new(big.Rat)
	for k := int64(1); k <= 400; k++ {
		sum.Add(sum, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(k), uint(k))))
	}
	rest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400))
	nearest(t, "ln 2", ln2, sum, sum)
	nearest(t, "ln 2", ln2, new(big.Rat).Add(sum, rest), new(big.Rat).Add(sum, rest))
}

// What has no floor, or one too large to be told, has none; printing far numbers takes a
// power of two and 64 bits.
func TestFarNumbers(t *testing.T) {
	far := func(exp int) Interval { return Int(1).scale(exp) }
	inf := math.Inf(1)
	for _, a := range []Interval{Between(-inf, 3), Between(3, inf), Whole(), Hull(Int(0), far(1<<15)), Hull(far(1<<15).Neg(), Int(0)), far(1 << 15).Neg(), far(1 << 15)} {
		if n, ok := a.Floor(); ok || n != nil {
			t.Errorf("the floor of %v is %v", a, n)
		}
	}
	for _, exp := range []int{1 << 14, 1<<15 - 2} {
		for _, a := range []Interval{far(exp), far(exp).Neg()} {
			if n, ok := a.Floor(); !ok || n.BitLen() != exp+1 || n.TrailingZeroBits() != uint(exp) {
				t.Errorf("±2^%d has no floor", exp)
			}
		}
	}
	if n, ok := Between(1.5, 2.5).Floor(); ok || n.Int64() != 1 {
		t.Errorf("the floor of [1.5, 2.5] is %v", n)
	}
	third := Rat(big.NewRat(1, 3))
	for exp, want := range map[int]bool{1 << 17: true, -1 << 17: true, 1<<16 + 1: false, 1<<16 + 2: true, -1<<16 + 1: false, -1 << 16: true} {
		got := third.scale(exp).String() // of exponent exp − 1
		if strings.Contains(got, "p") != want {
			t.Errorf("2^%d/3 prints as %s", exp, got)
		}
		if digits, _, _ := strings.Cut(strings.TrimPrefix(got, "[0x."), "p"); want && len(digits) != 16 {
			t.Errorf("2^%d/3 prints as %s, want 64 bits", exp, got)
		}
	}
}
