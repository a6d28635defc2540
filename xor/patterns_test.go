package xor

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/privacy"
)

// The patterns that matter are those of all s bits, and those of less with some in every
// column: an enumeration of the flips of each column finds the same, up to the order of columns.
func TestPatternsThatMatter(t *testing.T) {
	for _, shape := range [][][2]int{{{2, 3}}, {{1, 3}}, {{3, 2}, {2, 2}}, {{1, 2}, {3, 1}}, {{2, 1}, {1, 1}, {2, 2}}, {{1, 1}, {1, 2}, {1, 1}}} {
		var groups []group
		all := 0
		for _, s := range shape {
			groups = append(groups, group{&Columns{n: s[0]}, s[1]})
			all += s[0] * s[1]
		}
		for s := 1; s <= all; s++ {
			want := map[string]bool{}
			var visit func(g, column int, flips []int, used int, full bool, before string)
			visit = func(g, column int, flips []int, used int, full bool, before string) {
				if g == len(groups) {
					if used == s || full {
						want[before] = true
					}
					return
				}
				if column == groups[g].columns {
					sorted := slices.Clone(flips)
					slices.Sort(sorted)
					visit(g+1, 0, nil, used, full, before+fmt.Sprint(sorted))
					return
				}
				for f := 0; f <= groups[g].law.n && used+f <= s; f++ {
					visit(g, column+1, append(slices.Clone(flips), f), used+f, full && f > 0, before)
				}
			}
			visit(0, 0, nil, 0, true, "")
			found, ok := patternsOfAtMost(groups, s)
			if !ok {
				t.Fatalf("%v: too many patterns of %d bits", shape, s)
			}
			got := map[string]bool{}
			for _, p := range found.list {
				var text strings.Builder
				for g := range groups {
					flips := make([]int, 0, groups[g].columns)
					for _, b := range p {
						if b.group == g {
							flips = append(flips, slices.Repeat([]int{b.flips}, b.count)...)
						}
					}
					flips = append(flips, make([]int, groups[g].columns-len(flips))...)
					slices.Sort(flips)
					fmt.Fprint(&text, flips)
				}
				if got[text.String()] {
					t.Errorf("%v, %d bits: %s is listed twice", shape, s, text.String())
				}
				got[text.String()] = true
			}
			for p := range want {
				if !got[p] {
					t.Errorf("%v, %d bits: %s is not listed", shape, s, p)
				}
			}
			for p := range got {
				if !want[p] {
					t.Errorf("%v, %d bits: %s does not matter", shape, s, p)
				}
			}
		}
	}
}

// The ends kept of a vector of ratios are its least and its greatest, scaled so that their
// exponents lie alike around 0.
func TestEndsOfRatios(t *testing.T) {
	for seed, size := range []float64{1e-3, .7, 3, 40} {
		const d = lowBits + 3
		diag, rows := make([]float64, d), make([][]float64, d)
		for i := range rows {
			rows[i] = make([]float64, d)
		}
		for i := range d {
			diag[i] = math.Sin(float64(7*i+seed)) / 4
			for j := range i {
				v := math.Sin(float64(5*i*j+3*i+seed)) * size / d
				rows[i][j], rows[j][i] = v, v
			}
		}
		s, err := newSplit(diag, rows, lowBits)
		if err != nil {
			t.Fatal(err)
		}
		f := newFast(s)
		if f == nil {
			t.Fatalf("size %v: no plain vectors", size)
		}
		for k, ratio := range s.ratio {
			least, most := math.Inf(1), math.Inf(-1) // of the exponents, in nats
			for _, l := range s.order {
				var sum float64
				for j := range lowBits {
					if l>>j&1 == 1 {
						sum += 2 * rows[lowBits+k][j]
					}
				}
				least, most = min(least, sum), max(most, sum)
			}
			if len(ratio) != len(s.order) {
				t.Fatal(len(ratio))
			}
			shift := math.Ldexp(1, int(f.shift[k]))
			for i, want := range [2]float64{math.Exp(least), math.Exp(most)} {
				if got := f.ends2[k][i] * shift; !(math.Abs(got-want) <= 1e-12*want) { // 13 roundings, and 2e-16 of 40
					t.Errorf("size %v, ratio %d: end %d is %v, want %v", size, k, i, got, want)
				}
			}
			for i, v := range f.ratio[k] {
				if v < f.ends2[k][0] || v > f.ends2[k][1] {
					t.Errorf("size %v, ratio %d: entry %d = %v is not in %v", size, k, i, v, f.ends2[k])
				}
			}
			a, b := math.Ilogb(f.ends2[k][0]), math.Ilogb(f.ends2[k][1])
			if a+b < -3 || a+b > 1 { // a wide number is m·2^e with m in [½, 1)
				t.Errorf("size %v, ratio %d: the ends 2^%d and 2^%d do not lie alike around 1", size, k, a, b)
			}
		}
	}
}

