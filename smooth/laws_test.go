package smooth

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

var lawPoints = []float64{0, 0.125, 0.75, 1, 1.25, 7, 3000}

// is fails unless an enclosure holds a number of 60 digits, and is narrower than 2^−bits of it, or of 1.
func is(t *testing.T, what string, a interval.Interval, want string, bits int) {
	t.Helper()
	v, _, err := big.ParseFloat(want, 10, 400, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := a.Lower().MidFloat(interval.Prec), a.Neg().Lower().MidFloat(interval.Prec)
	hi.Neg(hi)
	slack := new(big.Float).SetMantExp(new(big.Float).Abs(v), -200) // 60 digits
	wide := new(big.Float).SetMantExp(new(big.Float).SetFloat64(math.Max(1, math.Abs(a.Mid()))), -bits)
	if new(big.Float).Sub(lo, v).Cmp(slack) > 0 || new(big.Float).Sub(v, hi).Cmp(slack) > 0 || new(big.Float).Sub(hi, lo).Cmp(wide) > 0 {
		t.Errorf("%s from %.50g by %.4g, want %s", what, lo, new(big.Float).Sub(hi, lo), want)
	}
}

// What laws say of densities, tails, areas and moments is what mpmath does, to 40 digits; and of intervals it holds what is said of points.
func TestLawsByDigits(t *testing.T) {
	for _, c := range lawValues {
		n := Laplace()
		switch c.family {
		case "cauchy":
			n = cauchyOf(t, c.num, c.den)
		case "student":
			n = studentOf(t, c.num, c.den)
		}
		for moment, f := range map[string]func() (interval.Interval, bool){c.abs: n.AbsMoment, c.sq: n.SquareMoment} {
			v, ok := f()
			if ok != (moment != "") && c.abs != c.sq || ok && moment == "" {
				t.Errorf("%s: a moment of %s, %t", n.Name(), moment, ok)
			} else if ok {
				is(t, n.Name()+": a moment", v, moment, 140)
			}
		}
		if half := n.Half(); c.abs == "" {
			if lo, hi := half.Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
				t.Errorf("%s: half of an infinite moment in [%g, %g]", n.Name(), lo, hi)
			}
		} else {
			is(t, n.Name()+": twice a half moment", half.Mul(interval.Int(2)), c.abs, 140)
		}
		for i, z := range lawPoints {
			at, what := interval.Float(z), fmt.Sprintf("%s at %g: ", n.Name(), z)
			is(t, what+"density", n.Density(at), c.at[i][0], 140)
			is(t, what+"tail", n.Tail(at), c.at[i][1], 140)
			is(t, what+"area", n.Area(at), c.at[i][2], 130)
			if c.abs == "" {
				if lo, hi := n.Above(at).Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
					t.Errorf("%sabove in [%g, %g]", what, lo, hi)
				}
				continue
			}
			is(t, what+"upper moment", n.UpperMoment(at), c.at[i][3], 140)
			two := interval.Int(2)
			tail := n.Tail(at)
			is(t, what+"what is above, and z times the tail", n.Above(at).Add(at.Mul(tail)), c.at[i][3], 130)
			is(t, what+"around", n.AbsAround(at).Sub(at).Add(two.Mul(at).Mul(tail)).Quo(two), c.at[i][3], 125)
		}
		// Of an interval: all that lies between, and nothing else but for a little.
		for i := range lawPoints[:6] {
			wide := interval.Between(lawPoints[i], lawPoints[i+1])
			for what, f := range map[string]func(interval.Interval) interval.Interval{"tail": n.Tail, "area": n.Area, "above": n.Above, "around": n.AbsAround} {
				if c.abs == "" && (what == "above" || what == "around") {
					continue
				}
				a, b := f(interval.Float(lawPoints[i])), f(interval.Float(lawPoints[i+1]))
				both, all := interval.Hull(a, b), f(wide)
				lo, hi := both.Bounds()
				low, high := all.Bounds()
				if low > lo || high < hi || low < lo-1e-15*(1+hi) || high > hi+1e-15*(1+hi) {
					t.Errorf("%s between %g and %g: %s in [%g, %g], want [%g, %g]", n.Name(), lawPoints[i], lawPoints[i+1], what, low, high, lo, hi)
				}
			}
		}
		// A tail over an interval that is narrow takes one end for both, and is as wide as that makes it.
		thin := interval.Hull(interval.Float(0.75), interval.Float(0.75).Add(interval.Float(0x1p-170)))
		lo, hi := n.Tail(thin).Lower(), n.Tail(thin).Upper()
		if first, last := n.Tail(interval.Float(0.75)), n.Tail(thin.Upper()); first.CmpHi(hi) > 0 || last.CmpLo(lo) < 0 || !hi.Sub(lo).Less(interval.Float(0x1p-140)) {
			t.Errorf("%s: a thin tail in [%v, %v]", n.Name(), lo.Mid(), hi.Mid())
		}
	}
	if n := must.For(Cauchy(big.NewRat(2, 1)))(t); n.Area(interval.Between(-1, 0)).Mid() != 0 {
		t.Error("an area below 0")
	}
}

// Quantiles lie between two float64s next to each other, of which the tails say so.
func TestQuantilesAreNext(t *testing.T) {
	for _, n := range []Noise{Laplace(), cauchyOf(t, 11, 10), cauchyOf(t, 3, 1), studentOf(t, 1, 3), studentOf(t, 1, 1), studentOf(t, 30, 1)} {
		for _, p := range []*big.Rat{big.NewRat(1, 1<<40), big.NewRat(1, 7), big.NewRat(3, 4), big.NewRat(1<<40-1, 1<<40)} {
			lo, hi, err := n.Quantile(p)
			rest := interval.Rat(new(big.Rat).Sub(big.NewRat(1, 1), p))
			two := interval.Int(2)
			if err != nil || n.Tail(interval.Float(lo)).Mul(two).Less(rest) || rest.Less(n.Tail(interval.Float(hi)).Mul(two)) || hi > math.Nextafter(math.Nextafter(lo, 1e308), 1e308) || !(lo < hi) {
				t.Errorf("%s: the %v-quantile in [%v, %v], %v", n.Name(), p, lo, hi, err)
			}
		}
	}
	// Where the tail at the quantile is known, it is between the two next to it.
	if lo, hi, err := studentOf(t, 1, 1).Quantile(big.NewRat(1, 2)); err != nil || lo > 1 || hi < 1 || lo < 1-1e-15 || hi > 1+1e-15 {
		t.Errorf("the median of Cauchy's |Z| in [%v, %v], %v", lo, hi, err)
	}
	// Beyond all float64s.
	if lo, hi, err := studentOf(t, 1, 1000).Quantile(big.NewRat(999, 1000)); err != nil || lo != math.MaxFloat64 || !math.IsInf(hi, 1) {
		t.Errorf("a far quantile in [%v, %v], %v", lo, hi, err)
	}
}
