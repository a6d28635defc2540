package privacy

import (
	"math"
)

// outputs holds the probabilities of all outputs under two laws, in float64.
type outputs struct{ p, q []float64 }

// times returns the laws of two independent outputs, one from each pair.
func (a outputs) times(b outputs) (out outputs) {
	for i := range a.p {
		for j := range b.p {
			out.p, out.q = append(out.p, a.p[i]*b.p[j]), append(out.q, a.q[i]*b.q[j])
		}
	}
	return out
}

func (a outputs) delta(eps float64) (sum float64) {
	for i := range a.p {
		sum += max(a.p[i]-math.Exp(eps)*a.q[i], 0)
	}
	return sum
}

func (a outputs) moment(s float64) float64 {
	sum := 0.0
	for i := range a.p {
		if a.q[i] > 0 && a.p[i] > 0 {
			sum += a.p[i] * math.Pow(a.p[i]/a.q[i], s)
		}
	}
	return math.Log(sum)
}
