package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// IntegerStaircase is the Staircase mechanism on a lattice gℤ (Geng and
// Viswanath, the discrete setting): with n = Δ/g, the point kg has probability b^i/α where
// the step i of |k| is 0 below r and then grows by one every n, 1 ≤ r ≤ n, and
// α = 2r − 1 + 2nβ, b = e^{−ε}, β = b/(1−b). With r = n = 1 it is geometric noise.
type IntegerStaircase struct {
	eps       evidence.Epsilon
	unit      *big.Rat // g
	n, r      int64
	b, beta   evidence.RatOrInterval
	cost      Cost
	normalise evidence.RatOrInterval // α
	neighbors Set                    // V_f
}

// NewIntegerStaircase returns the Staircase mechanism of a linear query whose
// neighboring set is points only, on the lattice they span, with r points of
// the first step on either side, 0 included; r = 0 means the best r for the
// cost. It returns an error wrapping evidence.ErrParameter where the neighboring
// set has an interval, r is not in 0…Δ/g, or ε > 700.
func NewIntegerStaircase(q *Linear, eps evidence.Epsilon, r int64, cost Cost) (*IntegerStaircase, error) {
	if err := checkRate("eps", eps); err != nil {
		return nil, err
	}
	if cost != CostAbs && cost != CostSquare {
		return nil, parameter.Bad("cost", string(cost), `"abs" or "square"`)
	}
	unit, n, err := latticeOf(q)
	if err != nil {
		return nil, err
	}
	if r < 0 || r > n {
		return nil, parameter.Bad("r", r, "1…%d, or 0 for the best", n)
	}
	one := big.NewRat(1, 1)
	s := &IntegerStaircase{eps: eps, unit: unit, n: n, b: decay(eps, one, one), cost: cost, neighbors: q.set}
	s.beta = s.b.Quo(shortfall(eps, one, one))
	if s.r = r; r == 0 {
		s.r = s.best()
	}
	s.normalise = s.alpha(s.r)
	return s, nil
}

// NewLatticeStaircase returns the integer Staircase mechanism whose first step ends at
// γΔ, a whole number of steps of the lattice from 1 to Δ/g; γ = nil means the best for
// the cost. Errors as NewIntegerStaircase, and where γ is not of that form.
func NewLatticeStaircase(q *Linear, eps evidence.Epsilon, gamma *big.Rat, cost Cost) (*IntegerStaircase, error) {
	if gamma == nil {
		return NewIntegerStaircase(q, eps, 0, cost)
	}
	_, n, err := latticeOf(q)
	if err != nil {
		return nil, err
	}
	r := new(big.Rat).Mul(gamma, big.NewRat(n, 1))
	if !r.IsInt() || r.Sign() <= 0 || r.Num().Cmp(big.NewInt(n)) > 0 {
		return nil, parameter.Bad("gamma", gamma, "k/%d with k from 1 to %d on this lattice", n, n)
	}
	return NewIntegerStaircase(q, eps, r.Num().Int64(), cost)
}

// latticeOf returns g and Δ/g of a query whose neighboring set is points only.
func latticeOf(q *Linear) (unit *big.Rat, n int64, err error) {
	unit, ok := q.Lattice()
	if !ok {
		return nil, 0, parameter.Errorf("neighboring set is %v, want points only", q.NeighboringSet())
	}
	steps := new(big.Rat).Quo(q.Sensitivity().Value, unit)
	if steps.Num().BitLen() > 31 {
		return nil, 0, parameter.Errorf("neighboring set reaches %s steps of its lattice, want at most 2^31", steps.RatString())
	}
	return unit, steps.Num().Int64(), nil
}

