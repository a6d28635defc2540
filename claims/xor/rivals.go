package xor

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// xorRivalChecks holds what is claimed of the mechanisms that the paper compares its own with.
func xorRivalChecks() check.Checks {
	return check.Checks{
		"xor.rivals":                       check.WithCorrection(check.Surveyed(twoNodes(1)), listsOfAnEdge(2).Check),
		"xor.rivals.ldpgen":                listsOfAnEdge(1).Check,
		"xor.rivals.pygmalion.sensitivity": seriesMoves(4).Check,
		"xor.rivals.pygmalion":             check.WithCorrection(check.Surveyed(measuredScale), ownScale(1).Check),
		"xor.rivals.pbcn":                  check.WithCorrection(check.Surveyed(trueClusters), degreesMove(2).Check),
		"xor.rivals.approxdeg":             histogramMoves(4).Check,
		"xor.rivals.dpcd":                  check.WithCorrection(check.Surveyed(member(memberCase.kept)), member(memberCase.withSlope).Check),
		"xor.rivals.pplr":                  check.WithCorrection(check.Surveyed(perturbed(atZero)), perturbed(withRidge).Check),
	}
}

// toldCase is a graph on n nodes, bit k of code the k-th pair of nodes, and a pair that is no edge of it.
type toldCase struct{ n, code, pair int }

func (c toldCase) ends() [2]int {
	k := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			if k == c.pair {
				return [2]int{u, v}
			}
			k++
		}
	}
	panic("there is no such pair")
}

// edgesOf lists the edges of the graph without the pair, or with it.
func (c toldCase) edgesOf(with bool) [][2]int {
	var out [][2]int
	k := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			if c.code>>k&1 == 1 || with && k == c.pair {
				out = append(out, [2]int{u, v})
			}
			k++
		}
	}
	return out
}

// degreesOf counts the edges at each node.
func (c toldCase) degreesOf(with bool) []int {
	out := make([]int, c.n)
	for _, e := range c.edgesOf(with) {
		out[e[0]]++
		out[e[1]]++
	}
	return out
}

// series is the dK-2 series, by the smaller and the larger degree of an edge's ends.
func (c toldCase) series(with bool) map[[2]int]int {
	d, out := c.degreesOf(with), map[[2]int]int{}
	for _, e := range c.edgesOf(with) {
		a, b := d[e[0]], d[e[1]]
		out[[2]int{min(a, b), max(a, b)}]++
	}
	return out
}

// tuples lists the tuples of degrees up to n − 1.
func (c toldCase) tuples() (out [][2]int) {
	for j := 1; j < c.n; j++ {
		for i := 1; i <= j; i++ {
			out = append(out, [2]int{i, j})
		}
	}
	return out
}

// fields describe the case in a witness.
func (c toldCase) fields(more ...any) []check.Field {
	e := c.ends()
	return append(check.Named("nodes", c.n, "edges", check.Pairs(c.edgesOf(false)), "neighbor", fmt.Sprintf("the same with (%d, %d)", e[0], e[1])), check.Named(more...)...)
}

// toldCases are all graphs on 2 to n nodes, with each pair that is no edge.
func toldCases(n int) iter.Seq[toldCase] {
	return func(yield func(toldCase) bool) {
		for nodes := 2; nodes <= n; nodes++ {
			pairs := nodes * (nodes - 1) / 2
			for code := range 1 << pairs {
				for k := range pairs {
					if code>>k&1 == 0 && !yield(toldCase{nodes, code, k}) {
						return
					}
				}
			}
		}
	}
}

// drawTold draws a graph on 6 to 9 nodes.
func drawTold(rng *rand.Rand) toldCase {
	n := 6 + rng.IntN(4)
	pairs := n * (n - 1) / 2
	code := int(rng.Uint64() & (1<<pairs - 1))
	if rng.IntN(2) == 0 {
		code |= int(rng.Uint64() & (1<<pairs - 1)) // dense
	}
	pair := rng.IntN(pairs)
	return toldCase{n, code &^ (1 << pair), pair}
}

func moved(a, b int) int { return check.Abs(a - b) }

