package mvg

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// basis is the basis W of an optimisation: Σ = W diag(v) Wᵀ. K = W diag(w) Wᵀ holds the importances or is a signal's
// covariance. W is taken as given, although it is only nearly orthonormal. Its deviation is enclosed, so that bounds
// hold for exactly these designs and this K.
type basis struct {
	w       *mat.Dense          // nil is the standard basis
	weights []interval.Interval // w
	// charges are the coefficients Σ_i w_i (WᵀW)_ij² of the variances: tr(KΣ) = Σ_j charges_j v_j.
	charges []interval.Interval
	// least and most are bounds on the eigenvalues of WᵀW.
	least, most float64
	inverted    *symmetric.Enclosure // W⁻¹, computed at the first call of inverse
}

// enclosedOrder is the largest order at which WᵀW and W⁻¹ are enclosed entry by entry. Beyond it a bound on ‖WᵀW −
// I‖ is used.
const enclosedOrder = 64

// givenBasis returns newBasis(directions, weights), or an error if the directions are not orthonormal to the tolerance
// of NewDirectional.
func givenBasis(directions mat.Matrix, weights []float64) (*basis, error) {
	if directions != nil {
		if _, err := orthonormal(directions, len(weights)); err != nil {
			return nil, err
		}
	}
	return newBasis(directions, weights)
}

func newBasis(directions mat.Matrix, weights []float64) (*basis, error) {
	m := len(weights)
	f := &basis{weights: exactly(weights), least: 1, most: 1}
	f.charges = f.weights
	if directions == nil {
		return f, nil
	}
	f.w = mat.DenseCopyOf(directions)
	f.charges = make([]interval.Interval, m)
	norm, off := symmetric.Skew(f.w)
	drift := interval.Up(norm + off)
	if !(drift < 0.5) {
		return nil, parameter.Errorf("directions are not orthonormal: ‖WᵀW − I‖ = %.3g", norm)
	}
	f.least, f.most = interval.Down(1-drift), interval.Up(1+drift)
	if m > enclosedOrder {
		// (WᵀW)_jj is within drift of 1, and Σ_{i≠j} (WᵀW)_ij² ≤ drift².
		near, rest := square(interval.Between(f.least, f.most)), summed(f.weights).Mul(square(interval.Between(0, drift)))
		for j, w := range f.weights {
			f.charges[j] = w.Mul(near).Add(rest)
		}
		return f, nil
	}
	basis := symmetric.Exactly(f.w)
	gram := basis.T().Mul(basis)
	f.least = math.Max(f.least, interval.Down(1-identity(m).Minus(gram).EigenvalueUpperBound()))
	f.most = math.Min(f.most, interval.Up(1+gram.Minus(identity(m)).EigenvalueUpperBound()))
	for j := range m {
		f.charges[j] = interval.Int(0)
		for i := range m {
			v, _ := gram.At(i, j)
			f.charges[j] = f.charges[j].Add(f.weights[i].Mul(square(v)))
		}
	}
	return f, nil
}

// square encloses a² by an interval without negative numbers.
func square(a interval.Interval) interval.Interval { return interval.Max(a.Mul(a), interval.Int(0)) }

// inverse returns W⁻¹ = (WᵀW)⁻¹Wᵀ, whose distance from Wᵀ is at most ‖(WᵀW)⁻¹ − I‖·‖W‖.
func (f *basis) inverse() *symmetric.Enclosure {
	if f.inverted != nil {
		return f.inverted
	}
	basis := symmetric.Exactly(f.w)
	if len(f.weights) <= enclosedOrder {
		if factor, ok := basis.T().Mul(basis).Factorize(); ok {
			f.inverted = factor.Solve(basis.T())
			return f.inverted
		}
	}
	drift := math.Max(f.most-1, 1-f.least)
	f.inverted = basis.T().Widened(drift / f.least * f.most * (1 + 8*unit))
	return f.inverted
}

// ofMembers returns the coefficients of the objective in terms of precisions in these directions: charges for an
// error, eigenvalues for information.
func (f *basis) ofMembers(o Objective) []interval.Interval {
	if o == LeastError {
		return f.charges
	}
	return f.weights
}

// matrix returns W.
func (f *basis) matrix() *symmetric.Enclosure {
	if f.w == nil {
		return identity(len(f.weights))
	}
	return symmetric.Exactly(f.w)
}

// root returns L = W diag(√w), for which K = LLᵀ.
func (f *basis) root() *symmetric.Enclosure {
	return f.matrix().Scaled(nil, lists.Each(f.weights, interval.Interval.Sqrt))
}

// whitened returns L⁻¹SL⁻ᵀ, whose largest eigenvalue is the least λ with S ⪯ λK. All
// weights are positive.
func (f *basis) whitened(s *symmetric.Enclosure) *symmetric.Enclosure {
	roots := lists.Each(f.weights, rootInverse)
	return f.rotateBoth(s).Scaled(roots, roots)
}

// rotate returns W⁻¹Δ.
func (f *basis) rotate(delta *symmetric.Enclosure) *symmetric.Enclosure {
	if f.w == nil {
		return delta
	}
	return f.inverse().Mul(delta)
}

// rotateBoth returns W⁻¹ΔW⁻ᵀ.
func (f *basis) rotateBoth(delta *symmetric.Enclosure) *symmetric.Enclosure {
	if f.w == nil {
		return delta
	}
	return f.inverse().Mul(delta).Mul(f.inverse().T())
}

// within returns a difference in this basis: W⁻¹ΔW⁻ᵀ if Ψ = Σ, and W⁻¹Δ otherwise.
func (f *basis) within(mode Mode, delta mat.Matrix) *symmetric.Enclosure {
	if mode == Equimodal {
		return f.rotateBoth(symmetric.Exactly(delta))
	}
	return f.rotate(symmetric.Exactly(delta))
}

// fromPrecisionBasis returns W⁻ᵀA. If P = AAᵀ, this is a factor of W⁻ᵀPW⁻¹.
func (f *basis) fromPrecisionBasis(a *symmetric.Enclosure) *symmetric.Enclosure {
	if f.w == nil {
		return a
	}
	return f.inverse().T().Mul(a)
}

// dual returns W⁻ᵀ in float64.
func (f *basis) dual() *mat.Dense {
	if f.w == nil {
		return symmetric.Eye(len(f.weights))
	}
	return f.inverse().T().Middle()
}
