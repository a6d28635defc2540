package xor

import (
	"math"

	"dpworkbench/evidence"
)

// loss returns the largest log ratio that complementing t bits of one column
// can cause. Where a of them are ones and r of the other N − t are, it is
// (t − 2a)(θ + λ(2r + t − 1)): extreme at a ∈ {0, t} and at the ends of r.
func (c *Columns) loss(t int) float64 {
	if t < 1 {
		return 0
	}
	few := c.theta + c.lambda*float64(t-1)
	many := c.theta + c.lambda*float64(2*c.n-t-1)
	return float64(t) * math.Max(math.Abs(few), math.Abs(many))
}

// LossInColumn returns the smallest ε for neighbors that differ in at most s
// bits, all in one column.
func (c *Columns) LossInColumn(s int) evidence.Certified {
	var best float64
	for t := 1; t <= min(s, c.n); t++ {
		best = math.Max(best, c.loss(t))
	}
	return c.lossEvidence(s, best, best)
}

// LossInDistinctColumns returns the smallest ε for neighbors that differ in at
// most s bits, no two in one column; such as all bits of a row at s = P.
func (c *Columns) LossInDistinctColumns(s int) evidence.Certified {
	v := float64(min(s, c.p)) * c.loss(1)
	return c.lossEvidence(s, v, v)
}

// LossAnywhere returns the smallest ε for neighbors that differ in at most s
// bits. Columns are independent, so the loss is the best way of spending s bits
// on them. Where the loss of a column is concave in its bits, spending them
// evenly is best; otherwise all ways are compared, which takes O(P s min(s, N)),
// or bounded by the least concave majorant where that is too many.
func (c *Columns) LossAnywhere(s int) evidence.Certified {
	width := min(s, c.n)
	best := make([]float64, width+1) // with at most t bits
	for t := 1; t <= width; t++ {
		best[t] = math.Max(best[t-1], c.loss(t))
	}
	if s >= c.n*c.p {
		v := best[width] * float64(c.p)
		return c.lossEvidence(s, v, v)
	}
	columns := min(s, c.p)
	hull := concaveMajorant(best)
	lo, hi := c.spread(best, s, columns), c.spread(hull, s, columns)
	if hi > lo*(1+16*unit) && float64(columns)*float64(s)*float64(width) <= 2e8 {
		lo = knapsack(best, s, columns)
		hi = lo
	}
	return c.lossEvidence(s, lo, math.Max(lo, hi))
}

// spread spends s bits on the columns as evenly as whole bits allow.
func (c *Columns) spread(best []float64, s, columns int) float64 {
	each, more := s/columns, s%columns
	if each >= len(best)-1 {
		return float64(columns) * best[len(best)-1]
	}
	return float64(columns-more)*best[each] + float64(more)*best[each+1]
}

func knapsack(best []float64, s, columns int) float64 {
	total, next := make([]float64, s+1), make([]float64, s+1)
	for range columns {
		copy(next, total)
		for have, v := range total {
			for t := 1; t < len(best) && have+t <= s; t++ {
				next[have+t] = math.Max(next[have+t], v+best[t])
			}
		}
		total, next = next, total
	}
	return total[s]
}

// concaveMajorant returns the least concave sequence above v, at whole points.
func concaveMajorant(v []float64) []float64 {
	var corners []int
	for t := range v {
		for len(corners) >= 2 {
			a, b := corners[len(corners)-2], corners[len(corners)-1]
			if (v[b]-v[a])*float64(t-b) > (v[t]-v[b])*float64(b-a) {
				break
			}
			corners = corners[:len(corners)-1]
		}
		corners = append(corners, t)
	}
	out := make([]float64, len(v))
	for i := 1; i < len(corners); i++ {
		a, b := corners[i-1], corners[i]
		for t := a; t <= b; t++ {
			out[t] = v[a] + (v[b]-v[a])*float64(t-a)/float64(b-a)
		}
		out[b] = v[b]
	}
	return out
}

// lossEvidence encloses a loss of at most s bits: a sum of products, each of a
// sum whose terms may cancel where θ and λ have opposite signs.
func (c *Columns) lossEvidence(s int, lo, hi float64) evidence.Certified {
	absolute := 0.0
	if c.theta*c.lambda < 0 {
		size := math.Abs(c.theta) + 2*float64(c.n)*math.Abs(c.lambda)
		absolute = 8 * unit * size * float64(min(s, c.n*c.p))
	}
	return evidence.Certified{
		Lo: math.Max(0, lo*(1-16*unit)-absolute), Hi: hi*(1+16*unit) + absolute, Loss: true,
		Method: "closed form of independent exchangeable columns",
	}
}