// told quantifies over all such graphs on at most 5 nodes.
func told(holds func(c toldCase) bool) check.Statement[toldCase] {
	return check.Statement[toldCase]{
		Family: "all graphs on N ≤ 5 nodes and each pair that is no edge", Each: toldCases(5), Draw: drawTold,
		Holds:   holds,
		Witness: func(c toldCase) *check.Witness { return &check.Witness{Fields: c.fields()} },
	}
}

// seriesMoves says that the series moves by at most times·d_max + 1.
func seriesMoves(times int) check.Statement[toldCase] {
	return told(func(c toldCase) bool {
		before, after := c.series(false), c.series(true)
		sum := 0
		for _, t := range c.tuples() {
			sum += moved(before[t], after[t])
		}
		return sum <= times*slices.Max(c.degreesOf(false))+1
	})
}

// ownScale says that with noise of the scale 4·(j − 1 + shift) + 1 for a tuple with the larger degree j
// the losses of all tuples are at most ε.
func ownScale(shift int) check.Statement[toldCase] {
	return told(func(c toldCase) bool {
		before, after := c.series(false), c.series(true)
		sum := new(big.Rat)
		for _, t := range c.tuples() {
			sum.Add(sum, check.Ratio(moved(before[t], after[t]), 4*(t[1]-1+shift)+1))
		}
		return sum.Cmp(check.One) <= 0
	})
}

// scaleCase is such a graph, a budget in halves, and whether the tuples that occur alone have noise.
type scaleCase struct {
	toldCase
	eps   int
	occur bool
}

func (c scaleCase) budget() *big.Rat { return check.Ratio(c.eps, 2) }

// loss encloses the largest loss of the noisy series, either way: the sum over the tuples of the largest of
// ln p(k)/q(k) over the numbers k to which they are moved.
func (c scaleCase) loss() interval.Interval {
	most := c.n * (c.n - 1) / 2
	before, after := c.series(false), c.series(true)
	law := func(value, largest int) []interval.Interval { // logarithms
		rate := interval.Rat(new(big.Rat).Quo(c.budget(), check.Ratio(4*largest+1, 1)))
		one := interval.Int(1)
		z := rate.Neg().Exp()
		end, inside := one.Add(z).Log().Neg(), one.Sub(z).Quo(one.Add(z)).Log()
		out := make([]interval.Interval, most+1)
		for k := range out {
			out[k] = inside
			if k == 0 || k == most {
				out[k] = end
			}
			out[k] = out[k].Sub(rate.Mul(interval.Int(int64(moved(k, value)))))
		}
		return out
	}
	up, down := interval.Int(0), interval.Int(0)
	for _, t := range c.tuples() {
		p, q := law(before[t], slices.Max(c.degreesOf(false))), law(after[t], slices.Max(c.degreesOf(true)))
		worst, least := p[0].Sub(q[0]), p[0].Sub(q[0])
		for k := range p {
			gap := p[k].Sub(q[k])
			worst, least = interval.Max(worst, gap), interval.Min(least, gap)
		}
		up, down = up.Add(worst), down.Sub(least)
	}
	return interval.Max(up, down)
}

// sameTuples reports whether the same tuples occur with and without the pair.
func (c scaleCase) sameTuples() bool {
	before, after := c.series(false), c.series(true)
	for _, t := range c.tuples() {
		if (before[t] == 0) != (after[t] == 0) {
			return false
		}
	}
	return true
}

func (c scaleCase) script() string {
	call := check.Code("pygmalion({eps}, all_tuples=True, partitions=0)")
	if c.occur {
		call = "pygmalion({eps})"
	}
	return check.Script(check.Vars{"eps": float64(c.eps) / 2, "nodes": c.n}, string("e = "+call+".measured({nodes}).smallest_epsilon; print(e, {eps}, e <= {eps})"))
}

