package elementary_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/elementary"
	"dpworkbench/internal/interval"
)

// off returns how far a number is from a enclosed one, at most.
func off(v float64, a interval.Interval) interval.Interval {
	d := a.Sub(interval.Float(v))
	return interval.Max(d, d.Neg()).Upper()
}

// Errors against 256-bit intervals, at all sizes, beside the tables' points and around 1.
func TestErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	f := elementary.New()
	worstExp, worstLog := 0.0, 0.0
	for k := range 4000 {
		x := (2*rng.Float64() - 1) * elementary.MostExp
		switch k % 4 {
		case 0:
			x = math.Floor(64*x)/64 + (rng.Float64()-0.5)/64
		case 1:
			x = math.Ldexp(x, -rng.IntN(80))
		}
		if k < 2 {
			x = []float64{-elementary.MostExp, elementary.MostExp}[k]
		}
		want := interval.Float(x).Exp()
		worstExp = math.Max(worstExp, off(f.Exp(x), want).Quo(want).Mid())

		y := math.Exp(x)
		if k%4 == 1 {
			y = 1 + x/700
		}
		if k%4 == 3 {
			y = (float64(90+rng.IntN(92))+2*rng.Float64()-1)/128 + 0x1p-30
		}
		if y == 0 {
			continue
		}
		ln := interval.Float(y).Log()
		size := interval.Int(1).Add(interval.Max(ln, ln.Neg()))
		worstLog = math.Max(worstLog, off(f.Log(y), ln).Quo(size).Mid())
	}
	if worstExp > elementary.ExpError || worstExp < elementary.ExpError/20 {
		t.Errorf("exp errs by %v of itself, want at most %v", worstExp, elementary.ExpError)
	}
	if worstLog > elementary.LogError || worstLog < elementary.LogError/20 {
		t.Errorf("ln errs by %v, want at most %v", worstLog, elementary.LogError)
	}
	if v := f.Log(1); v != 0 {
		t.Errorf("ln 1 = %v", v)
	}
}

func BenchmarkExp(b *testing.B) {
	f := elementary.New()
	for b.Loop() {
		f.Exp(-3.7)
	}
}

func BenchmarkLog(b *testing.B) {
	f := elementary.New()
	for b.Loop() {
		f.Log(3.7)
	}
}
