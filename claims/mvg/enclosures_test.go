package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// The expected chi-square tails have 30 digits, from gammainc(k/2, x/2, regularized=True) of mpmath 1.3 at 40 digits.
// The enclosures contain them. Up to x = 120, where the tail is a sum, the ends are adjacent float64 numbers or have
// one number between them. For larger x the ends are those of Abramowitz and Stegun 7.1.13.
func TestTailEnds(t *testing.T) {
	for _, c := range []struct {
		k    int
		x    float64
		tail string
	}{
		{1, 0.5, "0.479500122186953462317253346108"}, {1, 2, "0.157299207050285130658779364917"}, {1, 119, "1.04729503339957229872299490988e-27"},
		{3, 7, "0.0718977724964651274575410083222"}, {5, 11, "0.0513799834830695322074941443329"}, {7, 120, "7.66124646335302025139512362393e-23"},
		{2, 3, "0.223130160148429828933280470764"}, {10, 18, "0.0549636414951049043575099411339"}, {40, 1, "0.999999999999999999999999756453"},
	} {
		lo, hi := chiSquareTail(c.k, interval.Float(c.x)).Bounds()
		want, _ := new(big.Rat).SetString(c.tail)
		if new(big.Rat).SetFloat64(lo).Cmp(want) > 0 || new(big.Rat).SetFloat64(hi).Cmp(want) < 0 || hi > math.Nextafter(math.Nextafter(lo, 1), 1) {
			t.Errorf("k = %d, x = %v: in [%v, %v], want about %s", c.k, c.x, lo, hi, c.tail)
		}
	}
	for _, c := range []struct{ y, low, high float64 }{
		{61, 2.3082345996344866498e-28, 2.3149843125154455229e-28}, {100, 2.0884376228305684292e-45, 2.0921895339766492973e-45}, {700, 2.1010134511662153309e-306, 2.1015579007236430462e-306},
	} {
		lo, hi := enclosedErfc(interval.Float(c.y)).Bounds()
		if math.Abs(lo/c.low-1) > 1e-15 || math.Abs(hi/c.high-1) > 1e-15 {
			t.Errorf("erfc(√%v) in [%v, %v], want [%v, %v]", c.y, lo, hi, c.low, c.high)
		}
	}
}

// The minimum of interval numbers lies between the minima of the lower and of the upper ends, which may come from
// different instances. The same holds for the maximum.
func TestSeenRange(t *testing.T) {
	var s seenRange
	for k, c := range []struct{ e, least, most [2]float64 }{
		{[2]float64{4, 5}, [2]float64{4, 5}, [2]float64{4, 5}},
		{[2]float64{3, 9}, [2]float64{3, 5}, [2]float64{4, 9}},
		{[2]float64{6, 7}, [2]float64{3, 5}, [2]float64{6, 9}},
		{[2]float64{3.5, 3.75}, [2]float64{3, 3.75}, [2]float64{6, 9}},
	} {
		s.see(c.e[0], c.e[1])
		least, most := s.least("x").Number.(evidence.Certified), s.most("x").Number.(evidence.Certified)
		if got := [2]float64{least.Lo, least.Hi}; got != c.least {
			t.Errorf("the minimum of %d is in %v, want %v", k+1, got, c.least)
		}
		if got := [2]float64{most.Lo, most.Hi}; got != c.most {
			t.Errorf("the maximum of %d is in %v, want %v", k+1, got, c.most)
		}
	}
	if s.least("x").Label != "x, least seen" || s.most("x").Label != "x, most seen" {
		t.Errorf("%q and %q", s.least("x").Label, s.most("x").Label)
	}
}

