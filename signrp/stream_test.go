package signrp

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/looks"
	"dpworkbench/privacy"
)

// all returns every release of W, of numbers too.
func all(t testing.TB, w *Projection) []*Release {
	out := everyRelease(t, w, eps(t, 2), .25)
	r, err := NewRP(context.Background(), w, eps(t, 2), evidencetest.Delta(1e-3), RPOptions{Beta: .25})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := NewRaw(w.p, eps(t, 2), evidencetest.Delta(1e-3), RPOptions{Beta: .25})
	if err != nil {
		t.Fatal(err)
	}
	return append(out, r, raw)
}

// said is a number as a test may compare it: its ends, or its error.
func said(n evidence.Number, err error) string {
	if err != nil {
		return err.Error()
	}
	if n == nil {
		return "nothing"
	}
	lo, hi := n.Bounds()
	return fmt.Sprintf("%.12g…%.12g %v", lo, hi, n.Kind())
}

// From a seed every release draws what it always did, and of each the privacy is what
// it always was, to 12 digits; other tests say that it is right. Printed by this test.
func TestStreams(t *testing.T) {
	ctx := context.Background()
	want := map[Kind]string{
		OPORP:      "26e2eb17 2f85c1ee",
		Sparse:     "07a8871c 87e822c4",
		Uniform:    "2318c5e3 1ecc376a",
		Gaussian:   "ecb3c10d 9e6559c7",
		Rademacher: "d1e880e1 cb461d52",
	}
	for _, w := range allKinds(t, 5, 4, 22) {
		rng := rand.New(rand.NewPCG(22, 71))
		drawn, judged := fnv.New32a(), fnv.New32a()
		for _, r := range all(t, w) {
			u, v := randomVector(rng, 5), randomVector(rng, 5)
			copy(v, u)
			v[3] = math.Max(-1, u[3]-.25)
			src := rand.NewPCG(22, 72)
			for range 5 {
				out, err := r.Sample(ctx, u, src)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(drawn, "%.9f %v", out.Numbers, out.Signs)
			}
			fmt.Fprint(drawn, src.Uint64())
			for _, c := range []privacy.Profile{r.Pair(u, v), r.Neighbors(u), r.Ball(u), r.Public()} {
				fmt.Fprintln(judged, r.name, said(c.Epsilon(ctx, evidence.Delta{})), said(c.Epsilon(ctx, evidencetest.Delta(.01))), said(c.Delta(ctx, eps(t, .5))))
			}
			if r.w != nil {
				worst, err := r.Neighbors(u).Worst(ctx)
				fmt.Fprintln(judged, said(worst.Epsilon, err), worst.Coordinate, worst.To)
			}
			fmt.Fprintln(judged, r.Label(), r.K(), r.P(), r.Delta(), r.Beta(), r.Signs(), r.Individual(), r.DataDependent(), r.HasSigma(), r.ClaimedEpsilon())
			sigma, err := r.Sigma()
			fmt.Fprintln(judged, said(sigma, err))
		}
		if got := fmt.Sprintf("%08x %08x", drawn.Sum32(), judged.Sum32()); got != want[w.kind] {
			t.Errorf("%s: %q, want %q", w.kind, got, want[w.kind])
		}
	}
}

// Whatever is known of a release may be asked for by several goroutines at once, and
// all are told the same.
func TestOneReleaseForMany(t *testing.T) {
	ctx := context.Background()
	w, err := NewProjection(Rademacher, 5, 4, ProjectionOptions{Seed: 22})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(22, 73))
	u := randomVector(rng, 5)
	v := append([]float64{}, u...)
	v[2] = 0
	for _, r := range all(t, w) {
		if r.w != nil { // anew, with nothing known of it
			if r.w, err = NewProjection(Rademacher, 5, 4, ProjectionOptions{Seed: 22}); err != nil {
				t.Fatal(err)
			}
		}
		pair, neighbors, ball, public := r.Pair(u, v), r.Neighbors(u), r.Ball(u), r.Public()
		told := make([]string, 6)
		var wait sync.WaitGroup
		for i := range told {
			wait.Go(func() {
				for _, c := range []privacy.Profile{pair, neighbors, ball, public} {
					told[i] += said(c.Epsilon(ctx, evidence.Delta{})) + said(c.Delta(ctx, eps(t, .5)))
				}
				out, err := r.Sample(ctx, u, rand.NewPCG(1, 1))
				told[i] += fmt.Sprint(out, err)
			})
		}
		wait.Wait()
		for _, s := range told {
			if s != told[0] {
				t.Errorf("%s: %s\nand %s", r.name, s, told[0])
			}
		}
	}
}

// spelled is what a call returned, or its error.
func spelled[T any](v T, err error) (string, error) {
	if err != nil {
		return "", err
	}
	switch v := any(v).(type) {
	case *Release:
		sigma, _ := v.Sigma()
		return fmt.Sprint(v.name, sigma.Lo, sigma.Hi), nil
	case *Projection:
		m, err := v.Matrix()
		return fmt.Sprint(m), err
	case *Search:
		return fmt.Sprint(v.truth), nil
	case Worst:
		return fmt.Sprint(said(v.Epsilon, nil), v.Coordinate, v.To), nil
	case evidence.Number:
		return said(v, nil), nil
	}
	return fmt.Sprint(v), nil
}

