package privacy

import (
	"context"
	"math/big"
	"slices"
	"strconv"

	"dpworkbench/evidence"
)

// This file computes the exact divergence of a composition. It splits the uses into two halves, each a list of losses
// with integer masses over a common denominator. For every loss a of one half, the losses above ε − a of the other half
// are a tail with a known sum.

const (
	// maxExactBits bounds the bits of one mass of a product that is computed exactly.
	maxExactBits = 1 << 16
	// maxExactWork bounds the number of words of all products of masses together.
	maxExactWork = 1 << 27
	// maxHalfLosses bounds the losses of a half, and maxPairLosses the losses of a composition that becomes one pair.
	maxHalfLosses = 1 << 17
	maxPairLosses = 1 << 12
)

// rationalPMF is the law of the loss of some of the uses, with masses over the common denominators of P and Q.
type rationalPMF struct {
	p, q         []*big.Int
	key          []string // equal keys mean equal losses
	pDen, qDen   *big.Int
	infinityMass *big.Int // over pDen
}

// exactDelta returns Σ (p − wq)⁺ over the outputs of all uses. It returns nil if a mass is not rational, or if there
// are too many outputs or their masses have too many bits.
func (p *composition) exactDelta(ctx context.Context, w *big.Rat) (*big.Rat, error) {
	steps := p.rationalUses()
	onLattice := onOneLattice(steps)
	n := len(steps) / 2
	if len(steps) == 0 || !affordable(steps[:n], onLattice, maxHalfLosses) || !affordable(steps[n:], onLattice, maxHalfLosses) {
		return nil, nil
	}
	a, err := composeRational(ctx, steps[:n], onLattice)
	if err != nil {
		return nil, err
	}
	b, err := composeRational(ctx, steps[n:], onLattice)
	if err != nil {
		return nil, err
	}
	return hockeyStick(ctx, a, b, w)
}

// rationalUses returns the pair of every use, or nil if some masses are not rational or there are too many uses.
func (p *composition) rationalUses() []*DiscretePair {
	var steps []*DiscretePair
	for _, f := range p.factors {
		l, ok := f.pair.(*DiscretePair)
		if !ok || !l.rational || f.times > 1<<12-len(steps) {
			return nil
		}
		for range f.times {
			steps = append(steps, l)
		}
	}
	return steps
}

// exactPair returns the composition as one pair, or nil unless its masses are rational and of moderate size.
func (p *composition) exactPair(ctx context.Context) (*DiscretePair, error) {
	steps := p.rationalUses()
	onLattice := onOneLattice(steps)
	if len(steps) == 0 || !affordable(steps, onLattice, maxPairLosses) {
		return nil, nil
	}
	h, err := composeRational(ctx, steps, onLattice)
	if err != nil {
		return nil, err
	}
	var atoms []Atom
	finite := new(big.Int)
	for i := range h.p {
		finite.Add(finite, h.q[i])
		atoms = append(atoms, RationalAtom(new(big.Rat).SetFrac(h.p[i], h.pDen), new(big.Rat).SetFrac(h.q[i], h.qDen), i))
	}
	qOnlyMass := new(big.Rat).SetFrac(finite.Sub(h.qDen, finite), h.qDen)
	return NewDiscretePair(atoms, evidence.ExactRat(new(big.Rat).SetFrac(h.infinityMass, h.pDen)), evidence.ExactRat(qOnlyMass), evidence.Epsilon{}, Hooks{}), nil
}

// composeRational returns the law of the summed losses of all uses.
func composeRational(ctx context.Context, steps []*DiscretePair, onLattice bool) (*rationalPMF, error) {
	h := &rationalPMF{p: []*big.Int{big.NewInt(1)}, q: []*big.Int{big.NewInt(1)}, key: []string{""}, pDen: big.NewInt(1), qDen: big.NewInt(1), infinityMass: new(big.Int)}
	for _, l := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h = h.compose(l, onLattice)
	}
	return h, nil
}

// onOneLattice reports whether all losses lie on lattices with the same unit. Then integers identify the losses.
func onOneLattice(steps []*DiscretePair) bool {
	for i, l := range steps {
		if !l.onLattice() {
			return false
		}
		if i > 0 && l != steps[i-1] {
			if share, ok := l.unit.Quotient(steps[0].unit); !ok || share.Cmp(one) != 0 {
				return false
			}
		}
	}
	return true
}

// affordable reports whether an upper bound on the cost of the list of losses is below the limits. On one lattice the
// numbers of losses of the uses add up; otherwise they multiply.
func affordable(steps []*DiscretePair, onLattice bool, most float64) bool {
	size, spread, work, bits := 1.0, 0.0, 0.0, 0
	same := map[*DiscretePair]float64{}
	for _, l := range steps {
		longest := 0
		for _, a := range l.atoms {
			for _, v := range [2]*big.Rat{a.P.Rational, a.Q.Rational} {
				longest = max(longest, v.Num().BitLen(), v.Denom().BitLen())
			}
		}
		bits += 2 * longest
		same[l]++
		if n, d := same[l], float64(len(l.atoms)); onLattice && d > 0 {
			spread += float64(l.atoms[len(l.atoms)-1].Steps - l.atoms[0].Steps)
			size = spread + 1
		} else if n == 1 {
			size *= d
		} else {
			size *= (n + d - 1) / n // C(n + d − 1, d − 1) losses in total
		}
		work += size * float64(len(l.atoms)) * float64(bits/64+8)
		if work > maxExactWork || size > most || bits > maxExactBits {
			return false
		}
	}
	return true
}

