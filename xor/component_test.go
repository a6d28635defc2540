package xor_test

import (
	"math"
	"runtime"
	"testing"

	"dpworkbench/xor"
)

// What a search takes depends on the bits that are coupled, not on how many there
// are: of a law on 2³⁰ rows two are associated.
func TestFewCoupledAmongMany(t *testing.T) {
	theta, block := [][]float64{{0.5, 0.2}, {0.2, -1}}, [][]float64{{0.3, 0}, {0, 0.1}}
	law := func(n int) *xor.Bernoulli {
		b, err := xor.NewBernoulli(theta, map[xor.Pair][][]float64{{0, 1}: block}, n)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want, err := smallest(t.Context(), law(3), xor.FlipBits(2), xor.LossOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := smallest(t.Context(), law(1<<29), xor.FlipBits(2), xor.LossOptions{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<24 {
		t.Errorf("%d bytes were taken", taken)
	}
	if math.Abs(got.Lo-want.Lo) > 1e-6 || got.Lo > got.Hi {
		t.Errorf("loss in [%v, %v], want about [%v, %v]", got.Lo, got.Hi, want.Lo, want.Hi)
	}
}