// Work that is over at any of its looks says so, or has its whole answer.
func TestEverythingStops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // looks are counted
	rng := rand.New(rand.NewPCG(22, 74))
	u, data := randomVector(rng, 5), [][]float64{randomVector(rng, 5), randomVector(rng, 5), randomVector(rng, 5)}
	v := append([]float64{}, u...)
	v[2] = 0
	streams := func(n uint64) rand.Source { return draw.Source(22, n) }
	stops := func(what string, do func(ctx context.Context) (string, error)) {
		t.Helper()
		ctx := looks.After(context.Background(), math.MaxInt)
		whole, failed := do(ctx)
		if errors.Is(failed, context.Canceled) {
			t.Fatalf("%s: %v", what, failed)
		}
		all := ctx.Looks()
		for at := 0; at < all; at += 1 + all/6 {
			got, err := do(looks.After(context.Background(), at))
			if !errors.Is(err, context.Canceled) && (got != whole || (err == nil) != (failed == nil)) {
				t.Errorf("%s: %s, %v where it is over after %d looks of %d", what, got, err, at, all)
			}
		}
	}
	fresh := func(kind Kind) *Projection {
		if kind == OPORP {
			w, err := NewOPORP(context.Background(), 5, 4, 22)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		w, err := NewProjection(kind, 5, 4, ProjectionOptions{Sparsity: 3, Seed: 22})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	stops("OPORP", func(ctx context.Context) (string, error) { return spelled(NewOPORP(ctx, 5, 4, 22)) })
	for _, kind := range []Kind{Rademacher, Gaussian, OPORP} {
		stops("the sensitivity", func(ctx context.Context) (string, error) { return spelled(fresh(kind).Sensitivity(ctx, .5)) })
		stops("numbers", func(ctx context.Context) (string, error) {
			return spelled(NewRP(ctx, fresh(kind), eps(t, 1), evidencetest.Delta(.1), RPOptions{Beta: .5}))
		})
		stops("noisy signs", func(ctx context.Context) (string, error) {
			return spelled(NewSignRP(ctx, fresh(kind), eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(.1), Beta: .5}))
		})
		stops("a product", func(ctx context.Context) (string, error) { return spelled(fresh(kind).Apply(ctx, u)) })
		stops("products", func(ctx context.Context) (string, error) { return spelled(fresh(kind).ApplyAll(ctx, data)) })
		stops("products of bytes", func(ctx context.Context) (string, error) {
			return spelled(fresh(kind).ApplyBytes(ctx, []byte{1, 2, 3, 4, 5}, 1./255))
		})
		stops("levels", func(ctx context.Context) (string, error) { return spelled(fresh(kind).Levels(ctx, u, .5)) })
	}
	search, err := NewSearch(context.Background(), data, data, 1)
	if err != nil {
		t.Fatal(err)
	}
	stops("a search", func(ctx context.Context) (string, error) { return spelled(NewSearch(ctx, data, data, 1)) })
	stops("a plain judgement", func(ctx context.Context) (string, error) {
		return spelled(search.JudgePlainSigns(ctx, fresh(Rademacher)))
	})
	for i, r := range all(t, fresh(Rademacher)) {
		anew := func() *Release {
			c := *r
			if c.w != nil {
				c.w = fresh(Rademacher)
			}
			return &c
		}
		name := fmt.Sprint(r.name, " ", i)
		if r.w != nil {
			stops("a release by "+name, func(ctx context.Context) (string, error) { return spelled(anew().Sample(ctx, u, rand.NewPCG(1, 1))) })
			stops("a worst neighbor of "+name, func(ctx context.Context) (string, error) { return spelled(anew().Neighbors(u).Worst(ctx)) })
		}
		stops("releases by "+name, func(ctx context.Context) (string, error) { return spelled(anew().SampleAll(ctx, data, streams)) })
		stops("a judgement of "+name, func(ctx context.Context) (string, error) { return spelled(search.Judge(ctx, anew(), streams)) })
		if r.w == nil {
			continue
		}
		for k, curve := range []func() privacy.Profile{
			func() privacy.Profile { return anew().Pair(u, v) }, func() privacy.Profile { return anew().Neighbors(u) },
			func() privacy.Profile { return anew().Ball(u) },
		} {
			stops(fmt.Sprint("ε of ", name, k), func(ctx context.Context) (string, error) {
				return spelled(curve().Epsilon(ctx, evidencetest.Delta(.01)))
			})
			stops(fmt.Sprint("pure ε of ", name, k), func(ctx context.Context) (string, error) { return spelled(curve().Epsilon(ctx, evidence.Delta{})) })
			stops(fmt.Sprint("δ of ", name, k), func(ctx context.Context) (string, error) { return spelled(curve().Delta(ctx, eps(t, .5))) })
		}
	}
}
