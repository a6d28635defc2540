package xor

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// LossOptions limit the search; the zero value has the defaults.
type LossOptions struct {
	// Work is the approximate number of multiplications after which the search returns an interval; 0 means
	// 4e9, a few seconds.
	Work float64
	// General runs the search even where there is a closed form.
	General bool
}

// Flip is a state of the noise and the bits that turn it into another.
type Flip struct {
	On   []int // bits of the state that are 1, others being 0
	Bits []int // bits that are complemented
}

// Loss is the smallest ε of a law for some neighbors. Its two ends agree up to rounding unless the search ran out
// of work.
type Loss struct {
	evidence.Certified
	// Worst is a flip whose log ratio is at least Lo, or nil if the closed form was used.
	Worst *Flip
	// Complete reports whether every candidate was visited or excluded.
	Complete bool
}

// smallest returns the smallest ε, in nats, at which M(D) = f(D) ⊕ B is ε-differentially private for neighbors that
// suit the law.
//
// Let S be the complemented bits, b_S their values and σ_j = 1 − 2b_j. The log ratio is a term in b_S alone plus 2 Σ_k
// b_k Σ_{j∈S} σ_j Π_jk over the other bits k. It is largest if b_k = 1 exactly where the inner sum is positive. So the
// maximum is over sets and their 2^{|S|} values, in O(NP) time for each; states are not enumerated. Independent parts
// of the law contribute separately. If there are too many sets, branch and bound searches them.
func (b *Bernoulli) smallest(ctx context.Context, nb Neighbors, opts LossOptions) (Loss, error) {
	if opts.Work == 0 {
		opts.Work = 4e9
	}
	if err := ctx.Err(); err != nil {
		return Loss{}, err
	}
	if b.cols != nil && !opts.General {
		return Loss{Certified: b.cols.closedLoss(nb), Complete: true}, nil
	}
	s := &lossSearch{law: b, ctx: ctx, work: opts.Work}
	found, err := s.solve(nb)
	if err != nil {
		return Loss{}, err
	}
	out := Loss{Worst: &found.flip, Complete: !s.gaveUp}
	out.Side, out.Source = evidence.Up, "worst state of every difference pattern"
	out.Method = "maximum over patterns, the rest of the state chosen by sign"
	if s.gaveUp {
		out.Method = "branch and bound, stopped early"
	}
	lo, err := b.flipLoss(ctx, found.flip)
	if err != nil {
		return Loss{}, err
	}
	out.Lo = math.Max(0, lo)
	out.Hi = interval.Up(found.most + s.slack(nb))
	return out, nil
}

// closedLoss returns the closed form for independent exchangeable columns.
func (c *Columns) closedLoss(nb Neighbors) evidence.Certified {
	switch nb.kind {
	case anyBits:
		return c.LossAnywhere(nb.times)
	case wholeRows:
		return c.LossInDistinctColumns(c.p)
	case edges:
		return c.LossInDistinctColumns(2)
	}
	var best float64
	most := 0
	for _, m := range nb.patterns {
		var v float64
		for j := range c.p {
			v += c.loss(m.ColumnOnes(j))
		}
		best, most = math.Max(best, v), max(most, m.Ones())
	}
	return c.lossEvidence(most, best, c.p)
}

// ClaimedEpsilon returns the bound of Theorem 1 for sensitivity s: s (‖λ(Θ)‖₂ + Σ_{i<j} ‖λ(Λ_ij)‖₂). Blocks are
// symmetric, so that the norm of the eigenvalues is the Frobenius norm (Remark 1).
func (b *Bernoulli) ClaimedEpsilon(s int) evidence.Claimed {
	var sum float64
	if b.theta == nil {
		n, p := float64(b.n), float64(b.p)
		sum = math.Sqrt(p) * (math.Abs(b.cols.theta) + n*(n-1)/2*math.Abs(b.cols.lambda))
	} else {
		sum = norm(b.theta)
		for _, i := range b.coupled { // in a fixed order, so that sums are reproducible
			for _, l := range b.near[i] {
				if l.object > i {
					sum += norm(l.block)
				}
			}
		}
	}
	return evidence.Claimed{Value: float64(s) * sum, Provenance: evidence.From("Theorem 1, condition (4)")}
}

func norm(m []float64) float64 {
	var s float64
	for _, v := range m {
		s = math.Hypot(s, v)
	}
	return s
}

// flipLoss returns a lower bound of |ln Pr[b'] − ln Pr[b]| for the two states of f. It sums exactly the terms of bᵀΠb
// that the flip changes, rounds down, and subtracts the effect of the parameters' reading. It returns ctx's error.
func (b *Bernoulli) flipLoss(ctx context.Context, f Flip) (float64, error) {
	on, flipped := make(map[int]bool, len(f.On)), make(map[int]bool, len(f.Bits))
	for _, k := range f.On {
		on[k] = true
	}
	for _, k := range f.Bits {
		flipped[k] = true
	}
	var s, size, off interval.DoubleDouble
	terms := 0
	add := func(times, v float64) {
		if v != 0 || b.reading.least > 0 {
			s.Accumulate(times * v)
			size.Accumulate(math.Abs(times * v))
			off.Accumulate(math.Abs(times) * b.reading.of(v))
			terms++
		}
	}
	for n, j := range f.Bits {
		if n%64 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		sign := 1.0
		if on[j] {
			sign = -1
		}
		add(sign, b.Diagonal(j))
		b.couplings(j, func(k int, v float64) {
			switch {
			case !flipped[k]:
				if on[k] {
					add(2*sign, v)
				}
			case k > j: // both bits flip: count the pair once, for the lower bit
				if !on[j] && !on[k] {
					add(2, v)
				}
				if on[j] && on[k] {
					add(-2, v)
				}
			}
		})
	}
	v := math.Abs(s.Float())
	return v - (v+size.Float()*float64(terms)*unit)*4*unit - off.Float()*(1+4*unit), nil
}
