package interval

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// nearOracle has digits to spare for numbers down to 1e-300, whose exponential lies that
// near to 1.
var nearOracle = apd.BaseContext.WithPrecision(420)

func TestNearZeroAgainstDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Copysign(math.Pow(10, rapid.Float64Range(-300, 2).Draw(t, "log10 |v|")), rapid.Float64Range(-1, 1).Draw(t, "sign"))
		one, want := apd.New(1, 0), new(apd.Decimal)
		fail := func(err error) {
			if err != nil {
				t.Fatalf("%v", err)
			}
		}
		_, err := nearOracle.Exp(want, decimal(t, v))
		fail(err)
		_, err = nearOracle.Sub(want, want, one)
		fail(err)
		encloses(t, fmt.Sprintf("e^%g - 1", v), Float(v).Expm1(), want)
		if v > -1 {
			_, err = nearOracle.Add(want, decimal(t, v), one)
			fail(err)
			_, err = nearOracle.Ln(want, want)
			fail(err)
			encloses(t, fmt.Sprintf("ln(1 + %g)", v), Float(v).Log1p(), want)
		}
	})
	for _, k := range []int{-1 << 31, -1 << 30, -5000} {
		x := Int(1).scale(k)
		half := x.Mul(x).scale(-1)
		if a := x.Expm1(); a.lo.Cmp(x.Add(half).Mul(Int(1).Add(Int(1).scale(-200))).hi) > 0 || a.hi.Cmp(x.hi) < 0 {
			t.Errorf("e^(2^%d) - 1 in %v", k, a)
		}
		if a := x.Log1p(); a.lo.Cmp(x.hi) > 0 || a.hi.Cmp(x.Sub(half).Mul(Int(1).Sub(Int(1).scale(-200))).lo) < 0 {
			t.Errorf("ln(1 + 2^%d) in %v", k, a)
		}
	}
	if lo, hi := Between(-1e300, 1e300).Expm1().Bounds(); lo != -1 || !math.IsInf(hi, 1) {
		t.Errorf("e^[-1e300, 1e300] - 1 in [%g, %g]", lo, hi)
	}
}

func TestFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := big.NewRat(rapid.Int64().Draw(t, "p"), rapid.Int64Range(1, 1<<40).Draw(t, "q"))
		q.Mul(q, new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), uint(rapid.IntRange(0, 150).Draw(t, "shift"))), big.NewInt(1)))
		want := new(big.Int).Div(q.Num(), q.Denom())
		got, ok := Rat(q).Floor()
		if ok && got.Cmp(want) != 0 {
			t.Fatalf("floor of %v is %v", q, got)
		}
		if !ok && new(big.Int).Mod(q.Num(), q.Denom()).BitLen() > 20 && q.Num().BitLen() < 200 {
			t.Fatalf("floor of %v is not told", q)
		}
	})
	for _, a := range []Interval{Between(-0.5, 0.5), Float(1e300).Exp(), Float(1e9).Sub(Float(1e9).Exp().Log()).Add(Int(7))} {
		if n, ok := a.Floor(); ok {
			t.Errorf("floor of %v is %v", a, n)
		}
	}
	if n, ok := Float(-0.5).Floor(); !ok || n.Int64() != -1 {
		t.Errorf("floor of -1/2 is %v", n)
	}
}

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		a    Interval
		bits int
		want bool
	}{
		{Int(3), 1000, true}, {Int(0), 9, true}, {Between(0, 1e-300), 9, false}, {Between(-1, 1), 0, false},
		{Int(1).Quo(Int(3)), 250, true}, {Int(1).Quo(Int(3)), 256, false}, {Float(-2).Exp().Neg(), 200, true},
		{Between(1, 1.001), 9, true}, {Between(1, 1.001), 10, false}, {Float(1e10).Exp(), 1, false}, {Float(-1e10).Exp(), 1, false},
		{Between(3.76, 4), 4, false}, {Between(-4, -3.76), 4, false}, {Between(-0x1p-50, 0x1p-60), 0, false}, {Between(0x1p90, math.Inf(1)), 0, false},
		{Between(math.Inf(-1), -0x1p90), 0, false}, {Between(0, 0x1p90), 0, false}, {Between(math.Inf(-1), 0x1p-90), 0, false}, {Whole(), 0, false},
	} {
		if got := c.a.Narrow(c.bits); got != c.want {
			t.Errorf("%v is narrower than 2^-%d of itself: %v, want %v", c.a, c.bits, got, c.want)
		}
	}
}
