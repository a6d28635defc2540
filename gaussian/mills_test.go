package gaussian

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/interval"
)

// millsGolden holds R(x) to 45 digits: erfc(x/√2)/(2φ(x)) in mpmath 1.3.0 with 80 + x²/4 digits.
var millsGolden = []struct {
	x float64
	r string
}{
	{0.0, "1.25331413731550025120788264240552262650349337"},
	{0.5, "0.876364456453692346727853142639848860860109798"},
	{1.0, "0.655679542418798471543871230730811283399282333"},
	{2.0, "0.421369229288054473224934333542384978717598974"},
	{3.9990234375, "0.236704533055456067396881339459682618457821523"},
	{4.0, "0.236652382913560670623985936435843547722805957"},
	{4.5, "0.212570580442031790225660005251696922368914592"},
	{6.0, "0.162377660896867461815682102818993001012854299"},
	{10.0, "0.0990285964717319213953371885953105783455223518"},
	{37.0, "0.0270073279651283360633761536571911341718261119"},
	{60.0, "0.0166620408897137538480222992427267339082338746"},
}

func TestMillsGolden(t *testing.T) {
	for _, g := range millsGolden {
		want, _ := new(big.Rat).SetString(g.r)
		unit, _ := new(big.Rat).SetString("1e-44")
		below, above := interval.Rat(new(big.Rat).Sub(want, unit)), interval.Rat(new(big.Rat).Add(want, unit))
		for _, nats := range []float64{10, 30, 60} {
			x := interval.Float(g.x)
			r := millsEnclosure(x, nats, func() interval.Interval { return x.Mul(x).Mul(half).Exp() })
			if r.CmpLo(above) > 0 || r.CmpHi(below) < 0 {
				t.Errorf("R(%g) in %v misses %s", g.x, r, g.r)
			}
			lo, hi := r.Sub(below).Bounds()
			if hi-lo > math.Max(math.Exp(-nats), 1e-24) {
				t.Errorf("R(%g) = %v has width %g, want e^-%g", g.x, r, hi-lo, nats)
			}
		}
		near, _ := want.Float64()
		if got := mills(g.x); math.Abs(got-near) > 8*0x1p-53*near {
			t.Errorf("mills(%g) = %v, want %v: off by %.2g", g.x, got, near, got/near-1)
		}
	}
}

// millsDrop sums positive terms. The result agrees with the enclosure of a plain subtraction, within the fifty
// roundings that FastError counts, also if R is small.
func TestMillsDropAgainstEnclosures(t *testing.T) {
	for _, c := range []float64{0, 0.01, 0.5, 1, 1.5, 1.99, 2, 2.5, 3, 5, 9, 20, 37, 100, 1e3, 1e5} {
		for _, h := range []float64{1e-9, 1e-4, 0.01, 0.1, 0.24, 0.26, 0.49, 0.51, 0.6, 1, 1.3, 2, 4, 9, c / 10, c / 5, c / 4.01, c / 4} {
			if c-h < -1 || h == 0 {
				continue
			}
			eps, mu := interval.Float(c).Mul(interval.Float(2*h)), interval.Float(2*h)
			want := newPoint(eps, mu, 60)
			drop, high := millsDrop(c, h)
			if w := want.drop.Mid(); math.Abs(drop-w) > 50*0x1p-53*w {
				t.Errorf("R(%g∓%g) drops by %v, want %v: off by %.2g", c, h, drop, w, drop/w-1)
			}
			if w := want.high.Mid(); math.Abs(high-w) > 50*0x1p-53*w {
				t.Errorf("R(%g+%g) = %v, want %v", c, h, high, w)
			}
		}
	}
}
