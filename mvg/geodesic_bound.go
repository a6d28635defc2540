package mvg

import (
	"math"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// certified returns a lower bound on tr(KΣ)·tr Ψ over all covariances with tr(PΔQΔᵀ) ≤ 1 for
// the differences given, from any point P = AAᵀ, Q = BBᵀ and shares y ≥ 0: the bound of
// geodesic, with K for W, without its inverses. M ⪯ (1 + η)W'/tr W' says that
// AMAᵀ ⪯ λK for λ = (1 + η)/tr W', and N likewise that BNBᵀ ⪯ νI, so
//
//	tr(KΣ)·tr Ψ ≥ Π‖AᵀΔ_kB‖^{2y_k}/(λν),
//
// for singular A and B too, as limits. λ is the largest eigenvalue of L⁻¹AMAᵀL⁻ᵀ, K = LLᵀ,
// ν that of BNBᵀ; where Σ has the frame's directions, P = W⁻ᵀ diag(p) W⁻¹, diagonals alone
// are compared. A is in the coordinates of the frame.
func (g *geodesic) certified(f *frame, list []*mat.Dense, a, b *mat.Dense, y []float64) (interval.Interval, error) {
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
	s := &shares{geodesic: g, frame: f}
	s.factors(a, b)
	logs := interval.Int(0)
	for k, d := range list {
		// Shares of no weight are left out: any sum of shares is divided by.
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
	logs = logs.Sub(v.Log().Mul(interval.Float(g.copies())))
	if g.mode == Bimodal {
		v, err := upperEnd(s.columns.EigenCeiling())
		if err != nil {
			return total, err
		}
		logs = logs.Sub(v.Log())
	}
	return logs.Exp(), nil
}

// shares sums AMAᵀ and BNBᵀ.
type shares struct {
	*geodesic
	frame   *frame
	a, b    *symmetric.Enclosure // A in standard coordinates (in the frame's where diagonal); b is nil for I
	rows    *symmetric.Enclosure
	columns *symmetric.Enclosure
}

func (s *shares) factors(a, b *mat.Dense) {
	if s.a = symmetric.Exactly(a); !s.diagonal {
		s.a = s.frame.outward(s.a)
	}
	switch s.mode {
	case Equimodal:
		s.b = s.a
	case Bimodal:
		s.b = symmetric.Exactly(b)
	}
}

// add adds a difference, of which it returns the whitened square.
func (s *shares) add(d *mat.Dense, share interval.Interval) (interval.Interval, error) {
	e := symmetric.Exactly(d)
	if s.diagonal {
		e = s.frame.within(s.mode, d)
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

// ceiling returns a number λ, as a point, with AMAᵀ ⪯ λK.
func (s *shares) ceiling() (interval.Interval, error) {
	if !s.diagonal {
		return upperEnd(s.frame.whitened(s.rows).EigenCeiling())
	}
	top := interval.Int(0)
	for i, w := range s.frame.charges {
		v, ok := s.rows.At(i, i)
		if !ok {
			return top, errScale
		}
		top = interval.Max(top, v.Quo(w))
	}
	return top.Upper(), nil
}

// upperEnd returns a positive finite number as a point.
func upperEnd(v float64) (interval.Interval, error) {
	if !(v > 0) || math.IsInf(v, 1) {
		return interval.Interval{}, errScale
	}
	return interval.Float(v), nil
}

// without returns y without the shares that count for nothing beside the largest, whose
// differences cost as much to enclose as the others.
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