// A factor of 1 leaves the reading of a law's numbers alone; another allows for its
// products, and for the least number only where one falls below the normal ones.
func TestScaleAllowsForItsProducts(t *testing.T) {
	b, err := NewBernoulli([][]float64{{1, .25}, {.25, 0x1p-1000}}, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	for factor, want := range map[float64]reading{1: {}, 3: {units: 2}, 0: {units: 2}, -.1: {units: 2}, 0x1p-22: {units: 2}, 0x1p-23: {units: 2, least: math.SmallestNonzeroFloat64}} {
		s, err := b.Scale(factor)
		if err != nil {
			t.Fatal(err)
		}
		if s.reading != want {
			t.Errorf("times %v the reading is %+v, want %+v", factor, s.reading, want)
		}
	}
}

// The pairs of as many states as may be are listed, and not of one more.
func TestAtomsOfPatterns(t *testing.T) {
	// Columns of 255 + 255 and of 127 + 511 bits, flipped and not, have 2¹⁶ states each.
	groups := []group{{&Columns{n: 510, theta: .01}, 1}, {&Columns{n: 638, theta: .01}, 1}, {&Columns{n: 1, theta: .01}, 1}}
	for _, c := range []struct {
		list []pattern
		want bool
	}{
		{[]pattern{{{0, 255, 1}}}, true}, {[]pattern{{{0, 255, 1}}, {{1, 127, 1}}}, true}, {[]pattern{{{0, 255, 1}, {1, 127, 1}}}, true},
		{[]pattern{{{0, 255, 1}}, {{0, 255, 1}, {1, 127, 1}}}, true}, {[]pattern{{{0, 255, 1}}, {{1, 127, 1}}, {{2, 1, 1}}}, false}, {[]pattern{{{1, 128, 1}}}, false},
	} {
		s := &patterns{groups: groups, list: c.list}
		var f privacy.DominatingPairs
		if got := s.fill(&f); got != c.want || got && f.Size != len(c.list) {
			t.Errorf("%v: listed %t, %d pairs", c.list, got, f.Size)
		}
	}
}

// What a reading moves the logarithm of a tally by is bounded by the means of G times
// e^(2 off), and by off, however large off is.
func TestMovesOfTallies(t *testing.T) {
	for _, off := range []float64{0, 1e-12, 1e-4, 9e-4, 2e-3, .3, .7, .9, .99, 3} {
		for _, ones := range []float64{1e-3, .01, .3, .9, 4} {
			c := &Columns{n: 5, offTheta: off / 10, offLambda: off / 40}
			tal := tally{ones: ones, pairs: ones * ones}
			want := math.Min(c.off(), (ones*c.offTheta+ones*ones*c.offLambda)*math.Exp(2*c.off()))
			if got := c.moves(tal); !(got >= want*(1-1e-15)) || got > c.off() {
				t.Errorf("off %v, %v ones: moved by %v, want at least %v and at most %v", c.off(), ones, got, want, c.off())
			}
		}
	}
}

// A reading in units allows for all that a number is off by, in rationals.
func TestUnitsAllowForOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 1))
	for range 2000 {
		v, off := math.Ldexp(1+rng.Float64(), rng.IntN(40)-20), math.Ldexp(1+rng.Float64(), -30-rng.IntN(40))
		r := spanning([2]float64{v, off})
		allowed := new(big.Rat).SetFloat64(r.units)
		allowed.Mul(allowed, new(big.Rat).SetFloat64(unit)).Mul(allowed, new(big.Rat).SetFloat64(v))
		exact := new(big.Rat).SetFloat64(off)
		if allowed.Cmp(exact) < 0 || r.units > 1.000001*off/v/unit {
			t.Errorf("%v off by %v: %v units", v, off, r.units)
		}
	}
}
