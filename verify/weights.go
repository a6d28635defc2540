package verify

import (
	"context"
	"math"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// weights returns ln p^x(r) by the definition of the mechanism, or nil if only a table defines the mechanism.
func (r *Report) weights(ctx context.Context, m mechanism.Mechanism, d [][]float64) ([][]float64, error) {
	q := m.Query()
	var of mechanism.Definition
	if k, ok := m.(interface{ Definition() mechanism.Definition }); ok {
		of = k.Definition()
	}
	table, layered := m.(interface {
		Layer(x, r int) int
		Decay() evidence.Epsilon
	})
	sets, spread := m.(interface {
		Sets() layers.Sets
		Rule() layers.Rule
	})
	if of.Name == "" && !(layered && spread) {
		return nil, nil
	}
	claim := r.part("claim")
	eps := of.Eps.Value()
	if of.Name == "" {
		claim.number(m.ClaimedEpsilon(), 2*table.Decay().Value(), ".claimed_epsilon")
	} else {
		claim.number(m.ClaimedEpsilon(), eps, ".claimed_epsilon")
	}
	sensitivity := 0.0
	for x := range d {
		for y := range d {
			if d[x][y] > 0 && d[x][y] <= 1 {
				sensitivity = max(sensitivity, valueDistance(q, q.ValueIndex(x), q.ValueIndex(y)))
			}
		}
	}
	layer := r.part("layers")
	out := make([][]float64, q.Size())
	for x := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := make([]float64, len(q.Range()))
		for v := range w {
			far := valueDistance(q, q.ValueIndex(x), v)
			switch of.Name {
			case "laplace", "geometric":
				w[v] = moved(q, q.ValueIndex(x), v, eps/sensitivity, of.Name == "geometric")
				continue
			case "exponential":
				w[v] = -eps * far / (2 * sensitivity)
				continue
			}
			least := math.Inf(1)
			if of.Name == "ladder" {
				least = rung(q, d, x, far)
			} else {
				for y, at := range sets.Sets().At {
					for i, places := range at {
						if i > 0 && y != x && sets.Rule() == layers.Published {
							continue
						}
						for _, place := range places {
							if place == v {
								least = min(least, math.Ceil(d[x][y])+float64(i))
							}
						}
					}
				}
			}
			if layered {
				has := float64(table.Layer(x, v))
				if has < 0 {
					has = math.Inf(1)
				}
				layer.is(has == least, ".layer(%d, %v)  # %g by enumeration", x, q.Range()[v], least)
				if w[v] = -least * table.Decay().Value(); of.Name == "ladder" {
					w[v] = -least * eps / 2
				}
			}
		}
		out[x] = normalized(w)
	}
	if strings.HasPrefix(m.Name(), "purest") {
		for x, at := range sets.Sets().At {
			layer.is(len(at) == 1 && len(at[0]) == 1 && at[0][0] == q.ValueIndex(x), ".layers(%d)  # R_0 is f(x) alone", x)
		}
	}
	return out, nil
}

// normalized returns w minus the logarithm of the sum of all e^w.
func normalized(w []float64) []float64 {
	most := math.Inf(-1)
	for _, v := range w {
		most = max(most, v)
	}
	sum := 0.0
	for _, v := range w {
		sum += math.Exp(v - most)
	}
	for i := range w {
		w[i] -= most + math.Log(sum)
	}
	return w
}

// rung returns the Ladder rung at dataset x of a value at distance far from f(x).
func rung(q *query.Query, d [][]float64, x int, far float64) float64 {
	if far == 0 {
		return 0
	}
	reach := 0.0
	for t := 0; ; t++ {
		largest := 0.0 // I_t
		for y := range d {
			for z := range d {
				if d[x][y] <= float64(t) && d[y][z] > 0 && d[y][z] <= 1 {
					largest = max(largest, valueDistance(q, q.ValueIndex(y), q.ValueIndex(z)))
				}
			}
		}
		if reach += largest; reach >= far || t > len(d) {
			return float64(t) + 1
		}
	}
}

// moved returns the log-probability that f plus noise is nearest to the value v of the range, with ties to the smaller
// value. The noise has weight e^{−rate|t|} on the reals or, if whole is set, on the integers.
func moved(q *query.Query, f, v int, rate float64, whole bool) float64 {
	at := func(i int) float64 {
		n, _ := number(q, i)
		x, _ := n.Float64()
		return x
	}
	lo, hi := math.Inf(-1), math.Inf(1) // v's cell lies between the midpoints to the adjacent values
	for i := range q.Range() {
		if middle := (at(i)+at(v))/2 - at(f); at(i) < at(v) {
			lo = max(lo, middle)
		} else if at(i) > at(v) {
			hi = min(hi, middle)
		}
	}
	if whole { // a midpoint belongs to the smaller value
		z := math.Exp(-rate)
		above := func(k float64) float64 { // Pr[noise ≥ k]
			if k > 0 {
				return math.Exp(-rate*k) / (1 + z)
			}
			return 1 - math.Exp(-rate*(1-k))/(1+z)
		}
		first, last := math.Floor(lo)+1, math.Floor(hi)
		switch {
		case first > 0 && !math.IsInf(hi, 1):
			return -rate*first + math.Log1p(-math.Exp(-rate*(last+1-first))) - math.Log1p(z)
		case first > 0:
			return -rate*first - math.Log1p(z)
		case last < 0 && !math.IsInf(lo, -1):
			return rate*last + math.Log1p(-math.Exp(-rate*(last+1-first))) - math.Log1p(z)
		case last < 0:
			return rate*last - math.Log1p(z)
		}
		sum := 1.0
		if !math.IsInf(lo, -1) {
			sum -= above(1 - first)
		}
		if !math.IsInf(hi, 1) {
			sum -= above(last + 1)
		}
		return math.Log(sum)
	}
	if hi <= 0 {
		lo, hi = -hi, -lo
	}
	if lo >= 0 {
		return -rate*lo + math.Log1p(-math.Exp(-rate*(hi-lo))) - math.Ln2
	}
	return math.Log1p(-math.Exp(rate*lo)/2 - math.Exp(-rate*hi)/2)
}
