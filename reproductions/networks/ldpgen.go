package networks

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// LDPGenOptions are the free choices of LDPGen.
type LDPGenOptions struct {
	// Initial is the number of groups of the first round, to which nodes are assigned at random. 0 means 2.
	Initial int
	// Groups is the number of clusters of the second round. 0 means 20. The paper derives it from a model of the noise.
	Groups int
	// Share is the fraction of ε for the first round. nil means 1/2.
	Share *big.Rat
}

// LDPGen releases a graph that is drawn from every node's report on its own list of neighbors. In the first round, each
// node reports noisy counts of its neighbors in each of a few random groups. The nodes are then clustered by these
// reports (k-means). In the second round, each node reports counts of its neighbors in each cluster. Two nodes are
// joined by the Chung–Lu rule, with a probability proportional to the counts that each has of the other's cluster.
//
// One bit of one list changes one count by 1 in each round, so both rounds together are ε-private for lists. An edge is
// in two lists.
//
// Source: Qin, Yu, Yang, Khalil, Xiao, Ren, "Generating synthetic decentralized social graphs with local differential
// privacy", CCS 2017. Only its abstract and its description in the comparison were available. The number of clusters is
// an option. If the two rounds give different counts of the same edges, their mean is taken.
type LDPGen struct {
	eps evidence.Epsilon
	LDPGenOptions
}

// NewLDPGen returns the mechanism. It returns an error wrapping evidence.ErrParameter
// unless eps is positive, no number of groups is negative and 0 < share < 1.
func NewLDPGen(eps evidence.Epsilon, opts LDPGenOptions) (*LDPGen, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if opts.Share == nil {
		opts.Share = big.NewRat(1, 2)
	}
	if opts.Share.Sign() <= 0 || opts.Share.Cmp(big.NewRat(1, 1)) >= 0 || opts.Share.Num().BitLen() > 62 || opts.Share.Denom().BitLen() > 62 {
		return nil, parameter.Bad("share", opts.Share, "a number between 0 and 1")
	}
	for name, v := range map[string]int{"initial": opts.Initial, "groups": opts.Groups} {
		if v < 0 || v > 1<<15 {
			return nil, parameter.Bad(name, v, "1 to 32768")
		}
	}
	if opts.Initial == 0 {
		opts.Initial = 2
	}
	if opts.Groups == 0 {
		opts.Groups = 20
	}
	return &LDPGen{eps, opts}, nil
}

// Name implements Rival.
func (l *LDPGen) Name() string {
	return fmt.Sprintf("LDPGen(eps=%s, %d groups, then %d)", l.eps, l.Initial, l.Groups)
}

// Guarantee implements Rival.
func (l *LDPGen) Guarantee() Guarantee { return promise(l.eps, LocalEdge, "Qin et al. 2017") }

// Truncated implements Rival. There is no bound.
func (l *LDPGen) Truncated(g *xor.Bits) (int, error) { return above(g, 0) }

// rounds returns the fractions of ε for the two rounds.
func (l *LDPGen) rounds() [2]*big.Rat {
	return [2]*big.Rat{l.Share, new(big.Rat).Sub(big.NewRat(1, 1), l.Share)}
}

// counts counts the neighbors of each node in each group.
func counts(g *graph, of []int, groups int) [][]int {
	out := make([][]int, g.nodes())
	for u, list := range g.near {
		out[u] = make([]int, groups)
		for _, v := range list {
			out[u][of[v]]++
		}
	}
	return out
}

// reports returns the entries of a round: the counts of all nodes, each bounded by the size of the group.
func reports(g *graph, of []int, groups int, share *big.Rat) []entry {
	size := make([]int, groups)
	for _, c := range of {
		size[c]++
	}
	var out []entry
	for _, row := range counts(g, of, groups) {
		for c, v := range row {
			out = append(out, entry{v, size[c], share.Num().Int64(), share.Denom().Int64()})
		}
	}
	return out
}

// grouped splits a list of reports by node.
func grouped(list []int, groups int) [][]int {
	return lists.Of(len(list)/groups, func(u int) []int { return list[u*groups : (u+1)*groups] })
}

// deal assigns n nodes to groups of equal size, in the order of a permutation.
func deal(order []int, groups int) []int {
	out := make([]int, len(order))
	for i, u := range order {
		out[u] = i % groups
	}
	return out
}

// Measured implements Rival. If a count changes by 1, the privacy loss is ε₁ or −ε₁, where −ε₁ has probability 1/(1 +
// e^{ε₁}), for every count. So the loss of a round does not depend on the groups. An edge changes two lists. The result
// is the same for graphs of any size.
func (l *LDPGen) Measured(_ context.Context, n int, of Relation) (*privacy.Account, error) {
	if n < 2 {
		return nil, parameter.Bad("nodes", n, "at least 2")
	}
	lists := map[Relation]int{Edge: 2, LocalEdge: 1}[of]
	if lists == 0 {
		return nil, parameter.Bad("neighbors", string(of), `"edge" or "edge local"`)
	}
	var pairs []privacy.Pair
	var times []int
	for _, share := range l.rounds() {
		e := entry{0, 1, share.Num().Int64(), share.Denom().Int64()}
		after := e
		after.value = 1
		pairs, times = append(pairs, entryPair(l.eps, e, after)), append(times, lists)
	}
	return privacy.New(privacy.PairAndReverse(fmt.Sprintf("the reports of %s for neighbors %q", l.Name(), string(of)), "counts that move by 1, in two rounds", privacy.Independent(pairs, times))), nil
}

// Release implements Rival.
func (l *LDPGen) Release(ctx context.Context, g *xor.Bits, src rand.Source) (*xor.Bits, error) {
	in, err := readGraph(g)
	if err != nil {
		return nil, err
	}
	n := in.nodes()
	of := deal(permutation(n, src), l.Initial)
	groups := l.Initial
	var told []int
	for round, share := range l.rounds() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := memory.Need("the reports of all nodes", 64*float64(n)*float64(groups)); err != nil {
			return nil, err
		}
		if told, err = noisy(l.eps, reports(in, of, groups, share), false, src); err != nil {
			return nil, err
		}
		if round == 0 {
			of = cluster(grouped(told, groups), l.Groups)
			groups = 0
			for _, c := range of {
				groups = max(groups, c+1)
			}
		}
	}
	out, err := xor.NewBits(n, n)
	if err != nil {
		return nil, err
	}
	chance := chungLu(grouped(told, groups), of, groups)
	for u := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for v := u + 1; v < n; v++ {
			if p := chance(u, v); p > 0 && coin(p, src) {
				join(out, u, v)
			}
		}
	}
	return out, nil
}

// chungLu returns a function for the probability that an edge joins u and v. It is at most 1, and otherwise the count
// that u reports of v's group, times the count that v reports of u's group, divided by the number of edges between the
// groups. That number is the mean of what the two groups report.
func chungLu(told [][]int, of []int, groups int) func(u, v int) float64 {
	sum := lists.Of(groups, func(int) []float64 { return make([]float64, groups) })
	for u, row := range told {
		for c, v := range row {
			sum[of[u]][c] += float64(v)
		}
	}
	return func(u, v int) float64 {
		a, b := of[u], of[v]
		product := float64(told[u][b]) * float64(told[v][a])
		if product == 0 {
			return 0
		}
		return min(1, product/((sum[a][b]+sum[b][a])/2))
	}
}
