package mechanism_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// The frequencies of what is drawn stay within Hoeffding's radius of the law, at a
// false-positive rate of 1e-9 over all values, and reject the law of another
// dataset.
func TestSampleKeepsLaw(t *testing.T) {
	const n = 1 << 18
	q := randomQuery(t, rand.New(rand.NewPCG(7, 8)), 1)
	m := build(t, "ladder", q, eps(t, 1))
	size := len(q.Range())
	radius := math.Sqrt(math.Log(2*float64(size)/1e-9) / (2 * n))
	gap := func(drawn, law int) float64 {
		freq := make([]float64, size)
		draws, err := mechanism.Sample(m, drawn, n, rand.NewPCG(9, 10))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range draws {
			freq[r] += 1.0 / n
		}
		worst := 0.0
		for r := range freq {
			worst = max(worst, math.Abs(freq[r]-math.Exp(m.LogProb(law, r))))
		}
		return worst
	}
	if g := gap(0, 0); g > radius {
		t.Errorf("frequencies are off by %.2g, want ≤ %.2g", g, radius)
	}
	if g := gap(0, 1); g <= radius {
		t.Errorf("the law of another dataset passes: off by %.2g, radius %.2g", g, radius)
	}
	for _, bad := range [][2]int{{-1, 1}, {q.Size(), 1}, {0, -1}} {
		if _, err := mechanism.Sample(m, bad[0], bad[1], rand.NewPCG(9, 10)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%d draws at dataset %d: %v, want ErrParameter", bad[1], bad[0], err)
		}
	}
}

// A seed gives the same releases for good.
func TestReleaseOfASeed(t *testing.T) {
	m := build(t, "ladder", pathQuery(t, 6), eps(t, 1))
	got, err := mechanism.Sample(m, 2, 12, rand.NewPCG(9, 10))
	if want := []int{2, 5, 1, 1, 4, 3, 1, 0, 3, 3, 4, 4}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, n := range []int{-1, 1<<28 + 1} {
		if mechanism.CheckDraws(n) == nil {
			t.Errorf("%d draws pass", n)
		}
	}
	for _, n := range []int{0, 1 << 28} {
		if err := mechanism.CheckDraws(n); err != nil {
			t.Errorf("%d draws: %v", n, err)
		}
	}
	for _, x := range []int{-1, 6} {
		if _, err := mechanism.Law(m, x); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("the law of dataset %d: %v", x, err)
		}
	}
	if _, err := mechanism.PriorWeights(1<<28+1, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a prior over 2²⁸ + 1 datasets: %v", err)
	}
}
