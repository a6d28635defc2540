package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

const pplusSource = Paper + ", (9): Pr(β max|w_i| ≥ |wᵀu|)"

// Limits of the exact routes of RademacherPPlus.
const (
	latticeWork = 1 << 26 // word operations of the convolution
	splitCoords = 40      // coordinates for the search over half the signs
	floatWork   = 1 << 28 // additions of the float64 convolution
)

// RademacherPPlus returns the true P₊ of (9) for Rademacher w: the probability that |Σ ±u_i| ≤ β. Numbers are read
// as their shortest decimals, so that 0.1, 0.2 and 0.7 sum to 1.
//
// It is exact by convolution if the common lattice of the u_i has few points. It is also exact if at most 40
// coordinates are not zero (32 if the sums need more than 126 bits), by meeting in the middle. Otherwise it is
// certified: u is rounded to a coarse lattice, and the effect of the rounding is bounded (Hoeffding 1963, Theorem
// 2).
//
// It returns an error wrapping evidence.ErrParameter if u is empty or leaves [−1, 1], or β is not positive and
// finite. It polls ctx.
func RademacherPPlus(ctx context.Context, u []float64, beta float64) (evidence.Number, error) {
	if err := checkChance(u, beta); err != nil {
		return nil, err
	}
	n, err := rademacherPPlus(ctx, u, beta)
	if e, ok := n.(evidence.Exact); ok {
		return evidence.WithStatement(e, &PPlusStatement{slices.Clone(u), beta}), nil
	}
	return n, err
}

func checkChance(u []float64, beta float64) error {
	if len(u) == 0 {
		return parameter.Errorf("u is empty, want at least one number")
	}
	return cmp.Or(checkVector("u", u, len(u)), parameter.Positive("beta", beta))
}

func rademacherPPlus(ctx context.Context, u []float64, beta float64) (evidence.Number, error) {
	sizes, limit := commonLattice(u, beta)
	if n, ok := certainly(sizes, limit); ok {
		return evidence.Exact{Value: big.NewRat(int64(n), 1), Cases: 1, Provenance: evidence.From(pplusSource)}, nil
	}
	if groups, total, ok := smallGroups(sizes); ok {
		if work := exactWork(groups, total); work <= latticeWork {
			return exactOnLattice(ctx, groups, limit)
		}
	}
	if len(sizes) <= splitCoords {
		if n, ok, err := exactByHalves(ctx, sizes, limit); ok || err != nil {
			return n, err
		}
	}
	return roundedPPlus(ctx, u, beta, floatWork)
}

// commonLattice returns the |u_i| that are not zero and β as multiples of a
// common unit, β rounded down.
func commonLattice(u []float64, beta float64) (sizes []*big.Int, limit *big.Int) {
	unit := big.NewInt(1)
	rats := make([]*big.Rat, 0, len(u))
	for _, v := range u {
		if v == 0 {
			continue
		}
		q := interval.Decimal(math.Abs(v))
		rats = append(rats, q)
		unit = query.CommonDenominator(unit, q)
	}
	common := new(big.Int)
	for _, q := range rats {
		n := query.Scaled(q, unit)
		sizes = append(sizes, n)
		common.GCD(nil, nil, common, n)
	}
	most := interval.Decimal(beta)
	limit = new(big.Int).Mul(most.Num(), unit)
	limit.Quo(limit, most.Denom()) // Quo rounds towards zero, β > 0
	if common.Sign() > 0 {
		for _, n := range sizes {
			n.Quo(n, common)
		}
		limit.Quo(limit, common)
	}
	return sizes, limit
}

// certainly returns P₊ if it is trivial. It is 1 if Σ n_i ≤ limit, and 0 if one n_i exceeds limit plus the sum of the
// others.
func certainly(sizes []*big.Int, limit *big.Int) (n int, ok bool) {
	total, most := new(big.Int), new(big.Int)
	for _, n := range sizes {
		total.Add(total, n)
		if n.Cmp(most) > 0 {
			most = n
		}
	}
	if total.Cmp(limit) <= 0 {
		return 1, true
	}
	least := new(big.Int).Lsh(most, 1) // the least |Σ ±n_i|, if positive
	return 0, least.Sub(least, total).Cmp(limit) > 0
}

