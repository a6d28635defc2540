package mvg

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// frame is the directions W of an optimisation: of Σ = W diag(v) Wᵀ, and of the importances
// or a signal's covariance, K = W diag(w) Wᵀ. W is taken as given, nearly orthonormal, and
// what it lacks is carried along, so that bounds are on these designs and this K.
type frame struct {
	w       *mat.Dense          // nil is the standard basis
	weights []interval.Interval // w
	// charges are Σ_i w_i (WᵀW)_ij²: tr(KΣ) = Σ_j charges_j v_j.
	charges []interval.Interval
	// least and most are bounds on the eigenvalues of WᵀW.
	least, most float64
	inverted    *symmetric.Enclosure // W⁻¹, once it was asked for
}

// enclosedOrder is the largest order at which WᵀW and W⁻¹ are enclosed entry by entry;
// beyond it ‖WᵀW − I‖ says what W lacks.
const enclosedOrder = 64

// givenFrame is newFrame of directions that are orthonormal as far as is asked for.
func givenFrame(directions mat.Matrix, weights []float64) (*frame, error) {
	if directions != nil {
		if _, err := orthonormal(directions, len(weights)); err != nil {
			return nil, err
		}
	}
	return newFrame(directions, weights)
}

func newFrame(directions mat.Matrix, weights []float64) (*frame, error) {
	m := len(weights)
	f := &frame{weights: exactly(weights), least: 1, most: 1}
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
	f.least = math.Max(f.least, interval.Down(1-identity(m).Minus(gram).EigenCeiling()))
	f.most = math.Min(f.most, interval.Up(1+gram.Minus(identity(m)).EigenCeiling()))
	for j := range m {
		f.charges[j] = interval.Int(0)
		for i := range m {
			v, _ := gram.At(i, j)
			f.charges[j] = f.charges[j].Add(f.weights[i].Mul(square(v)))
		}
	}
	return f, nil
}

// square returns an enclosure of a², none of it negative.
func square(a interval.Interval) interval.Interval { return interval.Max(a.Mul(a), interval.Int(0)) }

// inverse returns W⁻¹ = (WᵀW)⁻¹Wᵀ, which is within ‖(WᵀW)⁻¹ − I‖·‖W‖ of Wᵀ.
func (f *frame) inverse() *symmetric.Enclosure {
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

// ofMembers returns what the objective at precisions p in the directions is of: charges for
// an error, eigenvalues for information.
func (f *frame) ofMembers(o Objective) []interval.Interval {
	if o == LeastError {
		return f.charges
	}
	return f.weights
}

// basis returns W.
func (f *frame) basis() *symmetric.Enclosure {
	if f.w == nil {
		return identity(len(f.weights))
	}
	return symmetric.Exactly(f.w)
}

// root returns L = W diag(√w), for which K = LLᵀ.
func (f *frame) root() *symmetric.Enclosure {
	return f.basis().Scaled(nil, lists.Each(f.weights, interval.Interval.Sqrt))
}

// whitened returns L⁻¹SL⁻ᵀ, whose largest eigenvalue is the least λ with S ⪯ λK. All
// weights are positive.
func (f *frame) whitened(s *symmetric.Enclosure) *symmetric.Enclosure {
	roots := lists.Each(f.weights, rootInverse)
	return f.turnedBoth(s).Scaled(roots, roots)
}

// turned returns W⁻¹Δ.
func (f *frame) turned(delta *symmetric.Enclosure) *symmetric.Enclosure {
	if f.w == nil {
		return delta
	}
	return f.inverse().Mul(delta)
}

// turnedBoth returns W⁻¹ΔW⁻ᵀ.
func (f *frame) turnedBoth(delta *symmetric.Enclosure) *symmetric.Enclosure {
	if f.w == nil {
		return delta
	}
	return f.inverse().Mul(delta).Mul(f.inverse().T())
}

// within returns a difference in the frame's coordinates, W⁻¹ΔW⁻ᵀ where Ψ = Σ and W⁻¹Δ elsewhere.
func (f *frame) within(mode Mode, delta mat.Matrix) *symmetric.Enclosure {
	if mode == Equimodal {
		return f.turnedBoth(symmetric.Exactly(delta))
	}
	return f.turned(symmetric.Exactly(delta))
}

// outward returns W⁻ᵀA: precisions are W⁻ᵀPW⁻¹.
func (f *frame) outward(a *symmetric.Enclosure) *symmetric.Enclosure {
	if f.w == nil {
		return a
	}
	return f.inverse().T().Mul(a)
}

// dual returns W⁻ᵀ in float64.
func (f *frame) dual() *mat.Dense {
	if f.w == nil {
		return symmetric.Eye(len(f.weights))
	}
	return f.inverse().T().Middle()
}
