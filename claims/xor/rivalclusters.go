package xor

import (
	"iter"
	"math/big"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// clusterCase is a toldCase to which PBCN is applied.
type clusterCase struct{ toldCase }

// reached returns the graphs that can be released, as codes. Every cluster can have any mean degree.
func (c clusterCase) reached(with bool) map[int]bool {
	degrees, out := c.degreesOf(with), map[int]bool{}
	kinds := slices.Clone(degrees)
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	for means := range check.Words(c.n, len(kinds)) {
		lack := make([]int, c.n)
		for u, d := range degrees {
			lack[u] = means[slices.Index(kinds, d)]
		}
		out[havel(lack)] = true
	}
	return out
}

// havel returns the code of a graph with the given degrees (Havel and Hakimi). In each step, the first node that lacks
// most edges is joined to the others that lack most.
func havel(lack []int) int {
	code, done := 0, make([]bool, len(lack))
	for range lack {
		u := -1
		for v := range lack {
			if !done[v] && (u < 0 || lack[v] > lack[u]) {
				u = v
			}
		}
		done[u] = true
		var others []int
		for v := range lack {
			if !done[v] && lack[v] > 0 {
				others = append(others, v)
			}
		}
		slices.SortStableFunc(others, func(a, b int) int { return lack[b] - lack[a] })
		for _, v := range others[:min(lack[u], len(others))] {
			lack[v]--
			code |= 1 << pairNumber(len(lack), min(u, v), max(u, v))
		}
	}
	return code
}

// pairNumber returns the number of the pair u < v of n nodes.
func pairNumber(n, u, v int) int { return u*(2*n-u-1)/2 + v - u - 1 }

// trueClusters states that PBCN can release the same graphs with and without the pair.
var trueClusters = check.Statement[clusterCase]{
	Family: "all graphs on N ≤ 4 nodes and each pair that is no edge",
	Each:   check.Map(toldCases(4), func(c toldCase) clusterCase { return clusterCase{c} }),
	Holds: func(c clusterCase) bool {
		a, b := c.reached(false), c.reached(true)
		if len(a) != len(b) {
			return false
		}
		for code := range a {
			if !b[code] {
				return false
			}
		}
		return true
	},
	Witness: func(c clusterCase) *check.Witness {
		return check.NewWitness(c.fields("graphs that come out", len(c.reached(false)), "graphs that come out at the neighbor", len(c.reached(true))),
			check.Vars{"nodes": c.n}, "e = pbcn(ln(4)).law({nodes}).smallest_epsilon; print(e, e <= ln(4))")
	},
}

// degreesMove states that adding the pair changes the degrees by at most the given total.
func degreesMove(most int) check.Statement[toldCase] {
	return told(func(c toldCase) bool {
		sum, after := 0, c.degreesOf(true)
		for u, d := range c.degreesOf(false) {
			sum += moved(d, after[u])
		}
		return sum <= most
	})
}

// histogramMoves states that adding the pair changes the histogram of degrees, truncated to any bound, by at most the
// given total, and the sorted degrees by at most 2.
func histogramMoves(most int) check.Statement[toldCase] {
	return told(func(c toldCase) bool {
		for bound := 1; bound < c.n; bound++ {
			sorted := [2][]int{c.degreesOf(false), c.degreesOf(true)}
			count := make([]int, bound+1)
			for k, sign := range []int{1, -1} {
				for u, d := range sorted[k] {
					sorted[k][u] = min(d, bound)
					count[min(d, bound)] += sign
				}
				slices.Sort(sorted[k])
			}
			bins, degrees := 0, 0
			for _, v := range count {
				bins += check.Abs(v)
			}
			for i := range sorted[0] {
				degrees += moved(sorted[0][i], sorted[1][i])
			}
			if bins > most || degrees > 2 {
				return false
			}
		}
		return true
	})
}

// groupCase is a toldCase and a group for each node.
type groupCase struct {
	toldCase
	groups []int
}

// listsOfAnEdge states that adding the pair to one or two of its nodes' lists changes the counts of neighbors by group
// by at most the number of lists.
func listsOfAnEdge(lists int) check.Statement[groupCase] { return listsOfAnEdgeWithin(lists, lists) }

// listsOfAnEdgeWithin states that the counts then change by at most the given total.
func listsOfAnEdgeWithin(lists, most int) check.Statement[groupCase] {
	return check.Statement[groupCase]{
		Family: "all graphs on N ≤ 4 nodes, each pair that is no edge, nodes in one or two groups",
		Each: check.Each(toldCases(4), func(c toldCase) iter.Seq[groupCase] {
			return check.Map(check.Words(2, c.n), func(groups []int) groupCase { return groupCase{c, slices.Clone(groups)} })
		}),
		Holds: func(c groupCase) bool { return c.movedIn(lists) <= most },
	}
}

// movedIn returns the total change of the counts if the pair is added to the list of its first node (lists = 1) or to
// both lists.
func (c groupCase) movedIn(lists int) int {
	count := map[[2]int]int{} // by node and group
	tell := func(sign int, with bool) {
		for _, e := range c.edgesOf(with) {
			for k := range 2 {
				if e == c.ends() && k >= lists {
					continue
				}
				count[[2]int{e[k], c.groups[e[1-k]]}] += sign
			}
		}
	}
	tell(1, true)
	tell(-1, false)
	sum := 0
	for _, v := range count {
		sum += check.Abs(v)
	}
	return sum
}

// baseCase is e^{ε/2} in tenths.
type baseCase int

func (c baseCase) base() *big.Rat { return check.Ratio(int(c), 10) }

// edgeChance returns the probability that LDPGen with two groups releases the edge between two nodes, from its
// definition. In the first round each node is a group, and reports a bit for its own group and one for the other group.
// Nodes with equal reports then form one group; otherwise each is a group of its own.
func (c baseCase) edgeChance(edge int) *big.Rat {
	one := check.One
	z := new(big.Rat).Inv(c.base())
	end := new(big.Rat).Inv(new(big.Rat).Add(one, z))
	flip := func(truth, told int) *big.Rat { // of 0 and 1
		if truth == told {
			return end
		}
		return new(big.Rat).Mul(end, z)
	}
	upToTwo := func(truth, told int) *big.Rat { // clamped to 0, 1 and 2
		p := new(big.Rat).Mul(end, check.Power(z, moved(truth, told)))
		if told == 1 {
			p.Mul(p, new(big.Rat).Sub(one, z))
		}
		return p
	}
	same := new(big.Rat)
	for told := range 16 { // bits 0 and 1: node 0 on groups 0 and 1; bits 2 and 3: node 1
		bit := func(k int) int { return told >> k & 1 }
		if bit(0) != bit(2) || bit(1) != bit(3) {
			continue
		}
		p := new(big.Rat).Mul(flip(0, bit(0)), flip(edge, bit(1)))
		p.Mul(p, flip(edge, bit(2)))
		same.Add(same, p.Mul(p, flip(0, bit(3))))
	}
	together := new(big.Rat)
	for s := range 3 {
		for t := range 3 {
			if s*t > 0 {
				p := new(big.Rat).Mul(upToTwo(edge, s), upToTwo(edge, t))
				share := check.Ratio(s*t, s+t)
				if share.Cmp(one) > 0 {
					share = one
				}
				together.Add(together, p.Mul(p, share))
			}
		}
	}
	both := new(big.Rat).Mul(flip(edge, 1), flip(edge, 1)) // each reports 1 for the other: the probability is 1·1/1
	apart := new(big.Rat).Sub(one, same)
	return new(big.Rat).Add(same.Mul(same, together), apart.Mul(apart, both))
}

// twoNodes states that the probabilities of releasing the edge, with and without it in the graph, differ by a factor of
// at most e^{times·ε}. The same holds for not releasing it.
func twoNodes(times int) check.Statement[baseCase] {
	return check.Statement[baseCase]{
		Family: "e^{ε/2} in {1.1, 1.2, …, 4}",
		Each:   check.Map(slices.Values(check.Counting(30)), func(k int) baseCase { return baseCase(11 + (k+9)%30) }), // 2 first
		Holds: func(c baseCase) bool {
			most := check.Power(c.base(), 2*times)
			p, q := c.edgeChance(1), c.edgeChance(0)
			for range 2 {
				if p.Cmp(new(big.Rat).Mul(most, q)) > 0 || q.Cmp(new(big.Rat).Mul(most, p)) > 0 {
					return false
				}
				p, q = new(big.Rat).Sub(check.One, p), new(big.Rat).Sub(check.One, q)
			}
			return true
		},
		Witness: func(c baseCase) *check.Witness {
			return check.NewWitness(check.Named("nodes", "2", "e^(eps/2)", c.base(), "chance of the edge where there is one", c.edgeChance(1), "where there is none", c.edgeChance(0)),
				check.Vars{"base": check.Power(c.base(), 2).RatString()}, "e = ldpgen(ln({base}), groups=2).law(2).smallest_epsilon; print(e, e <= ln({base}))")
		},
		Measure: func(c baseCase) []check.Item {
			ratio := new(big.Rat).Quo(c.edgeChance(1), c.edgeChance(0))
			return []check.Item{{Label: "smallest ε of the released graph on two nodes", Number: evidence.ExactLog{Argument: ratio, Cases: 2, Side: evidence.Up, Provenance: evidence.From("Qin et al. 2017")}}}
		},
	}
}
