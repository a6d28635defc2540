package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// Law is the output law of a mechanism at the dataset of its query.
type Law interface {
	// Private returns the pairs of laws of all neighboring datasets; see the function Pairs.
	privacy.Private
	// Name returns the mechanism's name with its parameters.
	Name() string
	// Query returns the query.
	Query() *Query
	// ClaimedEpsilon returns the ε that a theorem guarantees for all datasets. This law alone cannot show it.
	ClaimedEpsilon() evidence.Number
	// Distortion returns E|r − f(x)|; for a mode, the probability of another category.
	Distortion(ctx context.Context) (evidence.Number, error)
	// Within encloses Pr[|r − f(x)| ≤ e].
	Within(ctx context.Context, e *big.Rat) (interval.Interval, error)
	// Between encloses Pr[lo ≤ r ≤ hi].
	Between(ctx context.Context, lo, hi *big.Rat) (interval.Interval, error)
	// Simulate draws n outputs in floating point, for research only.
	Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error)
	// Remake returns the same mechanism of the same query at another dataset.
	Remake(q *Query) (Law, error)
}

// base holds what all laws have in common.
type base struct {
	q       *Query
	title   string
	claimed evidence.Number
	remake  func(q *Query) (Law, error) // nil if the law cannot be built at another dataset
}

// Name implements Law.
func (m base) Name() string { return m.title }

// Query implements Law.
func (m base) Query() *Query { return m.q }

// ClaimedEpsilon implements Law.
func (m base) ClaimedEpsilon() evidence.Number { return m.claimed }

// Remake implements Law.
func (m base) Remake(q *Query) (Law, error) {
	if m.remake == nil {
		return nil, parameter.Errorf("%s cannot be built at another dataset", m.title)
	}
	return m.remake(q)
}

