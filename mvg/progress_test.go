package mvg

import (
	"context"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/parallel"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// said is one report of progress.
type said struct {
	done, total int64
	what        string
}

// heard returns what work reports.
func heard(t *testing.T, work func(ctx context.Context)) []said {
	t.Helper()
	var lock sync.Mutex
	var all []said
	work(parallel.WithProgress(t.Context(), func(done, total int64, what string) {
		lock.Lock()
		defer lock.Unlock()
		all = append(all, said{done, total, what})
	}))
	return all
}

// Long work tells that it begins, and how far it has come: counts from the first to the last, and
// barriers as they fall.
func TestProgressIsTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(132, 1))
	eps := ok(evidence.NewEpsilon("eps", 1))
	dense := func(n int) Covariance { return drawCovariance(t, n, 1, rng) }
	two, other := dense(2), dense(2)
	added := ok(NewGram(2, 1, query.AddRemove, 1))
	fx := mat.NewDense(2, 3, nil)
	noise := ok(NewRankOne(6, 1, eps, evidencetest.Delta(1e-5)))
	begins := func(name string, all []said) {
		t.Helper()
		if len(all) == 0 || all[0] != (said{}) {
			t.Errorf("%s begins with %v", name, all)
		}
	}
	begins("a design", heard(t, func(ctx context.Context) { ok(NewDesign(ctx, added, two, other)) }))
	begins("an optimum", heard(t, func(ctx context.Context) {
		ok(Optimal(ctx, added, Goal{LeastError, nil}, Recipe{Epsilon: eps, Delta: evidencetest.Delta(1e-3)}))
	}))

	counts := func(name string, first, step, last, total int64, what string, all []said) {
		t.Helper()
		var of []said
		for _, s := range all {
			if s.what == what {
				of = append(of, s)
			}
		}
		if len(of) == 0 || of[0].done != first || of[len(of)-1].done != last {
			t.Errorf("%s: %v, want %s from %d to %d", name, all, what, first, last)
			return
		}
		for k, s := range of {
			if s.total != total || s.done != first+step*int64(k) {
				t.Errorf("%s: report %d is %v, want %d of %d", name, k, s, first+step*int64(k), total)
			}
		}
	}
	q := drawCovariance(t, 15, 1, rng).Matrix()
	counts("vertices", 4096, 4096, 3*4096, 1<<14, "vertices", heard(t, func(ctx context.Context) {
		if _, _, err := grayVertex(ctx, q); err != nil {
			t.Fatal(err)
		}
	}))
	counts("crossed modes", 0, 1, 69, 0, "bisection", heard(t, func(ctx context.Context) { ok(crossedModes(ctx, two, other)) }))
	cells := heard(t, func(ctx context.Context) { ok(noise.Privacy(0.1).Delta(ctx, eps)) })
	if len(cells) == 0 {
		t.Fatal("no cells are told")
	}
	first := cells[0]
	if !strings.HasSuffix(first.what, " cells") || first.total < 2 {
		t.Errorf("cells begin with %v", first)
	}
	counts("cells", 0, 1, first.total-1, first.total, first.what, cells[:first.total])

	sources := func(row uint64) rand.Source { return rand.NewPCG(row, 1) }
	d := ok(NewDesign(t.Context(), ok(NewBall(2, 3, BallOptions{S2: 1, Gamma: 1})), ok(NewIsotropic(2, 1)), ok(NewIsotropic(3, 1))))
	counts("a release", 2, 1, 2, 2, "rows released", heard(t, func(ctx context.Context) { ok(d.Release(ctx, fx, nil, sources)) }))
	d = ok(NewDesign(t.Context(), ok(NewBall(2, 3, BallOptions{S2: 1, Gamma: 1})), two, dense(3)))
	counts("a dense release", 1, 1, 3, 3, "columns released", heard(t, func(ctx context.Context) { ok(d.Release(ctx, fx, nil, sources)) }))
	counts("rank-one noise", 1, 1, 6, 6, "entries released", heard(t, func(ctx context.Context) {
		ok(noise.Release(ctx, fx, big.NewRat(1, 8), rand.NewPCG(1, 1)))
	}))

	barriers := func(name string, want []string, all []said) {
		t.Helper()
		for k, w := range want {
			if w = "interior point method, barrier " + w; k >= len(all) || all[k].what != w || all[k].total != 0 {
				t.Errorf("%s: %v, want %q", name, all, w)
				return
			}
		}
	}
	list := []*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mat.NewDense(2, 2, []float64{0, 1, 1, 0.5})}
	barriers("a relaxation", []string{"0.1", "0.02", "0.004", "0.0008"}, heard(t, func(ctx context.Context) { ok(newRelaxation([]float64{4, 9}, list).solve(ctx)) }))
	barriers("a separable problem", []string{"1", "0.1", "0.02", "0.002"}, heard(t, func(ctx context.Context) {
		s := &separable{terms: []term{logarithms(1), logarithms(2)}, rows: [][]float64{{1, 1}}}
		if _, _, err := s.solve(ctx); err != nil {
			t.Fatal(err)
		}
	}))
	barriers("an informed one", []string{"1", "0.1", "0.02", "0.002"}, heard(t, func(ctx context.Context) {
		c := symmetric.Eye(2)
		c.Scale(0.5, c)
		g := &informed{signals: []*mat.Dense{symmetric.Eye(2)}, list: []*mat.SymDense{gramOf(list[0]), gramOf(list[1])}}
		if _, _, err := g.solve(ctx, c); err != nil {
			t.Fatal(err)
		}
	}))
	g := &geodesic{mode: Unimodal, root: symmetric.Eye(2), list: list}
	far := []string{"1", "0.1", "0.01", "0.001", "0.0001"}
	for rough, want := range map[bool][]string{true: far[:3], false: append(far, "1e-05")} {
		all := heard(t, func(ctx context.Context) {
			a, b := g.start()
			if _, _, err := g.solve(ctx, ok(g.chart(a, b)), rough); err != nil {
				t.Fatal(err)
			}
		})
		barriers("a geodesic one", want, all)
		if rough && len(all) != len(want) {
			t.Errorf("a rough search goes on: %v", all)
		}
	}
}