// compose returns the law of the losses after one more use. If onLattice is true, steps identify losses, and otherwise
// ratios do.
func (h *rationalPMF) compose(l *DiscretePair, onLattice bool) *rationalPMF {
	pDen, qDen := denominator(l, func(a Atom) *big.Rat { return a.P.Rational }, l.infinityMass.Rational), denominator(l, func(a Atom) *big.Rat { return a.Q.Rational }, l.qOnlyMass.Rational)
	out := &rationalPMF{pDen: new(big.Int).Mul(h.pDen, pDen), qDen: new(big.Int).Mul(h.qDen, qDen)}
	indexOf := map[string]int{}
	for _, a := range l.atoms {
		p, q := scaledNumerator(a.P.Rational, pDen), scaledNumerator(a.Q.Rational, qDen)
		for i := range h.p {
			var key string
			if onLattice {
				k, _ := strconv.ParseInt(h.key[i], 36, 64) // the key "" of no use counts as 0
				key = strconv.FormatInt(k+a.Steps, 36)
			} else {
				ratio := l.ratio(a)
				if before, ok := new(big.Rat).SetString(h.key[i]); ok {
					ratio.Mul(ratio, before)
				}
				key = ratio.RatString()
			}
			at, ok := indexOf[key]
			if !ok {
				at = len(out.p)
				indexOf[key] = at
				out.p, out.q, out.key = append(out.p, new(big.Int)), append(out.q, new(big.Int)), append(out.key, key)
			}
			out.p[at].Add(out.p[at], new(big.Int).Mul(h.p[i], p))
			out.q[at].Add(out.q[at], new(big.Int).Mul(h.q[i], q))
		}
	}
	// The infinity mass is s + t − st over the product of the denominators.
	t := scaledNumerator(l.infinityMass.Rational, pDen)
	out.infinityMass = new(big.Int).Mul(h.infinityMass, pDen)
	out.infinityMass.Add(out.infinityMass, new(big.Int).Mul(t, h.pDen))
	out.infinityMass.Sub(out.infinityMass, new(big.Int).Mul(h.infinityMass, t))
	return out
}

// denominator returns the least common denominator of the atoms' masses and of other.
func denominator(l *DiscretePair, of func(Atom) *big.Rat, other *big.Rat) *big.Int {
	common := new(big.Int).Set(other.Denom())
	for _, a := range l.atoms {
		d := of(a).Denom()
		common.Mul(common, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, common, d)))
	}
	return common
}

// scaledNumerator returns the integer q·den, where den is a multiple of the denominator of q.
func scaledNumerator(q *big.Rat, den *big.Int) *big.Int {
	n := new(big.Int).Quo(den, q.Denom())
	return n.Mul(n, q.Num())
}

// hockeyStick returns the sum of (p − wq)⁺ over pairs of losses of two halves. Both halves are sorted by loss: the
// larger the loss of a, the earlier the tail of b begins.
func hockeyStick(ctx context.Context, a, b *rationalPMF, w *big.Rat) (*big.Rat, error) {
	sorted := func(h *rationalPMF) []int {
		order := make([]int, len(h.p))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int {
			return new(big.Int).Mul(h.p[i], h.q[j]).Cmp(new(big.Int).Mul(h.p[j], h.q[i]))
		})
		return order
	}
	up, down := sorted(a), sorted(b)
	// The common denominator is a.pDen·b.pDen·a.qDen·b.qDen·w.Denom. So p is multiplied by the q-denominators and
	// w.Denom, and q by the p-denominators and w.Num.
	pWeight := new(big.Int).Mul(new(big.Int).Mul(a.qDen, b.qDen), w.Denom())
	qWeight := new(big.Int).Mul(new(big.Int).Mul(a.pDen, b.pDen), w.Num())
	sumP, sumQ := new(big.Int), new(big.Int) // sums over the losses of b from next on
	allP, allQ := new(big.Int), new(big.Int) // sums over pairs with p > wq
	x, y := new(big.Int), new(big.Int)
	next := len(down)
	for n, i := range up {
		if err := pollContext(ctx, n); err != nil {
			return nil, err
		}
		for next > 0 {
			j := down[next-1]
			x.Mul(x.Mul(a.p[i], b.p[j]), pWeight)
			y.Mul(y.Mul(a.q[i], b.q[j]), qWeight)
			if x.Cmp(y) <= 0 {
				break
			}
			sumP.Add(sumP, b.p[j])
			sumQ.Add(sumQ, b.q[j])
			next--
		}
		allP.Add(allP, x.Mul(a.p[i], sumP))
		allQ.Add(allQ, y.Mul(a.q[i], sumQ))
	}
	// The probability that a half with infinity mass s or one with t has an infinite loss is s + t − st.
	pDen := new(big.Int).Mul(a.pDen, b.pDen)
	allP.Add(allP, x.Mul(a.infinityMass, b.pDen))
	allP.Add(allP, x.Mul(b.infinityMass, a.pDen))
	allP.Sub(allP, x.Mul(a.infinityMass, b.infinityMass))
	d := new(big.Rat).SetFrac(allP, pDen)
	return d.Sub(d, new(big.Rat).Mul(w, new(big.Rat).SetFrac(allQ, new(big.Int).Mul(a.qDen, b.qDen)))), nil
}
