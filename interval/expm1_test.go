package interval

import (
	"fmt"
	"math"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// nearOracle has enough digits for arguments down to 1e-300, whose exponential is that close to 1.
var nearOracle = apd.BaseContext.WithPrecision(420)

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