// best returns the least r that minimises the cost. Moving the points ±(r + jn),
// j ≥ 0, one step down from r to r + 1 adds weight to them; by the mediant
// inequality that helps just where their mean cost, weighted by what is added,
// lies below the cost so far. Once it does not it never does again, since the
// mean cost grows with r.
//
// With e = 1/β = e^ε − 1, that mean less the cost so far has the sign, for E|k|, of
//
//	r²e + n(2r − n),
//
// and for E k² of
//
//	r(4r² − 1)/3·e² + n((2r−1)(2r+n) − 2(n−1)r − (n−1)(2n−1)/3)e + 2n²(2r − n):
//
// the terms in β² and β³ that both have cancel.
func (s *IntegerStaircase) best() int64 {
	e := whole(1).Quo(s.beta)
	k := sort.Search(int(s.n-1), func(i int) bool {
		r := int64(i + 1)
		n, at := whole(s.n), whole(r)
		past := whole(2*r - s.n)
		gain := product(at, at, e).Add(n.Mul(past))
		if s.cost == CostSquare {
			first := product(whole(2*r-1), whole(2*r+1), at, e, e, fraction(1, 3))
			second := sum(product(whole(2*r-1), whole(2*r+s.n)), product(whole(-2), whole(s.n-1), at), product(whole(s.n-1), whole(2*s.n-1), fraction(-1, 3)))
			gain = sum(first, product(n, second, e), product(whole(2), n, n, past))
		}
		sign, _ := gain.Enclosure.Sign()
		return sign >= 0
	})
	return int64(k + 1)
}

// alpha returns the normaliser at r.
func (s *IntegerStaircase) alpha(r int64) evidence.RatOrInterval {
	return whole(2*r - 1).Add(product(whole(2*s.n), s.beta))
}

// first returns E|k| at r.
func (s *IntegerStaircase) first(r int64) evidence.RatOrInterval {
	n := whole(s.n)
	half := sum(evidence.ExactRat(triangle(r-1)),
		s.beta.Mul(n.Mul(whole(r)).Add(evidence.ExactRat(triangle(s.n-1)))),
		product(n, n, s.beta, s.beta))
	return half.Mul(whole(2)).Quo(s.alpha(r))
}

// second returns E k² at r. Step i ≥ 1 covers c, …, c + n − 1 with c = r + (i−1)n,
// and Σ bⁱ = β, Σ bⁱc = rβ + nβ², Σ bⁱc² = r²β + 2rnβ² + n²β²(1+2β).
func (s *IntegerStaircase) second(r int64) evidence.RatOrInterval {
	n, at := whole(s.n), whole(r)
	square := s.beta.Mul(s.beta)
	c := at.Mul(s.beta).Add(n.Mul(square))
	cc := sum(product(at, at, s.beta), product(whole(2), at, n, square),
		product(n, n, square, s.beta.Mul(whole(2)).Add(whole(1))))
	half := sum(evidence.ExactRat(pyramid(r-1)), n.Mul(cc), product(n, whole(s.n-1), c), s.beta.Mul(evidence.ExactRat(pyramid(s.n-1))))
	return half.Mul(whole(2)).Quo(s.alpha(r))
}

// triangle returns 1 + … + n.
func triangle(n int64) *big.Rat {
	v := new(big.Rat).Mul(big.NewRat(n, 1), big.NewRat(n+1, 1))
	return v.Mul(v, big.NewRat(1, 2))
}

// pyramid returns 1² + … + n².
func pyramid(n int64) *big.Rat {
	v := triangle(n)
	return v.Mul(v, big.NewRat(2*n+1, 3))
}

// Name implements Mechanism.
func (s *IntegerStaircase) Name() string {
	return fmt.Sprintf("staircase(eps=%v, r=%d of %d on multiples of %s)", s.eps, s.r, s.n, s.unit.RatString())
}

// Epsilon returns the guarantee ε.
func (s *IntegerStaircase) Epsilon() evidence.Epsilon { return s.eps }

// ClaimedEpsilon implements Mechanism: ε.
func (s *IntegerStaircase) ClaimedEpsilon() evidence.Number { return mechanism.Claim(s.eps, s.Name()) }

// First returns r, the number of lattice points of the first step on either
// side, 0 included, and n = Δ/g.
func (s *IntegerStaircase) First() (r, n int64) { return s.r, s.n }

