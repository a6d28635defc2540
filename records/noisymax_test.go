package records_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// modeOf is the mode of the given counts.
func modeOf(t *testing.T, counts []int, neighbors records.Neighbors) *records.Query {
	var x, names []string
	for j, n := range counts {
		names = append(names, fmt.Sprint("c", j))
		for range n {
			x = append(x, names[j])
		}
	}
	return must.For(must.For(records.NewCategories(x, names, neighbors))(t).Mode())(t)
}

var manyCounts = [][]int{{1, 0}, {5, 5}, {3, 1, 2}, {9, 9, 9, 2}, {40, 12, 39, 0, 41, 40}, {300, 1}, {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 5}}

// The chance of a category is ∫ f(t − c_i) Π_{j≠i} F(t − c_j) dt, by Simpson's rule between the counts, where all
// is smooth, and of two categories what a convolution gives.
func TestNoisyMaxWithLaplaceNoise(t *testing.T) {
	for _, counts := range manyCounts {
		for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
			for _, eps := range []float64{0.1, 1, 4} {
				scale := 1 / eps
				if neighbors == records.Replace {
					scale *= 2
				}
				q := modeOf(t, counts, neighbors)
				m := must.For(records.NewNoisyMax(q, must.For(evidence.NewEpsilon("eps", eps))(t), "laplace"))(t).(*records.Choice)
				low, high := math.Inf(1), 0.0
				for _, c := range counts {
					low, high = min(low, float64(c)), max(high, float64(c))
				}
				density := func(i int, t float64) float64 {
					v := math.Exp(-math.Abs(t-float64(counts[i]))/scale) / 2 / scale
					for j, c := range counts {
						if d := (t - float64(c)) / scale; j == i {
						} else if d < 0 {
							v *= math.Exp(d) / 2
						} else {
							v *= 1 - math.Exp(-d)/2
						}
					}
					return v
				}
				sum := 0.0
				known := make(map[int]float64)
				for i, c := range counts {
					if v, ok := known[c]; ok { // alike
						sum += v
						continue
					}
					want := 0.0
					for at := max(low, high-50*scale) - 60*scale; at < high+60*scale; {
						const n = 100
						next := at + scale
						for _, c := range counts { // panels end at counts
							if c := float64(c); c > at {
								next = min(next, c)
							}
						}
						for k := range n + 1 {
							w := 2.0
							if k%2 == 1 {
								w = 4
							} else if k == 0 || k == n {
								w = 1
							}
							want += w * density(i, at+(next-at)*float64(k)/n) * (next - at) / n / 3
						}
						at = next
					}
					have := m.Of(i)
					lo, hi := have.Bounds()
					if math.Abs(have.Float()-want) > 1e-8 || hi-lo > 1e-15+1e-14*hi {
						t.Errorf("%v under %s, ε = %g: category %d has %v, by quadrature %g", counts, neighbors, eps, i, have, want)
					}
					known[c] = have.Float()
					sum += known[c]
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("%v under %s, ε = %g: %g in all", counts, neighbors, eps, sum)
				}
				if len(counts) == 2 { // X − Y for noises of one scale: (1 + d/2)e^{−d}/2 beyond d
					d := (high - low) / scale
					want := 1 - math.Exp(-d)*(1+d/2)/2
					if have := m.Of(0).Float(); math.Abs(have-want) > 1e-14 {
						t.Errorf("%v: %g, want %g", counts, have, want)
					}
				}
			}
		}
	}
}

// The law of permute-and-flip is that of all orders of the categories, each with its coin tosses.
func TestFlipsAreOrders(t *testing.T) {
	var flip func(p []float64, left []int, weight float64, out []float64)
	flip = func(p []float64, left []int, weight float64, out []float64) {
		for k, i := range left {
			w := weight / float64(len(left))
			out[i] += w * p[i]
			rest := append(append([]int(nil), left[:k]...), left[k+1:]...)
			if p[i] < 1 {
				flip(p, rest, w*(1-p[i]), out)
			}
		}
	}
	for _, counts := range manyCounts[:6] {
		for _, eps := range []float64{0.1, 1, 4} {
			m := must.For(records.NewPermuteAndFlip(modeOf(t, counts, records.Replace), must.For(evidence.NewEpsilon("eps", eps))(t)))(t).(*records.Choice)
			top, p, left := 0, make([]float64, len(counts)), make([]int, len(counts))
			for _, c := range counts {
				top = max(top, c)
			}
			for j, c := range counts {
				p[j], left[j] = math.Exp(-eps*float64(top-c)/2), j
			}
			want := make([]float64, len(counts))
			flip(p, left, 1, want)
			for j := range counts {
				if have := m.Of(j).Float(); math.Abs(have-want[j]) > 1e-13 {
					t.Errorf("%v, ε = %g: category %d has %g, by all orders %g", counts, eps, j, have, want[j])
				}
			}
		}
	}
}

// With hundreds of categories nothing is lost: all alike have the same chance, and laws add up.
func TestManyCategories(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	for _, n := range []int{128, 600} {
		counts := make([]int, n)
		for j := range counts {
			counts[j] = 5 - j%2
		}
		for _, of := range []func(q *records.Query) (records.Law, error){
			func(q *records.Query) (records.Law, error) { return records.NewPermuteAndFlip(q, eps) },
			func(q *records.Query) (records.Law, error) { return records.NewNoisyMax(q, eps, "laplace") },
		} {
			m, err := of(modeOf(t, counts, records.Replace))
			if n > 128 && err != nil {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			sum := must.For(m.Between(context.Background(), new(big.Rat), rat(int64(n), 1)))(t)
			lo, hi := sum.Bounds()
			if lo < 1-1e-12 || hi > 1+1e-12 {
				t.Errorf("%s of %d categories: [%g, %g] in all", m.Name(), n, lo, hi)
			}
		}
	}
}

// What is drawn follows the law: by Hoeffding's inequality a share of 40000 draws is off by 0.015 with a chance
// below 1e-7.
func TestNoisyMaxDraws(t *testing.T) {
	const n = 40000
	m := must.For(records.NewNoisyMax(modeOf(t, []int{3, 1, 2}, records.Replace), must.For(evidence.NewEpsilon("eps", 0.7))(t), "laplace"))(t).(*records.Choice)
	drawn, _, err := m.Release(context.Background(), n, draw.Source(3, 0))
	if err != nil {
		t.Fatal(err)
	}
	for j := range 3 {
		count := 0
		for _, v := range drawn {
			if v == float64(j) {
				count++
			}
		}
		if share, p := float64(count)/n, m.Of(j).Float(); math.Abs(share-p) > 0.015 {
			t.Errorf("category %d: %g, want %g", j, share, p)
		}
	}
}
