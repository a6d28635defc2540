package mechanism

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// distortion implements Distortion.
func (m *Layered) distortion(x int) evidence.Number {
	p := m.profileAt(m.profile[x])
	const source = "Wu et al., (40)"
	if m.z != nil {
		whole, unit := m.wholeDistances(p)
		v := new(big.Rat).Quo(m.hornerSum(p, whole), m.rationalSum(m.profile[x]))
		return evidence.Exact{Value: v.Mul(v, unit), Cases: uint64(len(m.q.Range())), Provenance: evidence.From(source)}
	}
	return evidence.Enclosed(m.encloseAt(x), "256-bit intervals", source)
}

// encloseAt returns an enclosure of P^x.
func (m *Layered) encloseAt(x int) interval.Interval {
	p := m.profileAt(m.profile[x])
	over, unit := m.distances(p)
	sum := interval.Int(0)
	for k, layer := range p.layer {
		if p.steps[k] != 0 {
			sum = sum.Add(m.power(int64(layer) - int64(p.layer[0])).Mul(over(k)))
		}
	}
	return sum.Quo(m.sum(m.profile[x])).Mul(unit)
}

// distortions implements Distortions. It evaluates each profile once.
func (m *Layered) distortions() []float64 {
	unit, _ := m.q.Metric().Unit().Float64()
	byProfile := make([]float64, len(m.representative))
	weight := m.weights(func(t float64) float64 { return math.Exp(-t) })
	m.eachProfile(func(i int, p profile) {
		sum, steps := 0.0, 0.0
		for k, layer := range p.layer {
			w := weight(int64(layer) - int64(p.layer[0]))
			sum += p.count[k] * w
			steps += p.steps[k] * w
		}
		byProfile[i] = correctUnderflow(m, int(m.representative[i]), steps/sum*unit)
	})
	out := make([]float64, m.q.Size())
	for x, i := range m.profile {
		out[x] = byProfile[i]
	}
	return out
}

func (m *Layered) profileOf(x int) int { return int(m.profile[x]) }
