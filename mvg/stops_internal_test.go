package mvg

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// If its context ends while a function runs, the function returns the context's error unchanged and no result. It
// starts no new work.
func TestInterrupted(t *testing.T) {
	routes(func(name string, s Sensitivity, goal Goal, r Params) {
		if _, list := s.(Differences); goal.Objective == MostInformation && r.Mode != Unimodal && (r.Directions != nil) != list {
			return // keep one case of each kind of slow problem
		}
		whole := ctxtest.CancelAfter(t.Context(), math.MaxInt)
		if _, err := solveAt(whole, s, goal, r, 1, 1); err != nil || whole.Polls() == 0 {
			return
		}
		ctxtest.StopsPromptly(t, name, func(ctx context.Context) (any, error) { return solveAt(ctx, s, goal, r, 1, 1) })
	})

	rng := rand.New(rand.NewPCG(6, 1))
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	list := setsOf(rng)["list"]
	r := Params{Epsilon: eps, Delta: evidencetest.Delta(1e-3)}
	ctxtest.StopsPromptly(t, "a tight design", func(ctx context.Context) (any, error) { return NewTight(ctx, list, r) })
	dense := func(n int) Covariance { return DrawCovariance(t, n, 1, rng) }
	two, other := dense(2), dense(2)
	ctxtest.StopsPromptly(t, "a design", func(ctx context.Context) (any, error) { return NewDesign(ctx, list, two, other) })
	design := must.Be(NewDesign(t.Context(), list, two, other))
	ctxtest.StopsPromptly(t, "δ of a design", func(ctx context.Context) (any, error) { return design.Privacy().Delta(ctx, eps) })
	ctxtest.StopsPromptly(t, "ε of a design", func(ctx context.Context) (any, error) { return design.Privacy().Epsilon(ctx, evidencetest.Delta(0.1)) })
	added := must.Be(NewGram(2, 1, query.AddRemove, 1))
	ctxtest.StopsPromptly(t, "a design for a record added", func(ctx context.Context) (any, error) { return NewDesign(ctx, added, two, other) })

	many, unit := dense(14), must.Be(NewIsotropic(1, 1))
	box := must.Be(NewBox(1, uniform(14, 1)))
	ctxtest.StopsPromptly(t, "a box of 2^13 vertices", func(ctx context.Context) (any, error) { return NewDesign(ctx, box, many, unit) })
	goal := Goal{LeastError, uniform(14, 1)}
	ctxtest.StopsPromptly(t, "the optimum for it", func(ctx context.Context) (any, error) {
		return solveAt(ctx, box, goal, Params{Directions: symmetric.RandomBasis(14, rand.NewPCG(6, 2))}, 1, 1)
	})

	noise := must.Be(NewRankOne(10, 1, eps, evidencetest.Delta(1e-5))).Privacy(0.1)
	ctxtest.StopsPromptly(t, "δ of the rank-one noise", func(ctx context.Context) (any, error) { return noise.Delta(ctx, eps) })
	problem := KroneckerProblem{[]float64{1, 3}, []float64{1, 2, 0.5}, 2, L1, 3}
	ctxtest.StopsPromptly(t, "a Kronecker filling", func(ctx context.Context) (any, error) { return FillKronecker(ctx, problem, rand.NewPCG(1, 1)) })
}

// A caller that waits for another goroutine's triangle stops when its context ends. So does the computation of either
// covariance's triangle.
func TestTriangleStopsWithContext(t *testing.T) {
	rng := rand.New(rand.NewPCG(143, 1))
	over, end := context.WithCancel(t.Context())
	end()
	c := DrawCovariance(t, 3, 1, rng)
	<-c.dense.exact.turn
	if l, err := c.triangle(over, 200); l != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a triangle locked by another goroutine: %v, error %v", l, err)
	}
	c.dense.exact.turn <- struct{}{}
	fx, out := mat.NewDense(3, 2, nil), mat.NewDense(3, 2, nil)
	for name, known := range map[string]bool{"Σ": false, "Ψ": true} {
		sigma, psi := DrawCovariance(t, 3, 1, rng), DrawCovariance(t, 2, 1, rng)
		if known {
			must.Be(sigma.triangle(t.Context(), 1000))
		}
		z := make([]sampling.Real, 6)
		sampling.Normals(z, rng)
		p := joint{sigma: sigma, psi: psi}
		if err := p.compute(over, out, fx, z, 64, [][]int{{0, 1, 2}, {0, 1, 2}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s has no triangle yet: error %v", name, err)
		}
	}
	near := must.Be(NewDense(mat.NewSymDense(2, []float64{1, 1 - 1e-12, 1 - 1e-12, 1})))
	d := must.Be(NewDesign(t.Context(), must.Be(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1})), near, near))
	if z, err := d.SimulateKronecker(mat.NewDense(2, 2, nil), rand.NewPCG(1, 1)); z != nil || !errors.Is(err, ErrNotPositiveDefinite) {
		t.Errorf("noise without a factor: %v, error %v", z, err)
	}
}

// A release stops at each poll of its context.
func TestReleasesStopEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(515, 1))
	dense, other := DrawCovariance(t, 3, 1, rng), DrawCovariance(t, 2, 1, rng)
	fx := mat.NewDense(3, 2, nil)
	_, err := DesignOf(dense, other).SimulateKronecker(mat.NewDense(2, 3, nil), rand.NewPCG(1, 1))
	if !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("an answer of another shape: %v", err)
	}
	for name, made := range map[string]func() *Design{ // a new design each time, because a design caches its roots
		"dense":    func() *Design { return DesignOf(must.Be(NewDense(dense.Matrix())), must.Be(NewDense(other.Matrix()))) },
		"refined":  func() *Design { return DesignOf(must.Be(NewDense(dense.Matrix())), must.Be(NewDense(other.Matrix()))) }, // starts with few digits
		"diagonal": func() *Design { return DesignOf(must.Be(NewIsotropic(3, 1)), must.Be(NewIsotropic(2, 1))) },
		"columns":  func() *Design { return DesignOf(must.Be(NewIsotropic(3, 1)), must.Be(NewDense(other.Matrix()))) },
	} {
		release := func(ctx context.Context) (*mat.Dense, error) {
			if d := made(); name == "refined" {
				p := d.joint(must.Be(newGrid(nil, d.Grid())))
				p.bits = 8
				return p.release(ctx, fx, RowStreams(1))
			}
			return made().Release(ctx, fx, nil, RowStreams(1))
		}
		whole := ctxtest.CancelAfter(t.Context(), math.MaxInt)
		if _, err := release(whole); err != nil {
			t.Fatal(err)
		}
		for n := range whole.Polls() {
			if out, err := release(ctxtest.CancelAfter(t.Context(), n)); out != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled after %d of %d polls: %v, error %v", name, n, whole.Polls(), out, err)
			}
		}
	}
	noise := RankOne{Dimension: 6, Sensitivity: 1, Variance: 1}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := noise.Release(ctx, fx, nil, rand.NewPCG(1, 1))
		return err
	})
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := ReleaseLaplace(ctx, fx, big.NewRat(1, 1), nil, RowStreams(1))
		return err
	})
}
