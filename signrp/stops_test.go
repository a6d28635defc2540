package signrp

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Releases of numbers and of signs return the error of their context, in every threat model.
func TestReleasesStop(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const p, k = 5, 4
	rng := rand.New(rand.NewPCG(41, 2))
	u := RandomVector(rng, p)
	v := append([]float64(nil), u...)
	v[2] = u[2] / 2
	data := [][]float64{u, v, u}
	streams := func(n uint64) rand.Source { return draw.Source(41, n) }
	for _, kind := range []Kind{Rademacher, Gaussian, OPORP} {
		for n, r := range AllReleases(t, FreshProjection(t, kind, p, k, false)) {
			of := func() *Release {
				c := *r
				if c.w != nil {
					c.w = FreshProjection(t, kind, p, k, false)
				}
				return &c
			}
			each := func(what string, least int, do func(ctx context.Context) error) {
				t.Helper()
				if ctxtest.EachPoll(t, least, do); t.Failed() {
					t.Fatalf("%s of %s %d, %s W", what, r.name, n, kind)
				}
			}
			measured := 1 // polls before W is measured; some kinds of W need no measuring
			if kind != Gaussian || r.w == nil {
				measured = 0
			}
			each("a draw", min(1, r.K()), func(ctx context.Context) error { return Discard(of().Draw(ctx, u, nil, rand.NewPCG(1, 2))) })
			each("a sample", measured, func(ctx context.Context) error { return Discard(of().Sample(ctx, u, rand.NewPCG(1, 2))) })
			each("samples", 1, func(ctx context.Context) error { return Discard(of().SampleAll(ctx, data, streams)) })
			each("rows", 1, func(ctx context.Context) error { return Discard(of().SampleRows(ctx, data, streams)) })
			if r.w == nil {
				continue
			}
			each("pairs", measured, func(ctx context.Context) error { return Discard(of().PairsBetween(ctx, u, v)) })
			each("public pairs", 0, func(ctx context.Context) error { return Discard(of().Pairs(ctx)) })
			each("neighbors' pairs", 0, func(ctx context.Context) error { return Discard(of().NeighborPairs(ctx, u)) })
			each("the worst", measured, func(ctx context.Context) error { return Discard(of().Neighbors(u).Worst(ctx)) })
			for name, curve := range map[string]func() privacy.Profile{
				"pair": func() privacy.Profile { return of().Pair(u, v) }, "neighbors": func() privacy.Profile { return of().Neighbors(u) },
				"ball": func() privacy.Profile { return of().Ball(u) }, "public": func() privacy.Profile { return of().Public() },
			} {
				each("pure ε, "+name, 0, func(ctx context.Context) error { return Discard(curve().Epsilon(ctx, evidence.Delta{})) })
				each("ε, "+name, 0, func(ctx context.Context) error { return Discard(curve().Epsilon(ctx, evidencetest.Delta(0.01))) })
				each("δ, "+name, 0, func(ctx context.Context) error { return Discard(curve().Delta(ctx, evidencetest.Epsilon(0.5))) })
			}
		}
	}
}

// The ball of numbers stops with its context if a move by β may leave the domain.
func TestBallOfNumbersStops(t *testing.T) {
	u := []float64{0.5, -0.25, 0}
	of := func() *Release {
		r := must.Be(NewRP(t.Context(), FreshProjection(t, Gaussian, 3, 2, false), evidencetest.Epsilon(1), evidencetest.Delta(1e-3), RPOptions{Beta: 1.5}))
		r.w = FreshProjection(t, Gaussian, 3, 2, false)
		return r
	}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return Discard(of().Ball(u).Delta(ctx, evidencetest.Epsilon(1))) })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return Discard(of().Ball(u).Epsilon(ctx, evidencetest.Delta(0.01))) })
}

// The search over corners stops with its context. The test covers three cases: no sign can leave A, one sign barely
// can, and there are too many corners to enumerate.
func TestCornerSearchStops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rng := rand.New(rand.NewPCG(41, 4))
	for _, c := range []struct {
		kind Kind
		p, k int
		beta float64
	}{{Gaussian, 3, 2, 40}, {Gaussian, 13, 2, 40}, {Rademacher, 2, 2, 2}, {Rademacher, 2, 2, 1.9999999999999998}, {Rademacher, 3, 40, 0.5}} {
		u := RandomVector(rng, c.p)
		for _, r := range EveryRelease(t, FreshProjection(t, c.kind, c.p, c.k, false), evidencetest.Epsilon(1), c.beta) {
			of := func() *Release {
				again := *r
				again.w = FreshProjection(t, c.kind, c.p, c.k, false)
				return &again
			}
			for _, curve := range []func() privacy.Profile{func() privacy.Profile { return of().Neighbors(u) }, func() privacy.Profile { return of().Ball(u) }, func() privacy.Profile { return of().Public() }} {
				if ctxtest.EachPoll(t, 0, func(ctx context.Context) error { return Discard(curve().Epsilon(ctx, evidence.Delta{})) }); t.Failed() {
					t.Fatalf("%s, %+v", r.name, c)
				}
			}
		}
	}
}