// drawing returns the results of n calls of draw. It polls its context every `every` calls.
func drawing(ctx context.Context, n, every int, draw func() (float64, error)) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i := range out {
		if i%every == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var err error
		if out[i], err = draw(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Source is a source of random bits.
type Source = rand.Source

// method names the arithmetic by which laws are enclosed.
const method = "256-bit intervals"

// Probability returns Pr[lo ≤ r ≤ hi]. It returns an error wrapping evidence.ErrParameter if lo > hi.
func Probability(ctx context.Context, m Law, lo, hi *big.Rat) (evidence.Number, error) {
	if lo.Cmp(hi) > 0 {
		return nil, parameter.Bad("lo", lo, "at most hi = %s", text(hi))
	}
	p, err := m.Between(ctx, lo, hi)
	if err != nil {
		return nil, err
	}
	return evidence.Enclosed(p, method, "the law at this dataset"), nil
}

// ErrorQuantile returns the least e with Pr[|r − f(x)| ≤ e] ≥ p. It returns an error wrapping
// evidence.ErrParameter unless 0 < p < 1.
func ErrorQuantile(ctx context.Context, m Law, p *big.Rat) (evidence.Number, error) {
	if p.Sign() <= 0 || p.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, parameter.Bad("p", p, "a number between 0 and 1")
	}
	rng := m.Query().rng
	if own, ok := m.(interface{ outputs() Range }); ok {
		rng = own.outputs()
	}
	s := &search{ctx: ctx, law: m, p: interval.Rat(p), step: rng.Step, end: rng.farthest(m.Query().value)}
	const source = "the law at this dataset"
	if m.Query().listed != nil || rng.Step != nil {
		possibly, surely := s.whole(true), s.whole(false)
		if s.err != nil {
			return nil, s.err
		}
		if possibly.Cmp(surely) == 0 {
			return evidence.Exact{Value: surely, Provenance: evidence.From(source)}, nil
		}
		return evidence.Enclosed(interval.Hull(interval.Rat(possibly), interval.Rat(surely)), method, source), nil
	}
	lo, _ := s.bisect(true)
	_, hi := s.bisect(false)
	if s.err != nil {
		return nil, s.err
	}
	return evidence.Enclosed(interval.Hull(interval.Rat(lo), interval.Rat(hi)), method, source), nil
}

// search finds a quantile of |r − f(x)|, the error of a law.
type search struct {
	ctx       context.Context
	law       Law
	p         interval.Interval
	step, end *big.Rat // step of the lattice and largest error, or nil
	err       error
}

// reaches reports whether Pr[error ≤ e] is at least p: possibly if possibly is true, and certainly otherwise. After a
// failure it returns true, so that every search ends.
func (s *search) reaches(e *big.Rat, possibly bool) bool {
	if s.err != nil {
		return true
	}
	if s.err = s.ctx.Err(); s.err != nil {
		return true
	}
	in, err := s.law.Within(s.ctx, e)
	if err != nil {
		s.err = err
		return true
	}
	if possibly {
		return in.CmpHi(s.p) >= 0
	}
	return in.Lower().CmpHi(s.p) >= 0
}

// farthest returns the largest distance from v to a value of the range, or nil if the range is infinite.
func (g Range) farthest(v *big.Rat) *big.Rat {
	ends := g.ends(v)
	switch {
	case ends[0] == nil || ends[1] == nil:
		return nil
	case ends[0].Cmp(ends[1]) < 0:
		return ends[1]
	}
	return ends[0]
}

// above returns an error e ≥ from that reaches p, or the largest error, by doubling from.
func (s *search) above(from *big.Rat, possibly bool) *big.Rat {
	for e := from; ; e = new(big.Rat).Add(e, e) {
		if s.end != nil && e.Cmp(s.end) >= 0 {
			return s.end
		}
		if s.reaches(e, possibly) {
			return e
		}
	}
}

// whole returns the least multiple of the step at which the error reaches p.
func (s *search) whole(possibly bool) *big.Rat {
	zero := new(big.Rat)
	if s.reaches(zero, possibly) {
		return zero
	}
	step := s.step
	if step == nil {
		step = big.NewRat(1, 1)
	}
	top := new(big.Rat).Quo(s.above(step, possibly), step)
	lo, hi := new(big.Int), new(big.Int).Add(interval.RationalFloor(top), big.NewInt(1))
	for {
		mid := new(big.Int).Add(lo, hi)
		mid.Rsh(mid, 1)
		if mid.Cmp(lo) == 0 {
			break
		}
		if s.reaches(new(big.Rat).Mul(new(big.Rat).SetInt(mid), step), possibly) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(hi), step)
}

// bisect encloses the least error that reaches p, with a relative width of about 2⁻⁵⁶.
func (s *search) bisect(possibly bool) (lo, hi *big.Rat) {
	lo = new(big.Rat)
	first := big.NewRat(1, 1)
	if s.end != nil {
		first = s.end
		for range 400 { // halve first while it still reaches p
			half := new(big.Rat).Mul(first, big.NewRat(1, 2))
			if !s.reaches(half, possibly) {
				lo = half
				break
			}
			first = half
		}
		hi = first
	} else {
		hi = s.above(first, possibly)
	}
	for range 60 {
		mid := new(big.Rat).Add(lo, hi)
		mid.Mul(mid, big.NewRat(1, 2))
		if s.reaches(mid, possibly) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi
}

// nearest returns the value of the range that is nearest to v. On a lattice, value must be one of its points.
func (g Range) nearest(v float64, value *big.Rat) float64 {
	if g.Lo != nil {
		v = max(v, float(g.Lo))
	}
	if g.Hi != nil {
		v = min(v, float(g.Hi))
	}
	if g.Step == nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	from := value
	if g.Lo != nil {
		from = g.Lo
	}
	k := new(big.Rat).SetFloat64(v)
	k.Sub(k, from).Quo(k, g.Step).Add(k, big.NewRat(1, 2))
	k.SetInt(interval.RationalFloor(k))
	return sampling.Float(k.Mul(k, g.Step).Add(k, from))
}

// errorShifter is a law whose method off encloses E|r − c| − E|r − f(x)| for a number c.
type errorShifter interface {
	Law
	off(ctx context.Context, c *big.Rat) (interval.Interval, error)
}

// DistortionFrom returns E|r − c|, such as the error of an extension's answer against the original query. It returns an
// error wrapping evidence.ErrParameter if that is unknown: for modes, and for layered laws on an infinite range.
func DistortionFrom(ctx context.Context, m Law, c *big.Rat) (evidence.Number, error) {
	if c.Cmp(m.Query().value) == 0 {
		return m.Distortion(ctx)
	}
	const source = "the law at this dataset"
	switch m := m.(type) {
	case *Layered:
		l, err := m.listedLaw(ctx)
		if err != nil {
			return nil, err
		}
		d, err := l.from(new(big.Rat).Sub(c, m.q.value))
		if err != nil {
			return nil, err
		}
		return evidence.Enclosed(d, method, source), nil
	case errorShifter:
		own, err := m.Distortion(ctx)
		if err != nil {
			return nil, err
		}
		off, err := m.off(ctx, c)
		if err != nil {
			return nil, err
		}
		return evidence.Enclosed(evidence.Enclosure(own).Add(off), method, source), nil
	case *Choice:
		if m.q.listed.names == nil {
			sum := interval.Int(0)
			for i, v := range m.q.listed.values {
				d := new(big.Rat).Sub(v, c)
				sum = sum.Add(m.finite.Enclose(0, i).Mul(interval.Rat(d.Abs(d))))
			}
			return evidence.Enclosed(sum, method, source), nil
		}
	}
	return nil, parameter.Errorf("the error of %s is known only relative to the value of its own query", m.Name())
}
