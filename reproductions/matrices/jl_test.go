package matrices_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// The exact width satisfies δ, a slightly smaller width does not, and the published width is far larger.
func TestExactJL(t *testing.T) {
	t.Parallel()
	eps, delta := evidencetest.Epsilon(1), 1.0/248
	ctx := context.Background()
	for _, form := range []matrices.Form{matrices.Threshold, matrices.Raised}[:cases.Of(1, 2)] {
		j := must.Be(matrices.ExactJL(ctx, form, 20, 1, eps, evidencetest.Delta(delta)))
		_, hi := bounds(t, j, eps)
		if hi > delta {
			t.Errorf("%v: δ up to %v", j, hi)
		}
		j.Width *= 0.97
		if lo, _ := bounds(t, j, eps); lo <= delta {
			t.Errorf("%v: δ from %v on, want it above %v", j, lo, delta)
		}
		p := must.Be(matrices.PublishedJL(form, 20, 1, eps, evidencetest.Delta(delta)))
		// The expected width is 16 √(20 ln 496) ln(79360).
		if want := 2011.0; math.Abs(p.Width/want-1) > 1e-3 {
			t.Errorf("published width %v, want %v", p.Width, want)
		}
		if claimed, delta, ok := p.Claimed(); !ok || claimed.Value != 1 || delta.Value != 1.0/248 {
			t.Errorf("claimed %v, %v, %v", claimed, delta, ok)
		}
		for width, want := range map[float64]evidence.Verdict{p.Width: evidence.Confirmed, j.Width: evidence.Refuted, j.Width / 0.97: evidence.Confirmed} {
			if v, err := (matrices.JL{Form: form, Rows: 20, Width: width, Move: 1}).IsPrivate(ctx, eps, evidencetest.Delta(delta)); err != nil || v != want {
				t.Errorf("%s at width %v: %v, %v; want %v", form, width, v, err, want)
			}
		}
		if _, _, ok := j.Claimed(); ok {
			t.Error("an exact width has a claimed ε")
		}
	}
	// A move 100 times as large needs 100 times the width.
	near, err1 := matrices.ExactJL(ctx, matrices.Raised, 5, 1, eps, evidencetest.Delta(delta))
	far, err2 := matrices.ExactJL(ctx, matrices.Raised, 5, 100, eps, evidencetest.Delta(delta))
	if err := errors.Join(err1, err2); err != nil || math.Abs(far.Width/near.Width/100-1) > 1e-3 {
		t.Errorf("widths %v and %v, %v", near.Width, far.Width, err)
	}
}

func bounds(t *testing.T, j matrices.JL, eps evidence.Epsilon) (lo, hi float64) {
	t.Helper()
	d := must.Be(j.Privacy().Delta(context.Background(), eps))
	return d.Bounds()
}

// ε(δ) inverts δ(ε), and is infinite at 0.
func TestJLEpsilon(t *testing.T) {
	j := must.Be(matrices.NewJL(matrices.Raised, 200, 60, 1))
	e := must.Be(j.Privacy().Epsilon(context.Background(), evidencetest.Delta(1e-3)))
	lo, hi := e.Bounds()
	if least, _ := bounds(t, j, evidencetest.Epsilon(lo*0.999)); least <= 1e-3 {
		t.Errorf("lower bound of δ(%v) is %v", lo, least)
	}
	if _, most := bounds(t, j, evidencetest.Epsilon(hi)); most > 1e-3*(1+1e-9) {
		t.Errorf("upper bound of δ(%v) is %v", hi, most)
	}
	if e, err := j.Privacy().Epsilon(context.Background(), evidence.Delta{}); err != nil || !math.IsInf(e.Float(), 1) {
		t.Errorf("ε(0) = %v, %v", e, err)
	}
}

