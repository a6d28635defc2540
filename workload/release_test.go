package workload_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

func noiseOf(t *testing.T, s *workload.Strategy, eps, delta float64) *workload.Noise {
	t.Helper()
	e, err := evidence.NewEpsilon("eps", eps)
	if err != nil {
		t.Fatal(err)
	}
	d, err := evidence.NewDelta("delta", delta)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Calibrate(e, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNoiseKeepsEpsilon(t *testing.T) {
	for _, name := range []string{"square_root", "tree"} {
		n := noiseOf(t, newStrategy(t, prefix(t, 20), name, workload.StrategyParams{}), 1, 1e-6)
		eps := must.For(n.Epsilon())(t)
		if !(eps.Hi <= 1 && eps.Lo > 1-1e-9) {
			t.Errorf("%s: ε is %v, want at most 1 and nearly that", name, eps)
		}
	}
}

// A stream gives the same answers as a release with the same draws.
func TestStreamMatchesRelease(t *testing.T) {
	s := newStrategy(t, prefix(t, 12), "optimal", workload.StrategyParams{})
	n := noiseOf(t, s, 1, 1e-6)
	x := mat.NewDense(12, 1, nil)
	for i := range 12 {
		x.Set(i, 0, 1/float64(i+1))
	}
	all, err := n.Release(ctx, x, rand.NewPCG(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := n.NewStream(rand.NewPCG(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		answer := must.For(stream.Add(ctx, []float64{x.At(i, 0)}))(t)
		if math.Abs(answer[0]-all.At(i, 0)) > 1e-10 {
			t.Errorf("step %d: %v, want %v", i, answer[0], all.At(i, 0))
		}
		if _, err := stream.Add(ctx, []float64{1, 2}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("a longer vector after step %d: %v", i, err)
		}
	}
	if _, err := stream.Add(ctx, []float64{1}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a step beyond the end: %v", err)
	}
	tree := noiseOf(t, newStrategy(t, prefix(t, 12), "tree", workload.StrategyParams{}), 1, 1e-6)
	if _, err := tree.NewStream(nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a stream by the tree: %v", err)
	}
}

// The mean and variance of many releases are within 6 standard deviations, so a false alarm has probability 1e-7.
// Noise that is half as large, or added to Wx instead of Cx, fails.
func TestReleaseLaw(t *testing.T) {
	const runs, steps = 1500, 4
	for _, name := range []string{"square_root", "tree", "identity"} {
		s := newStrategy(t, prefix(t, steps), name, workload.StrategyParams{})
		n := noiseOf(t, s, 1, 1e-3)
		b := must.For(s.Decoder())(t)
		x, src := mat.NewDense(steps, 1, []float64{1, -1, .5, .25}), rand.NewPCG(58, 9)
		sum, square := make([]float64, steps), make([]float64, steps)
		truth := []float64{1, 0, .5, .75}
		for range runs {
			y := must.For(n.Release(ctx, x, src))(t)
			for i := range steps {
				d := y.At(i, 0) - truth[i]
				sum[i], square[i] = sum[i]+d, square[i]+d*d
			}
		}
		for i := range steps {
			sd := n.Sigma * mat.Norm(b.RowView(i), 2)
			if z := sum[i] / (sd * math.Sqrt(runs)); math.Abs(z) > 6 {
				t.Errorf("%s: the mean of answer %d is %.1f standard deviations off", name, i, z)
			}
			if z := (square[i]/(sd*sd) - runs) / math.Sqrt(2*runs); math.Abs(z) > 6 {
				t.Errorf("%s: the variance of answer %d is %.1f standard deviations off", name, i, z)
			}
		}
	}
}

// A change in x far below the rounding error of Cx still changes the measurement, since sums are exact.
func TestMeasurementsAreExact(t *testing.T) {
	w, err := workload.NewMatrix("difference", mat.NewDense(1, 3, []float64{1, 1, -1}))
	if err != nil {
		t.Fatal(err)
	}
	s, err := workload.FromEncoder(ctx, w, mat.NewDense(1, 3, []float64{1, 1, -1}), workload.StrategyParams{})
	if err != nil {
		t.Fatal(err)
	}
	n := noiseOf(t, s, 1, 1e-3)
	draw := func(x ...float64) float64 {
		y := must.For(n.Release(ctx, mat.NewDense(3, 1, x), rand.NewPCG(1, 1)))(t)
		return y.At(0, 0)
	}
	if got := draw(1e18, 1, 1e18) - draw(0, 0, 0); math.Abs(got-1) > 1e-6 {
		t.Errorf("1e18 + 1 − 1e18 moves the measurement by %v, want 1", got)
	}
}
