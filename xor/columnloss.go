package xor

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// loss returns the largest log ratio that complementing t bits of one column can cause. If a of them and r of the other
// N − t bits are ones, the log ratio is (t − 2a)(θ + λ(2r + t − 1)). It is extreme at a ∈ {0, t} and r ∈ {0, N − t}.
// The result has three roundings, each relative to t(|θ| + 2(N−1)|λ|).
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

// LossInDistinctColumns returns the smallest ε for neighbors that differ in at most s bits, no two in one column.
// For example s = P covers all bits of a row.
func (c *Columns) LossInDistinctColumns(s int) evidence.Certified {
	s = max(0, min(s, c.p))
	return c.lossEvidence(s, float64(s)*c.loss(1), 0)
}

// LossAnywhere returns the smallest ε for neighbors that differ in at most s bits. Columns are independent, so it
// distributes s bits over them optimally.
//
// The loss of t bits of a column is t(M − |λ|t). M is |θ| + |λ|(2N − 1) if θ and λ have one sign, and otherwise the
// larger of |θ| + |λ| and |λ|(2N − 1) − |θ|. For all t, the same one of |θ + λ(t−1)| and |θ + λ(2N−t−1)| is the
// larger. The loss is concave with a peak. So an even distribution is optimal, with no column beyond its peak.
func (c *Columns) LossAnywhere(s int) evidence.Certified {
	s = max(s, 0)
	if float64(s) >= float64(c.n)*float64(c.p) {
		s = c.n * c.p
	}
	peak := c.peak()
	return c.lossEvidence(s, evenly(s, max(1, min(s, c.p)), func(t int) float64 { return c.loss(min(t, peak)) }), 0)
}

// peak returns the number of complemented bits of a column that have the largest loss: M/2|λ| rounded, at most N.
// LossAnywhere defines M.
func (c *Columns) peak() int {
	if !c.mixed() {
		return c.n
	}
	n, x := float64(c.n), math.Abs(c.theta/c.lambda)
	return int(math.Min(n, math.Round(math.Max(x+1, 2*n-1-x)/2)))
}

// evenly distributes s bits over the columns as evenly as possible, and returns the total loss.
func evenly(s, columns int, loss func(t int) float64) float64 {
	each, more := s/columns, s%columns
	v := float64(columns-more) * loss(each)
	if more > 0 {
		v += float64(more) * loss(each+1)
	}
	return v
}

// lossEvidence encloses a loss of at most s bits from its float64 value v, which has up to 8 + sums roundings. Sums
// may cancel if θ and λ have opposite signs. It adds the effect of the reading of θ and λ.
func (c *Columns) lossEvidence(s int, v float64, sums int) evidence.Certified {
	relative := float64(8+sums) * unit
	absolute := (c.offTheta + 2*float64(c.n-1)*c.offLambda) * float64(s) * (1 + 8*unit)
	if c.mixed() {
		size := math.Abs(c.theta) + 2*float64(c.n-1)*math.Abs(c.lambda)
		absolute += 8 * unit * size * float64(s)
	}
	out := evidence.Certified{Side: evidence.Up, Provenance: evidence.Provenance{Method: "closed form of independent exchangeable columns"}}
	out.Lo, out.Hi = math.Max(0, v*(1-relative)-absolute), v*(1+relative)+absolute
	if absolute > 0 { // adding absolute rounds, too
		out.Lo, out.Hi = math.Max(0, interval.Down(out.Lo)), interval.Up(out.Hi)
	}
	return out
}
