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

// Noise is symmetric noise of a scale of 1, of a density that does not grow away from 0.
type Noise interface {
	// Tail encloses Pr[Z > u], u ≥ 0.
	Tail(u interval.Interval) interval.Interval
	// Area encloses ∫₀^u Pr[Z > s] ds, u ≥ 0.
	Area(u interval.Interval) interval.Interval
	// Half encloses ∫₀^∞ Pr[Z > s] ds, half of E|Z|: all numbers where that is infinite.
	Half() interval.Interval
	// Draw simulates it.
	Draw(src rand.Source) float64
}

// Added is noise on f(x), moved to the nearest value of the range.
type Added struct {
	made
	rng   Range // where outputs lie: the query's range, or the whole line
	scale interval.Interval
	noise Noise
	exact func(q *continuous.Linear) (continuous.ExactlySampled, error) // the same noise on the line; nil where it has no exact sampler
}

// NewAdded returns noise of the given scale added to f(x) and moved to the nearest value of the
// range, ties to the smaller. remake makes the same mechanism at another dataset; it may be nil.
func NewAdded(q *Query, title string, scale interval.Interval, noise Noise, claimed evidence.Number, remake func(q *Query) (Law, error)) (*Added, error) {
	if q.listed != nil && q.listed.names != nil {
		return nil, parameter.Errorf("%s has categories as values, to which no noise is added", q.name)
	}
	return newAdded(q, title, scale, noise, claimed, remake), nil
}

// newAdded is NewAdded for numbers.
func newAdded(q *Query, title string, scale interval.Interval, noise Noise, claimed evidence.Number, remake func(q *Query) (Law, error)) *Added {
	return &Added{made: made{q, title, claimed, remake}, rng: q.rng, scale: scale, noise: noise}
}

// OnLine returns the same noise, left on the whole line.
func (m *Added) OnLine() Law {
	out := *m
	out.rng, out.title = Range{}, m.title+" on the line"
	if m.remake != nil {
		out.remake = func(q *Query) (Law, error) {
			moved, err := m.remake(q)
			if err != nil {
				return nil, err
			}
			return moved.(*Added).OnLine(), nil
		}
	}
	return &out
}

// outputs returns where outputs lie.
func (m *Added) outputs() Range { return m.rng }

// Scale encloses the noise's scale.
func (m *Added) Scale() interval.Interval { return m.scale }

// ends returns how far a range goes above and below v, nil without an end.
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

// toward returns how far c lies from v within the range and how much farther beyond its end, which is the upper one, 0, or the
// lower, 1.
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

// scaled returns u in scales.
func (m *Added) scaled(u *big.Rat) interval.Interval { return interval.Rat(u).Quo(m.scale) }

// quiet reports whether there is no noise at all.
func (m *Added) quiet() bool { return m.scale.CmpHi(interval.Int(0)) <= 0 }

// Distortion implements Law.
func (m *Added) Distortion(ctx context.Context) (evidence.Number, error) {
	const source = "noise moved to the range, at this dataset"
	sum := interval.Int(0)
	if m.quiet() {
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

// area encloses the integral of Pr[r > f(x) + v] over v from 0 to a distance at which the range ends or has a value,
// nil for no end.
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

// off implements offset.
func (m *Added) off(ctx context.Context, c *big.Rat) (interval.Interval, error) {
	d, beyond, _ := m.rng.toward(m.q.value, c)
	// E|r − c| − E|r − f(x)| is d less twice the integral of Pr[r beyond v] from f(x) to c.
	whole, rest := d, interval.Int(0)
	if step := m.rng.Step; step != nil {
		whole = floorTo(d, step)
		if over := new(big.Rat).Sub(d, whole); over.Sign() > 0 && !m.quiet() {
			half := new(big.Rat).Mul(step, big.NewRat(1, 2))
			rest = m.noise.Tail(m.scaled(half.Add(half, whole))).Mul(interval.Rat(over))
		}
	}
	area := interval.Int(0)
	if !m.quiet() {
		var err error
		if area, err = m.area(ctx, whole); err != nil {
			return area, err
		}
	}
	return interval.Rat(beyond.Add(beyond, d)).Sub(area.Add(rest).Mul(interval.Int(2))), nil
}

// summedTerms is how many lattice points near f(x) are added up one by one.
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
		if n == nil { // the sum to infinity
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
	// The tail is convex, so that a term lies below its mean over the step around it, by no more than an eighth of
	// the step times what the slope changes there; together by an eighth of the slope at the first, which is no steeper
	// than that of the chord before.
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
	if m.quiet() {
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

// below encloses Pr[r ≤ v], or Pr[r < v].
func (m *Added) below(v *big.Rat, open bool) interval.Interval {
	if m.rng.Hi != nil && (v.Cmp(m.rng.Hi) > 0 || !open && v.Cmp(m.rng.Hi) == 0) {
		return interval.Int(1)
	}
	if m.rng.Lo != nil && (v.Cmp(m.rng.Lo) < 0 || open && v.Cmp(m.rng.Lo) == 0) {
		return interval.Int(0)
	}
	d := new(big.Rat).Sub(v, m.q.value)
	if step := m.rng.Step; step != nil { // the noise that ends at most at the last value there
		half := new(big.Rat).Mul(step, big.NewRat(1, 2))
		if open {
			d = half.Sub(ceilTo(d, step), half)
		} else {
			d = half.Add(floorTo(d, step), half)
		}
	}
	if m.quiet() {
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