// Searches, estimates, moments and every algorithm for P₊ stop with their context.
func TestSearchesAndEstimatesStop(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const p, k = 4, 3
	rng := rand.New(rand.NewPCG(41, 3))
	streams := func(n uint64) rand.Source { return draw.Source(41, n) }
	data, queries := NumbersLike(rng, 9, p), NumbersLike(rng, 5, p)
	search := must.Be(NewSearch(t.Context(), data, queries, 2))
	signs := packed([][]int8{{1, -1}, {1, 1}})
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return Discard(NewSearch(ctx, data, queries, 2)) })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return Discard(NearestByCosine(ctx, data, queries, 2)) })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return Discard(signs.nearest(ctx, signs, 1)) })
	for _, kind := range []Kind{Rademacher, Gaussian} {
		for _, judge := range []func(context.Context, *Projection) (Retrieval, error){search.JudgePlain, search.JudgePlainSigns} {
			ctxtest.EachPoll(t, 3, func(ctx context.Context) error {
				return Discard(judge(ctx, FreshProjection(t, kind, p, k, false)))
			})
		}
		for _, r := range AllReleases(t, FreshProjection(t, kind, p, k, false)) {
			ctxtest.EachPoll(t, 3, func(ctx context.Context) error { return Discard(search.Judge(ctx, r, streams)) })
		}
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			return Discard(EstimatePPlus(ctx, Column{Kind: kind, U: data[0], Beta: 0.5}, 10, streams))
		})
	}
	u, v := []float64{1, 0.5, -0.25, 0.5}, []float64{0.75, 0.5, 0.5, -0.25}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		return Discard(NormalizedMoments(ctx, nil, u, v, interval.Decimal(0.5)))
	})
	for _, kind := range []Kind{Rademacher, Sparse, OPORP} {
		ctxtest.EachPoll(t, 2, func(ctx context.Context) error {
			return Discard(NormalizedMoments(ctx, FreshProjection(t, kind, p, 2, false), u, v, interval.Decimal(0.5)))
		})
	}
	noisy := must.Be(NewRP(t.Context(), FreshProjection(t, Rademacher, p, 2, false), evidencetest.Epsilon(1), evidencetest.Delta(1e-3), RPOptions{Beta: 0.5}))
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error { return Discard(noisy.NormalizedMoments(ctx, u, v)) })

	halves := make([]float64, 20) // not on a small lattice
	for i := range halves {
		halves[i] = rng.Float64()
	}
	rounded := make([]float64, 60)
	for i := range rounded {
		rounded[i] = rng.Float64()
	}
	for _, way := range []func(ctx context.Context) error{
		func(ctx context.Context) error { return Discard(GaussianPPlus(ctx, []float64{1, 0.5, 0.25}, 0.7)) },
		func(ctx context.Context) error {
			return Discard(GaussianPPlus(ctx, []float64{1, 0.9, 0.8, 0.7, 1e-14}, 0.7))
		},
		func(ctx context.Context) error { return Discard(RademacherPPlus(ctx, u, 0.5)) },
		func(ctx context.Context) error { return Discard(RademacherPPlus(ctx, halves, 0.5)) },
		func(ctx context.Context) error {
			return Discard(RademacherPPlus(ctx, append(halves[:18:18], 1e-300), 0.5))
		},
		func(ctx context.Context) error { return Discard(roundedPPlus(ctx, rounded, 0.5, 1<<12)) },
	} {
		ctxtest.EachPoll(t, 1, way)
	}
}

// The searches for distances and largest moves stop with their context and return no result.
func TestDistancesStop(t *testing.T) {
	u, v := []float64{0.5, -0.25, 0.75}, []float64{0.5, 0.25, 0.75}
	for _, kind := range []Kind{Gaussian, Uniform, Sparse} {
		made := func() *Release {
			w := must.Be(NewProjection(kind, 3, 4, ProjectionOptions{Sparsity: 3, Seed: 5}))
			return must.Be(NewRP(t.Context(), w, evidencetest.Epsilon(1), evidencetest.Delta(1e-3), RPOptions{Beta: 0.5}))
		}
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			_, err := (&between{r: made(), u: u, v: v}).distance(ctx)
			return err
		})
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			m, err := made().Neighbors(u).longest(ctx)
			if err != nil && m.coordinate != -1 {
				t.Errorf("%v W: a cancelled search returns coordinate %d", kind, m.coordinate)
			}
			return err
		})
	}
}
