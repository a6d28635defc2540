package continuous

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// Linear is a linear query on the reals, known by its neighboring set V_f, the
// differences f(x') − f(x) over neighbors x, x' (Wu et al., Definition 9): a
// finite union of closed intervals and points, the same for every dataset x.
// A Linear is immutable.
type Linear struct {
	set         Set
	sensitivity *big.Rat
	volume      *big.Rat
	anyQuery    bool // all queries of the sensitivity are meant
}

// NewLinear returns the linear query whose neighboring set is the union of the
// closed intervals [lo, hi] given, and of their mirror images and 0, since
// neighbors are mutual and every dataset is at distance 0 of itself.
//
// It returns an error wrapping evidence.ErrParameter where no interval is given, an
// end is nil, where lo > hi, or where the set is {0}: such a query is constant.
func NewLinear(intervals [][2]*big.Rat) (*Linear, error) {
	if len(intervals) == 0 {
		return nil, parameter.Errorf("neighboring set is empty, want at least one interval or point")
	}
	segments := []Segment{Closed(new(big.Rat), new(big.Rat))}
	for i, v := range intervals {
		if v[0] == nil || v[1] == nil {
			return nil, parameter.Errorf("intervals[%d] misses an end, want two numbers", i)
		}
		if v[0].Cmp(v[1]) > 0 {
			return nil, parameter.Errorf("intervals[%d] = (%s, %s), want its lower end first", i, v[0].RatString(), v[1].RatString())
		}
		segments = append(segments, Closed(new(big.Rat).Set(v[0]), new(big.Rat).Set(v[1])))
	}
	set := NewSet(segments...)
	set = set.Union(set.Negate())
	sensitivity := set.parts[len(set.parts)-1].to.at
	if sensitivity.Sign() == 0 {
		return nil, parameter.Errorf("neighboring set is {0}, want a number other than 0: a constant query has nothing to hide")
	}
	volume := set.Length()
	return &Linear{set: set, sensitivity: sensitivity, volume: volume.Mul(volume, big.NewRat(1, 2))}, nil
}

// NewSensitivity returns what is known of a query whose L2 sensitivity alone is given, on the line: its values may move by any
// number of at most that size. Composed, its Gaussian mechanism counts as that of the worst such query, which moves by it between
// any two neighbors. It returns an error wrapping evidence.ErrParameter unless the sensitivity is positive.
func NewSensitivity(l2 *big.Rat) (*Linear, error) {
	if l2.Sign() <= 0 {
		return nil, parameter.Bad("sensitivity", l2, "a positive number")
	}
	q, err := NewLinear([][2]*big.Rat{{new(big.Rat), l2}})
	if err == nil {
		q.anyQuery = true
	}
	return q, err
}

// NeighboringSet returns V_f, symmetric and with 0.
func (q *Linear) NeighboringSet() Set { return q.set }

// Sensitivity returns Δf, the largest number in V_f (Definition 12). It is the
// local sensitivity of every dataset too.
func (q *Linear) Sensitivity() evidence.Exact {
	return evidence.Exact{Value: new(big.Rat).Set(q.sensitivity), Side: evidence.Up, Cases: 1, Provenance: evidence.From("largest number in V_f")}
}

// Volume returns the Lebesgue measure of V_f ∩ [0, ∞), half that of V_f: the
// Vol(V_f) of the paper, which writes down the half that is not negative.
func (q *Linear) Volume() evidence.Exact {
	return evidence.Exact{Value: new(big.Rat).Set(q.volume), Cases: 1, Provenance: evidence.From("length of V_f on one side of 0")}
}

// Lattice returns the largest g such that every number in V_f is a multiple of
// g, and false where V_f has an interval, so that there is none.
func (q *Linear) Lattice() (g *big.Rat, ok bool) {
	if q.volume.Sign() > 0 {
		return nil, false
	}
	scale := q.Denominator()
	gcd := new(big.Int)
	for _, s := range q.set.Segments() {
		gcd.GCD(nil, nil, gcd, new(big.Int).Abs(query.Scaled(s.Lo, scale)))
	}
	return new(big.Rat).SetFrac(gcd, scale), true
}

// Denominator returns the least common denominator of the ends of V_f.
func (q *Linear) Denominator() *big.Int {
	d := big.NewInt(1)
	for _, s := range q.set.Segments() {
		d = query.CommonDenominator(d, s.Lo)
		d = query.CommonDenominator(d, s.Hi)
	}
	return d
}

// String returns "linear query with neighboring set …".
func (q *Linear) String() string { return "linear query with neighboring set " + q.set.String() }
