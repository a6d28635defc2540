package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

const laplaceSource = "Dwork, McSherry, Nissim and Smith 2006; Wu et al., Definition 3"

// LaplaceLine is the Laplace mechanism of a linear query: noise of density
// ε/(2Δ) e^{−ε|r|/Δ}.
type LaplaceLine struct {
	eps         evidence.Epsilon
	sensitivity *big.Rat
}

// NewLaplaceLine returns the Laplace mechanism of a linear query. It returns an
// error wrapping evidence.ErrParameter where ε > 700.
func NewLaplaceLine(q *query.Linear, eps evidence.Epsilon) (*LaplaceLine, error) {
	if err := checkLine(eps); err != nil {
		return nil, err
	}
	return &LaplaceLine{eps, q.Sensitivity()}, nil
}

// Name implements LineMechanism.
func (l *LaplaceLine) Name() string { return fmt.Sprintf("laplace(eps=%v)", l.eps) }

// Epsilon returns the guarantee ε.
func (l *LaplaceLine) Epsilon() evidence.Epsilon { return l.eps }

// scale encloses Δ/ε.
func (l *LaplaceLine) scale() interval.Interval {
	return interval.Rat(l.sensitivity).Quo(l.eps.Enclosure())
}

// Distortion returns E|noise| = Δ/ε.
func (l *LaplaceLine) Distortion() evidence.Number {
	return amount{enclosure: l.scale()}.number(laplaceSource)
}

// SecondMoment returns E noise² = 2Δ²/ε².
func (l *LaplaceLine) SecondMoment() evidence.Number {
	return amount{enclosure: l.scale().Mul(l.scale()).Mul(interval.Int(2))}.number(laplaceSource)
}

// Density implements LineMechanism.
func (l *LaplaceLine) Density(r *big.Rat) (evidence.Number, error) {
	d := new(big.Rat).Abs(r)
	if v, _ := new(big.Rat).Quo(d, l.sensitivity).Float64(); !(v*l.eps.Value() < 1<<28) {
		return nil, fmt.Errorf("%w: r = %s lies too far out", evidence.ErrParameter, r.RatString())
	}
	height := interval.Int(1).Quo(l.scale().Mul(interval.Int(2)))
	return amount{enclosure: decay(l.eps, d, l.sensitivity).enclosure.Mul(height)}.number(laplaceSource), nil
}

// Layers implements LineMechanism: R_i holds i ≤ |r|/Δ < i + 1.
func (l *LaplaceLine) Layers(upTo int) ([]query.LineSet, error) {
	if err := checkUpTo(upTo); err != nil {
		return nil, err
	}
	end := func(i int) *big.Rat { return new(big.Rat).Mul(l.sensitivity, big.NewRat(int64(i), 1)) }
	out := make([]query.LineSet, upTo+1)
	for i := range out {
		right := query.NewLineSet(query.Segment{Lo: end(i), Hi: end(i + 1), OpenHi: true})
		out[i] = right.Union(right.Negate())
	}
	return out, nil
}

// Sample implements LineMechanism.
func (l *LaplaceLine) Sample(n int, src rand.Source) ([]float64, error) {
	if err := checkDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	scale := l.scale().Mid()
	out := make([]float64, n)
	for i := range out {
		out[i] = -scale * math.Log1p(-rng.Float64())
		if rng.Uint64()&1 == 0 {
			out[i] = -out[i]
		}
	}
	return out, nil
}

// SmallestEpsilon implements LineMechanism: |r| moves by at most Δ under V, and
// by Δ under Δ itself.
func (l *LaplaceLine) SmallestEpsilon(context.Context) (evidence.Number, error) {
	return shiftedLoss(l.eps, laplaceSource), nil
}
