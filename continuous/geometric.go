package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

const geometricSource = "Ghosh, Roughgarden and Sundararajan 2009"

// Geometric is the geometric mechanism (discrete Laplace) of a linear query whose neighboring set consists of points.
// They span a lattice gℤ. With n = Δ/g and w = e^{−ε/n}, the point kg has probability w^{|k|}(1−w)/(1+w).
type Geometric struct {
	eps  evidence.Epsilon
	unit *big.Rat
	n    int64
	w    evidence.RatOrInterval
	rest evidence.RatOrInterval // 1 − w

	neighbors Set // V_f
}

// NewGeometric returns the geometric mechanism of a linear query. It returns
// an error wrapping evidence.ErrParameter if the neighboring set has an
// interval, or ε > 700.
func NewGeometric(q *Linear, eps evidence.Epsilon) (*Geometric, error) {
	if err := checkRate("eps", eps); err != nil {
		return nil, err
	}
	unit, n, err := latticeOf(q)
	if err != nil {
		return nil, err
	}
	one, steps := big.NewRat(1, 1), big.NewRat(n, 1)
	return &Geometric{eps, unit, n, decay(eps, one, steps), shortfall(eps, one, steps), q.set}, nil
}

// Name implements Mechanism.
func (g *Geometric) Name() string {
	return fmt.Sprintf("geometric(eps=%v, on multiples of %s)", g.eps, g.unit.RatString())
}

// Epsilon returns the guarantee ε.
func (g *Geometric) Epsilon() evidence.Epsilon { return g.eps }

// ClaimedEpsilon implements Mechanism.
func (g *Geometric) ClaimedEpsilon() evidence.Number { return mechanism.Claim(g.eps, g.Name()) }

// Distortion returns E|noise| = 2gw/(1−w²).
func (g *Geometric) Distortion() evidence.Number {
	return product(whole(2), evidence.ExactRat(g.unit), g.w).Quo(g.rest.Mul(whole(1).Add(g.w))).Number(closedForm, geometricSource)
}

// SecondMoment returns E noise² = 2g²w/(1−w)².
func (g *Geometric) SecondMoment() evidence.Number {
	return product(whole(2), evidence.ExactRat(g.unit), evidence.ExactRat(g.unit), g.w).Quo(g.rest.Mul(g.rest)).Number(closedForm, geometricSource)
}

// Density implements Mechanism: the probability of the point r.
func (g *Geometric) Density(r *big.Rat) (evidence.Number, error) {
	k, ok := latticePoint(r, g.unit)
	if !ok {
		return whole(0).Number(closedForm, geometricSource), nil
	}
	weight := decayed(g.w, g.eps, big.NewRat(1, 1), big.NewRat(g.n, 1), k)
	return weight.Mul(g.rest).Quo(whole(1).Add(g.w)).Number(closedForm, geometricSource), nil
}

// Layers implements Mechanism: R_i contains the k with i ≤ |k|/n < i + 1.
func (g *Geometric) Layers(ctx context.Context, upTo int) ([]Set, error) {
	return latticeLayers(ctx, upTo, g.n, g.unit)
}

// Noise implements Mechanism: the difference of two geometric variables.
func (g *Geometric) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	unit, _ := g.unit.Float64()
	rate := g.eps.Value() / float64(g.n)
	draw := func() float64 { return math.Floor(-math.Log1p(-rng.Float64()) / rate) }
	out := lists.Of(n, func(int) float64 { return (draw() - draw()) * unit })
	return finite(out, evidence.ExactRat(g.unit).Quo(g.rest))
}

// Privacy implements Mechanism. A shift in V changes |k| by at most n, and the shift Δ attains n.
func (g *Geometric) Privacy() privacy.Profile {
	return known(shiftedLoss(g.eps, 0, "|r| moves by at most Δ under V, and by Δ from 0", geometricSource), g.delta)
}

