package mechanism_test

import (
	"dpworkbench/internal/must"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// Frequencies are within Hoeffding's radius of the law, with a false-positive rate of 1e-9 over all values, and
// reject the law of another dataset.
func TestSampleKeepsLaw(t *testing.T) {
	const n = 1 << 18
	q := randomQuery(t, rand.New(rand.NewPCG(7, 8)), 1)
	m := build(t, "ladder", q, eps(t, 1))
	size := len(q.Range())
	radius := math.Sqrt(math.Log(2*float64(size)/1e-9) / (2 * n))
	gap := func(drawn, law int) float64 {
		freq := make([]float64, size)
		draws := must.For(mechanism.Sample(m, drawn, n, rand.NewPCG(9, 10)))(t)
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
