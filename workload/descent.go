package workload

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// A family is a parametrised set of lower triangular Toeplitz encoders. At parameters x the first column is c = at(x),
// with c_0 = 1. pull(x, g) returns the gradient in x of a function with gradient g in c.
type family struct {
	at   func(x []float64) series
	pull func(x []float64, g series) []float64
}

// coefficients returns the family whose parameters are the coefficients 1 … degree; later coefficients are 0.
func coefficients(n, degree int) family {
	return family{
		at: func(x []float64) series {
			c := make(series, n)
			c[0] = 1
			copy(c[1:], x)
			return c
		},
		pull: func(_ []float64, g series) []float64 { return append([]float64(nil), g[1:degree+1]...) },
	}
}

// buffers returns the family of buffered linear Toeplitz matrices, c_k = Σ_d ω_d θ_d^{k−1} for k > 0 (Dvijotham,
// McMahan, Pillutla, Steinke and Thakurta, arXiv:2404.16706), with parameters ln ω_d and ln(−ln θ_d), so that 0 < θ_d <
// 1.
func buffers(n, degree int) family {
	terms := func(x []float64, add func(d, k int, w, t, power float64)) {
		for d := range degree {
			w, t := math.Exp(x[d]), math.Exp(x[degree+d]) // θ = e^{−t}
			for k := 1; k < n; k++ {
				add(d, k, w, t, math.Exp(-t*float64(k-1)))
			}
		}
	}
	return family{
		at: func(x []float64) series {
			c := make(series, n)
			c[0] = 1
			terms(x, func(_, k int, w, _, power float64) { c[k] += float64(w * power) })
			return c
		},
		pull: func(x []float64, g series) []float64 {
			out := make([]float64, 2*degree)
			terms(x, func(d, k int, w, t, power float64) {
				out[d] += g[k] * w * power
				out[degree+d] -= g[k] * w * power * t * float64(k-1)
			})
			return out
		},
	}
}

// startBuffers returns initial parameters of buffers. They approximate 1/√(πk) = (1/π)∫ e^{s/2} e^{−k e^s} ds by a sum
// with a term for each buffer, whose time scales range from one step to the length of the stream.
func startBuffers(n, degree int) []float64 {
	x := make([]float64, 2*degree)
	low, high := -math.Log(float64(n))-1, 1.0
	step := (high - low) / float64(degree)
	for d := range degree {
		s := low + (float64(d)+.5)*step
		x[d], x[degree+d] = math.Log(step/math.Pi)+s/2-math.Exp(s), s
	}
	return x
}

// loss returns the logarithm of the squared error, at equal privacy, of the Toeplitz encoder with first column c for
// the workload with first column w, and its gradient. It is +Inf on overflow.
func loss(w, c series, o Objective, p Participation) (value float64, gradient series) {
	b := w.over(c)
	n := len(c)
	square, weighted := 0.0, make(series, n)
	for j, v := range b {
		weight := 1.0
		if o == Mean {
			weight = 1 - float64(j)/float64(n)
		}
		weighted[j] = 2 * weight * v
		square += weight * v * v
	}
	gradient = b.over(c).correlate(weighted)
	floats.Scale(-1/square, gradient)
	norm := moved(c, p, gradient)
	value = math.Log(square) + math.Log(norm)
	if math.IsNaN(value) || floats.HasNaN(gradient) {
		return math.Inf(1), make(series, n)
	}
	return value, gradient
}

// moved returns Σ|⟨c_s, c_t⟩| over the columns of the pattern that starts at step 0, and adds the gradient of its
// logarithm to gradient. The sum is the squared sensitivity if c is decreasing and nonnegative. For any c, Sensitivity
// later evaluates the result of the search.
func moved(c series, p Participation, gradient series) float64 {
	starts := []int{0}
	if p.Kind != Once {
		for s := 1; s < p.Epochs; s++ {
			starts = append(starts, s*p.Separation)
		}
	}
	n, all := len(c), 0.0
	total := make(series, n)
	for _, s := range starts {
		sum := make(series, n) // Σ_t ±c_t, with the signs of ⟨c_s, c_t⟩
		for _, t := range starts {
			x := floats.Dot(c[max(s, t)-s:n-s], c[max(s, t)-t:n-t])
			all += math.Abs(x)
			floats.AddScaled(sum[t:], math.Copysign(1, x), c[:n-t])
		}
		floats.Add(total[:n-s], sum[s:])
	}
	floats.AddScaled(gradient, 2/all, total)
	return all
}

// stopping is a recorder of the optimiser. It ends a search if the context ends, and reports progress.
type stopping struct {
	ctx   context.Context
	steps int // at most
}

func (stopping) Init() error { return nil }
func (s stopping) Record(_ *optimize.Location, _ optimize.Operation, at *optimize.Stats) error {
	parallel.Report(s.ctx, int64(at.MajorIterations), int64(s.steps), "steps of a descent, at most")
	return s.ctx.Err()
}

// descend minimises f by L-BFGS from x on. It returns the best parameters found. It stops if no step improves them,
// after the given number of steps, or if twenty steps gain less than tolerance.
func descend(
	ctx context.Context, x []float64, steps int, tolerance float64, f func(x []float64) (float64, []float64),
) ([]float64, error) {
	if len(x) == 0 {
		return x, ctx.Err()
	}
	var at, gradient []float64
	var value float64
	ask := func(x []float64) { // the optimiser asks for the value and then for the gradient
		if at == nil || !floats.Equal(at, x) {
			at = append(at[:0], x...)
			value, gradient = f(x)
		}
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { ask(x); return value },
		Grad: func(grad, x []float64) { ask(x); copy(grad, gradient) },
	}
	found, err := optimize.Minimize(problem, x, &optimize.Settings{
		GradientThreshold: 1e-9, MajorIterations: steps, Recorder: stopping{ctx, steps},
		Converger: &optimize.FunctionConverge{Absolute: tolerance, Iterations: 20},
	}, &optimize.LBFGS{Store: 20})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if found == nil {
		return nil, err
	}
	return found.X, nil // the line search found no better point
}

// descendFamily returns the first column of the best encoder of a family that descend finds.
func descendFamily(
	ctx context.Context, f family, start []float64, w series, o Objective, p Participation,
) (series, error) {
	x, err := descend(ctx, start, 400, 1e-13, func(x []float64) (float64, []float64) {
		value, g := loss(w, f.at(x), o, p)
		return value, f.pull(x, g)
	})
	if err != nil {
		return nil, err
	}
	return f.at(x), nil
}
