package xor

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Neighbors says which noise matrices must be hard to tell apart: those that
// differ in a pattern of bits that f(D) ⊕ f(D') can have.
type Neighbors struct {
	kind     neighborKind
	bits     int
	patterns []*Bits
}

type neighborKind int

const (
	anyBits neighborKind = iota + 1
	oneRow
	oneEdge
	listed
)

// FlipBits: at most s bits anywhere (Definition 3 with sensitivity s).
func FlipBits(s int) Neighbors { return Neighbors{kind: anyBits, bits: s} }

// FlipRow: any bits of one row, the record of one object.
func FlipRow() Neighbors { return Neighbors{kind: oneRow} }

// FlipEdge: bits (i, j) and (j, i) for one pair i ≠ j, an undirected edge of an
// adjacency matrix. What Algorithm 3 makes of the result can only be harder to
// tell apart.
func FlipEdge() Neighbors { return Neighbors{kind: oneEdge} }

// FlipPatterns: exactly the ones of one of the given matrices.
func FlipPatterns(patterns ...*Bits) Neighbors { return Neighbors{kind: listed, patterns: patterns} }

// check returns an error wrapping evidence.ErrParameter unless the neighbors suit n × p.
func (nb Neighbors) check(n, p int) error {
	switch nb.kind {
	case anyBits:
		if nb.bits < 1 {
			return parameter.Errorf("sensitivity = %d bits, want at least 1", nb.bits)
		}
	case oneRow:
	case oneEdge:
		if n != p || n < 2 {
			return parameter.Errorf("edges need a square matrix of order at least 2, the noise is %d × %d", n, p)
		}
	case listed:
		if len(nb.patterns) == 0 {
			return parameter.Errorf("no difference patterns")
		}
		for k, m := range nb.patterns {
			if a, b := m.Shape(); a != n || b != p {
				return parameter.Errorf("pattern %d is %d × %d, want %d × %d as the noise", k, a, b, n, p)
			}
		}
	default:
		return parameter.Errorf("no neighbors given")
	}
	return nil
}

// LossOptions limit and steer the search; the zero value is fine.
type LossOptions struct {
	// Work is about how many multiplications may be spent before the search
	// settles for an interval; 0 stands for 4e9, some seconds.
	Work float64
	// General asks for the search even where there is a closed form.
	General bool
}

// Flip is a state of the noise and the bits that turn it into another.
type Flip struct {
	On   []int // bits of the state that are 1, others being 0
	Bits []int // bits that are complemented
}

// Loss is the smallest ε of a law for a kind of neighbors. Its two ends agree
// but for rounding unless the search ran out of work.
type Loss struct {
	evidence.Certified
	// Worst attains Lo; nil where a closed form answered.
	Worst *Flip
	// Complete reports whether every candidate was visited or excluded.
	Complete bool
}

// SmallestEpsilon returns the smallest ε at which M(D) = f(D) ⊕ B is
// ε-differentially private for the given neighbors, in nats.
//
// Complementing the bits in S, of values b_S, multiplies the law by e to the
// power of a term in b_S alone plus 2 Σ_k b_k Σ_{j∈S} σ_j Π_jk over the other
// bits k, σ_j = 1 − 2b_j: the worst rest sets b_k = 1 exactly where that is
// positive. So the maximum is over sets and their 2^{|S|} values, O(NP) each;
// the states are never enumerated. Independent parts of the law add up. Where
// sets are too many they are searched by branch and bound.
//
// It returns an error wrapping evidence.ErrParameter where the neighbors do not suit the
// law's shape, and ctx's error.
func (b *Bernoulli) SmallestEpsilon(ctx context.Context, nb Neighbors, opts LossOptions) (Loss, error) {
	if err := nb.check(b.n, b.p); err != nil {
		return Loss{}, err
	}
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
	out.Loss, out.Source = true, "worst state of every difference pattern"
	out.Method = "maximum over patterns, the rest of the state chosen by sign"
	if s.gaveUp {
		out.Method = "branch and bound, stopped early"
	}
	lo, err := b.flipLoss(ctx, found.flip)
	if err != nil {
		return Loss{}, err
	}
	out.Lo = math.Max(0, lo)
	out.Hi = math.Max(up(found.most+s.slack(nb)), out.Lo)
	return out, nil
}

// closedLoss answers for independent exchangeable columns.
func (c *Columns) closedLoss(nb Neighbors) evidence.Certified {
	switch nb.kind {
	case anyBits:
		return c.LossAnywhere(nb.bits)
	case oneRow:
		return c.LossInDistinctColumns(c.p)
	case oneEdge:
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
	return c.lossEvidence(most, best, best, c.p)
}

// ClaimedEpsilon returns what Theorem 1 promises for sensitivity s:
// s (‖λ(Θ)‖₂ + Σ_{i<j} ‖λ(Λ_ij)‖₂). Blocks are symmetric, so that the norm of
// the eigenvalues is the Frobenius norm (Remark 1).
func (b *Bernoulli) ClaimedEpsilon(s int) evidence.Claimed {
	var sum float64
	if b.theta == nil {
		n, p := float64(b.n), float64(b.p)
		sum = math.Sqrt(p) * (math.Abs(b.cols.theta) + n*(n-1)/2*math.Abs(b.cols.lambda))
	} else {
		sum = norm(b.theta)
		for _, i := range b.coupled { // in order, so that sums repeat
			for _, l := range b.near[i] {
				if l.object > i {
					sum += norm(l.block)
				}
			}
		}
	}
	return evidence.Claimed{Value: float64(s) * sum, Source: "Theorem 1, condition (4)"}
}

func norm(m []float64) float64 {
	var s float64
	for _, v := range m {
		s = math.Hypot(s, v)
	}
	return s
}

// flipLoss returns a lower bound of |ln Pr[b'] − ln Pr[b]| for the two states
// of f: the exact sum of the terms of bᵀΠb that the flip changes, rounded down,
// less what the reading of the parameters moves. It returns ctx's error.
func (b *Bernoulli) flipLoss(ctx context.Context, f Flip) (float64, error) {
	on, flipped := make(map[int]bool, len(f.On)), make(map[int]bool, len(f.Bits))
	for _, k := range f.On {
		on[k] = true
	}
	for _, k := range f.Bits {
		flipped[k] = true
	}
	var s, size, off pair
	terms := 0
	add := func(times, v float64) {
		if v != 0 || b.reading.least > 0 {
			s.add(times * v)
			size.add(math.Abs(times * v))
			off.add(math.Abs(times) * b.reading.of(v))
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
			case k > j: // both ends flip: counted once, from the lower
				if !on[j] && !on[k] {
					add(2, v)
				}
				if on[j] && on[k] {
					add(-2, v)
				}
			}
		})
	}
	v := math.Abs(s.value())
	return v - (v+size.value()*float64(terms)*unit)*4*unit - off.value()*(1+4*unit), nil
}
