package pld

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/elementary"
)

// Source is a pair of laws that can be bounded on grids. A bound is made for a tilt theta, and omits less than about
// 2^−bits of the moment of order theta.
type Source interface {
	Pessimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error)
	Optimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error)
	// Moments returns approximations of ln E e^{θL} under P, and of the mean and the variance of the loss tilted by θ.
	Moments(theta float64) (k, mean, variance float64)
	// Range returns approximations of the least and the largest loss that the laws list.
	Range(theta, bits float64) (lo, hi float64)
	// Jumps describes the losses with point masses. All distances between these losses are multiples of spacing, and at
	// is one of the losses. Both are 0 if there are no point masses or no such spacing. between is about the
	// probability of the other losses.
	Jumps() (spacing, at, between float64)
}

// Part is a mechanism and its number of uses. The mechanism is known by a pessimistic and an optimistic pair.
type Part struct {
	Upper, Lower Source
	Times        int
}

// Account composes parts. It caches the bounds behind its last answers. It is not safe for concurrent use.
type Account struct {
	Parts []Part

	last     []bounds // on grids
	contours []profiles
}

// bounds holds an upper and a lower bound of the sum of all losses.
type bounds struct{ above, below *Sum }

// profiles holds bounds of ln δ(ε) from above and from below.
type profiles struct{ above, below profile }

// moments returns the log-moment, mean and variance of the sum of all losses tilted by θ.
func (a *Account) moments(theta float64) (k, mean, variance float64) {
	for _, p := range a.Parts {
		x, y, z := p.Upper.Moments(theta)
		if math.IsInf(x, -1) { // all losses are infinite
			x, y, z = p.Lower.Moments(theta)
		}
		n := float64(p.Times)
		k, mean, variance = k+n*x, mean+n*y, variance+n*z
	}
	return k, mean, variance
}

// root returns the approximate θ at which a decreasing function crosses 0, but at least a tilt that noticeably changes
// the law of the sum.
func (a *Account) root(f func(theta float64) float64) float64 {
	lo, hi := 1e-3, 1.0
	if _, mean, variance := a.moments(1e-9); math.Abs(mean)+math.Sqrt(variance) > 100 {
		lo = 0.1 / (math.Abs(mean) + math.Sqrt(variance))
	}
	for hi < 4096 && f(hi) > 0 {
		lo, hi = hi, 2*hi
	}
	if hi == 1 && f(lo) < 0 {
		return lo
	}
	lo, _ = bisect(lo, hi, 1.02, func(theta float64) bool { return f(theta) > 0 })
	return lo
}

