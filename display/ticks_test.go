package display

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func labels(ticks []tick) string {
	var out []string
	for _, t := range ticks {
		if t.label != "" {
			out = append(out, t.label)
		}
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		lo, hi float64
		log    bool
		most   int
		want   string
	}{
		{0, 10, false, 6, "0 2 4 6 8 10"},
		{0, 10, false, 11, "0 1 2 3 4 5 6 7 8 9 10"},
		{-0.25, 1, false, 7, "-0.2 0.0 0.2 0.4 0.6 0.8 1.0"},
		{0.1, 4, false, 5, "1 2 3 4"},
		{1000, 1000.003, false, 4, "1000.000 1000.001 1000.002 1000.003"},
		{0, 3e6, false, 4, "0 1e6 2e6 3e6"},
		{0, 2.5e-7, false, 3, "0 1e-7 2e-7"},
		{9e14, 9e14 + 1, false, 6, "900000000000000 900000000000000.2 900000000000000.4 900000000000000.6 900000000000000.8 900000000000001"}, // no float64 is 9e14 + 1/5
		{1, 1 + 0x1p-52, false, 6, "1"}, // no float64 is between them
		{-1 - 0x1p-52, -1, false, 6, "-1"},
		{0x1p-1074, 0x1p-1073, false, 6, ""},
		{0.05, 5, true, 9, "0.05 0.1 0.2 0.5 1 2 5"},
		{0.05, 5, true, 5, "0.1 0.3 1 3"},
		{0.05, 5, true, 3, "0.1 1"},
		{1e-9, 1, true, 6, "1e-8 1e-6 0.0001 0.01 1"},
		{0.8, 1.3, true, 6, "0.8 0.9 1.0 1.1 1.2 1.3"},
	} {
		a := axis{lo: test.lo, hi: test.hi, log: test.log}
		if got := labels(a.ticks(test.most, false)); got != test.want {
			t.Errorf("%+v.ticks(%d) = %q, want %q", a, test.most, got, test.want)
		}
	}
}

// On any axis, ticks are few, ascending and inside, and match their labels.
func TestTicksOnAnyAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.Bool().Draw(t, "log")
		lo, hi := rapid.Float64().Draw(t, "lo"), rapid.Float64().Draw(t, "hi")
		if math.IsNaN(lo) || math.IsInf(lo, 0) || math.IsNaN(hi) || math.IsInf(hi, 0) {
			t.Skip()
		}
		if log {
			lo, hi = math.Abs(lo), math.Abs(hi)
		}
		if lo > hi {
			lo, hi = hi, lo
		}
		if log && lo == 0 {
			t.Skip()
		}
		a := newAxis(lo, hi, log, 0.05)
		if !(a.lo <= lo && a.hi >= hi && a.lo < a.hi) {
			t.Fatalf("axis over [%g, %g] is %+v", lo, hi, a)
		}
		if at := []float64{a.at(a.lo), a.at(lo), a.at(hi), a.at(a.hi)}; !(at[0] == 0 && at[1] >= 0 && at[2] <= 1 && at[3] == 1) {
			t.Fatalf("%+v maps its ends and [%g, %g] to %v", a, lo, hi, at)
		}
		most := rapid.IntRange(2, 12).Draw(t, "most")
		count, last := 0, math.Inf(-1)
		for _, k := range a.ticks(most, true) {
			if !(k.value > last) {
				t.Errorf("tick %g follows %g", k.value, last)
			}
			last = k.value
			if at := a.at(k.value); at < -1e-6 || at > 1+1e-6 {
				t.Errorf("tick %g at %g", k.value, at)
			}
			if k.label != "" {
				count++
			}
		}
		if count > most {
			t.Errorf("%d ticks, want at most %d", count, most)
		}
	})
}

// scaled returns k·10^power with one rounding: ∞ above the largest float64, and 0 below the smallest.
func TestScaled(t *testing.T) {
	for _, k := range []float64{-5, 0, 1, 3, 7, 1 << 53, 999999999999} {
		for power := -345; power <= 320; power++ {
			want, _ := new(big.Rat).SetString(fmt.Sprintf("%.0fe%d", k, power))
			if exact, _ := want.Float64(); scaled(k, power) != exact {
				t.Errorf("%g·10^%d is %g, want %g", k, power, scaled(k, power), exact)
			}
		}
	}
}

// Between a number and another that is a few float64s away, there are at most six ticks, all different.
func TestTicksBetweenNeighbors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e300, 1e300).Draw(t, "lo")
		hi := lo
		for range rapid.IntRange(1, 40).Draw(t, "apart") {
			hi = math.Nextafter(hi, math.Inf(1))
		}
		last := math.Inf(-1)
		ticks := (axis{lo: lo, hi: hi}).ticks(6, false)
		for _, k := range ticks {
			if !(k.value > last) {
				t.Errorf("tick %g follows %g in [%g, %g]", k.value, last, lo, hi)
			}
			last = k.value
		}
		if len(ticks) > 6 {
			t.Errorf("%d ticks", len(ticks))
		}
	})
}
