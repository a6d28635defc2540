package matrices_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// Draws from a small net follow the law that package mechanism enumerates, at every matrix within Hoeffding's radius.
// The false-positive rate is 1e-9 in all. The law of the other quality is rejected.
func TestNetLaw(t *testing.T) {
	const draws = 60000
	half := []float64{1, 2}
	for _, q := range []matrices.Quality{matrices.Max, matrices.Sum} {
		n := must.Be(matrices.NewNet(half, 2, 3, q, evidencetest.Epsilon(20)))
		m := must.Be(n.Mechanism(context.Background()))
		const size = 81
		at := 1*27 + 2*9 + 0*3 + 1 // entries 1, 2; 0, 1
		x := mat.NewDense(2, 2, []float64{0, 1, -2, 0})
		law := must.Be(mechanism.Law(m, at))
		counts := make([]float64, size)
		src := rand.NewPCG(11, 12)
		for range draws {
			y := must.Be(n.Simulate(x, src))
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
		if other.Quality = matrices.Max; q == matrices.Max {
			other.Quality = matrices.Sum
		}
		mo := must.Be(other.Mechanism(context.Background()))
		wrong, _ := mechanism.Law(mo, at)
		if gap := off(wrong); gap <= radius {
			t.Errorf("%s: the test accepts the law of the other quality, off by %v", q, gap)
		}
	}
}

// The smallest ε of the enumerated mechanism is at most that of the net. For Sum both are equal. For Max the enumerated
// ε lies between the net's bounds.
func TestNetPrivacy(t *testing.T) {
	ctx := context.Background()
	for _, q := range []matrices.Quality{matrices.Max, matrices.Sum} {
		for _, levels := range []int{2, 3} {
			n := must.Be(matrices.NewNet([]float64{1, 3}, 2, levels, q, evidencetest.Epsilon(2)))
			m := must.Be(n.Mechanism(ctx))
			listed := must.Be(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))
			whole := must.Be(n.Privacy().Epsilon(ctx, evidence.Delta{}))
			_, most := whole.Bounds()
			lo, hi := listed.Bounds()
			if hi > most+1e-12 || q == matrices.Sum && lo < 1-1e-12 {
				t.Errorf("%s with %d levels: [%v, %v] enumerated, %v for the net", q, levels, lo, hi, whole)
			}
			for _, eps := range []float64{0.1, 0.7, 0.95} {
				a := must.Be(mechanism.Privacy(m).Delta(ctx, evidencetest.Epsilon(eps)))
				b, _ := n.Privacy().Delta(ctx, evidencetest.Epsilon(eps))
				lo, _ := a.Bounds()
				if _, hi := b.Bounds(); lo > hi {
					t.Errorf("%s with %d levels: δ(%v) is %v enumerated, the bound is %v", q, levels, eps, a, b)
				}
			}
		}
	}
}

func TestExactNet(t *testing.T) {
	for _, q := range []matrices.Quality{matrices.Max, matrices.Sum} {
		for _, delta := range []float64{0, 1e-3} {
			n := must.Be(matrices.ExactNet([]float64{1, 3}, 4, 5, q, evidencetest.Epsilon(0.5), evidencetest.Delta(delta)))
			d := must.Be(n.Privacy().Delta(context.Background(), evidencetest.Epsilon(0.5)))
			if _, hi := d.Bounds(); hi > delta || hi < 0.99*delta {
				t.Errorf("%v: δ(½) up to %v, want %v", n, hi, delta)
			}
			if _, ok := n.Claimed(); ok {
				t.Error("an exact net has a claimed ε")
			}
		}
	}
}

