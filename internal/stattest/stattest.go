// Package stattest tests random draws against laws, at stated false-positive rates.
package stattest

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// Radius returns r with Pr[|mean − expectation| > r] ≤ alpha for the mean of n
// independent draws in [0, 1], at every n (Hoeffding 1963, Theorem 1, both
// sides).
func Radius(n int, alpha float64) float64 { return math.Sqrt(math.Log(2/alpha) / (2 * float64(n))) }

// ChiSquareTail returns Pr[χ²_df ≥ x].
func ChiSquareTail(x float64, df int) float64 {
	if x <= 0 {
		return 1
	}
	return mathext.GammaIncRegComp(float64(df)/2, x/2)
}

// ChiSquare returns Pearson's statistic of counts against the law p, its degrees of freedom, and the approximate
// probability of a larger statistic under the law. Adjacent cells are merged until each expects at least 10 draws.
// Use it for tails of 1e-9 rather than 1e-3: at an expected count of 10 the far tail is a few times heavier than
// the limit's. It panics if lengths differ, there are no draws, or fewer than two cells remain.
func ChiSquare(counts []int, p []float64) (statistic float64, df int, tail float64) {
	if len(counts) != len(p) {
		panic(fmt.Sprintf("stattest: %d counts for %d cells", len(counts), len(p)))
	}
	n := 0
	for _, c := range counts {
		n += c
	}
	if n == 0 {
		panic("stattest: no draws")
	}
	const least = 10
	type cell struct{ want, got float64 }
	var cells []cell
	var open cell
	for s, v := range p {
		open.want += v * float64(n)
		open.got += float64(counts[s])
		if open.want >= least {
			cells = append(cells, open)
			open = cell{}
		}
	}
	if len(cells) == 0 {
		panic("stattest: too few draws for two cells")
	}
	last := &cells[len(cells)-1]
	last.want += open.want
	last.got += open.got
	if len(cells) < 2 {
		panic("stattest: too few draws for two cells")
	}
	for _, c := range cells {
		statistic += (c.got - c.want) * (c.got - c.want) / c.want
	}
	return statistic, len(cells) - 1, ChiSquareTail(statistic, len(cells)-1)
}

// Follows fails the test if counts have a chi-square tail below 1e-9 under a law, or do not reject the law whose
// weights are raised to the power 1.1.
func Follows(t testing.TB, what string, counts []int, law []float64) {
	t.Helper()
	other, sum := make([]float64, len(law)), 0.0
	for i, p := range law {
		other[i] = math.Pow(p, 1.1)
		sum += other[i]
	}
	for i := range other {
		other[i] /= sum
	}
	Tells(t, what, counts, law, other, 1e-9)
}

// Tells fails the test if counts have a chi-square tail below the rate under law, or do not reject other at that rate.
func Tells(t testing.TB, what string, counts []int, law, other []float64, rate float64) {
	t.Helper()
	if _, _, tail := ChiSquare(counts, law); tail < rate {
		t.Errorf("%s: a chance of %g", what, tail)
	}
	if _, _, tail := ChiSquare(counts, other); tail >= rate {
		t.Errorf("%s: another law passes with %g", what, tail)
	}
}

// Heavier returns the law in which weight i is increased by the fraction by.
func Heavier(law []float64, i int, by float64) []float64 {
	out := make([]float64, len(law))
	for k, p := range law {
		out[k] = p / (1 + by*law[i])
	}
	out[i] *= 1 + by
	return out
}

// Draws returns the number of draws for a test of a law: WORKBENCH_DRAWS if it is set, and usual otherwise.
func Draws(t testing.TB, usual int) int {
	t.Helper()
	text := os.Getenv("WORKBENCH_DRAWS")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("WORKBENCH_DRAWS = %q, want a positive number", text)
	}
	return n
}

// A Spelled is a source that returns the given Words, and then Tail forever.
type Spelled struct {
	Words []uint64
	Tail  uint64
	Taken int // how many words were drawn
}

// Uint64 returns the next word.
func (s *Spelled) Uint64() uint64 {
	s.Taken++
	if s.Taken <= len(s.Words) {
		return s.Words[s.Taken-1]
	}
	return s.Tail
}
