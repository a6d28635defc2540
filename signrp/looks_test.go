package signrp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/looks"
	"dpworkbench/privacy"
)

// looked is a context that is over from a certain look at it on.
type looked struct {
	context.Context
	left *atomic.Int64
}

func (l looked) Err() error {
	if l.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Every curve of every release, over at any look, says so or has its
// whole answer; a curve that was broken off answers like a new one.
func TestCurvesStopAtEveryLook(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // looks are counted
	rng := rand.New(rand.NewPCG(31, 77))
	u := edgyVector(rng, 4, 0)
	v := append([]float64{}, u...)
	v[2] = 0
	spelled := func(n evidence.Number, err error) (string, error) { return fmt.Sprint(n), err }
	for _, w := range allKinds(t, 4, 3, 22) {
		if w.kind != Gaussian && w.kind != OPORP {
			continue // as Gaussian, but for the numbers
		}
		fresh := func() *Projection {
			if w.kind == OPORP {
				out, err := NewOPORP(context.Background(), 4, 3, 22)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			out, err := NewProjection(w.kind, 4, 3, ProjectionOptions{Sparsity: 3, Seed: 22})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		for n, r := range everyRelease(t, w, eps(t, 1), 0.5) {
			anew := func() *Release {
				c := *r
				c.w = fresh()
				return &c
			}
			for name, curve := range map[string]func() privacy.Profile{
				"public": func() privacy.Profile { return anew().Public() }, "pair": func() privacy.Profile { return anew().Pair(u, v) },
				"neighbors": func() privacy.Profile { return anew().Neighbors(u) }, "ball": func() privacy.Profile { return anew().Ball(u) },
			} {
				for question, ask := range map[string]func(context.Context, privacy.Profile) (string, error){
					"pure ε": func(ctx context.Context, c privacy.Profile) (string, error) {
						return spelled(c.Epsilon(ctx, evidence.Delta{}))
					},
					"ε": func(ctx context.Context, c privacy.Profile) (string, error) {
						return spelled(c.Epsilon(ctx, evidencetest.Delta(.01)))
					},
					"δ": func(ctx context.Context, c privacy.Profile) (string, error) { return spelled(c.Delta(ctx, eps(t, .5))) },
				} {
					if question == "ε" && name != "public" {
						continue // by halving: the same looks again
					}
					left := new(atomic.Int64)
					left.Store(1 << 40)
					whole, failed := ask(looked{context.Background(), left}, curve())
					all := 1<<40 - left.Load()
					for at := int64(0); at < all; at += 1 + at {
						left.Store(at)
						c := curve()
						got, err := ask(looked{context.Background(), left}, c)
						if !errors.Is(err, context.Canceled) && (got != whole || (err == nil) != (failed == nil)) {
							t.Errorf("%s %d, %s W, %s of %s: %s, %v where it is over after %d looks of %d", r.name, n, w.kind, question, name, got, err, at, all)
						}
						got, err = ask(looks.Blink(context.Background(), int(at)), curve())
						if !errors.Is(err, context.Canceled) && (got != whole || (err == nil) != (failed == nil)) {
							t.Errorf("%s %d, %s W, %s of %s: %s, %v where it is told once that it is over, after %d looks of %d", r.name, n, w.kind, question, name, got, err, at, all)
						}
						if again, err := ask(context.Background(), c); again != whole || (err == nil) != (failed == nil) {
							t.Errorf("%s %d, %s W, %s of %s: %s, %v after it was broken off, want %s", r.name, n, w.kind, question, name, again, err, whole)
						}
					}
				}
			}
		}
	}
}
