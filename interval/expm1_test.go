package interval_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/interval"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// nearOracle has enough digits for arguments down to 1e-300, where eˣ differs from 1 by about 1e-300.
var nearOracle = apd.BaseContext.WithPrecision(420)

// encloses fails unless a contains the decimal d, up to an error in its 85th digit.
func encloses(t interface{ Fatalf(string, ...any) }, what string, a interval.Interval, d *apd.Decimal) {
	q, ok := new(big.Rat).SetString(d.Text('f'))
	if !ok {
		t.Fatalf("%s: %v is not a number", what, d)
	}
	slack := new(big.Rat).Abs(q)
	slack.Quo(slack, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(85), nil)))
	if a.CmpLo(interval.Rat(new(big.Rat).Add(q, slack))) > 0 || a.CmpHi(interval.Rat(new(big.Rat).Sub(q, slack))) < 0 {
		t.Fatalf("%s: %v misses %v", what, a, d)
	}
	if q.Sign() != 0 && !a.Narrow(167) {
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

func TestExpm1AndLog1pEncloseDecimals(t *testing.T) {
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
		encloses(t, fmt.Sprintf("e^%g - 1", v), interval.Float(v).Expm1(), want)
		if v > -1 {
			_, err = nearOracle.Add(want, decimal(t, v), one)
			fail(err)
			_, err = nearOracle.Ln(want, want)
			fail(err)
			encloses(t, fmt.Sprintf("ln(1 + %g)", v), interval.Float(v).Log1p(), want)
		}
	})
	for _, k := range []int{-1 << 31, -1 << 30, -5000} {
		x, slack := interval.TwoTo(k), interval.TwoTo(-200)
		half := x.Mul(x).Quo(interval.Int(2))
		if a := x.Expm1(); x.Add(half).Mul(interval.Int(1).Add(slack)).Less(a) || a.CmpHi(x) < 0 {
			t.Errorf("e^(2^%d) - 1 in %v", k, a)
		}
		if a := x.Log1p(); x.Less(a) || a.Less(x.Sub(half).Mul(interval.Int(1).Sub(slack))) {
			t.Errorf("ln(1 + 2^%d) in %v", k, a)
		}
	}
	if lo, hi := interval.Between(-1e300, 1e300).Expm1().Bounds(); lo != -1 || !math.IsInf(hi, 1) {
		t.Errorf("e^[-1e300, 1e300] - 1 in [%g, %g]", lo, hi)
	}
}
