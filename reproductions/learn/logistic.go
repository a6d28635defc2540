package learn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// ErrNoFit is wrapped by the error for a fit that does not converge.
var ErrNoFit = errors.New("no fit")

// LogisticOptions define the objective of FitLogistic.
type LogisticOptions struct {
	Ridge float64 // weight of ‖η‖²/2, at least 0; separable data need a positive one
	// Linear, if not nil, is a vector n. Its inner product with η, divided by the number of samples, is added to the
	// objective, for objective perturbation.
	Linear []float64
}

// FitLogistic returns the η that minimises, over N samples x_i with labels y_i,
//
//	−(1/N) Σ y_i ln h(x_i) + (1 − y_i) ln(1 − h(x_i)) + (Ridge/2)‖η‖² + nᵀη/N,
//
// h(x) = 1/(1 + e^{−ηᵀx}), by damped Newton steps until the gradient is below 1e-9. There is no intercept; append a
// constant feature for one. It returns an error wrapping parameter.Err if shapes disagree, and one wrapping ErrNoFit if
// the minimum is not reached, as for separable data without a ridge.
func FitLogistic(x [][]float64, y []bool, opts LogisticOptions) ([]float64, error) {
	n, p, err := checkSamples(x, len(y))
	if err != nil {
		return nil, err
	}
	if err := parameter.NotNegative("ridge", opts.Ridge); err != nil {
		return nil, err
	}
	if opts.Linear != nil && len(opts.Linear) != p {
		return nil, parameter.Errorf("the linear term has %d entries, want %d, one for each feature", len(opts.Linear), p)
	}
	value := func(eta []float64) float64 {
		var sum, norm, linear float64
		for i, row := range x {
			z := dot(row, eta)
			if y[i] {
				z = -z
			}
			sum += math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
		}
		for j, v := range eta {
			norm += v * v
			if opts.Linear != nil {
				linear += opts.Linear[j] * v
			}
		}
		return (sum+linear)/float64(n) + opts.Ridge/2*norm
	}
	eta, gradient := make([]float64, p), make([]float64, p)
	at := value(eta)
	noFit := fmt.Errorf("%w: logistic regression has not converged; choose a ridge above 0", ErrNoFit)
	for range 200 {
		hessian := mat.NewSymDense(p, nil)
		for j := range gradient {
			gradient[j] = opts.Ridge * eta[j]
			if opts.Linear != nil {
				gradient[j] += opts.Linear[j] / float64(n)
			}
			hessian.SetSym(j, j, opts.Ridge)
		}
		for i, row := range x {
			h := sigmoid(dot(row, eta))
			e := h
			if y[i] {
				e--
			}
			w := h * (1 - h) / float64(n)
			for j, v := range row {
				if v == 0 {
					continue
				}
				gradient[j] += e * v / float64(n)
				for k := j; k < p; k++ {
					hessian.SetSym(j, k, hessian.At(j, k)+w*v*row[k])
				}
			}
		}
		flat := norm(gradient) < 1e-9
		if flat && (opts.Ridge > 0 || !saturated(x, eta)) {
			return eta, nil
		}
		step, err := newtonStep(hessian, gradient)
		if err != nil {
			return nil, err
		}
		if flat && dot(step, gradient) > 1e-3*norm(gradient)*norm(eta) {
			return nil, noFit // the objective has no minimum: the data are separable and η diverges
		}
		if flat {
			return eta, nil
		}
		scale := 1.0
		for ; scale > 1e-12; scale /= 2 {
			next := lists.Of(p, func(j int) float64 { return eta[j] - scale*step[j] })
			if v := value(next); v <= at-1e-4*scale*dot(step, gradient) || v <= at && norm(gradient) < 1e-7 {
				eta, at = next, v
				break
			}
		}
		if scale <= 1e-12 {
			break
		}
	}
	if norm(gradient) < 1e-6 {
		return eta, nil
	}
	return nil, noFit
}

// saturated reports whether the predicted probability of a label is almost 1.
func saturated(x [][]float64, eta []float64) bool {
	return slices.ContainsFunc(x, func(row []float64) bool { return math.Abs(dot(row, eta)) > 12 })
}

// newtonStep solves hessian·step = gradient. It adds a small multiple of the identity if the Hessian is singular.
func newtonStep(hessian *mat.SymDense, gradient []float64) ([]float64, error) {
	p := len(gradient)
	for damp := 0.0; damp < 1; damp = math.Max(10*damp, 1e-10) {
		var chol mat.Cholesky
		damped := mat.NewSymDense(p, nil)
		damped.CopySym(hessian)
		for j := range p {
			damped.SetSym(j, j, damped.At(j, j)+damp)
		}
		if !chol.Factorize(damped) {
			continue
		}
		step := mat.NewVecDense(p, nil)
		if err := chol.SolveVecTo(step, mat.NewVecDense(p, gradient)); err == nil || damp > 0 {
			return step.RawVector().Data, nil
		}
	}
	return nil, fmt.Errorf("%w: the Hessian is not positive definite", ErrNoFit)
}

// Accuracy returns the fraction of samples whose label is the sign of ηᵀx, positive for true.
func Accuracy(eta []float64, x [][]float64, y []bool) (float64, error) {
	n, p, err := checkSamples(x, len(y))
	if err != nil {
		return 0, err
	}
	if p != len(eta) {
		return 0, parameter.Errorf("samples have %d features, want %d, one for each entry of eta", p, len(eta))
	}
	right := 0
	for i, row := range x {
		if (dot(row, eta) > 0) == y[i] {
			right++
		}
	}
	return float64(right) / float64(n), nil
}

// NoiseObjective draws the linear term of privacy-preserving logistic regression (Chaudhuri and Monteleoni, NIPS 2008;
// used in the XOR mechanism's paper, footnote 7). Its direction is uniform on the sphere and its norm has the law Γ(p,
// 2/ε), with mean 2p/ε. It returns an error wrapping parameter.Err unless p ≥ 1 and ε is positive.
func NoiseObjective(p int, eps evidence.Epsilon, src rand.Source) ([]float64, error) {
	if err := parameter.AtLeast("p", p, 1); err != nil {
		return nil, err
	}
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	n := lists.Of(p, func(int) float64 { return rng.NormFloat64() })
	length := norm(n)
	var radius float64 // Γ(p, 2/ε) with integer p is a sum of exponentials
	for range p {
		radius += rng.ExpFloat64() * 2 / eps.Value()
	}
	for j := range n {
		n[j] *= radius / length
	}
	return n, nil
}

func checkSamples(x [][]float64, labels int) (n, p int, err error) {
	if len(x) == 0 || len(x[0]) == 0 {
		return 0, 0, parameter.Errorf("there are no samples with features, want at least one")
	}
	if labels != len(x) {
		return 0, 0, parameter.Errorf("%d labels for %d samples, want one for each sample", labels, len(x))
	}
	for i, row := range x {
		if len(row) != len(x[0]) {
			return 0, 0, parameter.Errorf("sample %d has %d features, want %d as sample 0", i, len(row), len(x[0]))
		}
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, 0, parameter.Errorf("sample %d contains %g, want finite numbers", i, v)
			}
		}
	}
	return len(x), len(x[0]), nil
}

func dot(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}
