package records

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Noise is symmetric noise Z of scale 1 whose density does not increase away from 0.
type Noise interface {
	// Tail encloses Pr[Z > u] for u ≥ 0.
	Tail(u interval.Interval) interval.Interval
	// Area encloses ∫₀^u Pr[Z > s] ds for u ≥ 0.
	Area(u interval.Interval) interval.Interval
	// Half encloses ∫₀^∞ Pr[Z > s] ds, which is E|Z|/2. The enclosure is the whole line if the integral is infinite.
	Half() interval.Interval
	// Draw simulates Z in floating point.
	Draw(src rand.Source) float64
}

// Added is f(x) plus noise, clamped to the nearest value of the range.
type Added struct {
	base
	rng   Range // the query's range, or the whole line
	scale interval.Interval
	noise Noise
	exact func(q *continuous.Linear) (continuous.ExactlySampled, error) // the same noise on the line; nil if it has no exact sampler
}

// NewAdded returns the mechanism that adds noise of the given scale to f(x) and clamps the sum to the nearest value of
// the range. Ties go to the smaller value. remake builds the same mechanism at another dataset; it may be nil.
func NewAdded(q *Query, title string, scale interval.Interval, noise Noise, claimed evidence.Number, remake func(q *Query) (Law, error)) (*Added, error) {
	if q.listed != nil && q.listed.names != nil {
		return nil, parameter.Errorf("%s has categories as values, to which no noise is added", q.name)
	}
	return newAdded(q, title, scale, noise, claimed, remake), nil
}

// newAdded is NewAdded for a query whose values are numbers.
func newAdded(q *Query, title string, scale interval.Interval, noise Noise, claimed evidence.Number, remake func(q *Query) (Law, error)) *Added {
	return &Added{base: base{q, title, claimed, remake}, rng: q.rng, scale: scale, noise: noise}
}

// OnLine returns the same mechanism without clamping.
func (m *Added) OnLine() Law {
	out := *m
	out.rng, out.title = Range{}, m.title+" on the line"
	if m.remake != nil {
		out.remake = func(q *Query) (Law, error) {
			moved, err := m.remake(q)
			if err != nil {
				return nil, err
			}
			added, ok := moved.(*Added)
			if !ok {
				return nil, parameter.Errorf("remake returned a %T, want a %T", moved, added)
			}
			return added.OnLine(), nil
		}
	}
	return &out
}

// outputs returns the set in which outputs lie.
func (m *Added) outputs() Range { return m.rng }

// Scale encloses the noise's scale.
func (m *Added) Scale() interval.Interval { return m.scale }

// ends returns the distances from v to the upper and the lower end of the range. The distance to an infinite end is
// nil.
func (g Range) ends(v *big.Rat) [2]*big.Rat {
	var out [2]*big.Rat
	if g.Hi != nil {
		out[0] = new(big.Rat).Sub(g.Hi, v)
	}
	if g.Lo != nil {
		out[1] = new(big.Rat).Sub(v, g.Lo)
	}
	return out
}

// toward returns the distance d from v toward c, at most up to the end of the range, and how far c lies beyond that
// end. side is 0 if that is the upper end and 1 if it is the lower one.
func (g Range) toward(v, c *big.Rat) (d, beyond *big.Rat, side int) {
	d, beyond = new(big.Rat).Sub(c, v), new(big.Rat)
	if d.Sign() < 0 {
		d.Neg(d)
		side = 1
	}
	if end := g.ends(v)[side]; end != nil && d.Cmp(end) > 0 {
		return end, beyond.Sub(d, end), side
	}
	return d, beyond, side
}

// scaled returns u divided by the scale.
func (m *Added) scaled(u *big.Rat) interval.Interval { return interval.Rat(u).Quo(m.scale) }

// noiseless reports whether the scale is 0.
func (m *Added) noiseless() bool { return m.scale.CmpHi(interval.Int(0)) <= 0 }

// Distortion implements Law.
func (m *Added) Distortion(ctx context.Context) (evidence.Number, error) {
	const source = "noise moved to the range, at this dataset"
	sum := interval.Int(0)
	if m.noiseless() {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(source)}, nil
	}
	for _, end := range m.rng.ends(m.q.value) {
		v, err := m.area(ctx, end)
		if err != nil {
			return nil, err
		}
		sum = sum.Add(v)
	}
	return evidence.Enclosed(sum, method, source), nil
}

// area encloses the integral of Pr[r > f(x) + v] over v from 0 to a distance, or to infinity if the distance is nil.
// The distance must lead to the end of the range or to a value of its lattice.
func (m *Added) area(ctx context.Context, to *big.Rat) (interval.Interval, error) {
	switch {
	case to != nil && to.Sign() == 0:
		return interval.Int(0), nil
	case m.rng.Step != nil:
		return m.onLattice(ctx, to)
	case to == nil:
		return m.noise.Half().Mul(m.scale), nil
	}
	return m.noise.Area(m.scaled(to)).Mul(m.scale), nil
}

