package signrp

import (
	"context"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// between describes the privacy of a release between two vectors u and v.
type between struct {
	r    *Release
	u, v []float64

	guard sync.Mutex
	known *sides // of the signs at u and v, nil until needed
}

// Pair returns the privacy of r between the vectors u and v, neighbors or not, for this W.
//
// For signs, ε at δ = 0 is exact for randomised response, with or without smoothing, if ε is rational, and
// certified otherwise. It is infinite if one vector has patterns that the other cannot have. δ is exact if e^ε and
// e^{ε'} are rational. ε at δ > 0 is enclosed to a relative width of 1e-5, absolute below 1. For numbers both are
// those of the analytic Gaussian mechanism, certified.
//
// Errors wrap evidence.ErrParameter also unless u and v have p entries in [−1, 1].
func (r *Release) Pair(u, v []float64) privacy.Profile {
	p := &between{r: r, u: slices.Clone(u), v: slices.Clone(v)}
	d := &threatModel{r: r, source: r.name + ", " + readingPair, caveat: r.caveat(), statement: r.states(u, v)}
	d.move = p.distance
	d.pure = func(ctx context.Context) (evidence.Number, error) {
		s, err := p.sides(ctx)
		if err != nil {
			return nil, err
		}
		return smallestEpsilon(s.a, s.b, d.source), nil
	}
	d.at = func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
		s, err := p.sides(ctx)
		if err != nil {
			return nil, err
		}
		return s.delta(ctx, eps, d.source)
	}
	return d
}

func (r *Release) checkPair(u, v []float64) error {
	if err := checkVector("u", u, r.p); err != nil {
		return err
	}
	return checkVector("v", v, r.p)
}

// sides returns the laws of the signs at u and v.
func (p *between) sides(ctx context.Context) (*sides, error) {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.known != nil {
		return p.known, nil
	}
	if err := p.r.checkPair(p.u, p.v); err != nil {
		return nil, err
	}
	a, err := p.r.lawAt(ctx, p.u)
	if err != nil {
		return nil, err
	}
	b, err := p.r.lawAt(ctx, p.v)
	if err != nil {
		return nil, err
	}
	still, err := p.still(ctx)
	if err != nil {
		return nil, err
	}
	p.known = newSides(a, b, still)
	return p.known, nil
}

func (r *Release) lawAt(ctx context.Context, u []float64) (*law, error) {
	at, err := r.w.at(ctx, u, r.beta)
	if err != nil {
		return nil, err
	}
	return r.law(ctx, at, norm(u))
}

// distance encloses ‖x(u) − x(v)‖.
func (p *between) distance(ctx context.Context) (interval.Interval, error) {
	sum := interval.Int(0)
	if err := p.r.checkPair(p.u, p.v); err != nil {
		return sum, err
	}
	r, u, v := p.r, p.u, p.v
	difference := make([]float64, len(u))
	norm1, rounding := 0.0, 0.0
	for i := range u {
		if u[i] == v[i] {
			continue
		}
		difference[i] = u[i] - v[i]
		if size := math.Abs(u[i]) + math.Abs(v[i]); r.w != nil && math.Abs(difference[i]) > size/1024 {
			rounding += ulp * size // from reading the decimals
		} else { // the float64s cancel almost completely
			d := new(big.Rat).Sub(exactDecimal(u[i]), exactDecimal(v[i]))
			difference[i], _ = d.Float64()
			sum = sum.Add(interval.Rat(d.Mul(d, d))) // raw data
		}
		norm1 += math.Abs(difference[i])
		rounding += ulp*math.Abs(difference[i]) + 2*math.SmallestNonzeroFloat64
	}
	if r.w == nil || norm1 == 0 {
		return sum.Sqrt(), nil
	}
	sum = interval.Int(0)
	if err := r.w.prepare(ctx); err != nil {
		return sum, err
	}
	d := make([]float64, r.w.k)
	if err := r.w.dots(ctx, d, difference, new(tables)); err != nil {
		return sum, err
	}
	for j, c := range d {
		bound := r.w.dotsError(norm1, j) + 2*rounding*r.w.largests()[j]
		c = math.Abs(c)
		term := interval.Between(math.Max(0, c-bound), c+bound)
		sum = sum.Add(term.Mul(term))
	}
	if r.w.kind != OPORP {
		sum = sum.Quo(interval.Int(int64(r.w.k)))
	}
	return sum.Sqrt(), nil
}
