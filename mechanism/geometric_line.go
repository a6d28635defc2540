package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

const geometricSource = "Ghosh, Roughgarden and Sundararajan 2009"

// GeometricLine is the geometric mechanism (discrete Laplace) of a linear query
// whose neighboring set is points only: on the lattice gℤ they span, with
// n = Δ/g, the point kg has probability w^{|k|}(1−w)/(1+w), w = e^{−ε/n}.
type GeometricLine struct {
	eps  evidence.Epsilon
	unit *big.Rat
	n    int64
	w    amount
	rest amount // 1 − w
}

// NewGeometricLine returns the geometric mechanism of a linear query. It returns
// an error wrapping evidence.ErrParameter where the neighboring set has an
// interval, or ε > 700.
func NewGeometricLine(q *query.Linear, eps evidence.Epsilon) (*GeometricLine, error) {
	if err := checkLine(eps); err != nil {
		return nil, err
	}
	unit, n, err := latticeOf(q)
	if err != nil {
		return nil, err
	}
	one, steps := big.NewRat(1, 1), big.NewRat(n, 1)
	return &GeometricLine{eps, unit, n, decay(eps, one, steps), shortfall(eps, one, steps)}, nil
}

// Name implements LineMechanism.
func (g *GeometricLine) Name() string {
	return fmt.Sprintf("geometric(eps=%v, on multiples of %s)", g.eps, g.unit.RatString())
}

// Epsilon returns the guarantee ε.
func (g *GeometricLine) Epsilon() evidence.Epsilon { return g.eps }

// ClaimedEpsilon implements LineMechanism: ε.
func (g *GeometricLine) ClaimedEpsilon() evidence.Number { return Claim(g.eps, g.Name()) }

// Distortion returns E|noise| = 2gw/(1−w²).
func (g *GeometricLine) Distortion() evidence.Number {
	return product(whole(2), rational(g.unit), g.w).quo(g.rest.mul(whole(1).add(g.w))).number(geometricSource)
}

// SecondMoment returns E noise² = 2g²w/(1−w)².
func (g *GeometricLine) SecondMoment() evidence.Number {
	return product(whole(2), rational(g.unit), rational(g.unit), g.w).quo(g.rest.mul(g.rest)).number(geometricSource)
}

// Density implements LineMechanism: the probability of the point r.
func (g *GeometricLine) Density(r *big.Rat) (evidence.Number, error) {
	k, ok := latticePoint(r, g.unit)
	if !ok {
		return whole(0).number(geometricSource), nil
	}
	weight := decayed(g.w, g.eps, big.NewRat(1, 1), big.NewRat(g.n, 1), k)
	return weight.mul(g.rest).quo(whole(1).add(g.w)).number(geometricSource), nil
}

// Layers implements LineMechanism: R_i holds i ≤ |k|/n < i + 1.
func (g *GeometricLine) Layers(ctx context.Context, upTo int) ([]query.LineSet, error) {
	return latticeLayers(ctx, upTo, g.n, g.n, g.unit)
}

// Noise implements LineMechanism: the difference of two geometric variables.
func (g *GeometricLine) Noise(n int, src rand.Source) ([]float64, error) {
	if err := checkDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	unit, _ := g.unit.Float64()
	rate := g.eps.Value() / float64(g.n)
	draw := func() float64 { return math.Floor(-math.Log1p(-rng.Float64()) / rate) }
	out := make([]float64, n)
	for i := range out {
		out[i] = (draw() - draw()) * unit
	}
	return finite(out, rational(g.unit).quo(g.rest))
}

// Privacy implements LineMechanism: |k| moves by at most n under V, and by n under
// Δ itself.
func (g *GeometricLine) Privacy() privacy.Curve {
	return known(shiftedLoss(g.eps, "|r| moves by at most Δ under V, and by Δ from 0", geometricSource), nil)
}
