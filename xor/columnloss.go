package xor

import (
	"math"

	"dpworkbench/evidence"
)

// loss returns the largest log ratio that complementing t bits of one column
// can cause. Where a of them are ones and r of the other N − t are, it is
// (t − 2a)(θ + λ(2r + t − 1)): extreme at a ∈ {0, t} and at the ends of r. It is
// rounded three times, relative to t(|θ| + 2(N−1)|λ|).
func (c *Columns) loss(t int) float64 {
	if t < 1 {
		return 0
	}
	few := c.theta + c.lambda*float64(t-1)
	many := c.theta + c.lambda*float64(2*c.n-t-1)
	return float64(t) * math.Max(math.Abs(few), math.Abs(many))
}

// mixed reports whether θ and λ have opposite signs, so that sums may cancel.
func (c *Columns) mixed() bool { return c.theta < 0 && c.lambda > 0 || c.theta > 0 && c.lambda < 0 }

// mostBits is the number of bits of one column up to which losses are listed.
const mostBits = 1 << 22

// LossInColumn returns the smallest ε for neighbors that differ in at most s
// bits, all in one column.
func (c *Columns) LossInColumn(s int) evidence.Certified {
	width := min(s, c.n)
	one := &Columns{n: c.n, p: 1, theta: c.theta, lambda: c.lambda, offTheta: c.offTheta, offLambda: c.offLambda}
	return one.LossAnywhere(width)
}

// LossInDistinctColumns returns the smallest ε for neighbors that differ in at
// most s bits, no two in one column; such as all bits of a row at s = P.
func (c *Columns) LossInDistinctColumns(s int) evidence.Certified {
	s = max(0, min(s, c.p))
	v := float64(s) * c.loss(1)
	return c.lossEvidence(s, v, v, 0)
}

// LossAnywhere returns the smallest ε for neighbors that differ in at most s
// bits. Columns are independent, so the loss is the best way of spending s bits
// on them.
//
// Where θ and λ have one sign the loss of t bits of a column is
// t(|θ| + |λ|(2N − t − 1)), which rises by |θ| + 2|λ|(N − t), less and less: bits
// are spent evenly. Otherwise all ways are compared, which takes
// O(P s min(s, N)), or bounded where that is too many: for any price μ ≥ 0 of a
// bit no way earns more than the largest P·loss(t) + μ(s − Pt), and the slope of
// the least concave majorant at s/P is the best price.
func (c *Columns) LossAnywhere(s int) evidence.Certified {
	if min(s, c.n, c.p) < 1 {
		return c.lossEvidence(0, 0, 0, 0)
	}
	columns, width := min(s, c.p), min(s, c.n)
	if float64(s) >= float64(c.n)*float64(c.p) {
		s = c.n * c.p
	}
	if !c.mixed() {
		v := c.evenly(s, columns, c.loss)
		return c.lossEvidence(s, v, v, 0)
	}
	if width > mostBits {
		// No bit costs more than the largest of θ + λk, k < 2N; and to spend evenly
		// is one way.
		each := math.Max(math.Abs(c.theta), math.Abs(c.theta+c.lambda*float64(2*c.n-2)))
		return c.lossEvidence(s, c.evenly(s, columns, c.loss), float64(s)*each, 0)
	}
	best := make([]float64, width+1) // with at most t bits
	for t := 1; t <= width; t++ {
		best[t] = math.Max(best[t-1], c.loss(t))
	}
	if s == c.n*c.p {
		v := best[width] * float64(c.p)
		return c.lossEvidence(s, v, v, 0)
	}
	at := func(t int) float64 { return best[min(t, width)] }
	lo := c.evenly(s, columns, at)
	price, hi := slopeAt(concaveMajorant(best), s/columns), 0.0
	for t, v := range best {
		earned, rest := float64(columns)*v, price*(float64(s)-float64(columns)*float64(t))
		hi = math.Max(hi, earned+rest+4*unit*(earned+math.Abs(rest)))
	}
	if hi > lo*(1+16*unit) && float64(columns)*float64(s)*float64(width) <= 2e8 {
		lo = knapsack(best, s, columns)
		return c.lossEvidence(s, lo, lo, columns)
	}
	return c.lossEvidence(s, lo, math.Max(lo, hi), 0)
}

// evenly spends s bits on the columns as evenly as whole bits allow.
func (c *Columns) evenly(s, columns int, loss func(t int) float64) float64 {
	each, more := s/columns, s%columns
	v := float64(columns-more) * loss(each)
	if more > 0 {
		v += float64(more) * loss(each+1)
	}
	return v
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

// concaveMajorant returns the corners of the least concave sequence above v.
func concaveMajorant(v []float64) (corners []corner) {
	for t := range v {
		for len(corners) >= 2 {
			a, b := corners[len(corners)-2], corners[len(corners)-1]
			if (b.v-a.v)*float64(t-b.t) > (v[t]-b.v)*float64(b.t-a.t) {
				break
			}
			corners = corners[:len(corners)-1]
		}
		corners = append(corners, corner{t, v[t]})
	}
	return corners
}

type corner struct {
	t int
	v float64
}

// slopeAt returns the slope from t on, 0 beyond the last corner.
func slopeAt(corners []corner, t int) float64 {
	for i := 1; i < len(corners); i++ {
		if a, b := corners[i-1], corners[i]; t < b.t {
			return math.Max(0, (b.v-a.v)/float64(b.t-a.t))
		}
	}
	return 0
}

// lossEvidence encloses a loss of at most s bits: a sum of products, each of a
// sum whose terms may cancel where θ and λ have opposite signs, of at most 8
// roundings and so many sums more; and what the reading of θ and λ moves it by.
func (c *Columns) lossEvidence(s int, lo, hi float64, sums int) evidence.Certified {
	relative := float64(8+sums) * unit
	absolute := (c.offTheta + 2*float64(c.n-1)*c.offLambda) * float64(s) * (1 + 8*unit)
	if c.mixed() {
		size := math.Abs(c.theta) + 2*float64(c.n-1)*math.Abs(c.lambda)
		absolute += 8 * unit * size * float64(s)
	}
	out := evidence.Certified{Loss: true, Method: "closed form of independent exchangeable columns"}
	out.Lo, out.Hi = math.Max(0, lo*(1-relative)-absolute), hi*(1+relative)+absolute
	if absolute > 0 { // the last sum rounds, too
		out.Lo, out.Hi = math.Max(0, down(out.Lo)), up(out.Hi)
	}
	return out
}