// delta returns δ(ε). Under a shift by m steps the loss at k is ε₀(|k − m| − |k|)/n. It decreases in k, so the
// worst event is some {k ≤ t}. With F the distribution function, F(t) − e^ε F(t − m) increases with m for every t,
// and so does the maximum over t. Hence m = n is the worst shift. For m = n the loss is ε₀ up to k = 0 and then
// ε₀(n − 2k)/n, which is at least ε up to t = ⌊n(1 − ε/ε₀)/2⌋; at equality k adds nothing. With F(t) = 1 −
// w^{t+1}/(1+w) and F(t − n) = w^{n−t}/(1+w),
//
//	δ = (w(1 − w^t) + 1 − e^{−(ε₀(n−t)/n − ε)})/(1 + w),
//
// whose terms are not negative. If ε/ε₀ is not known to be rational and enclosures leave two values of t, δ is the
// larger result.
func (g *Geometric) delta(eps evidence.Epsilon) evidence.Number {
	const source = "the event {k ≤ t}, t = ⌊n(1 − ε/ε₀)/2⌋; " + geometricSource
	one := big.NewRat(1, 1)
	if _, positive := remainder(g.eps, one, eps); !positive {
		return deltaOf(whole(0), source)
	}
	n, half := big.NewRat(g.n, 1), big.NewRat(g.n, 2)
	from, to := new(big.Int), new(big.Int)
	if q, ok := shareOf(eps, g.eps); ok {
		from = interval.RationalFloor(new(big.Rat).Mul(half, q.Sub(one, q)))
		to.Set(from)
	} else {
		at := interval.Rat(half).Mul(interval.Int(1).Sub(eps.Enclosure().Quo(g.eps.Enclosure())))
		from, _ = at.Lower().Floor()
		to, _ = at.Upper().Floor()
		if from.Sign() < 0 {
			from.SetInt64(0)
		}
	}
	var best evidence.RatOrInterval
	for t := from; t.Cmp(to) <= 0; t = new(big.Int).Add(t, big.NewInt(1)) {
		steps := new(big.Rat).SetInt(t)
		rest, positive := remainder(g.eps, steps.Quo(steps.Sub(n, steps), n), eps)
		if !positive {
			continue
		}
		near := whole(1).Sub(decayed(g.w, g.eps, one, n, t))
		if near.Rational == nil { // 1 − w^t is narrow this way, however small it is
			near = shortfall(g.eps, new(big.Rat).SetInt(t), n)
		}
		d := g.w.Mul(near).Add(rest).Quo(whole(1).Add(g.w))
		if t == from {
			best = d
		} else {
			best = evidence.RatOrInterval{Enclosure: interval.Max(best.Enclosure, d.Enclosure)}
		}
	}
	return deltaOf(best, source)
}

// latticeOf returns g and Δ/g for a query whose neighboring set consists of points.
func latticeOf(q *Linear) (unit *big.Rat, n int64, err error) {
	unit, ok := q.Lattice()
	if !ok {
		return nil, 0, parameter.Errorf("neighboring set is %v, want points only", q.NeighboringSet())
	}
	steps := new(big.Rat).Quo(q.Sensitivity().Value, unit)
	if steps.Num().BitLen() > 31 {
		return nil, 0, parameter.Errorf("neighboring set extends over %s steps of its lattice, want at most 2^31", steps.RatString())
	}
	return unit, steps.Num().Int64(), nil
}

// latticePoint returns |r|/g, and false if this is not an integer.
func latticePoint(r, unit *big.Rat) (*big.Int, bool) {
	v := new(big.Rat).Quo(r, unit)
	return v.Abs(v).Num(), v.IsInt()
}

// latticeLayers returns layers 0 … upTo on the multiples of the unit. Layer 0 has the points ±k with k < n. Every
// further layer has the next n points on either side.
func latticeLayers(ctx context.Context, upTo int, n int64, unit *big.Rat) ([]Set, error) {
	if err := checkUpTo(upTo); err != nil {
		return nil, err
	}
	if n > maxListed/(int64(upTo)+1) {
		return nil, parameter.Errorf("up_to = %d lists more than 2^20 points, want a smaller number", upTo)
	}
	out := make([]Set, upTo+1)
	from, to := int64(0), n
	for i := range out {
		points := make([]Segment, 0, 2*(to-from))
		add := func(k int64) {
			at := new(big.Rat).Mul(unit, big.NewRat(k, 1))
			points = append(points, Closed(at, at))
		}
		for k := 1 - to; k <= -from; k++ {
			add(k)
		}
		for k := from; k < to; k++ {
			add(k)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = NewSet(points...)
		from, to = to, to+n
	}
	return out, nil
}
