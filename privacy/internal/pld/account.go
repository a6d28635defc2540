package pld

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/elementary"
)

// Source is a pair of laws that can be put on grids. Both laws are tilted by theta afterwards, and leave out less
// than about 2^−bits of the moment of order theta.
type Source interface {
	Pessimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error)
	Optimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error)
	// Moments returns about ln E e^{θL} under P, and the mean and the variance of the loss tilted by θ.
	Moments(theta float64) (k, mean, variance float64)
	// Range returns about the least and the largest loss that laws list.
	Range(theta, bits float64) (lo, hi float64)
	// Jumps returns what all distances between losses that have a probability of their own are multiples of, and one such
	// loss: 0 if there are none, or no such number. Between is about the probability of the other losses.
	Jumps() (spacing, at, between float64)
}

// Part is a number of uses of a mechanism, known by a pessimistic and an optimistic pair.
type Part struct {
	Upper, Lower Source
	Times        int
}

// Account composes parts. It keeps what its last answers came from. It is not safe for concurrent use.
type Account struct {
	Parts []Part

	last     []bounds // on grids
	contours []profiles
}

// bounds are sums from above and from below.
type bounds struct{ above, below *Sum }

// profiles bound ln δ(ε) from above and from below.
type profiles struct{ above, below profile }

// moments returns those of the sum, tilted.
func (a *Account) moments(theta float64) (k, mean, variance float64) {
	for _, p := range a.Parts {
		x, y, z := p.Upper.Moments(theta)
		if math.IsInf(x, -1) { // infinite losses alone
			x, y, z = p.Lower.Moments(theta)
		}
		n := float64(p.Times)
		k, mean, variance = k+n*x, mean+n*y, variance+n*z
	}
	return k, mean, variance
}

// root returns where a falling function of θ crosses 0, about: no less than what tells losses of the sum apart.
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

// bisect returns two tilts between two others, of at most that ratio: low holds for the first, and not for the second.
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

// wider returns a tilt from theta on that tells losses of the sum apart, half of its reciprocal standard deviation, or
// half of the largest one where rare and large losses do not yet outweigh the others.
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

// forDelta returns the tilt that suits ε(δ), the saddle point, for ln δ.
func (a *Account) forDelta(log float64) float64 {
	return a.root(func(theta float64) float64 {
		k, mean, variance := a.moments(theta)
		return k - theta*mean - math.Log(theta*(1+theta)*math.Sqrt(2*math.Pi*variance)+1) - log
	})
}

// forEpsilon returns the tilt that suits δ(ε).
func (a *Account) forEpsilon(eps float64) float64 {
	return a.root(func(theta float64) float64 {
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
	// Jumps lie on points. The closest that are no closer than a step decide about the grid of all, and those that
	// fit nowhere on it add up on a grid of their own.
	common, closest, widest := step, math.Inf(1), 0.0
	for _, p := range parts {
		switch spacing, _, _ := p.Upper.Jumps(); {
		case spacing >= step && spacing < closest:
			common, closest = spacing/math.Ceil(spacing/step), spacing
		case spacing > widest && spacing < step && math.IsInf(closest, 1):
			common, widest = spacing, spacing
			if step > 8*spacing { // several points are one
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

// lawsOf returns the laws above and below a pair.
func lawsOf(ctx context.Context, high, low Source, step, offset, theta, bits float64) (up, down *Law, err error) {
	if up, err = high.Pessimistic(ctx, step, offset, theta, bits); err == nil {
		down, err = low.Optimistic(ctx, step, offset, theta, bits)
	}
	return up, down, err
}

// cheapPoints is how many points a grid has at least, which take milliseconds.
const cheapPoints = 1 << 14

// step returns one that should give ε(δ) as narrow as that: splitting a loss adds h²/6 to its variance, and merging
// takes h²/12, and ε changes by (1 + θ)/2 times as much. Losses on points of the grid stay.
func (a *Account) step(theta, width float64) float64 {
	uses := 0.0
	for _, p := range a.Parts {
		_, _, between := p.Upper.Jumps()
		uses += float64(p.Times) * between
	}
	step := math.Sqrt(8 * width / ((1 + min(theta, 100)) * uses))
	if _, _, variance := a.moments(theta); variance > 0 {
		widest := 0.0 // range of a law, whose cells are all integrated although the tilted sum has few of them
		for _, p := range a.Parts {
			lo, hi := p.Upper.Range(theta, 50)
			widest = max(widest, hi-lo)
		}
		step = min(step, max(15*math.Sqrt(variance), widest/4)/cheapPoints)
	}
	return max(step, 1e-100)
}

// LogDelta returns bounds of ln δ(ε), δ the hockey-stick divergence of order e^ε, for an ε between two ends: δ is as
// narrow as width, relative to itself, where grids can be as fine.
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

// Epsilon returns bounds of the least ε ≥ 0 at which ln of the divergence is at most ln δ, for a ln δ between two
// ends. The bounds differ by at most width, relative to ε, if grids can be that fine. It stops earlier if the upper
// one is at most enough.
func (a *Account) Epsilon(ctx context.Context, logLo, logHi, width, enough float64) (lo, hi float64, err error) {
	theta := a.forDelta(logLo)
	_, mean, variance := a.moments(theta)
	mean = max(mean, 0.01*math.Sqrt(variance)) // no grid tells far smaller ones
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

// Events returns what P has at least, and Q at most, of events {loss ≥ l}, by falling l, on a grid on which δ(ε) is as
// narrow as width, relative to itself, where grids can be as fine.
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
