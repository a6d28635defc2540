package signrp

import (
	"context"
	"math/rand/v2"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
)

// Retrieval measures how well nearest neighbors are found from private releases.
type Retrieval struct {
	Precision float64 // fraction of true neighbors among the first ten found
	Recall    float64 // fraction of the true neighbors that are among the first hundred found
}

// Search compares releases by retrieval. For each query, the Truth vectors of the database at the least angle are
// true neighbors. Results are ranked by the angle between released numbers or by the Hamming distance between
// released signs. Both queries and database are released.
type Search struct {
	data, queries [][]float64
	truth         []map[int]bool
}

// The numbers of results in Figures 5 and 13: precision@10 and recall@100.
const (
	firstFound = 10
	allFound   = 100
)

// NewSearch computes the true neighbors. It returns an error wrapping evidence.ErrParameter if a set is empty,
// lengths differ or truth is not positive.
func NewSearch(ctx context.Context, data, queries [][]float64, truth int) (*Search, error) {
	if len(data) == 0 || len(queries) == 0 {
		return nil, parameter.Errorf("%d vectors and %d queries, want at least one of each", len(data), len(queries))
	}
	near, err := NearestByCosine(ctx, data, queries, truth)
	if err != nil {
		return nil, err
	}
	s := &Search{data: data, queries: queries, truth: make([]map[int]bool, len(near))}
	for q, found := range near {
		s.truth[q] = make(map[int]bool, len(found))
		for _, v := range found {
			s.truth[q][v] = true
		}
	}
	return s, nil
}

// Size returns the numbers of vectors and queries.
func (s *Search) Size() (vectors, queries int) { return len(s.data), len(s.queries) }

// Judge releases database and queries once, retrieves, and returns the quality of the results. Vector v uses stream 2v,
// query q uses stream 2q + 1. Errors are those of [Release.SampleAll].
func (s *Search) Judge(ctx context.Context, r *Release, streams Streams) (Retrieval, error) {
	data, err := r.SampleAll(ctx, s.data, func(n uint64) rand.Source { return streams(2 * n) })
	if err != nil {
		return Retrieval{}, err
	}
	queries, err := r.SampleAll(ctx, s.queries, func(n uint64) rand.Source { return streams(2*n + 1) })
	if err != nil {
		return Retrieval{}, err
	}
	plain, signs := func(o Output) []float64 { return o.Numbers }, func(o Output) []int8 { return o.Signs }
	if !r.Signs() {
		return s.rank(NearestByCosine(ctx, lists.Each(data, plain), lists.Each(queries, plain), allFound))
	}
	return s.rank(packed(lists.Each(data, signs)).nearest(ctx, packed(lists.Each(queries, signs)), allFound))
}

// JudgePlain retrieves from the projections without noise, which is the best that a release of numbers can achieve.
func (s *Search) JudgePlain(ctx context.Context, w *Projection) (Retrieval, error) {
	data, queries, err := s.project(ctx, w)
	if err != nil {
		return Retrieval{}, err
	}
	return s.rank(NearestByCosine(ctx, data, queries, allFound))
}

// JudgePlainSigns is JudgePlain for the signs alone.
func (s *Search) JudgePlainSigns(ctx context.Context, w *Projection) (Retrieval, error) {
	data, queries, err := s.project(ctx, w)
	if err != nil {
		return Retrieval{}, err
	}
	return s.rank(packed(signsOfNumbers(data)).nearest(ctx, packed(signsOfNumbers(queries)), allFound))
}

func (s *Search) project(ctx context.Context, w *Projection) (data, queries [][]float64, err error) {
	if data, err = w.ApplyAll(ctx, s.data); err == nil {
		queries, err = w.ApplyAll(ctx, s.queries)
	}
	return data, queries, err
}

func (s *Search) rank(found [][]int, err error) (Retrieval, error) {
	if err != nil {
		return Retrieval{}, err
	}
	first, all, wanted := 0, 0, 0
	for q, list := range found {
		for rank, v := range list {
			if s.truth[q][v] {
				all++
				if rank < firstFound {
					first++
				}
			}
		}
		wanted += len(s.truth[q])
	}
	return Retrieval{
		Precision: float64(first) / float64(firstFound*len(found)),
		Recall:    float64(all) / float64(wanted),
	}, nil
}

func signsOfNumbers(data [][]float64) [][]int8 {
	out := make([][]int8, len(data))
	for v, x := range data {
		out[v] = make([]int8, len(x))
		for j, c := range x {
			out[v][j] = 1
			if c < 0 {
				out[v][j] = -1
			}
		}
	}
	return out
}
