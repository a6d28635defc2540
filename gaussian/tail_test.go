package gaussian_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// tailSeries returns 1 − Φ(x) for x ≥ 0 with about 60 spare digits: 1/2 − x φ(x)(1 + x²/3 + x⁴/15 + …).
func tailSeries(x float64) *big.Float {
	const prec = 2600
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	pi, _ := num(0).SetString("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709384460955058223172535940812848111745028410270193852110555964462294895493038196442881097566593344612847564823378678316527120190914564856692346034861045432664821339360726024914127372458700660631558817488152092096282925409171536436789259036001133053054882046652138414695194151160943305727036575959195309218611738193261179310511854807446237996274956735188575272489122793818301194912983367336244065664308602139494639522473719070217986094370277053921717629317675238467481846766940513200056812714526356082778577134275778960917363717872146844090122495343014654958537105079227968925892354201995611212902196086403441815981362977477130996051870721134999999837297804995105973173281609631859502445945534690830264252230825334468503526193118817101000313783875288658753320838142061717766914730359825349042875546873115956286388235378759375195778185778053217122680661300192787661119590921642019893")
	sum, term, square := num(1), num(1), num(0).Mul(num(x), num(x))
	for k := 3.0; term.Sign() != 0 && term.MantExp(nil) > -2500; k += 2 {
		term.Quo(term.Mul(term, square), num(k))
		sum.Add(sum, term)
	}
	// φ(x) = 1/√(2π)/e^{x²/2}
	power, part := num(1), num(1)
	for k := 1.0; part.Sign() != 0 && part.MantExp(nil) > -2500; k++ {
		part.Quo(part.Mul(part, square), num(2*k))
		power.Add(power, part)
	}
	sum.Mul(sum, num(x))
	sum.Quo(sum, power)
	sum.Quo(sum, num(0).Sqrt(pi.Mul(pi, num(2))))
	return sum.Sub(num(0.5), sum)
}

func contains(a interval.Interval, v *big.Float) bool {
	q, _ := v.Rat(nil)
	p := interval.Rat(q)
	return !a.Less(p) && !p.Less(a)
}

// Tails contain the series values and are narrow. Quantiles invert them.
func TestTail(t *testing.T) {
	for _, x := range []float64{0, 1e-300, 1e-9, 0.3, 1, 2.5, 3.9999999, 4, 4.0000001, 7.25, 17, 30} {
		want := tailSeries(x)
		got := gaussian.Tail(interval.Float(x))
		if !contains(got, want) || !got.Narrow(70) {
			t.Errorf("tail at %g is %v, want %s", x, got, want.Text('g', 40))
		}
		other := new(big.Float).SetPrec(2600).Sub(big.NewFloat(1), want)
		if below := gaussian.Tail(interval.Float(-x)); !contains(below, other) || !below.Narrow(70) {
			t.Errorf("tail at %g is %v, want %s", -x, below, other.Text('g', 40))
		}
		if wide := gaussian.Tail(interval.Between(-x, x)); !contains(wide, want) || !contains(wide, other) {
			t.Errorf("tail on ±%g is %v", x, wide)
		}
		if x >= 1e-9 {
			if q := gaussian.Quantile(got); !contains(q, big.NewFloat(x)) || !q.Narrow(60) && x > 1e-3 {
				t.Errorf("quantile of the tail at %g is %v", x, q)
			}
			if q := gaussian.Quantile(gaussian.Tail(interval.Float(-x))); !contains(q, big.NewFloat(-x)) {
				t.Errorf("quantile of the tail at %g is %v", -x, q)
			}
		}
	}
	for _, x := range []float64{1023, 1025, 1e9, math.Inf(1)} { // below e^{−x²/2}, above 0
		if got := gaussian.Tail(interval.Float(x)); interval.Int(-520000).Exp().Less(got.Upper()) || got.Upper().Less(interval.Int(0)) {
			t.Errorf("tail at %g is %v", x, got)
		}
	}
}

// The tails at the bounds of the quantile of p enclose p.
func TestQuantile(t *testing.T) {
	for _, p := range []interval.Interval{
		interval.Float(0.5), interval.Float(0.49999999999999994), interval.Float(0.75), interval.Float(0.1), interval.Float(1e-17),
		interval.Float(1e-289), interval.Float(1e-291), interval.Float(1e-300), interval.Float(0.5).Pow(2000), interval.Float(0.5).Pow(400000),
		interval.Int(1).Sub(interval.Float(1e-60)),
	} {
		q := gaussian.Quantile(p)
		if lo, hi := q.Bounds(); !(hi-lo <= 1e-14*(1+math.Abs(hi))) {
			t.Errorf("quantile of %v is %v: wide", p, q)
		}
		if above, below := gaussian.Tail(q.Upper()), gaussian.Tail(q.Lower()); p.Less(above) || below.Less(p) {
			t.Errorf("quantile of %v is %v, with tails %v and %v", p, q, above, below)
		}
	}
	for _, p := range []interval.Interval{interval.Int(0), interval.Int(1), interval.Float(-1), interval.Int(2), interval.Between(-1, 0.5), interval.Between(0.5, 1), interval.Whole()} {
		if lo, hi := gaussian.Quantile(p).Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			t.Errorf("quantile of %v is within [%g, %g]", p, lo, hi)
		}
	}
}
