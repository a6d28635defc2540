package pld

import (
	"context"
	"math"
)

// Source is a pair of laws that can be put on grids. Both laws are tilted by theta afterwards, and leave out less than about 2^−bits of the
// moment of order theta.
type Source interface {
	Pessimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error)
	Optimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error)
	// Moments returns about ln E e^{θL} under P, and the mean and the variance of the loss tilted by θ.
	Moments(theta float64) (k, mean, variance float64)
	// Jumps returns what all distances between losses that have a chance of their own are multiples of, and one such loss: 0 where there are none, or no
	// such number.
	Jumps() (spacing, at float64)
}

// Part is so many uses of a mechanism, known by a pair above and one below its own.
type Part struct {
	Upper, Lower Source
	Times        int
}

// Account composes parts. It keeps the sums of its last answer. It is not safe for concurrent use.
type Account struct {
	Parts []Part

	last []bounds
}

// bounds are sums from above and from below.
type bounds struct{ above, below *Sum }

// moments returns those of the sum, tilted.
func (a *Account) moments(theta float64) (k, mean, variance float64) {
	for _, p := range a.Parts {
		x, y, z := p.Upper.Moments(theta)
		n := float64(p.Times)
		k, mean, variance = k+n*x, mean+n*y, variance+n*z
	}
	return k, mean, variance
}

