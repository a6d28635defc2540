package signrp_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// cosine returns sign(⟨x, y⟩)·⟨x, y⟩²/(‖x‖²‖y‖²), or 0 if x or y is 0.
func cosine(x, y []float64) *big.Rat {
	dot := func(x, y []float64) *big.Rat {
		sum := new(big.Rat)
		for i := range x {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(x[i]), new(big.Rat).SetFloat64(y[i])))
		}
		return sum
	}
	xy, size := dot(x, y), new(big.Rat).Mul(dot(x, x), dot(y, y))
	if size.Sign() == 0 {
		return size
	}
	out := new(big.Rat).Mul(xy, new(big.Rat).Abs(xy))
	return out.Quo(out, size)
}

// byCosine ranks the vectors of data by cosine in rational arithmetic.
func byCosine(data [][]float64, query []float64, count int) []int {
	scores, out := make([]*big.Rat, len(data)), make([]int, len(data))
	for v, x := range data {
		scores[v], out[v] = cosine(x, query), v
	}
	slices.SortStableFunc(out, func(a, b int) int { return scores[b].Cmp(scores[a]) })
	return out[:min(count, len(out))]
}

// The vectors with the smallest angle come first, ties by index, for any lengths. Squares may leave the range of
// float64, and a zero vector is at a right angle.
func TestNearestByCosineInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	for _, n := range []int{1, 4, 23} {
		data := signrp.NumbersLike(rng, n, 5)
		for v, scale := range map[int]float64{2: 0x1p500, 5: 0x1p-600, 8: 0x1p-1000, 9: 0x1p900, 11: 0} {
			if v < n {
				for i := range data[v] {
					data[v][i] *= scale
				}
			}
		}
		queries := signrp.NumbersLike(rng, 11, 5)
		for i := range queries[3] {
			queries[3][i] *= 0x1p-700
			queries[5][i] *= 0x1p600
		}
		before := fmt.Sprint(data, queries)
		for _, count := range []int{1, 3, 22, 50} {
			found := must.Be(signrp.NearestByCosine(context.Background(), data, queries, count))
			for q := range queries {
				if want := byCosine(data, queries[q], count); !slices.Equal(found[q], want) {
					t.Errorf("%d nearest of %d to query %d: %v, want %v", count, n, q, found[q], want)
				}
			}
		}
		if fmt.Sprint(data, queries) != before {
			t.Error("NearestByCosine changed its input")
		}
	}
}

// retrievalOf evaluates the found indices by the definitions of precision@10 and recall@100.
func retrievalOf(found, truth [][]int) signrp.Retrieval {
	first, all, wanted := 0.0, 0.0, 0.0
	for q := range found {
		wanted += float64(len(truth[q]))
		for rank, v := range found[q] {
			if slices.Contains(truth[q], v) && rank < 10 {
				first++
			}
			if slices.Contains(truth[q], v) && rank < 100 {
				all++
			}
		}
	}
	return signrp.Retrieval{Precision: first / (10 * float64(len(found))), Recall: all / wanted}
}

// A search is evaluated against the true neighbors of the vectors, with noise from the given streams and without noise.
func TestSearchJudge(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(14, 3))
	data, queries := signrp.NumbersLike(rng, 140, 8), signrp.NumbersLike(rng, 9, 8)
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 8, 96, signrp.ProjectionOptions{Seed: 5}))
	for _, truly := range []int{1, 12, 120} {
		s := must.Be(signrp.NewSearch(ctx, data, queries, truly))
		if n, m := s.Size(); n != 140 || m != 9 {
			t.Errorf("%d vectors and %d queries, want 140 and 9", n, m)
		}
		truth, rank := make([][]int, len(queries)), func(data, queries [][]float64, found [][]int) {
			for q, y := range queries {
				scores, order := make([]float64, len(data)), make([]int, len(data))
				for v, x := range data {
					for i := range x {
						scores[v] += float64(x[i] * y[i])
					}
					scores[v], order[v] = scores[v]/norm(x), v
				}
				slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
				found[q] = order[:100]
			}
		}
		for q := range queries {
			truth[q] = byCosine(data, queries[q], truly)
		}
		signed := func(set [][]float64) [][]float64 { // equal lengths: angles as Hamming distances
			out := make([][]float64, len(set))
			for v, x := range set {
				for _, c := range x {
					out[v] = append(out[v], math.Copysign(1, c))
				}
			}
			return out
		}
		check := func(what string, got signrp.Retrieval, err error, data, queries [][]float64) {
			t.Helper()
			found := make([][]int, len(queries))
			if rank(data, queries, found); err != nil || got != retrievalOf(found, truth) {
				t.Errorf("%s, %d true: %+v, %v, want %+v", what, truly, got, err, retrievalOf(found, truth))
			}
		}
		x := must.Be(w.ApplyAll(ctx, data))
		y := must.Be(w.ApplyAll(ctx, queries))
		got, err := s.JudgePlain(ctx, w)
		check("numbers without noise", got, err, x, y)
		got, err = s.JudgePlainSigns(ctx, w)
		check("signs without noise", got, err, signed(x), signed(y))
		streams := func(n uint64) rand.Source { return draw.Source(3, n) }
		one := func(r *signrp.Release, set [][]float64, odd uint64) (out [][]float64) {
			for v, u := range set {
				o := must.Be(r.Sample(ctx, u, streams(2*uint64(v)+odd)))
				x := slices.Clone(o.Numbers)
				for _, s := range o.Signs {
					x = append(x, float64(s))
				}
				out = append(out, x)
			}
			return out
		}
		numbers := must.Be(signrp.NewRP(ctx, w, evidencetest.Epsilon(4), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: .5}))
		raw := must.Be(signrp.NewRaw(8, evidencetest.Epsilon(4), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: .5}))
		for _, r := range append(signrp.EveryRelease(t, w, evidencetest.Epsilon(4), .5)[:4], numbers, raw) {
			got, err := s.Judge(ctx, r, streams)
			check(r.Name(), got, err, one(r, data, 0), one(r, queries, 1))
		}
	}
}

// A simulated answer is the projection plus σ times the source's normal numbers.
func TestSimulatedNumbers(t *testing.T) {
	ctx, u := context.Background(), []float64{.5, -.25, 1, 0}
	w := must.Be(signrp.NewProjection(signrp.Gaussian, 4, 6, signrp.ProjectionOptions{Seed: 7}))
	for _, e := range []float64{.1, .3, 1, 2} {
		r := must.Be(signrp.NewRP(ctx, w, evidencetest.Epsilon(e), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: .5}))
		plain := must.Be(signrp.NewRaw(4, evidencetest.Epsilon(e), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: .5}))
		x := must.Be(w.ApplyAll(ctx, [][]float64{u}))
		for _, c := range []struct {
			r  *signrp.Release
			at []float64
		}{{r, x[0]}, {plain, u}} {
			out, err := c.r.Sample(ctx, u, rand.NewPCG(1, 2))
			if err != nil || len(out.Numbers) != len(c.at) || out.Signs != nil {
				t.Fatalf("Sample returns %+v, error %v", out, err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			sigma := sigmaOf(c.r)
			for j, v := range c.at {
				if want := v + float64(sigma*rng.NormFloat64()); out.Numbers[j] != want {
					t.Errorf("%s at ε = %g: number %d is %v, want %v", c.r.Name(), e, j, out.Numbers[j], want)
				}
			}
		}
	}
}
