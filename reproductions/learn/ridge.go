package learn

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// ErrShape is wrapped by errors for arguments of incompatible sizes.
var ErrShape = errors.New("incompatible sizes")

// Kernel is a positive semi-definite function of two records. The kernels below pad the shorter record with zeros.
type Kernel func(x, y []float64) float64

// Linear returns ⟨x, y⟩ + 1, for ridge regression with an intercept.
func Linear(x, y []float64) float64 { return 1 + Inner(x, y) }

// Inner returns ⟨x, y⟩, for ridge regression through the origin.
func Inner(x, y []float64) float64 {
	s := 0.0
	for i := range min(len(x), len(y)) {
		s += x[i] * y[i]
	}
	return s
}

// RBF returns exp(−‖x − y‖²/(2 width²)).
func RBF(width float64) Kernel {
	return func(x, y []float64) float64 {
		s, both := 0.0, min(len(x), len(y))
		for i := range both {
			s += (x[i] - y[i]) * (x[i] - y[i])
		}
		for _, rest := range [][]float64{x[both:], y[both:]} {
			for _, v := range rest {
				s += v * v
			}
		}
		return math.Exp(-s / (2 * width * width))
	}
}

// Ridge is a kernel ridge regression y(x) = Σ_i a_i k(x_i, x) with
// (K + ρI)a = y (Shawe-Taylor and Cristianini, Kernel Methods, 2004, 7.3).
type Ridge struct {
	kernel  Kernel
	records [][]float64
	weights *mat.VecDense
}

// FitRidge fits the regression with penalty rho > 0 to records and their targets. It returns an error if sizes disagree
// (wrapping ErrShape), the kernel is nil, or the system is singular in float64.
func FitRidge(kernel Kernel, rho float64, records [][]float64, targets []float64) (*Ridge, error) {
	n := len(records)
	if n == 0 || len(targets) != n {
		return nil, fmt.Errorf("%w: %d records and %d targets, want one target for each record, at least one", ErrShape, n, len(targets))
	}
	if kernel == nil {
		return nil, parameter.Errorf("the kernel is nil, want a function of two records")
	}
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, kernel(records[i], records[j]))
		}
		k.SetSym(i, i, k.At(i, i)+rho)
	}
	var chol mat.Cholesky
	if !chol.Factorize(k) {
		return nil, fmt.Errorf("ridge: the kernel matrix plus %g on its diagonal is not positive definite", rho)
	}
	r := &Ridge{kernel, records, mat.NewVecDense(n, nil)}
	if err := chol.SolveVecTo(r.weights, mat.NewVecDense(n, targets)); err != nil {
		var condition mat.Condition
		if !errors.As(err, &condition) {
			return nil, err
		}
	}
	return r, nil
}

// Predict returns y(x).
func (r *Ridge) Predict(x []float64) float64 {
	s := 0.0
	for i, record := range r.records {
		s += r.weights.AtVec(i) * r.kernel(record, x)
	}
	return s
}

// RMSE returns the root mean square error of the regression on records.
func (r *Ridge) RMSE(records [][]float64, targets []float64) (float64, error) {
	if len(records) == 0 || len(records) != len(targets) {
		return 0, fmt.Errorf("%w: %d records and %d targets, want one target for each record, at least one", ErrShape, len(records), len(targets))
	}
	s := 0.0
	for i, x := range records {
		d := r.Predict(x) - targets[i]
		s += d * d
	}
	return math.Sqrt(s / float64(len(records))), nil
}