// The enumerated mechanism follows its definition to twelve digits. It has weights e^{−ηd/2Δ} for matrices in the order
// of their entries, and the distance of two data sets is the number of records that differ.
func TestNetMechanism(t *testing.T) {
	half := []float64{0.75, 2}
	for _, q := range []matrices.Quality{matrices.Max, matrices.Sum} {
		for _, size := range [][2]int{{1, 3}, {2, 3}, {2, 2}} { // records, levels
			n := must.For(matrices.NewNet(half, size[0], size[1], q, evidencetest.Epsilon(3)))(t)
			m := must.For(n.Mechanism(t.Context()))(t)
			entries := 2 * size[0]
			count := int(math.Pow(float64(size[1]), float64(entries)))
			at := func(code int) []float64 { // the last entry varies fastest
				v := make([]float64, entries)
				for e := entries - 1; e >= 0; e-- {
					h := half[e/size[0]]
					v[e] = -h + 2*h*float64(code%size[1])/float64(size[1]-1)
					code /= size[1]
				}
				return v
			}
			delta := 2 * 2.0
			if q == matrices.Sum {
				delta = 2 * 2.75
			}
			if s := n.Sensitivity(); s.Lo != delta || s.Hi != delta {
				t.Errorf("%s: sensitivity %v, want %v", q, s, delta)
			}
			if got := m.Query().Space().Size(); got != count || !n.IsListed() {
				t.Fatalf("%d matrices, want %d", got, count)
			}
			for x := 0; x < count; x += 1 + count/9 {
				law := must.For(mechanism.Law(m, x))(t)
				weights, total := make([]float64, count), 0.0
				for y := range weights {
					worst, all := 0.0, 0.0
					for e, v := range at(y) {
						d := math.Abs(v - at(x)[e])
						worst, all = math.Max(worst, d), all+d
					}
					if q == matrices.Sum {
						worst = all
					}
					weights[y] = math.Exp(-3 * worst / (2 * delta))
					total += weights[y]
				}
				moved := map[int]bool{}
				for y, w := range weights {
					if math.Abs(law[y]-w/total) > 1e-12 {
						t.Fatalf("%s, %v, data %d: probability of %d is %v, want %v", q, size, x, y, law[y], w/total)
					}
					clear(moved)
					for e, v := range at(y) {
						if v != at(x)[e] {
							moved[e%size[0]] = true
						}
					}
					if d := m.Query().Space().Distance(x, y); d != float64(len(moved)) {
						t.Fatalf("%v: data %d and %d have distance %v, want %d", size, x, y, d, len(moved))
					}
				}
			}
		}
	}
	for levels, want := range map[int]bool{2: true, 22: true, 23: false} { // 22² = 484, 23² = 529
		if got := must.For(matrices.NewNet([]float64{1, 1}, 1, levels, matrices.Max, evidencetest.Epsilon(1)))(t).IsListed(); got != want {
			t.Errorf("%d levels: IsListed is %t", levels, got)
		}
	}
	if n := must.For(matrices.NewNet([]float64{1}, 9, 2, matrices.Sum, evidencetest.Epsilon(1)))(t); !n.IsListed() || math.Abs(n.LogSize().Lo-math.Log(512)) > 1e-14 { // the limit for enumeration
		t.Errorf("e^%v matrices are listed: %t", n.LogSize(), n.IsListed())
	}
}

// Size and sensitivity are rounded outward by one ulp at most. Claims exist only for the published parameter.
func TestNetNumbers(t *testing.T) {
	eta := evidencetest.Epsilon(0.7)
	half := []float64{0.1, 0.3, 0.2}
	n := must.For(matrices.NewNet(half, 5, 7, matrices.Sum, eta))(t)
	size := n.LogSize()
	checkOutward(t, "ln 7^15", size.Lo, size.Hi, matrices.Rational(t, "29.18865223582969957658029115164769594456"))
	sum := new(big.Rat)
	for _, h := range half {
		sum.Add(sum, matrices.RatOf(h))
	}
	s := n.Sensitivity()
	checkOutward(t, "sensitivity of the sum", s.Lo, s.Hi, sum.Add(sum, sum))
	most := must.For(matrices.NewNet(half, 5, 7, matrices.Max, eta))(t)
	s = most.Sensitivity()
	checkOutward(t, "sensitivity of the largest", s.Lo, s.Hi, matrices.RatOf(0.6))
	claim, ok := n.Claimed()
	if !ok || claim.Value != 0.7 || claim.Epsilon != eta || claim.Source != "Blum, Ligett and Roth 2013, by McSherry and Talwar 2007" {
		t.Errorf("claimed %+v, %t", claim, ok)
	}
	half[0] = 9
	if n.HalfWidths[0] != 0.1 {
		t.Error("the half-widths share memory with the caller")
	}
	e := must.For(most.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t).(evidence.Certified)
	checkOutward(t, "half the range", e.Lo, e.Lo, matrices.RatOf(0.35))
	checkOutward(t, "the range", e.Hi, e.Hi, matrices.RatOf(0.7))
	if e.Method != "mirrored data sets, and the range of the loss" || e.Side != evidence.Up {
		t.Errorf("smallest ε %+v has wrong evidence", e)
	}
	got := must.For(n.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t)
	if lo, hi := got.Bounds(); lo > 0.35 || hi < 0.35 || hi-lo > 1e-16 {
		t.Errorf("smallest ε of the sum %v, want 0.35", got)
	}
	for _, delta := range []float64{1e-3, 0.1} { // δ strictly between 0 and 1: the bound at ε(δ) is δ
		e := must.For(most.Privacy().Epsilon(t.Context(), evidencetest.Delta(delta)))(t)
		_, hi := e.Bounds()
		bound := func(eps float64) float64 { root := math.Expm1((eps - 0.7) / 2); return root * root / -math.Expm1(-0.7) }
		if bound(hi) > delta*(1+1e-12) || bound(hi-1e-8) < delta {
			t.Errorf("ε(%v) up to %v", delta, hi)
		}
	}
}

// Sorting all values takes 32 bytes a value. The memory is requested before it is allocated.
func TestNetMemory(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(1))
	x := mat.NewDense(1, 2, nil)
	_, err := must.For(matrices.NewNet([]float64{1}, 2, 1<<14, matrices.Max, evidencetest.Epsilon(1)))(t).Simulate(x, rand.NewPCG(1, 1))
	var none *memory.Error
	if !errors.As(err, &none) || none.Bytes != 32*2*(1<<14) || none.What != "the values of all entries by distance" {
		t.Errorf("without memory: %v", err)
	}
	if _, err = must.For(matrices.NewNet([]float64{1}, 2, 1<<14-1, matrices.Max, evidencetest.Epsilon(1)))(t).Simulate(x, rand.NewPCG(1, 1)); err != nil { // small allocations need no request
		t.Error(err)
	}
}