// off implements errorShifter.
func (m *Added) off(ctx context.Context, c *big.Rat) (interval.Interval, error) {
	d, beyond, _ := m.rng.toward(m.q.value, c)
	// With d = |c − f(x)|, E|r − c| − E|r − f(x)| is d minus twice the integral of Pr[r is beyond v] over v from f(x)
	// to c.
	whole, rest := d, interval.Int(0)
	if step := m.rng.Step; step != nil {
		whole = floorTo(d, step)
		if over := new(big.Rat).Sub(d, whole); over.Sign() > 0 && !m.noiseless() {
			half := new(big.Rat).Mul(step, big.NewRat(1, 2))
			rest = m.noise.Tail(m.scaled(half.Add(half, whole))).Mul(interval.Rat(over))
		}
	}
	area := interval.Int(0)
	if !m.noiseless() {
		var err error
		if area, err = m.area(ctx, whole); err != nil {
			return area, err
		}
	}
	return interval.Rat(beyond.Add(beyond, d)).Sub(area.Add(rest).Mul(interval.Int(2))), nil
}

// summedTerms is the number of lattice points near f(x) that are summed one by one.
const summedTerms = 1 << 6

// onLattice encloses step·Σ_k Pr[Z > (k − ½)·step/scale] up to the end.
func (m *Added) onLattice(ctx context.Context, end *big.Rat) (interval.Interval, error) {
	step := m.rng.Step
	s := m.scaled(step)
	var n *big.Int
	if end != nil {
		n = interval.RationalFloor(new(big.Rat).Quo(end, step))
	}
	if l, ok := m.noise.(laplace); ok {
		if n == nil { // sum to infinity
			return l.Tail(s.Quo(interval.Int(2))).Quo(s.Neg().Expm1().Neg()).Mul(interval.Rat(step)), nil
		}
		return l.lattice(s, n).Mul(interval.Rat(step)), nil
	}
	if c, ok := m.noise.(staircase); ok {
		v, err := c.lattice(ctx, new(big.Rat).Quo(step, m.q.global), n)
		return v.Mul(interval.Rat(step)), err
	}
	sum, half := interval.Int(0), s.Quo(interval.Int(2))
	for k := int64(1); ; k++ {
		if n != nil && n.Cmp(big.NewInt(k)) < 0 {
			return sum.Mul(interval.Rat(step)), nil
		}
		if k > summedTerms {
			break
		}
		sum = sum.Add(m.noise.Tail(s.Mul(interval.Int(k)).Sub(half)))
	}
	// The tail is convex. So a term is below its mean over the step around it, by at most an eighth of the step times
	// the change of slope over the step. The sum of these gaps is at most an eighth of the first slope. This slope is
	// no steeper than the chord of the step before.
	from := s.Mul(interval.Int(summedTerms))
	rest := m.noise.Half()
	if n != nil {
		rest = m.noise.Area(s.Mul(interval.Rat(new(big.Rat).SetInt(n))))
	}
	rest = rest.Sub(m.noise.Area(from))
	off := s.Mul(m.noise.Tail(from.Sub(s)).Sub(m.noise.Tail(from))).Quo(interval.Int(8))
	return sum.Add(interval.Hull(rest.Sub(off), rest).Quo(s)).Mul(interval.Rat(step)), nil
}

// Within implements Law.
func (m *Added) Within(_ context.Context, e *big.Rat) (interval.Interval, error) {
	out := interval.Int(1)
	if e.Sign() < 0 {
		return interval.Int(0), nil
	}
	if m.noiseless() {
		return out, nil
	}
	beyond := e
	if step := m.rng.Step; step != nil {
		e = floorTo(e, step)
		beyond = new(big.Rat).Mul(step, big.NewRat(1, 2))
		beyond.Add(beyond, e)
	}
	for _, end := range m.rng.ends(m.q.value) {
		if end == nil || e.Cmp(end) < 0 {
			out = out.Sub(m.noise.Tail(m.scaled(beyond)))
		}
	}
	return inUnit(out), nil
}

// Between implements Law.
func (m *Added) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	return inUnit(m.below(hi, false).Sub(m.below(lo, true))), nil
}

// below encloses Pr[r ≤ v], or Pr[r < v] if open is true.
func (m *Added) below(v *big.Rat, open bool) interval.Interval {
	if m.rng.Hi != nil && (v.Cmp(m.rng.Hi) > 0 || !open && v.Cmp(m.rng.Hi) == 0) {
		return interval.Int(1)
	}
	if m.rng.Lo != nil && (v.Cmp(m.rng.Lo) < 0 || open && v.Cmp(m.rng.Lo) == 0) {
		return interval.Int(0)
	}
	d := new(big.Rat).Sub(v, m.q.value)
	if step := m.rng.Step; step != nil { // noise up to the midpoint above the last value that counts
		half := new(big.Rat).Mul(step, big.NewRat(1, 2))
		if open {
			d = half.Sub(ceilTo(d, step), half)
		} else {
			d = half.Add(floorTo(d, step), half)
		}
	}
	if m.noiseless() {
		if d.Sign() > 0 || d.Sign() == 0 && !open {
			return interval.Int(1)
		}
		return interval.Int(0)
	}
	if d.Sign() >= 0 {
		return interval.Int(1).Sub(m.noise.Tail(m.scaled(d)))
	}
	return m.noise.Tail(m.scaled(d.Neg(d)))
}
