package display

import (
	"math"
	"testing"
)

func lightness(c rgb) float64 { return toOklab(c)[0] }

// The sequential map is monotone in lightness, and so is each half of the diverging map. They are readable in grey
// and with any color vision.
func TestMapsAreMonotoneInLightness(t *testing.T) {
	seq, div := sequentialMap(), divergingMap()
	middle := (levels - 1) / 2
	for i := 1; i < levels; i++ {
		if !(lightness(seq.full[i]) > lightness(seq.full[i-1])-2e-3) {
			t.Errorf("sequential level %d is darker than the one before", i)
		}
		rises := lightness(div.full[i]) > lightness(div.full[i-1])-3e-3
		falls := lightness(div.full[i]) < lightness(div.full[i-1])+3e-3
		if i <= middle && !rises || i > middle && !falls {
			t.Errorf("diverging level %d: lightness %.4f after %.4f", i, lightness(div.full[i]), lightness(div.full[i-1]))
		}
	}
	for i := range middle {
		if d := lightness(div.full[i]) - lightness(div.full[levels-1-i]); math.Abs(d) > 0.01 {
			t.Errorf("diverging levels %d and %d differ in lightness by %.3f", i, levels-1-i, d)
		}
	}
	if c := toOklab(div.full[middle]); math.Hypot(c[1], c[2]) > 0.01 || c[0] < 0.95 {
		t.Errorf("the centre %v is not neutral", div.full[middle])
	}
}

// Equal ratios above and below 1 are equally far from the neutral level.
func TestRatioScaleIsSymmetric(t *testing.T) {
	one := 1.0
	s := newColorScale(0.05, 5, &one, true)
	for _, r := range []float64{1.1, 2, 5} {
		above, below := s.level(r)-(levels-1)/2, (levels-1)/2-s.level(1/r)
		if math.Abs(above-below) > 1e-9 || !(above > 0) {
			t.Errorf("ratio %g lies %g above, its inverse %g below", r, above, below)
		}
	}
	if got := s.level(0.05); got != 0 {
		t.Errorf("level of the farthest value is %g, want 0", got)
	}
	if s.lo != 0.05 || s.hi != 5 {
		t.Errorf("the bar spans %g to %g, want the values", s.lo, s.hi)
	}
	if got, want := labels(s.barTicks(100, 1, 9, func(string) float64 { return 5 })), "0.05 0.1 0.2 0.5 1 2 5"; got != want {
		t.Errorf("bar ticks %q, want %q", got, want)
	}
}