// Gamma returns r/n, which plays the part of γ.
func (s *IntegerStaircase) Gamma() evidence.Number {
	return evidence.Exact{Value: big.NewRat(s.r, s.n), Provenance: evidence.From("points of the first step over Δ")}
}

// Distortion returns E|noise|.
func (s *IntegerStaircase) Distortion() evidence.Number {
	return s.first(s.r).Mul(evidence.ExactRat(s.unit)).Number(closedForm, staircaseSource)
}

// SecondMoment returns E noise².
func (s *IntegerStaircase) SecondMoment() evidence.Number {
	return product(s.second(s.r), evidence.ExactRat(s.unit), evidence.ExactRat(s.unit)).Number(closedForm, staircaseSource)
}

// Density implements Mechanism: the probability of the point r.
func (s *IntegerStaircase) Density(r *big.Rat) (evidence.Number, error) {
	k, ok := latticePoint(r, s.unit)
	if !ok {
		return whole(0).Number(closedForm, staircaseSource), nil
	}
	step := new(big.Int)
	if k.Sub(k, big.NewInt(s.r)).Sign() >= 0 {
		step.Quo(k, big.NewInt(s.n)).Add(step, big.NewInt(1))
	}
	one := big.NewRat(1, 1)
	return decayed(s.b, s.eps, one, one, step).Quo(s.normalise).Number(closedForm, staircaseSource), nil
}

// latticePoint returns |r|/g, and false where it is not whole.
func latticePoint(r, unit *big.Rat) (*big.Int, bool) {
	v := new(big.Rat).Quo(r, unit)
	return v.Abs(v).Num(), v.IsInt()
}

// Layers implements Mechanism: layer i is step i.
func (s *IntegerStaircase) Layers(ctx context.Context, upTo int) ([]Set, error) {
	return latticeLayers(ctx, upTo, s.r, s.n, s.unit)
}

// latticeLayers returns layers 0 … upTo on the multiples of the unit: the points
// ±k with k < first, and n more on either side for every further layer.
func latticeLayers(ctx context.Context, upTo int, first, n int64, unit *big.Rat) ([]Set, error) {
	if err := checkUpTo(upTo); err != nil {
		return nil, err
	}
	if n > maxListed/(int64(upTo)+1) {
		return nil, parameter.Errorf("up_to = %d lists more than 2^20 points", upTo)
	}
	out := make([]Set, upTo+1)
	from, to := int64(0), first
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

// Noise implements Mechanism.
func (s *IntegerStaircase) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	unit, _ := s.unit.Float64()
	beta := s.beta.Enclosure.Mid()
	inner := float64(2*s.r-1) / (float64(2*s.r-1) + 2*float64(s.n)*beta)
	out := make([]float64, n)
	for i := range out {
		if rng.Float64() < inner {
			out[i] = float64(rng.Int64N(2*s.r-1)-(s.r-1)) * unit
			continue
		}
		steps := math.Floor(-math.Log1p(-rng.Float64()) / s.eps.Value())
		k := float64(s.r) + steps*float64(s.n) + float64(rng.Int64N(s.n))
		if rng.Uint64()&1 == 0 {
			k = -k
		}
		out[i] = k * unit
	}
	return finite(out, evidence.ExactRat(s.unit).Mul(s.normalise))
}

// Privacy implements Mechanism, as that of Staircase: under Δ the step grows for
// every k ≤ 0, of probability (1 + 1/α)/2, and for 0 < k ≤ min(r − 1, n − r), each of
// probability 1/α.
func (s *IntegerStaircase) Privacy() privacy.Profile {
	return known(shiftedLoss(s.eps, 0, stepProof, staircaseSource), func(eps evidence.Epsilon) evidence.Number {
		return stepDelta(s.eps, eps, s.grows(), growsEvent+"Δ; "+staircaseSource)
	})
}

// grows returns the chance that the step grows under Δ.
func (s *IntegerStaircase) grows() evidence.RatOrInterval {
	near := whole(2*min(s.r-1, s.n-s.r) + 1)
	return fraction(1, 2).Mul(whole(1).Add(near.Quo(s.normalise)))
}