// bisect narrows two tilts to a ratio of at most ratio. low is true at the first tilt and false at the second.
func bisect(lo, hi, ratio float64, low func(theta float64) bool) (float64, float64) {
	for hi > ratio*lo {
		if mid := math.Sqrt(lo * hi); low(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, hi
}

// wider returns a tilt of at least theta that noticeably changes the law: half of the reciprocal standard deviation of
// the sum, or half of the largest tilt at which rare large losses do not yet dominate.
func (a *Account) wider(theta float64) float64 {
	_, _, variance := a.moments(theta)
	most := min(0.5/math.Sqrt(variance), 1e150)
	bulk := func(theta float64) bool {
		_, _, v := a.moments(theta)
		return v <= 4*variance
	}
	if !(most > theta) || variance == 0 {
		return theta
	}
	if bulk(most) {
		return most
	}
	least, _ := bisect(theta, most, 1.1, bulk)
	return max(theta, least/2)
}

// forDelta returns the tilt with which to compute ε(δ) at ln δ = log, by the saddle-point approximation.
func (a *Account) forDelta(log float64) float64 {
	return a.root(func(theta float64) float64 {
		k, mean, variance := a.moments(theta)
		return k - theta*mean - math.Log(theta*(1+theta)*math.Sqrt(2*math.Pi*variance)+1) - log
	})
}

// forEpsilon returns the tilt with which to compute δ(ε): the tilted sum has mean ε.
func (a *Account) forEpsilon(eps float64) float64 {
	return a.root(func(theta float64) float64 {
		_, mean, _ := a.moments(theta)
		return eps - mean
	})
}

// sums returns bounds of the sum on grids with about the given step.
func (a *Account) sums(ctx context.Context, theta, step float64) (bounds, error) {
	uses := 0.0
	for _, p := range a.Parts {
		uses += float64(p.Times)
	}
	bits := 50 + math.Log2(uses)
	parts := slices.Clone(a.Parts)
	for i := range parts {
		for _, of := range []*Source{&parts[i].Upper, &parts[i].Lower} {
			if l, ok := (*of).(*List); ok {
				*of = l.relevant(theta)
			}
			if lo, hi := (*of).Range(theta, bits); !(grid{step, 0}).fits(lo, hi) {
				return bounds{}, ErrTooFine
			}
		}
	}
	// Jumps lie on grid points. Among the spacings of at least a step, the smallest determines the grid of all parts.
	// Parts whose jumps are not on this grid are first summed on a grid of their own.
	common, closest, widest := step, math.Inf(1), 0.0
	for _, p := range parts {
		switch spacing, _, _ := p.Upper.Jumps(); {
		case spacing >= step && spacing < closest:
			common, closest = spacing/math.Ceil(spacing/step), spacing
		case spacing > widest && spacing < step && math.IsInf(closest, 1):
			common, widest = spacing, spacing
			if step > 8*spacing { // several grid points per spacing
				common *= math.Floor(step / spacing)
			}
		}
	}
	var upper, lower []*Law
	var times []int
	for _, p := range parts {
		high, low, n := p.Upper, p.Lower, p.Times
		spacing, at, _ := p.Upper.Jumps()
		ratio := max(spacing, common) / min(spacing, common)
		offset := at - math.Floor(at/common)*common
		if n > 1 && spacing > 0 && math.Abs(ratio-math.Round(ratio)) > 1e-12*ratio {
			own := spacing / math.Ceil(max(spacing/step, 8))
			if _, lattice := high.(*List); lattice {
				own = spacing * max(math.Floor(step/spacing), 1)
			}
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

// lawsOf returns the upper bound of high and the lower bound of low on a grid.
func lawsOf(ctx context.Context, high, low Source, step, offset, theta, bits float64) (up, down *Law, err error) {
	if up, err = high.Pessimistic(ctx, step, offset, theta, bits); err == nil {
		down, err = low.Optimistic(ctx, step, offset, theta, bits)
	}
	return up, down, err
}

// cheapPoints is the least number of points of a grid. Even this many points take only milliseconds.
const cheapPoints = 1 << 14

// step returns a step that should give ε(δ) to the given width. Splitting a loss adds h²/6 to its variance, and merging
// removes h²/12; ε changes by (1 + θ)/2 times as much. Losses on grid points do not change.
func (a *Account) step(theta, width float64) float64 {
	uses := 0.0
	for _, p := range a.Parts {
		_, _, between := p.Upper.Jumps()
		uses += float64(p.Times) * between
	}
	step := math.Sqrt(8 * width / ((1 + min(theta, 100)) * uses))
	if _, _, variance := a.moments(theta); variance > 0 {
		widest := 0.0 // largest range of a law: all of its cells are integrated, however narrow the tilted sum is
		for _, p := range a.Parts {
			lo, hi := p.Upper.Range(theta, 50)
			widest = max(widest, hi-lo)
		}
		step = min(step, max(15*math.Sqrt(variance), widest/4)/cheapPoints)
	}
	return max(step, 1e-100)
}

// LogDelta returns bounds of ln δ(ε), where δ is the hockey-stick divergence of order e^ε and ε lies between two ends.
// The relative width of δ is at most width if grids can be that fine.
func (a *Account) LogDelta(ctx context.Context, epsLo, epsHi, width float64) (lo, hi float64, err error) {
	return a.answer(ctx, a.deltaQuery(epsLo, epsHi, width))
}

func (a *Account) deltaQuery(epsLo, epsHi, width float64) query {
	theta := a.forEpsilon(epsLo)
	return query{
		theta: theta, step: a.step(theta, 0.7*width/theta), tolerance: 0.01 * width, least: math.Inf(-1),
		ask:   func(b profiles) (lo, hi float64) { return b.below.LogDelta(epsHi), b.above.LogDelta(epsLo) },
		width: func(lo, hi float64) float64 { return -math.Expm1(lo-hi) / width },
		at:    func(lo, hi float64) (eps, log float64) { return epsLo, lo },
	}
}

// Epsilon returns bounds of the least ε ≥ 0 with a divergence of at most δ, where ln δ lies between two ends. The
// bounds differ by at most width, relative to ε, if grids can be that fine. It stops earlier if the upper bound is at
// most enough.
func (a *Account) Epsilon(ctx context.Context, logLo, logHi, width, enough float64) (lo, hi float64, err error) {
	theta := a.forDelta(logLo)
	_, mean, variance := a.moments(theta)
	mean = max(mean, 0.01*math.Sqrt(variance)) // smaller differences are below the resolution of the grid
	return a.answer(ctx, query{
		theta: theta, step: a.step(theta, 0.7*width*mean+1e-300), tolerance: 0.01 * width * mean * theta,
		ask: func(b profiles) (lo, hi float64) { return epsilon(b.below, logHi), epsilon(b.above, logLo) },
		width: func(lo, hi float64) float64 {
			if hi <= enough || hi == lo {
				return 0
			}
			return (hi - lo) / (width * hi)
		},
		at: func(lo, hi float64) (eps, log float64) { return lo, logLo },
	})
}

// Events returns lower bounds on P and upper bounds on Q of the events {loss ≥ l}, by descending l. It uses a grid on
// which δ(ε) has at most the given relative width, if grids can be that fine.
func (a *Account) Events(ctx context.Context, eps, width float64) (p, q []float64, err error) {
	a.last = nil
	n := &answer{query: a.deltaQuery(eps, eps, width), a: a, lo: math.Inf(-1)}
	if err := n.refine(ctx, nil); err != nil || len(a.last) == 0 {
		return nil, nil, err
	}
	l := a.last[len(a.last)-1].below.list()
	sumP, sumQ := l.Infinity, 0.0
	for i, loss := range slices.Backward(l.Loss) {
		log := l.Log[i] - l.LogError
		sumP, sumQ = sumP+elementary.Exp(log), sumQ+elementary.Exp(log-loss+l.LossError)
		p, q = append(p, sumP*(1-1e-9)), append(q, sumQ*(1+1e-9)+1e-300)
	}
	return p, q, nil
}
