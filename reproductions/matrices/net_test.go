package matrices

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mechanism"

	"gonum.org/v1/gonum/mat"
)

// Draws from a small net have the law of the mechanism that package mechanism writes down, by
// enumeration, at every matrix within Hoeffding's radius (false-positive rate 1e-9 in all); the
// law of the other quality is found out.
func TestNetLaw(t *testing.T) {
	const draws = 60000
	half := []float64{1, 2}
	for _, q := range []Quality{Max, Sum} {
		n, err := NewNet(half, 2, 3, q, epsilon(t, 20))
		if err != nil {
			t.Fatal(err)
		}
		m, err := n.Mechanism(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		const size = 81
		at := 1*27 + 2*9 + 0*3 + 1 // entries 1, 2; 0, 1
		x := mat.NewDense(2, 2, []float64{0, 1, -2, 0})
		law, err := mechanism.Law(m, at)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]float64, size)
		src := rand.NewPCG(11, 12)
		for range draws {
			y, err := n.Simulate(x, src)
			if err != nil {
				t.Fatal(err)
			}
			index := 0
			for i := range 2 {
				for k := range 2 {
					index = index*3 + int(math.Round((y.At(i, k)+half[i])/half[i]))
				}
			}
			counts[index]++
		}
		radius := math.Sqrt(math.Log(2*size/1e-9) / (2 * draws))
		off := func(law []float64) (gap float64) {
			for y, p := range law {
				gap = math.Max(gap, math.Abs(counts[y]/draws-p))
			}
			return gap
		}
		if gap := off(law); gap > radius {
			t.Errorf("%s: off by %v, want at most %v", q, gap, radius)
		}
		other := n
		if other.Quality = Max; q == Max {
			other.Quality = Sum
		}
		mo, err := other.Mechanism(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		wrong, _ := mechanism.Law(mo, at)
		if gap := off(wrong); gap <= radius {
			t.Errorf("%s: the other quality's law passes, off by %v", q, gap)
		}
	}
}

// The smallest ε of the mechanism written down is at most that of the net, which for Sum it reaches;
// for Max it is between the ends.
func TestNetPrivacy(t *testing.T) {
	ctx := context.Background()
	for _, q := range []Quality{Max, Sum} {
		for _, levels := range []int{2, 3} {
			n, err := NewNet([]float64{1, 3}, 2, levels, q, epsilon(t, 2))
			if err != nil {
				t.Fatal(err)
			}
			m, err := n.Mechanism(ctx)
			if err != nil {
				t.Fatal(err)
			}
			listed, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := n.Privacy().Epsilon(ctx, evidence.Delta{})
			if err != nil {
				t.Fatal(err)
			}
			_, most := whole.Bounds()
			lo, hi := listed.Bounds()
			if hi > most+1e-12 || q == Sum && lo < 1-1e-12 {
				t.Errorf("%s with %d levels: [%v, %v] on the net, %v for the box", q, levels, lo, hi, whole)
			}
			for _, eps := range []float64{0.1, 0.7, 0.95} {
				a, err := mechanism.Privacy(m).Delta(ctx, epsilon(t, eps))
				if err != nil {
					t.Fatal(err)
				}
				b, _ := n.Privacy().Delta(ctx, epsilon(t, eps))
				lo, _ := a.Bounds()
				if _, hi := b.Bounds(); lo > hi {
					t.Errorf("%s with %d levels: δ(%v) is %v on the net, the bound is %v", q, levels, eps, a, b)
				}
			}
		}
	}
}

func TestExactNet(t *testing.T) {
	for _, q := range []Quality{Max, Sum} {
		for _, delta := range []float64{0, 1e-3} {
			n, err := ExactNet([]float64{1, 3}, 4, 5, q, epsilon(t, 0.5), evidencetest.Delta(delta))
			if err != nil {
				t.Fatal(err)
			}
			d, err := n.Privacy().Delta(context.Background(), epsilon(t, 0.5))
			if err != nil {
				t.Fatal(err)
			}
			if _, hi := d.Bounds(); hi > delta || hi < 0.99*delta {
				t.Errorf("%v: δ(½) up to %v, want %v", n, hi, delta)
			}
			if _, ok := n.Claimed(); ok {
				t.Error("something is claimed")
			}
		}
	}
}

// At the size of the paper's largest experiment, values stay on the net and within the box, and the
// same seed has the same matrix.
func TestNetLarge(t *testing.T) {
	n, err := NewNet(slices.Repeat([]float64{0.5}, 21), 2126, 9, Max, epsilon(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(21, 2126, nil)
	a, err := n.Simulate(x, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := n.Simulate(x, rand.NewPCG(1, 1))
	if !mat.Equal(a, b) {
		t.Error("the same seed has another matrix")
	}
	for _, v := range a.RawMatrix().Data {
		if k := (v + 0.5) * 8; math.Abs(k-math.Round(k)) > 1e-12 || math.Abs(v) > 0.5 {
			t.Fatalf("a value %v", v)
		}
	}
	if size := n.LogSize(); size.Lo > 98097.289 || size.Hi < 98097.288 { // 44646 ln 9
		t.Errorf("log size %v", size)
	}
}