// addSpans returns an interval that contains every sum of numbers from the given intervals. Rounding widens it by a
// relative 2e-14 at most.
func TestAddedSpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 13))
	for range 200 {
		var spans []sigmaSpan
		low, high := new(big.Rat), new(big.Rat)
		for range 1 + rng.IntN(6) {
			lo := math.Exp(8 * rng.Float64())
			s := sigmaSpan{lo, lo + rng.Float64()}
			spans = append(spans, s)
			low.Add(low, new(big.Rat).SetFloat64(s.lo))
			high.Add(high, new(big.Rat).SetFloat64(s.hi))
		}
		sum := addSpans(spans)
		least, _ := low.Float64()
		most, _ := high.Float64()
		if new(big.Rat).SetFloat64(sum.lo).Cmp(low) > 0 || new(big.Rat).SetFloat64(sum.hi).Cmp(high) < 0 || sum.lo < least*(1-2e-14) || sum.hi > most*(1+2e-14) {
			t.Errorf("the sum of %v is %v, want [%v, %v]", spans, sum, least, most)
		}
	}
}

// A ranking is reproduced if every interval is above 0, and reversed if one is below. Otherwise it is not
// reproducible. An end at 0 decides nothing.
func TestRemarks(t *testing.T) {
	of := func(ends ...[2]float64) (out []evidence.Estimated) {
		for _, e := range ends {
			out = append(out, evidence.Estimated{Lo: e[0], Hi: e[1]})
		}
		return out
	}
	above, across, below, from, to := [2]float64{1, 2}, [2]float64{-1, 1}, [2]float64{-2, -1}, [2]float64{0, 1}, [2]float64{-1, 0}
	for _, c := range []struct {
		gaps []evidence.Estimated
		want string
	}{
		{of(above, above), "reproduced"}, {of(above, across), "not reproducible"}, {of(across, below), "reversed"}, {of(below, above), "reversed"},
		{of(above, from), "not reproducible"}, {of(to), "not reproducible"}, {of(across, above), "not reproducible"},
	} {
		if got := remarkOf(c.gaps); got != c.want {
			t.Errorf("%v: %s, want %s", c.gaps, got, c.want)
		}
	}
}

// readTables reads the committed table. Its errors name the row in which a column is not a number, and it rejects a row
// of the wrong length.
func TestReadTablesErrors(t *testing.T) {
	rows, err := readTables(tablesCSV)
	lines := strings.Split(strings.TrimSpace(tablesCSV), "\n")
	if err != nil || len(rows) != len(lines)-1 {
		t.Fatalf("%d rows of %d lines, %v", len(rows), len(lines), err)
	}
	held := ""
	for i, r := range rows {
		if r.held && r.parameter != closedForm && !strings.Contains(lines[i+1], `"`) {
			held = lines[i+1]
			break
		}
	}
	fields := strings.Split(held, ",")
	for _, column := range []int{5, 6, 7, 8, 10, 11, 12} {
		bad := append([]string(nil), fields...)
		bad[column] = "many"
		if _, err := readTables(lines[0] + "\n" + strings.Join(bad, ",")); err == nil || !strings.Contains(err.Error(), fields[0]+", "+fields[3]+": ") {
			t.Errorf("column %d of %q is not a number: %v", column, held, err)
		}
	}
	if _, err := readTables(lines[0] + "\n1,2"); err == nil {
		t.Error("a row with two columns gave no error")
	}
}

// everySum bounds the difference of the leakages from below by H(N) − H(E) − I(N; S + N). For few and for many signs,
// Gaussian noise leaks more by at least this bound, up to the quadrature error. I(N; S + N) decreases with each
// additional sign.
func TestEverySum(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{1, 2, 3, 4, 10, 60} {
		s := signSum{n, leakCase{2, 2, 2}}
		gaussian, other := s.leaks()
		if got := gaussian - other; got < s.spare()-s.told()-1e-9 || got <= 0 {
			t.Errorf("n = %d: Gaussian noise leaks %g more, want at least %g and above 0", n, got, s.spare()-s.told())
		}
		if s.told() >= last {
			t.Errorf("n = %d: I(N; S + N) = %g does not decrease", n, s.told())
		}
		last = s.told()
	}
	if _, other := (signSum{1, leakCase{2, 2, 2}}).leaks(); math.Abs(other-leakCase{2, 2, 2}.discrete()) > 1e-12 {
		t.Errorf("one sign leaks %g, want %g", other, leakCase{2, 2, 2}.discrete())
	}
}
