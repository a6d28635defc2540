package mvg

import (
	"math"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// certified returns a lower bound on tr(KΣ)·tr Ψ over all covariances with tr(PΔQΔᵀ) ≤ 1 for the given differences. It
// works from any point P = AAᵀ, Q = BBᵀ and multipliers y ≥ 0. It is the bound of geodesic with K for W, written
// without inverses: M ⪯ (1 + η)W'/tr W' means AMAᵀ ⪯ λK for λ = (1 + η)/tr W', and N likewise means BNBᵀ ⪯ νI. So
//
//	tr(KΣ)·tr Ψ ≥ Π‖AᵀΔ_kB‖^{2y_k}/(λν),
//
// also for singular A and B, as limits. λ is the largest eigenvalue of L⁻¹AMAᵀL⁻ᵀ, K = LLᵀ, and ν that of BNBᵀ. If Σ
// has the basis's directions, P = W⁻ᵀ diag(p) W⁻¹ and only diagonals are compared. The argument a is in the coordinates
// of the basis, so A = W⁻ᵀa.
func (g *geodesic) certified(f *basis, list []*mat.Dense, a, b *mat.Dense, y []float64) (interval.Interval, error) {
	total := interval.Int(0)
	for _, v := range y {
		if !(v >= 0) || math.IsInf(v, 1) {
			return total, errScale
		}
		total = total.Add(interval.Float(v))
	}
	if sign, _ := total.Sign(); sign <= 0 {
		return total, errScale
	}
	s := &shares{geodesic: g, basis: f}
	s.factors(a, b)
	logs := interval.Int(0)
	for k, d := range list {
		// Skip zero multipliers; the result is normalised by the sum of the others.
		if y[k] == 0 {
			continue
		}
		share := interval.Float(y[k]).Quo(total)
		size, err := s.add(d, share)
		if err != nil {
			return total, err
		}
		logs = logs.Add(share.Mul(size.Log()))
	}
	v, err := s.ceiling()
	if err != nil {
		return total, err
	}
	logs = logs.Sub(v.Log().Mul(interval.Float(g.objectiveDegree())))
	if g.mode == Bimodal {
		v, err := upperEnd(s.columns.EigenvalueUpperBound())
		if err != nil {
			return total, err
		}
		logs = logs.Sub(v.Log())
	}
	return logs.Exp(), nil
}

// shares accumulates AMAᵀ and BNBᵀ.
type shares struct {
	*geodesic
	basis   *basis
	a, b    *symmetric.Enclosure // A in standard coordinates (in those of the basis if diagonal); b is nil for I
	rows    *symmetric.Enclosure
	columns *symmetric.Enclosure
}

func (s *shares) factors(a, b *mat.Dense) {
	if s.a = symmetric.Exactly(a); !s.diagonal {
		s.a = s.basis.fromPrecisionBasis(s.a)
	}
	switch s.mode {
	case Equimodal:
		s.b = s.a
	case Bimodal:
		s.b = symmetric.Exactly(b)
	}
}

// add adds a difference and returns its squared whitened norm.
func (s *shares) add(d *mat.Dense, share interval.Interval) (interval.Interval, error) {
	e := symmetric.Exactly(d)
	if s.diagonal {
		e = s.basis.within(s.mode, d)
	}
	white := s.a.T().Mul(e)
	if s.b != nil {
		white = white.Mul(s.b)
	}
	size, ok := white.Square()
	if !ok {
		return size, errScale
	}
	if sign, _ := size.Sign(); sign <= 0 {
		return size, errScale
	}
	weight := share.Quo(size)
	half := weight
	if s.mode == Equimodal {
		half = weight.Quo(interval.Int(2))
		s.rows = plus(s.rows, outer(s.a.Mul(white.T()), half))
	}
	s.rows = plus(s.rows, outer(s.a.Mul(white), half))
	if s.mode == Bimodal {
		s.columns = plus(s.columns, outer(s.b.Mul(white.T()), weight))
	}
	return size, nil
}

func plus(a, b *symmetric.Enclosure) *symmetric.Enclosure {
	if a == nil {
		return b
	}
	return a.Plus(b)
}

// outer returns w·AAᵀ.
func outer(a *symmetric.Enclosure, w interval.Interval) *symmetric.Enclosure {
	return a.Gram().Times(w)
}

// ceiling returns a number λ, as a point interval, with AMAᵀ ⪯ λK.
func (s *shares) ceiling() (interval.Interval, error) {
	if !s.diagonal {
		return upperEnd(s.basis.whitened(s.rows).EigenvalueUpperBound())
	}
	top := interval.Int(0)
	for i, w := range s.basis.charges {
		v, ok := s.rows.At(i, i)
		if !ok {
			return top, errScale
		}
		top = interval.Max(top, v.Quo(w))
	}
	return top.Upper(), nil
}

// upperEnd returns v as a point interval, or an error unless it is positive and finite.
func upperEnd(v float64) (interval.Interval, error) {
	if !(v > 0) || math.IsInf(v, 1) {
		return interval.Interval{}, errScale
	}
	return interval.Float(v), nil
}

// without sets negligible multipliers to 0, because their differences would be as expensive to enclose as the
// others.
func without(y []float64) []float64 {
	out := append([]float64(nil), y...)
	top := floats.Max(out)
	for k, v := range out {
		if v < 1e-17*top {
			out[k] = 0
		}
	}
	return out
}
