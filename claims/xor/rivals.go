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

// xorRivalChecks returns the checks of the claims about the mechanisms that the paper compares XOR with.
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

// toldCase is a graph on n nodes, where bit k of code is the k-th pair of nodes, and the number of a pair without an
// edge. The neighboring graph has the pair as an edge.
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
	panic("claims: pair is out of range, want 0 ≤ pair < n(n − 1)/2")
}

// edgesOf returns the edges of the graph, with or without the pair.
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

// degreesOf returns the degrees of the nodes.
func (c toldCase) degreesOf(with bool) []int {
	out := make([]int, c.n)
	for _, e := range c.edgesOf(with) {
		out[e[0]]++
		out[e[1]]++
	}
	return out
}

// series returns the dK-2 series: the number of edges by the smaller and the larger degree of their ends.
func (c toldCase) series(with bool) map[[2]int]int {
	d, out := c.degreesOf(with), map[[2]int]int{}
	for _, e := range c.edgesOf(with) {
		a, b := d[e[0]], d[e[1]]
		out[[2]int{min(a, b), max(a, b)}]++
	}
	return out
}

// tuples returns the tuples (i, j) of degrees i ≤ j up to n − 1.
func (c toldCase) tuples() (out [][2]int) {
	for j := 1; j < c.n; j++ {
		for i := 1; i <= j; i++ {
			out = append(out, [2]int{i, j})
		}
	}
	return out
}

// fields returns the fields of a witness that describe the case, followed by more fields.
func (c toldCase) fields(more ...any) []check.Field {
	e := c.ends()
	return append(check.Named("nodes", c.n, "edges", check.Pairs(c.edgesOf(false)), "neighbor", fmt.Sprintf("the same with (%d, %d)", e[0], e[1])), check.Named(more...)...)
}

// toldCases yields all graphs on 2 to n nodes, with each pair without an edge.
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

// told quantifies a statement over all toldCase on at most 5 nodes.
func told(holds func(c toldCase) bool) check.Statement[toldCase] {
	return check.Statement[toldCase]{
		Family: "all graphs on N ≤ 5 nodes and each pair that is no edge", Each: toldCases(5), Draw: drawTold,
		Holds: holds,
	}
}

// seriesMoves states that adding the pair changes the series by at most times·d_max + 1 in total.
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

// ownScale states that the losses of all tuples add up to at most ε, if a tuple with the larger degree j has noise of
// scale (4·(j − 1 + shift) + 1)/ε.
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

// scaleCase is a toldCase, a budget in halves, and whether only the tuples that occur get noise.
type scaleCase struct {
	toldCase
	eps   int
	occur bool
}

func (c scaleCase) budget() *big.Rat { return check.Ratio(c.eps, 2) }

// loss encloses the largest privacy loss of the noisy series in either direction. It is the sum over the tuples of the
// maximum of ln p(k)/q(k) over the released numbers k.
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

// measuredScale states that the published noise spends at most the budget. If only the tuples that occur get noise, the
// same tuples must occur with and without the pair.
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
