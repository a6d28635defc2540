package ehmc_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/interval"
)

// LogitThreshold returns 1/(1 + e⁻ˣ) at the lower bound of the logit, rounded down by less than two units.
func TestLogitThresholdIsExact(t *testing.T) {
	one := interval.Int(1)
	for _, x := range []float64{0, 1e-40, -1e-40, 1, -1, 3.7, -3.7, 40, -40, 87, -87, 89, -89, 999, -999, 1000, -1000} {
		got := ehmc.LogitThreshold(interval.Between(x, x+.5)).Whole()
		p := one.Quo(one.Add(interval.Float(x).Neg().Exp()))
		want, _ := new(big.Float).SetMantExp(p.MidFloat(interval.Prec), 128).Rat(nil)
		gap := new(big.Rat).Sub(want, new(big.Rat).SetInt(got))
		if gap.Cmp(big.NewRat(-1, 1000)) < 0 || gap.Cmp(big.NewRat(2, 1)) >= 0 {
			t.Errorf("logit %g: %v, want at most 2 below %s", x, got, want.FloatString(3))
		}
	}
	most := ehmc.Threshold{math.MaxUint64, math.MaxUint64}
	for x, want := range map[float64]ehmc.Threshold{-1001: {}, -1e300: {}, 1001: most, 1e300: most} {
		if got := ehmc.LogitThreshold(interval.Float(x)); got != want {
			t.Errorf("logit %g: %x", x, got)
		}
	}
}

// words is a source of the given words.
type words []uint64

func (w *words) Uint64() uint64 { v := (*w)[0]; *w = (*w)[1:]; return v }

// Sample compares 128 random bits, and draws the second 64 only if the first are equal. Draw maps exactly the words
// between two thresholds to an outcome.
func TestThresholdsAreExact(t *testing.T) {
	at := ehmc.Threshold{5, 9}
	for _, c := range []struct {
		src  words
		want bool
		left int
	}{{words{4, 0}, true, 1}, {words{6, 0}, false, 1}, {words{5, 8}, true, 0}, {words{5, 9}, false, 0}, {words{5, 10}, false, 0}} {
		src := c.src
		if got := at.Sample(&src); got != c.want || len(src) != c.left {
			t.Errorf("%v below %v: %t, %d words left", c.src, at, got, len(src))
		}
	}
	law := ehmc.Thresholds{{1, 0}, {1, 0}, {1, 7}, {9, 0}}
	for _, c := range []struct {
		src  words
		want int
	}{{words{0, 0}, 0}, {words{0, math.MaxUint64}, 0}, {words{1, 0}, 2}, {words{1, 6}, 2}, {words{1, 7}, 3}, {words{8, 0}, 3}, {words{9, 0}, 3}, {words{math.MaxUint64, 0}, 3}} {
		src := c.src
		if got := law.Draw(&src); got != c.want || len(src) != 0 {
			t.Errorf("%v draws %d, want %d", c.src, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b ehmc.Threshold
		want bool
	}{{ehmc.Threshold{1, 2}, ehmc.Threshold{1, 2}, false}, {ehmc.Threshold{1, 2}, ehmc.Threshold{1, 3}, true}, {ehmc.Threshold{1, 3}, ehmc.Threshold{1, 2}, false}, {ehmc.Threshold{0, 3}, ehmc.Threshold{1, 2}, true}, {ehmc.Threshold{2, 1}, ehmc.Threshold{1, 2}, false}} {
		if c.a.Less(c.b) != c.want {
			t.Errorf("%v less than %v: %t", c.a, c.b, !c.want)
		}
	}
}

// The last outcome is certain if a number is above the last inner threshold by more than the error, up to the largest
// number.
func TestLastOutcomeIsCertain(t *testing.T) {
	whole := ehmc.Threshold{math.MaxUint64, math.MaxUint64}
	for _, u := range []ehmc.Threshold{whole, {math.MaxUint64, 0}, {1<<63 + 2, 0}} {
		i, sure := ehmc.Thresholds{{1 << 62, 0}, {1 << 63, 0}, whole}.At(u, ehmc.Threshold{0, 1 << 20})
		if i != 2 || !sure {
			t.Errorf("%x is outcome %d, sure %t", u, i, sure)
		}
	}
	if i, sure := (ehmc.Thresholds{{1 << 62, 0}, {1 << 63, 0}, whole}).At(ehmc.Threshold{1 << 63, 1}, ehmc.Threshold{0, 1 << 20}); i != 2 || sure {
		t.Errorf("within the error of a threshold: outcome %d, sure %t", i, sure)
	}
}
