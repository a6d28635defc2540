package sampling

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/stattest"
)

const rate = 1e-9 // false-positive rate of each test

// distance returns the Kolmogorov–Smirnov statistic.
func distance(x []float64, below func(float64) float64) float64 {
	x = slices.Sorted(slices.Values(x))
	worst, n := 0.0, float64(len(x))
	for i, v := range x {
		p := below(v)
		worst = max(worst, p-float64(i)/n, float64(i+1)/n-p)
	}
	return worst
}

// Draws of Normal and Exponential match their distribution functions, and do not match those of variables larger by
// 1/50 (Massart's inequality).
func TestContinuousLaws(t *testing.T) {
	n := stattest.Draws(t, 1_000_000)
	radius := math.Sqrt(math.Log(2/rate) / (2 * float64(n)))
	src := rand.NewPCG(5, 6)
	float := func(r *Real) float64 {
		v := float64(r.Whole) + float64(r.First()>>11)*0x1p-53
		if r.Negative {
			return -v
		}
		return v
	}
	for name, c := range map[string]struct {
		draw  func(rand.Source) *Real
		below func(float64) float64
	}{
		"normal":      {Normal, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
		"exponential": {Exponential, func(x float64) float64 { return -math.Expm1(-x) }},
		"uniform":     {UniformReal, func(x float64) float64 { return min(x, 1) }},
	} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float(c.draw(src))
		}
		if d := distance(x, c.below); d > radius {
			t.Errorf("%s: off by %g, want at most %g", name, d, radius)
		}
		if d := distance(x, func(v float64) float64 { return c.below(v / 1.02) }); d <= radius {
			t.Errorf("%s: a law scaled by 1 + 1/50 passes: off by %g, radius %g", name, d, radius)
		}
	}
}

// Draws of discrete laws match their weights, and do not match those of a slightly different parameter.
func TestDiscreteLaws(t *testing.T) {
	n := stattest.Draws(t, 1_000_000)
	src := rand.NewPCG(9, 10)
	gaussian := func(square *big.Rat) func() int {
		g, err := NewDiscreteGaussian(square)
		if err != nil {
			t.Fatal(err)
		}
		return func() int { return int(g.Draw(src).Int64()) }
	}
	large := func(square *big.Rat) func() int { // with big integers
		g, err := NewDiscreteGaussian(square)
		if err != nil {
			t.Fatal(err)
		}
		g.small = false
		return func() int { return int(g.Draw(src).Int64()) }
	}
	bell := func(square float64) func(k, by float64) float64 {
		return func(k, by float64) float64 { return math.Exp(-k * k / (2 * square * by)) }
	}
	for name, c := range map[string]struct {
		draws  int
		draw   func() int
		weight func(k, by float64) float64
		least  int
	}{
		"discrete Gaussian":         {n, gaussian(big.NewRat(29, 3)), bell(29.0 / 3), -40},
		"discrete Gaussian, narrow": {n, gaussian(big.NewRat(1, 4)), bell(0.25), -40},
		"discrete Gaussian, long":   {n / 4, large(big.NewRat(29, 3)), bell(29.0 / 3), -40},
		"geometric": {n / 4, func() int {
			k, err := GeometricOver(Rat(big.NewRat(7, 2)), src)
			if err != nil {
				t.Fatal(err)
			}
			return int(k.Int64())
		}, func(k, by float64) float64 { return math.Exp(-2 * k * by / 7) }, 0},
		"uniform": {n, func() int { return int(Uniform(src, 21)) }, func(k, by float64) float64 {
			if k < 20 {
				return 1
			}
			if k == 20 {
				return 1 + 5*(by-1)
			}
			return 0
		}, 0},
		"uniform, long": {n / 4, func() int { return int(uniformBelow(big.NewInt(21), src).Int64()) }, func(k, by float64) float64 {
			if k < 20 {
				return 1
			}
			if k == 20 {
				return 1 + 10*(by-1)
			}
			return 0
		}, 0},
	} {
		const cells = 81
		counts := make([]int, cells)
		for range c.draws {
			counts[min(c.draw()-c.least, cells-1)]++
		}
		law := func(by float64) []float64 {
			p, sum := make([]float64, cells), 0.0
			for i := range p {
				p[i] = c.weight(float64(i+c.least), by)
				sum += p[i]
			}
			for i := range p {
				p[i] /= sum
			}
			return p
		}
		if _, _, tail := stattest.ChiSquare(counts, law(1)); tail < rate {
			t.Errorf("%s: p-value %g", name, tail)
		}
		if _, _, tail := stattest.ChiSquare(counts, law(1.04)); tail > rate {
			t.Errorf("%s: a wrong law passes with p-value %g", name, tail)
		}
	}
}

// A draw inverts the distribution function at 192 digits. Near a threshold, the second or third word decides, for all
// weights.
func TestThresholdsAreCompared(t *testing.T) {
	weights := []*big.Rat{big.NewRat(1, 3), new(big.Rat), big.NewRat(1, 7), big.NewRat(11, 21), big.NewRat(1, 1<<40)}
	numbers := make([]Number, len(weights))
	total := new(big.Rat)
	for i, w := range weights {
		numbers[i] = Rat(w)
		total.Add(total, w)
	}
	law, err := NewLaw(numbers...)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 12))
	run, seen := new(big.Rat), 0
	for i := range weights {
		run.Add(run, weights[i])
		share := new(big.Rat).Quo(run, total)
		digits := new(big.Int).Quo(new(big.Int).Lsh(share.Num(), 192), share.Denom())
		for range 200 {
			u := new(big.Int).Add(digits, big.NewInt(rng.Int64N(5)-2))
			if rng.IntN(2) == 0 { // then u and the threshold differ in the second word
				u.Add(digits, new(big.Int).Lsh(big.NewInt(rng.Int64N(5)-2), 100))
			}
			if u.Sign() < 0 || u.BitLen() > 192 {
				continue
			}
			src := &countingSource{Source: rand.NewPCG(13, 14)}
			for k := range 3 {
				src.first = append(src.first, new(big.Int).Rsh(u, uint(64*(2-k))).Uint64())
			}
			// The number lies in [u, u+1)/2¹⁹².
			at := new(big.Rat).SetFrac(u, new(big.Int).Lsh(one, 192))
			next := new(big.Rat).SetFrac(new(big.Int).Add(u, one), new(big.Int).Lsh(one, 192))
			want, last := place(weights, total, at), place(weights, total, next)
			if u.Cmp(digits) == 0 {
				continue
			}
			got, err := law.Draw(src)
			if err != nil || got != want && got != last {
				t.Fatalf("near threshold %d: outcome %d (%v), want %d", i, got, err, want)
			}
			seen++
		}
	}
	if seen < 500 {
		t.Errorf("%d draws near thresholds, want 500", seen)
	}
}

// place returns the first outcome whose threshold is above u.
func place(weights []*big.Rat, total, u *big.Rat) int {
	run := new(big.Rat)
	for i, w := range weights {
		run.Add(run, w)
		if new(big.Rat).Mul(u, total).Cmp(run) < 0 {
			return i
		}
	}
	return len(weights) - 1
}