// root returns where a falling function of θ crosses 0, about.
func root(f func(theta float64) float64) float64 {
	lo, hi := 1e-3, 1.0
	for hi < 4096 && f(hi) > 0 {
		lo, hi = hi, 2*hi
	}
	if hi == 1 && f(lo) < 0 {
		return lo
	}
	for hi > 1.02*lo {
		mid := math.Sqrt(lo * hi)
		if f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// forDelta returns the tilt that suits ε(δ), the saddle point.
func (a *Account) forDelta(delta float64) float64 {
	return root(func(theta float64) float64 {
		k, mean, variance := a.moments(theta)
		return k - theta*mean - math.Log(theta*(1+theta)*math.Sqrt(2*math.Pi*variance)+1) - math.Log(delta)
	})
}

// forEpsilon returns the tilt that suits δ(ε).
func (a *Account) forEpsilon(eps float64) float64 {
	return root(func(theta float64) float64 {
		_, mean, _ := a.moments(theta)
		return eps - mean
	})
}

// sums returns the bounds of the sum on grids of about a step.
func (a *Account) sums(ctx context.Context, theta, step float64) (bounds, error) {
	uses := 0.0
	for _, p := range a.Parts {
		uses += float64(p.Times)
	}
	bits := 50 + math.Log2(uses)
	// Jumps lie on points. The closest that are no closer than a step decide about the grid of all, and those that fit nowhere on it add up on a
	// grid of their own.
	common, closest := step, math.Inf(1)
	for _, p := range a.Parts {
		if spacing, _ := p.Upper.Jumps(); spacing >= step && spacing < closest {
			common, closest = spacing/math.Ceil(spacing/step), spacing
		}
	}
	var upper, lower []*Law
	var times []int
	for _, p := range a.Parts {
		high, low, n := p.Upper, p.Lower, p.Times
		spacing, at := p.Upper.Jumps()
		off := spacing/common - math.Round(spacing/common)
		offset := at - math.Floor(at/common)*common
		if n > 1 && math.Abs(off) > 1e-12*spacing/common {
			own := spacing / math.Ceil(max(spacing/step, 8))
			up, down, err := lawsOf(ctx, high, low, own, at-math.Floor(at/own)*own, theta, bits)
			if err != nil {
				return bounds{}, err
			}
			above, below, err := Compose(ctx, []*Law{up}, []*Law{down}, []int{n}, theta)
			if err != nil {
				return bounds{}, err
			}
			high, low, n, offset = above.list(), below.list(), 1, 0
		}
		up, down, err := lawsOf(ctx, high, low, common, offset, theta, bits)
		if err != nil {
			return bounds{}, err
		}
		upper, lower, times = append(upper, up), append(lower, down), append(times, n)
	}
	above, below, err := Compose(ctx, upper, lower, times, theta)
	return bounds{above, below}, err
}

// lawsOf returns the laws above and below a pair.
func lawsOf(ctx context.Context, high, low Source, step, offset, theta, bits float64) (up, down *Law, err error) {
	if up, err = high.Pessimistic(ctx, step, offset, theta, bits); err == nil {
		down, err = low.Optimistic(ctx, step, offset, theta, bits)
	}
	return up, down, err
}

// cheapPoints is how many points a grid has at least, which take milliseconds.
const cheapPoints = 1 << 14

// step returns one that should give ε(δ) as narrow as that: splitting a loss adds h²/6 to its variance, and merging takes h²/12, and ε changes
// by (1 + θ)/2 times as much.
func (a *Account) step(theta, width float64) float64 {
	uses := 0.0
	for _, p := range a.Parts {
		uses += float64(p.Times)
	}
	step := math.Sqrt(8 * width / ((1 + min(theta, 100)) * uses))
	if _, _, variance := a.moments(theta); variance > 0 {
		step = min(step, 15*math.Sqrt(variance)/cheapPoints)
	}
	return max(step, 1e-100)
}

// refine asks ask for an answer on finer and finer grids until it is as narrow as that, or its upper end is at most enough.
func (a *Account) refine(ctx context.Context, theta, step, width, enough float64, ask func(b bounds) (lo, hi float64)) (lo, hi float64, err error) {
	lo, hi = 0, math.Inf(1)
	narrow := func(l, h float64) bool {
		lo, hi = max(lo, l), min(hi, h)
		return hi-lo <= width*hi || hi <= enough
	}
	for _, b := range a.last {
		if narrow(ask(b)) {
			return lo, hi, nil
		}
	}
	if !(step > 0) || math.IsInf(step, 0) || !(theta > 0) {
		return lo, hi, ErrTooFine
	}
	for range 8 {
		b, e := a.sums(ctx, theta, step)
		switch {
		case e == ErrTooFine && math.IsInf(hi, 1): // as a law that reaches far beyond what matters
			if step *= 8; step > 1 {
				return lo, hi, e
			}
			continue
		case e == ErrTooFine: // what there is will have to do
			return lo, hi, nil
		case e != nil:
			return lo, hi, e
		}
		a.last = []bounds{b}
		l, h := ask(b)
		if narrow(l, h) {
			return lo, hi, nil
		}
		// The width falls with the square of the step, and faster while cells are too wide for the laws.
		if math.IsInf(h, 1) {
			return lo, hi, nil
		}
		ratio := width * h / (h - l)
		if ratio < 0.2 {
			step *= max(math.Pow(ratio, 0.4)*0.95, 0.05)
		} else {
			step *= math.Sqrt(ratio) * 0.85
		}
	}
	return lo, hi, nil
}

// Delta returns bounds of the hockey-stick divergence of order e^ε for an ε between two ends, as narrow as width, relative to δ, where
// grids can be as fine.
func (a *Account) Delta(ctx context.Context, epsLo, epsHi, width float64) (lo, hi float64, err error) {
	theta := a.forEpsilon(epsLo)
	return a.refine(ctx, theta, a.step(theta, 0.7*width/theta), width, math.Inf(-1), func(b bounds) (lo, hi float64) {
		return b.below.Delta(epsHi), b.above.Delta(epsLo)
	})
}

// Epsilon returns bounds of the least ε ≥ 0 at which the divergence is at most δ, for a δ between two ends, as narrow as width, relative to ε, where grids can be
// as fine, or of which the upper one is at most enough.
func (a *Account) Epsilon(ctx context.Context, deltaLo, deltaHi, width, enough float64) (lo, hi float64, err error) {
	theta := a.forDelta(deltaLo)
	_, mean, _ := a.moments(theta)
	return a.refine(ctx, theta, a.step(theta, 0.7*width*max(mean, 0)+1e-300), width, enough, func(b bounds) (lo, hi float64) {
		return b.below.Epsilon(deltaHi), b.above.Epsilon(deltaLo)
	})
}

// Epsilon returns an ε at which an upper bound of δ(ε) is at most δ, and for a lower bound one at which it is more than δ, near the least one:
// +∞ or 0 where none is found.
func (s *Sum) Epsilon(delta float64) float64 {
	if s.infinity >= delta {
		return math.Inf(1)
	}
	if s.pessimistic && s.Delta(0) <= delta {
		return 0
	}
	eps, slope := s.near(delta)
	pad := 1e-14 * (1 + eps)
	for range 40 {
		if eps = max(eps, 0); eps == 0 && !s.pessimistic || math.IsNaN(eps) || math.IsInf(eps, 0) {
			break
		}
		d := s.Delta(eps)
		off := (d - delta) / slope
		if s.pessimistic {
			if d <= delta {
				return eps
			}
			eps += max(1.01*off, 0) + pad
		} else {
			if d > delta {
				return eps
			}
			eps += min(1.01*off, 0) - pad
		}
		pad *= 4
	}
	if s.pessimistic {
		return math.Inf(1)
	}
	return 0
}

// near returns about the ε where the masses give δ(ε) = δ, and −δ' there: no bounds. With A and B the sums of e^{−θ(l' − l)}m and e^{−(1+θ)(l' − l)}m over
// the losses l' from l on, δ(ε) is e^{C − θl}(A − e^{ε − l}B) for ε between the loss before l and l.
func (s *Sum) near(delta float64) (eps, slope float64) {
	start, _ := s.start.Float64()
	c, _ := s.c.Float64()
	decay, both, back := s.once[1], s.both[1], math.Exp(-s.step)
	target := math.Log(delta - s.infinity)
	a, b := 0.0, 0.0
	for j := len(s.mass) - 1; j >= 0; j-- {
		a, b = a*decay+s.mass[j], b*both+s.mass[j]
		l := start + float64(j)*s.step
		// δ at the loss before l, in units of e^{C − θl}.
		if d := a - b*back; j == 0 || d > 0 && math.Log(d)+c-s.theta*l >= target {
			want := math.Exp(target - c + s.theta*l)
			eps = l + math.Log(max((a-want)/b, 1e-300))
			slope = math.Exp(c-s.theta*l+eps-l) * b
			if math.IsNaN(eps) || math.IsInf(eps, 0) || !(slope > 0) {
				return max(l, 0), 1
			}
			return max(eps, 0), slope
		}
	}
	return start, 1
}
