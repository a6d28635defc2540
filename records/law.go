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
)

// Law is what a mechanism outputs at the dataset of its query.
type Law interface {
	// Name says which mechanism it is, with its parameters.
	Name() string
	// Query returns the query.
	Query() *Query
	// ClaimedEpsilon returns the guarantee of a theorem on all datasets, which this law alone cannot show.
	ClaimedEpsilon() evidence.Number
	// Distortion returns E|r − f(x)|; of a mode, the chance of another category.
	Distortion(ctx context.Context) (evidence.Number, error)
	// Within encloses Pr[|r − f(x)| ≤ e].
	Within(ctx context.Context, e *big.Rat) (interval.Interval, error)
	// Between encloses Pr[lo ≤ r ≤ hi].
	Between(ctx context.Context, lo, hi *big.Rat) (interval.Interval, error)
	// Simulate draws n outputs in floating point: for research.
	Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error)
	// Remake returns the same mechanism of the same query at another dataset.
	Remake(q *Query) (Law, error)
}

// Source is where random bits come from.
type Source = rand.Source

// method is how laws are enclosed.
const method = "256-bit intervals"

// Probability returns Pr[lo ≤ r ≤ hi]. It returns an error wrapping evidence.ErrParameter where
// lo is above hi.
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
	if own, ok := m.(interface {
		Quantile(p *big.Rat) (evidence.Number, error)
	}); ok {
		return own.Quantile(p)
	}
	s := &search{ctx: ctx, law: m, p: interval.Rat(p), q: m.Query()}
	const source = "the law at this dataset"
	if m.Query().listed != nil || m.Query().rng.Step != nil {
		lo, hi := s.whole(true), s.whole(false)
		if s.err != nil {
			return nil, s.err
		}
		if lo.Cmp(hi) == 0 {
			return evidence.Exact{Value: hi, Source: source}, nil
		}
		return evidence.Enclosed(interval.Hull(interval.Rat(lo), interval.Rat(hi)), method, source), nil
	}
	lo, _ := s.bisect(true)
	_, hi := s.bisect(false)
	if s.err != nil {
		return nil, s.err
	}
	return evidence.Enclosed(interval.Hull(interval.Rat(lo), interval.Rat(hi)), method, source), nil
}

// search looks for a quantile of the error.
type search struct {
	ctx context.Context
	law Law
	p   interval.Interval
	q   *Query
	err error
}

// reaches reports whether Pr[error ≤ e] may be at least p (possibly), or is (else).
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
	return !in.Less(s.p) && in.CmpLo(s.p.Neg().Neg()) >= 0
}

// farthest returns the largest error there is, nil where there is none.
func (q *Query) farthest() *big.Rat {
	if q.rng.Lo == nil || q.rng.Hi == nil {
		return nil
	}
	a, b := new(big.Rat).Sub(q.rng.Hi, q.value), new(big.Rat).Sub(q.value, q.rng.Lo)
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// above returns an error that reaches p, from a first guess on.
func (s *search) above(from *big.Rat, possibly bool) *big.Rat {
	end := s.q.farthest()
	for e := from; ; e = new(big.Rat).Add(e, e) {
		if end != nil && e.Cmp(end) >= 0 {
			return end
		}
		if s.reaches(e, possibly) {
			return e
		}
	}
}

// whole returns the least multiple of the step that reaches p.
func (s *search) whole(possibly bool) *big.Rat {
	zero := new(big.Rat)
	if s.reaches(zero, possibly) {
		return zero
	}
	step := s.q.rng.Step
	if step == nil {
		step = big.NewRat(1, 1)
	}
	top := new(big.Rat).Quo(s.above(step, possibly), step)
	lo, hi := new(big.Int), new(big.Int).Add(interval.RationalFloor(top), big.NewInt(1))
	for {
		mid := new(big.Int).Add(lo, hi)
		mid.Rsh(mid, 1)
		if mid.Cmp(lo) == 0 || s.err != nil {
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

// bisect encloses the least error that reaches p, to about 2⁻⁵⁶ of it.
func (s *search) bisect(possibly bool) (lo, hi *big.Rat) {
	lo = new(big.Rat)
	first := big.NewRat(1, 1)
	if end := s.q.farthest(); end != nil {
		first = end
		for range 400 { // halve while that still reaches p
			half := new(big.Rat).Mul(first, big.NewRat(1, 2))
			if s.err != nil || !s.reaches(half, possibly) {
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
		if s.err != nil {
			break
		}
		if s.reaches(mid, possibly) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi
}

// onRange returns the value of a lattice that is nearest to v, and v itself where there is no lattice.
func (q *Query) onRange(v float64) float64 {
	step := q.rng.Step
	if step == nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	from := q.value
	if q.rng.Lo != nil {
		from = q.rng.Lo
	}
	k := new(big.Rat).SetFloat64(v)
	k.Sub(k, from).Quo(k, step).Add(k, big.NewRat(1, 2))
	k.SetInt(interval.RationalFloor(k))
	return sampling.Float(k.Mul(k, step).Add(k, from))
}
