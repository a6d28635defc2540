package continuous

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// Linear is a linear query on the reals, given by its neighboring set V_f: the differences f(x') − f(x) of neighbors
// x, x' (Wu et al., Definition 9). It is a finite union of closed intervals and points and does not depend on x. A
// Linear is immutable.
type Linear struct {
	set         Set
	sensitivity *big.Rat
	volume      *big.Rat
	anyQuery    bool // stands for all queries of the sensitivity
}

// NewLinear returns the linear query whose neighboring set is the union of the given intervals [lo, hi], their mirror
// images and 0. Neighbors are mutual, and a dataset is at distance 0 from itself.
//
// It returns an error wrapping evidence.ErrParameter if no interval is given, an end is nil, lo > hi, or the set is
// {0}: such a query is constant.
func NewLinear(intervals [][2]*big.Rat) (*Linear, error) {
	if len(intervals) == 0 {
		return nil, parameter.Errorf("neighboring set is empty, want at least one interval or point")
	}
	segments := []Segment{Closed(new(big.Rat), new(big.Rat))}
	for i, v := range intervals {
		if v[0] == nil || v[1] == nil {
			return nil, parameter.Errorf("intervals[%d] lacks an end, want two numbers", i)
		}
		if v[0].Cmp(v[1]) > 0 {
			return nil, parameter.Errorf("intervals[%d] = (%s, %s), want the lower end first", i, v[0].RatString(), v[1].RatString())
		}
		segments = append(segments, Closed(new(big.Rat).Set(v[0]), new(big.Rat).Set(v[1])))
	}
	set := NewSet(segments...)
	set = set.Union(set.Negate())
	sensitivity := set.parts[len(set.parts)-1].to.at
	if sensitivity.Sign() == 0 {
		return nil, parameter.Errorf("neighboring set is {0}, want a number other than 0: a constant query needs no mechanism")
	}
	volume := set.Length()
	return &Linear{set: set, sensitivity: sensitivity, volume: volume.Mul(volume, big.NewRat(1, 2))}, nil
}

// NewSensitivity returns a query of which only the L2 sensitivity is known. Its neighboring set is an interval. In a
// composition its Gaussian mechanism counts as that of the worst query of this sensitivity, whose values at any two
// neighbors differ by exactly the sensitivity. It returns an error wrapping evidence.ErrParameter unless the
// sensitivity is positive.
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

// NeighboringSet returns V_f, which is symmetric and contains 0.
func (q *Linear) NeighboringSet() Set { return q.set }

// Sensitivity returns Δf, the largest number in V_f (Definition 12). It is also the local sensitivity of every dataset.
func (q *Linear) Sensitivity() evidence.Exact {
	return evidence.Exact{Value: new(big.Rat).Set(q.sensitivity), Side: evidence.Up, Cases: 1, Provenance: evidence.From("largest number in V_f")}
}

// Volume returns the Lebesgue measure of V_f ∩ [0, ∞), half that of V_f. The paper calls it Vol(V_f), because it states
// only the nonnegative half of V_f.
func (q *Linear) Volume() evidence.Exact {
	return evidence.Exact{Value: new(big.Rat).Set(q.volume), Cases: 1, Provenance: evidence.From("length of V_f on one side of 0")}
}

// Lattice returns the largest g such that every number in V_f is a multiple of
// g, and false if V_f contains an interval.
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
