package interval

import (
	"math"
	"math/big"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// decimalContext is an independent implementation of exp and ln at 90 digits.
var decimalContext = apd.BaseContext.WithPrecision(90)

// encloses fails unless a contains the decimal d up to its own 85th digit.
func encloses(t interface{ Fatalf(string, ...any) }, what string, a Interval, d *apd.Decimal) {
	q, ok := new(big.Rat).SetString(d.Text('f'))
	if !ok {
		t.Fatalf("%s: %v is no number", what, d)
	}
	slack := new(big.Rat).Abs(q)
	slack.Quo(slack, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(85), nil)))
	lo, _ := a.lo.Rat(nil)
	hi, _ := a.hi.Rat(nil)
	if lo.Cmp(new(big.Rat).Add(q, slack)) > 0 || hi.Cmp(new(big.Rat).Sub(q, slack)) < 0 {
		t.Fatalf("%s: %v misses %v", what, a, d)
	}
	width := new(big.Rat).Sub(hi, lo)
	limit := new(big.Rat).Mul(slack, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(35), nil)))
	if q.Sign() != 0 && width.Cmp(limit) > 0 {
		t.Fatalf("%s: %v is wider than 1e-50 relative", what, a)
	}
}

func decimal(t interface{ Fatalf(string, ...any) }, v float64) *apd.Decimal {
	d, _, err := apd.NewFromString(new(big.Float).SetFloat64(v).Text('f', 1100))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return d
}

func TestExpAgainstDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-700, 700).Draw(t, "v")
		if v != 0 && math.Abs(v) < 1e-60 {
			t.Skip("below the digits of the oracle")
		}
		want := new(apd.Decimal)
		if _, err := decimalContext.Exp(want, decimal(t, v)); err != nil {
			t.Fatalf("%v", err)
		}
		encloses(t, "exp", Float(v).Exp(), want)
	})
}

func TestLogAgainstDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Exp(rapid.Float64Range(-300, 300).Draw(t, "ln v"))
		if math.Abs(v-1) < 1e-15 {
			t.Skip("relative width is meaningless at ln 1")
		}
		want := new(apd.Decimal)
		if _, err := decimalContext.Ln(want, decimal(t, v)); err != nil {
			t.Fatalf("%v", err)
		}
		encloses(t, "ln", Float(v).Log(), want)
	})
}

// Rational arithmetic shares no code with the ends' rounding.
func TestArithmeticEnclosesRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) *big.Rat {
			return big.NewRat(rapid.Int64Range(-1e9, 1e9).Draw(t, name), rapid.Int64Range(1, 1e9).Draw(t, name+" den"))
		}
		p, q := draw("p"), draw("q")
		check := func(name string, a Interval, want *big.Rat) {
			lo, _ := a.lo.Rat(nil)
			hi, _ := a.hi.Rat(nil)
			if lo.Cmp(want) > 0 || hi.Cmp(want) < 0 {
				t.Fatalf("%v %s %v: %v misses %v", p, name, q, a, want)
			}
			l, h := a.Bounds()
			if new(big.Rat).SetFloat64(l).Cmp(want) > 0 || new(big.Rat).SetFloat64(h).Cmp(want) < 0 {
				t.Fatalf("%v %s %v: float64 bounds %g, %g miss %v", p, name, q, l, h, want)
			}
		}
		check("+", Rat(p).Add(Rat(q)), new(big.Rat).Add(p, q))
		check("-", Rat(p).Sub(Rat(q)), new(big.Rat).Sub(p, q))
		check("*", Rat(p).Mul(Rat(q)), new(big.Rat).Mul(p, q))
		if q.Sign() != 0 {
			check("/", Rat(p).Quo(Rat(q)), new(big.Rat).Quo(p, q))
		}
	})
}

func TestWideIntervals(t *testing.T) {
	a, b := Between(-2, 3), Between(-5, 1)
	if lo, hi := a.Mul(b).Bounds(); lo != -15 || hi != 10 {
		t.Errorf("[-2,3]·[-5,1] = [%g, %g], want [-15, 10]", lo, hi)
	}
	if lo, hi := a.Quo(Between(2, 4)).Bounds(); lo != -1 || hi != 1.5 {
		t.Errorf("[-2,3]/[2,4] = [%g, %g], want [-1, 1.5]", lo, hi)
	}
	lo, hi := Between(0, 1).Exp().Bounds()
	if lo != 1 || hi < math.E || hi > math.E+1e-15 {
		t.Errorf("exp [0,1] = [%g, %g], want [1, e]", lo, hi)
	}
	if lo, hi := Int(1).Log().Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-70 {
		t.Errorf("ln 1 = [%g, %g], want a sliver around 0", lo, hi)
	}
}

func TestDecimal(t *testing.T) {
	if got := Decimal(0.1); got.Cmp(big.NewRat(1, 10)) != 0 {
		t.Errorf("Decimal(0.1) = %v, want 1/10", got)
	}
	if got := Decimal(-2.5e-7); got.Cmp(big.NewRat(-25, 1e8)) != 0 {
		t.Errorf("Decimal(-2.5e-7) = %v", got)
	}
}

func BenchmarkLog(b *testing.B) {
	x := Float(17.25)
	for b.Loop() {
		x.Log()
	}
}