// Mixed records have the covariance C/r, and the raised spectrum is subtracted. Means over draws are within six
// standard errors. The false-positive rate is below 1e-7.
func TestJLSimulate(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{3, 1, -2, 4, 1, 5, 0, -1})
	for _, form := range []matrices.Form{matrices.Raised, matrices.Threshold} {
		j := matrices.JL{Form: form, Rows: 4000, Width: 2, Move: 1}
		got := must.Be(j.SimulateGram(x, rand.NewPCG(1, 2)))
		want := mat.NewSymDense(2, nil)
		want.SymOuterK(1, x)
		c := mat.NewSymDense(2, nil)
		c.CopySym(want)
		if form == matrices.Raised {
			c.SetSym(0, 0, c.At(0, 0)+4)
			c.SetSym(1, 1, c.At(1, 1)+4)
		}
		for i := range 2 {
			for k := range 2 {
				off := math.Sqrt((c.At(i, i)*c.At(k, k) + c.At(i, k)*c.At(i, k)) / 4000)
				if d := got.At(i, k) - want.At(i, k); math.Abs(d) > 6*off {
					t.Errorf("%s: entry (%d, %d) is %v, want %v", form, i, k, got.At(i, k), want.At(i, k))
				}
			}
		}
		again, _ := j.SimulateGram(x, rand.NewPCG(1, 2))
		if !mat.Equal(got, again) {
			t.Error("the same seed gives a different draw")
		}
	}
}

// No pair of random neighbors exceeds the bounds. The loss of a pair follows from the eigenvalues of C⁻¹C'. The pairs
// come within a factor of 30 of the bounds.
func TestNeighborsWithinBounds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(29, 1))
	const width, move, rows = 6.0, 1.0, 5
	eps := evidencetest.Epsilon(0.5)
	bounds := map[matrices.Form]float64{}
	for _, f := range []matrices.Form{matrices.Raised, matrices.Threshold} {
		j := must.Be(matrices.NewJL(f, rows, width, move))
		d := must.Be(j.Privacy().Delta(context.Background(), eps))
		_, bounds[f] = d.Bounds()
	}
	most := map[matrices.Form]float64{}
	for range 60 {
		const m = 2
		n := 2 + rng.IntN(3)
		x := mat.NewDense(m, n, nil)
		scale := math.Exp(4 * rng.Float64())
		for i := range m {
			for k := range n {
				x.Set(i, k, scale*rng.NormFloat64())
			}
		}
		y := mat.DenseCopyOf(x)
		angle := 2 * math.Pi * rng.Float64()
		y.Set(0, 0, y.At(0, 0)+move*math.Cos(angle))
		y.Set(1, 0, y.At(1, 0)+move*math.Sin(angle))
		for _, f := range []matrices.Form{matrices.Raised, matrices.Threshold} {
			j := matrices.JL{Form: f, Rows: rows, Width: width, Move: move}
			if j.Check(x) != nil || j.Check(y) != nil {
				continue
			}
			var a, b mat.SymDense
			a.SymOuterK(1, x)
			b.SymOuterK(1, y)
			if f == matrices.Raised {
				for i := range m {
					a.SetSym(i, i, a.At(i, i)+width*width)
					b.SetSym(i, i, b.At(i, i)+width*width)
				}
			}
			var quotient mat.Dense
			if err := quotient.Solve(&a, &b); err != nil {
				t.Fatal(err)
			}
			half, det := mat.Trace(&quotient)/2, mat.Det(&quotient)
			root := math.Sqrt(math.Max(0, half*half-det))
			v := divergenceOfScales(rows, 0.5, math.Max(1, half+root), math.Min(1, half-root))
			most[f] = math.Max(most[f], v)
			if v > bounds[f]*1.001 {
				t.Errorf("%s: a pair has δ = %v, the bound is %v", f, v, bounds[f])
			}
		}
	}
	for f, v := range most {
		if v < bounds[f]/30 {
			t.Errorf("%s: the pairs reach only %v, the bound is %v", f, v, bounds[f])
		}
	}
}

// divergenceOfScales returns δ(ε) from r standard normal vectors of the plane to r with these variances. It uses the
// midpoint rule for the sums of the squares of both coordinates. Its relative error is below 1e-3.
func divergenceOfScales(r int, eps, up, down float64) float64 {
	const step, end = .2, 60.
	half := float64(r) / 2
	density := func(s float64) float64 { return math.Pow(s/2, half-1) * math.Exp(-s/2) / 2 / math.Gamma(half) }
	sum := 0.0
	for x := step / 2; x < end; x += step {
		inner := 0.0
		for y := step / 2; y < end; y += step {
			if loss := half*math.Log(up*down) - x*(1-1/up)/2 - y*(1-1/down)/2; loss > eps {
				inner += density(y) * -math.Expm1(eps-loss)
			}
		}
		sum += density(x) * inner
	}
	return sum * step * step
}
