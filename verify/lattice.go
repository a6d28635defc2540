package verify

import (
	"context"
	"math"
	"math/big"
	"strings"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
)

// Noise on a lattice is truncated where its weight is below e^{−cutAt} times the largest. The truncation must be at
// most maxPoints points from 0.
const (
	cutAt     = 45
	maxPoints = 1 << 16
)

// OnLattice returns the case of geometric or discrete Gaussian noise on a linear query, at every shift of its
// neighboring set. The truncated weight is below float64's precision. It returns an error wrapping
// evidence.ErrParameter for continuous noise, and for noise with too many lattice points.
func OnLattice(m continuous.Mechanism, q *continuous.Linear) (*Case, error) {
	unit, _ := q.Lattice()
	var weight func(k float64) float64 // logarithm of the weight at k units, relative to that at 0
	switch {
	case unit != nil && strings.HasPrefix(m.Name(), "geometric"):
		e := m.(interface{ Epsilon() evidence.Epsilon }).Epsilon().Value()
		n, _ := new(big.Rat).Quo(q.Sensitivity().Value, unit).Float64()
		weight = func(k float64) float64 { return -e * math.Abs(k) / n }
	case unit != nil && strings.HasPrefix(m.Name(), "discrete_gaussian"):
		sigma, _ := unit.Float64()
		sigma = m.(interface{ Sigma() evidence.Number }).Sigma().Float() / sigma
		weight = func(k float64) float64 { return -k * k / (2 * sigma * sigma) }
	default:
		return nil, parameter.Errorf("%s adds continuous noise, which has no finite case: want geometric or discrete_gaussian", m.Name())
	}
	end := 1
	for ; weight(float64(end)) > -cutAt; end++ {
		if end == maxPoints {
			return nil, parameter.Errorf("%s has more than %d lattice points of relevant probability", m.Name(), 2*maxPoints)
		}
	}
	c := &Case{outputs: 2*end + 1, unbounded: math.IsInf(m.ClaimedEpsilon().Float(), 1)}
	sum := 1.0
	for k := 1; k <= 2*maxPoints && weight(float64(k)) > -2*cutAt; k++ {
		sum += 2 * math.Exp(weight(float64(k)))
	}
	at := func(k float64) float64 { return math.Exp(weight(k)) / sum }
	var shifts []float64
	for _, s := range q.NeighboringSet().Segments() {
		if shift, _ := new(big.Rat).Quo(s.Lo, unit).Float64(); shift != 0 {
			shifts = append(shifts, shift)
		}
	}
	c.size = len(shifts)
	c.universe = q
	c.pair = func(i int) (p, q []float64) {
		for k := -end; k <= end; k++ {
			p, q = append(p, at(float64(k))), append(q, at(float64(k)-shifts[i]))
		}
		return p, q
	}
	return c, nil
}

// Line recomputes a mechanism of discrete noise on a linear query: its claim, probabilities, distortion, layers, ε and
// δ. It returns errors as OnLattice does.
func Line(ctx context.Context, m continuous.Mechanism, q *continuous.Linear) (*Report, error) {
	c, err := OnLattice(m, q)
	if err != nil {
		return nil, err
	}
	account, err := privacy.Of(ctx, m)
	if err != nil {
		return nil, err
	}
	r, err := Account(ctx, account, c)
	if err != nil {
		return nil, err
	}
	if e, ok := m.(interface{ Epsilon() evidence.Epsilon }); ok {
		r.part("claim").number(m.ClaimedEpsilon(), e.Epsilon().Value(), ".claimed_epsilon")
	}
	unit, _ := q.Lattice()
	size, _ := unit.Float64()
	p, _ := c.pair(0)
	end := len(p) / 2
	mean := 0.0
	for i, chance := range p {
		point := new(big.Rat).Mul(unit, big.NewRat(int64(i-end), 1))
		printed, err := m.Density(point)
		if err != nil {
			return nil, err
		}
		r.named("probabilities of the noise").number(printed, chance, ".density(%q)", point.RatString())
		mean += chance * math.Abs(float64(i-end)) * size
	}
	r.part("distortion").number(m.Distortion(), mean, ".distortion()")
	if c.unbounded {
		return r, nil
	}
	const layers = 3
	sets, err := m.Layers(ctx, layers)
	if err != nil {
		return nil, err
	}
	n := new(big.Rat).Quo(q.Sensitivity().Value, unit).Num().Int64()
	for k := -layers * n; k <= layers*n; k++ {
		for i, set := range sets {
			in := set.Contains(new(big.Rat).Mul(unit, big.NewRat(k, 1)))
			r.named("layers").is(in == (max(k, -k)/n == int64(i)), ".layers(%d)  # the point %d steps from 0 is in layer %d: %v", layers, k, i, in)
		}
	}
	return r, nil
}