// measuredScale says that the published noise keeps the budget.
var measuredScale = check.Statement[scaleCase]{
	Family: "all graphs on N ≤ 3 nodes and each pair that is no edge, both readings, ε in {1/2, 1, 2}",
	Each: func(yield func(scaleCase) bool) {
		for _, occur := range []bool{false, true} {
			for _, eps := range []int{2, 1, 4} {
				for c := range toldCases(3) {
					if !yield(scaleCase{c, eps, occur}) {
						return
					}
				}
			}
		}
	},
	Holds: func(c scaleCase) bool {
		if c.occur {
			return c.sameTuples()
		}
		return !interval.Rat(c.budget()).Less(c.loss())
	},
	Witness: func(c scaleCase) *check.Witness {
		reading := "d_max"
		if c.occur {
			reading = "occur"
		}
		return &check.Witness{Fields: c.fields("reading", reading, "eps", c.budget()), Script: c.script()}
	},
	Measure: func(c scaleCase) []check.Item {
		return []check.Item{{Label: "loss of these two neighbors", Number: evidence.EnclosedLoss(c.loss(), "256-bit intervals", "Sala et al. 2011")}}
	},
}

// clusterCase is such a graph.
type clusterCase struct{ toldCase }

// reached are the graphs that can come out, as codes: every cluster may have any mean degree.
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

// havel makes a graph of degrees: the node that lacks most edges, the first of equals, gets them from those that
// lack most of the others.
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

// pairNumber numbers the pairs u < v of n nodes.
func pairNumber(n, u, v int) int { return u*(2*n-u-1)/2 + v - u - 1 }

// trueClusters says that the same graphs come out with and without the pair.
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

// degreesMove says that the pair changes the degrees by at most so much in all.
func degreesMove(most int) check.Statement[toldCase] {
	return told(func(c toldCase) bool {
		sum, after := 0, c.degreesOf(true)
		for u, d := range c.degreesOf(false) {
			sum += moved(d, after[u])
		}
		return sum <= most
	})
}

// histogramMoves says that the pair changes the histogram of degrees moved to any bound by at most so much, and the sorted degrees
// by at most 2.
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

// groupCase is such a graph and groups of its nodes.
type groupCase struct {
	toldCase
	groups []int
}

// listsOfAnEdge says that where the pair comes into so many lists, as many counts of neighbors in groups move by 1.
func listsOfAnEdge(lists int) check.Statement[groupCase] { return listsOfAnEdgeWithin(lists, lists) }

// listsOfAnEdgeWithin says that the counts move by at most so much in all.
func listsOfAnEdgeWithin(lists, most int) check.Statement[groupCase] {
	return check.Statement[groupCase]{
		Family: "all graphs on N ≤ 4 nodes, each pair that is no edge, nodes in one or two groups",
		Each: check.Each(toldCases(4), func(c toldCase) iter.Seq[groupCase] {
			return check.Map(check.Words(2, c.n), func(groups []int) groupCase { return groupCase{c, slices.Clone(groups)} })
		}),
		Holds: func(c groupCase) bool { return c.movedIn(lists) <= most },
		Witness: func(c groupCase) *check.Witness {
			return &check.Witness{Fields: c.fields("groups", check.List(c.groups))}
		},
	}
}

// movedIn returns by how much all counts move where the pair comes into the list of its first end, or of both.
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

// edgeChance is the chance that LDPGen with two groups releases the edge between two nodes, from its definition: each is a
// group of the first round, and tells of its own group 0 or 1 and of the other's; told the same they
// become one group, else each its own.
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
	upToTwo := func(truth, told int) *big.Rat { // of 0, 1 and 2
		p := new(big.Rat).Mul(end, check.Power(z, moved(truth, told)))
		if told == 1 {
			p.Mul(p, new(big.Rat).Sub(one, z))
		}
		return p
	}
	same := new(big.Rat)
	for told := range 16 { // bits 0, 1: node 0 of groups 0, 1; bits 2, 3: node 1
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
	both := new(big.Rat).Mul(flip(edge, 1), flip(edge, 1)) // each tells 1 of the other: the chance is 1·1/1
	apart := new(big.Rat).Sub(one, same)
	return new(big.Rat).Add(same.Mul(same, together), apart.Mul(apart, both))
}

// twoNodes says that the edge is at most e^{times·ε} times as likely where there is one, and its absence likewise.
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
			return []check.Item{{Label: "smallest ε of the released graph on two nodes", Number: evidence.ExactLog{Argument: ratio, Cases: 2, Source: "Qin et al. 2017", Side: evidence.Up}}}
		},
	}
}
