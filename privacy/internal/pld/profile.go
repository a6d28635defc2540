package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// profile bounds ln δ(ε) from above or from below.
type profile interface {
	LogDelta(eps float64) float64
	// near returns approximations of the ε with ln δ(ε) = log, and of the slope of −ln δ at that ε.
	near(log float64) (eps, fall float64)
	// side returns whether the bound is an upper bound, and the infinity mass.
	side() (pessimistic bool, infinity float64)
}

// epsilon returns an ε near the least one at which an upper bound of ln δ(ε) is at most log, or a lower bound exceeds
// log. It returns +∞ or 0 if it finds none.
func epsilon(s profile, log float64) float64 {
	pessimistic, infinity := s.side()
	if infinity > 0 {
		side := 1.0
		if !pessimistic {
			side = -1
		}
		if elementary.Log(infinity)+side*1e-15*(8+math.Abs(log)) > log {
			return math.Inf(1)
		}
	}
	if pessimistic && s.LogDelta(0) <= log {
		return 0
	}
	eps, fall := s.near(log)
	pad := 1e-14 * (1 + eps)
	for range 60 {
		if eps = max(eps, 0); eps == 0 && !pessimistic || math.IsNaN(eps) || math.IsInf(eps, 0) {
			break
		}
		off := s.LogDelta(eps) - log
		switch {
		case pessimistic == (off <= 0):
			return eps
		case math.IsInf(off, -1):
			off = 0
		}
		if off = 1.01 * off / fall; pessimistic {
			eps += off + pad
		} else {
			eps += off - pad
		}
		pad *= 4
	}
	if pessimistic {
		return math.Inf(1)
	}
	return 0
}

func (s *Sum) side() (pessimistic bool, infinity float64) { return s.pessimistic, s.infinity }

// near returns approximations of the ε with a given ln δ(ε), and of the slope there. Let A and B be the sums of
// e^{−θ(l' − l)}m and e^{−(1+θ)(l' − l)}m over the losses l' ≥ l with masses m. Then δ(ε) = e^{C − θl}(A − e^{ε − l}B)
// for ε between l and the next lower loss.
func (s *Sum) near(log float64) (eps, fall float64) {
	start, _ := s.start.Float64()
	c, _ := s.c.Float64()
	decay, both, back := s.once[1], s.both[1], math.Exp(-s.step)
	finite := 1.0 // the part of δ that finite losses must contribute
	if s.infinity > 0 {
		finite = max(-math.Expm1(math.Log(s.infinity)-log), 1e-15)
	}
	target := log + math.Log(finite)
	a, b := 0.0, 0.0
	for j := len(s.mass) - 1; j >= 0; j-- {
		a, b = a*decay+s.mass[j], b*both+s.mass[j]
		l := start + float64(j)*s.step
		// d is δ at the next lower loss, in units of e^{C − θl}.
		if d := a - b*back; j == 0 || d > 0 && math.Log(d)+c-s.theta*l >= target {
			want := math.Exp(target - c + s.theta*l)
			eps = l + math.Log(max((a-want)/b, 1e-300))
			fall = math.Exp(eps-l) * b / want * finite
			if math.IsNaN(eps) || math.IsInf(eps, 0) || !(fall > 0) || math.IsInf(fall, 1) {
				return max(l, 0), 1
			}
			return max(eps, 0), fall
		}
	}
	return start, 1
}
