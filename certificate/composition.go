package certificate

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

const (
	// mostSums bounds the sums of losses that a checker lists for a pair. mostUsesListed bounds the number of uses.
	mostSums       = 1 << 13
	mostUsesListed = 1 << 16
)

// composition proves the privacy of fixed uses of finite mechanisms on one universe. The proof has the worst pair, and
// Rényi orders that bound δ for pairs far from the worst.
func composition(s *privacy.CompositionStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		var parts list
		var mechanisms []mechanism.Mechanism
		var times []int
		for _, u := range s.Uses() {
			m, ok := u.Of.Mechanism.(mechanism.Mechanism)
			if !ok {
				return nil, nil, refusal(n, u.Of.Name+" is not a mechanism on a finite query")
			}
			written, err := mechanismOf(ctx, m)
			if err != nil {
				return nil, nil, err
			}
			mechanisms, times = append(mechanisms, m), append(times, u.Times)
			parts = append(parts, object{"mechanism": written, "times": u.Times})
		}
		statement, proof = object{"kind": "composition", "parts": parts, "is": is(n)}, object{}
		lo, hi := n.Bounds()
		least, most := evidence.Epsilon{}, hi // ε of the witness, and upper bound of δ
		at := least                           // ε at which δ has that bound
		switch {
		case s.At != nil:
			statement["eps"] = epsilon(*s.At)
			least, at = *s.At, *s.At
		default:
			statement["delta"] = rational(s.Delta)
			if s.Delta.Sign() == 0 {
				break
			}
			most, _ = s.Delta.Float64()
			least, at = epsilonOf(lo), epsilonOf(hi)
		}
		if s.At != nil || s.Delta.Sign() > 0 {
			if err := listable(mechanisms, times); err != nil {
				return nil, nil, err
			}
		}
		if lo > 0 {
			i, ok, err := s.Witness(ctx, least, math.IsInf(lo, 1))
			if err != nil {
				return nil, nil, err
			}
			if ok {
				x, y := mechanisms[0].Query().Space().Pair(int64(i))
				proof["witness"] = object{"x": x, "y": y}
			}
		}
		if (s.At != nil || s.Delta.Sign() > 0) && !math.IsInf(hi, 1) {
			orders, err := s.RenyiOrders(ctx, at, most)
			if err != nil {
				return nil, nil, err
			}
			rows := list{}
			for _, o := range orders {
				x, y := mechanisms[0].Query().Space().Pair(int64(o.Pair))
				rows = append(rows, list{x, y, rational(o.S)})
			}
			proof["orders"] = rows
		}
		return statement, proof, nil
	}
}

// epsilonOf returns the end v of an enclosure as an ε. For 0 and infinity it returns the zero Epsilon.
func epsilonOf(v float64) evidence.Epsilon {
	e, _ := evidence.NewEpsilon("eps", v)
	return e
}

// listable returns an error for uses whose sums of losses a checker cannot list. These are uses with too many different
// sums, and uses whose losses have no common lattice, unless the laws are rational and the uses few.
func listable(of []mechanism.Mechanism, times []int) error {
	uses := 0
	for _, n := range times {
		if uses += n; uses > mostUsesListed {
			return parameter.Errorf("no certificate of more than %d uses", mostUsesListed)
		}
	}
	points, ok := gridPointsOf(of, times)
	if ok {
		if points > mostSums {
			return parameter.Errorf("no certificate of sums of losses on %.0f grid points, want at most %d", points, mostSums)
		}
		return nil
	}
	sums := 1.0
	for i, m := range of {
		if mechanism.RationalLaws(m) == nil {
			return parameter.Errorf("no certificate of a composition of %s: its losses lie on no common lattice, and its probabilities are not rational", m.Name())
		}
		n, d := float64(times[i]), float64(len(m.Query().Range()))
		sums *= math.Exp(lgamma(n+d) - lgamma(n+1) - lgamma(d)) // C(n + d − 1, d − 1)
	}
	if sums > mostSums/4 {
		return parameter.Errorf("no certificate of %.3g sums of losses that lie on no lattice, want at most %d", sums, mostSums/4)
	}
	return nil
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// lattice is a law p^x(r) ∝ e^{−unit·level(x, r)}.
type lattice struct {
	unit  evidence.Epsilon
	level func(x, r int) int // query.Unreached if p = 0
}

// latticeOf returns the law of a mechanism as a lattice; ok is false if it does not have that form.
func latticeOf(m mechanism.Mechanism) (lattice, bool) {
	if l, ok := m.(interface {
		Decay() evidence.Epsilon
		Layer(x, r int) int
	}); ok {
		return lattice{l.Decay(), l.Layer}, true
	}
	d, ok := m.(interface{ Definition() mechanism.Definition })
	if !ok || d.Definition().Name != "exponential" || !m.Query().Metric().IsExact() {
		return lattice{}, false
	}
	q := m.Query()
	steps := func(x, r int) int { return int(q.Metric().Steps(q.ValueIndex(x), r)) }
	most := 0
	for x := range q.Size() {
		for _, y := range q.Space().Neighbors(x) {
			most = max(most, steps(x, q.ValueIndex(int(y))))
		}
	}
	if most == 0 {
		return lattice{}, false
	}
	return lattice{d.Definition().Eps.Ratio(1, 2*int64(most)), steps}, true
}

// gridPointsOf returns an upper bound on the number of lattice points that sums of losses can take. ok is false unless
// the losses of all mechanisms lie on one lattice.
func gridPointsOf(of []mechanism.Mechanism, times []int) (points float64, ok bool) {
	var shares []*big.Rat // each unit as a multiple of the first
	laws := make([]lattice, len(of))
	for i, m := range of {
		if laws[i], ok = latticeOf(m); !ok {
			return 0, false
		}
		share, ok := laws[i].unit.Quotient(laws[0].unit)
		if !ok {
			return 0, false
		}
		shares = append(shares, share)
	}
	common := new(big.Int).SetInt64(1) // common denominator of the shares
	for _, s := range shares {
		common.Mul(common, new(big.Int).Quo(s.Denom(), new(big.Int).GCD(nil, nil, common, s.Denom())))
	}
	steps, divisor := make([]*big.Int, len(of)), new(big.Int)
	for i, s := range shares {
		steps[i] = new(big.Int).Quo(common, s.Denom())
		steps[i].Mul(steps[i], s.Num())
		divisor.GCD(nil, nil, divisor, steps[i])
	}
	for i, m := range of {
		widest := 0
		space := m.Query().Space()
		for x := range space.Size() {
			for _, y := range space.Neighbors(x) {
				low, high := math.MaxInt, math.MinInt
				for r := range m.Query().Range() {
					a, b := laws[i].level(x, r), laws[i].level(int(y), r)
					if a != query.Unreached && b != query.Unreached {
						low, high = min(low, b-a), max(high, b-a)
					}
				}
				if high > low {
					widest = max(widest, high-low)
				}
			}
		}
		step, _ := interval.Rat(new(big.Rat).SetFrac(steps[i], divisor)).Bounds()
		points += float64(times[i]) * float64(widest) * step
	}
	return points + 1, true
}
