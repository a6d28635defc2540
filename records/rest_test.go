package records

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// What layers weigh together, and their moment, hold the sums of far more layers in rationals, and are known to 2⁻⁷⁹ where a rest is bounded: on
// ranges with one end, none, and two that are far.
func TestRestsHoldWhatIsLeftOut(t *testing.T) {
	one := big.NewRat(1, 1)
	far := big.NewRat(5000, 1)
	total := func(lo, hi int64, grid *big.Rat) *Query {
		return must.Be(must.Be(New([]float64{float64(lo), float64(hi)}, Options{Lo: big.NewRat(lo, 1), Hi: big.NewRat(hi, 1), Grid: grid, Neighbors: AddRemove})).Total())
	}
	spread := make([]float64, 400)
	for i := range spread {
		spread[i] = float64(i*i) / 160000 // dense below, thin above
	}
	places := must.Be(must.Be(New(spread, Options{Lo: new(big.Rat), Hi: far, Neighbors: Replace})).Median())
	graph := must.Be(must.Be(NewGraph(120, nil, Edge)).Edges())
	many := make([]float64, 1000)
	small := must.Be(must.Be(New(many, Options{Lo: new(big.Rat), Hi: one, Grid: big.NewRat(1, 1<<40), Neighbors: Replace})).Total())
	for name, q := range map[string]*Query{"small steps": small, "no end": total(-2, 3, one), "an end below": total(1, 4, one), "an end above": total(-4, -1, big.NewRat(1, 2)), "a line": total(-2, 3, nil), "half a line": total(0, 2, nil), "places": places, "a far end": graph} {
		for _, base := range []int64{3, 40} {
			decay := must.Be(evidence.LogEpsilon("decay", big.NewRat(base, 1)))
			if q == places || q == graph || q == small { // which add rationals up elsewhere
				decay = must.Be(evidence.RationalEpsilon("decay", big.NewRat(base, 20)))
			}
			m := must.Be(NewPurest(q, decay)).(*Layered)
			l := must.Be(m.known(t.Context()))
			step := new(big.Rat)
			if q.rng.Step != nil {
				step = q.rng.Step
			}
			mass, moment, power := interval.Int(0), interval.Int(0), interval.Int(1)
			before := [2]*big.Rat{new(big.Rat), new(big.Rat)}
			if step.Sign() > 0 {
				mass = power // f(x) itself
			}
			first := true
			for k := range 700 {
				up, down := q.within(q.moves, k, new(big.Rat))
				if first = first && up.Sign() == 0 && down.Sign() == 0 && step.Sign() == 0; first {
					continue
				}
				for i, end := range []*big.Rat{up, down} {
					n := new(big.Rat).Sub(end, before[i])
					mean := new(big.Rat).Add(end, before[i])
					if mean.Add(mean, step).Mul(mean, big.NewRat(1, 2)); step.Sign() > 0 {
						n.Quo(n, step)
					}
					w := power.Mul(interval.Rat(n))
					mass, moment, before[i] = mass.Add(w), moment.Add(w.Mul(interval.Rat(mean))), end
				}
				power = power.Mul(decay.Decay())
			}
			for what, pair := range map[string][2]interval.Interval{"mass": {l.mass, mass}, "moment": {l.moment, moment}} {
				have, want := pair[0], pair[1]
				small := want.Mul(interval.Float(0x1p-79))
				if have.Less(want) || want.Less(have) || !have.Upper().Sub(have.Lower()).Less(small) {
					t.Errorf("%s, decay %v: the %s from %v to %v, want %v", name, decay, what, have.Lower().MidFloat(200), have.Upper().MidFloat(200), want.MidFloat(200))
				}
			}
			if rest := l.rest.Upper(); l.rest.Lower().CmpLo(interval.Int(0)) != 0 || l.sides[0].full == nil && rest.CmpHi(interval.Int(0)) <= 0 || !rest.Less(mass.Mul(interval.Float(0x1p-79))) {
				t.Errorf("%s, decay %v: a rest of %v", name, decay, rest.Mid())
			}
		}
	}
}