// group represents count coordinates of equal size.
type group struct{ size, count int }

// smallGroups groups equal sizes, and returns the sum of all sizes. ok is false if a number overflows int.
func smallGroups(sizes []*big.Int) (groups []group, total int, ok bool) {
	counts := make(map[int]int)
	for _, n := range sizes {
		if !n.IsInt64() || n.Int64() > 1<<40 {
			return nil, 0, false
		}
		counts[int(n.Int64())]++
		total += int(n.Int64())
	}
	for size, count := range counts {
		groups = append(groups, group{size, count})
	}
	slices.SortFunc(groups, func(a, b group) int { return a.size*a.count - b.size*b.count })
	return groups, total, total < 1<<30
}

// exactWork estimates the number of words that exactOnLattice adds. Every group but the last is convolved; the last
// is only summed.
func exactWork(groups []group, total int) float64 {
	if len(groups) == 0 {
		return 0
	}
	coords := 0
	for _, g := range groups {
		coords += g.count
	}
	words := float64(coords)/64 + 1
	work := words * float64(groups[len(groups)-1].count)
	if len(groups) > 1 {
		last := groups[len(groups)-1]
		work += words * float64(2*(total-last.size*last.count)+1) * float64(coords-last.count+8)
	}
	return work
}

// exactOnLattice counts the sign patterns with |Σ ±n_i| ≤ limit in integers.
func exactOnLattice(ctx context.Context, groups []group, limit *big.Int) (evidence.Number, error) {
	bound := math.MaxInt32 * 2
	if limit.IsInt64() && limit.Int64() < int64(bound) {
		bound = int(limit.Int64())
	}
	coords := 0
	for _, g := range groups {
		coords += g.count
	}
	all := new(big.Int).Lsh(big.NewInt(1), uint(coords))
	if len(groups) == 0 {
		return evidence.Exact{Value: big.NewRat(1, 1), Cases: 1, Provenance: evidence.From(pplusSource)}, nil
	}
	last := groups[len(groups)-1]
	// counts[s] is the number of patterns of the other groups whose positive terms sum to s; the signed sum is 2s −
	// half.
	counts, half := []*big.Int{big.NewInt(1)}, 0
	for _, g := range groups[:len(groups)-1] {
		for range g.count {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			next := make([]*big.Int, len(counts)+g.size)
			for s, c := range counts {
				if c == nil {
					continue
				}
				next[s] = addInt(next[s], c)
				next[s+g.size] = addInt(next[s+g.size], c)
			}
			counts, half = next, half+g.size
		}
	}
	// partial[m] is the number of patterns of the last group with fewer than m
	// plus signs.
	partial := make([]*big.Int, last.count+2)
	partial[0] = new(big.Int)
	term := big.NewInt(1)
	for m := range last.count + 1 {
		partial[m+1] = new(big.Int).Add(partial[m], term)
		term = new(big.Int).Mul(term, big.NewInt(int64(last.count-m)))
		term.Quo(term, big.NewInt(int64(m+1)))
	}
	inside := new(big.Int)
	for s, c := range counts {
		if c == nil {
			continue
		}
		// The condition on m is |2s − half + size(2m − count)| ≤ bound.
		centre := last.size*last.count - (2*s - half)
		first := max(centre-bound+2*last.size-1, 0) / (2 * last.size)
		end := min((centre+bound)/(2*last.size), last.count)
		if centre+bound >= 0 && first <= end {
			n := new(big.Int).Sub(partial[end+1], partial[first])
			inside.Add(inside, n.Mul(n, c))
		}
	}
	cases := uint64(len(counts)) * uint64(last.count+1)
	return evidence.Exact{Value: new(big.Rat).SetFrac(inside, all), Cases: cases, Provenance: evidence.From(pplusSource)}, nil
}

func addInt(a, b *big.Int) *big.Int {
	if a == nil {
		return b
	}
	return new(big.Int).Add(a, b)
}
