package xor

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/xor"
)

// table2CSV has the released graphs of Table 2, ε in tenths.
//
//go:embed table2.csv
var table2CSV string

// releasedGraph is a released graph of Table 2 as printed.
type releasedGraph struct {
	network
	mechanism     string
	eps, edges    int
	diameter      string // one digit, or "" for a printed N/A
	density, path check.Printed
}

var table2 = sync.OnceValue(func() (out []releasedGraph) {
	whole := func(text string) int { return check.Must(strconv.Atoi(text)) }
	for _, f := range check.Must(csv.NewReader(strings.NewReader(table2CSV)).ReadAll())[1:] {
		g := map[string]network{facebook.name: facebook, email.name: email}[f[0]]
		out = append(out, releasedGraph{g, f[1], whole(f[2]), whole(f[3]), f[4], check.Printed(f[5]), check.Printed(f[6])})
	}
	return out
})

// printedChecks returns the checks of the statements about printed numbers, and about how error rates and edges change.
func printedChecks() check.Checks {
	return check.Checks{
		"xor.section7.sensitivity": recordSensitivity(func(p int) int { return p }).Check,
		"xor.table2.densification": denser().Check,
		"xor.table2.speed": check.Loose(faster(increase).Check,
			func(context.Context) []check.Item { return growthItems() }),
		"xor.table2.lnln": check.InTurn(doubleLog(facebook.nodes).Check, shorterPath().Check),
		"xor.densification": check.WithCorrection(check.Surveyed(inOrder(false, lessBudget)),
			inOrder(true, lessBudget).Check),
		"xor.figure2.falls": check.WithCorrection(check.Surveyed(inOrder(false, moreBudget)),
			check.Loose(inOrder(true, moreBudget).Check, complementRates)),
		"xor.figure2.share": check.WithCorrection(check.Surveyed(inOrder(false, moreShare)),
			inOrder(true, moreShare).Check),
	}
}

// recordSensitivity checks s_f by Definition 3 for records of P bits, one of which is replaced. The largest number of
// bits in which two rows differ is P, and the queries' 16 and 30 are their P.
func recordSensitivity(printed func(p int) int) check.Statement[int] {
	return check.Statement[int]{
		Family: "P = 1 … 8, all pairs of rows", Size: 8,
		Each: check.Grid(func(p *int) []check.Axis { return []check.Axis{check.Span(p, 1, 8)} }),
		Holds: func(p int) bool {
			most := 0
			for row := range uint(1) << p {
				for other := range uint(1) << p {
					most = max(most, bits.OnesCount(row^other))
				}
			}
			return most == printed(p)
		},
	}
}

// steps returns the pairs of adjacent cells of Table 2 with the same graph and mechanism, the larger ε first. PBCN is
// left out, because its paths are infinite.
func steps() (out [][2]releasedGraph) {
	all := table2()
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; a.network == b.network && a.mechanism == b.mechanism && a.path != "" {
			out = append(out, [2]releasedGraph{a, b})
		}
	}
	return out
}

// denser checks that, as ε decreases, the printed numbers of edges increase, paths become shorter, and diameters do not
// increase.
func denser() check.Statement[[2]releasedGraph] {
	return check.Listed("the steps of Table 2 from ε = 1 to .6 and .2 of XOR, Pygmalion and LDPGen",
		func(c [2]releasedGraph) bool {
			return c[0].edges < c[1].edges && c[0].path.Rat().Cmp(c[1].path.Rat()) > 0 && c[0].diameter >= c[1].diameter
		}, func(c [2]releasedGraph) *check.Witness {
			return &check.Witness{Fields: check.Named("graph", c[0].name, "mechanism", c[0].mechanism)}
		}, steps()...)
}

// speedCase holds the numbers of edges of a mechanism and of XOR at ε = 1 and .2.
type speedCase struct {
	graph, mechanism string
	own, xor         [2]int
}

func speeds() (out []speedCase) {
	ends := make(map[string]*[2]int)
	for _, g := range table2() {
		if ends[g.name+g.mechanism] == nil {
			ends[g.name+g.mechanism] = new([2]int)
		}
		switch e := ends[g.name+g.mechanism]; g.eps {
		case 10:
			e[0] = g.edges
		case 2:
			e[1] = g.edges
		}
	}
	for _, g := range []string{facebook.name, email.name} {
		for _, m := range []string{"Pygmalion", "LDPGen"} {
			out = append(out, speedCase{g, m, *ends[g+m], *ends[g+"XOR"]})
		}
	}
	return out
}

// increase and growth are two interpretations of the speed at which edges are added.
func increase(e [2]int) *big.Rat { return big.NewRat(int64(e[1]-e[0]), 1) }
func growth(e [2]int) *big.Rat   { return check.Ratio(e[1], e[0]) }

// faster checks that Pygmalion and LDPGen add edges faster than XOR from ε = 1 to .2.
func faster(speed func(e [2]int) *big.Rat) check.Statement[speedCase] {
	return check.Listed("Pygmalion and LDPGen on both graphs",
		func(c speedCase) bool { return speed(c.own).Cmp(speed(c.xor)) > 0 }, func(c speedCase) *check.Witness {
			return &check.Witness{Fields: check.Named("graph", c.graph, "mechanism", c.mechanism)}
		}, speeds()...)
}

func growthItems() (out []check.Item) {
	for _, c := range speeds() {
		out = append(out, check.Item{
			Label: fmt.Sprintf("edges at ε = .2 over edges at ε = 1, %s on %s, against XOR's %s", c.mechanism, c.graph,
				growth(c.xor).FloatString(3)),
			Number: evidence.Exact{Value: growth(c.own), Provenance: evidence.From("Table 2")},
		})
	}
	return out
}

// doubleLog checks that ln ln N rounds to the printed 2.12.
func doubleLog(nodes int) check.Statement[check.Printed] {
	return check.Listed("ln ln N at N = 4039", func(printed check.Printed) bool {
		lo, hi := interval.Int(int64(nodes)).Log().Log().Bounds()
		low, high := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
		return printed.Rounds(low) && printed.Rounds(high)
	}, func(p check.Printed) *check.Witness { return &check.Witness{Fields: check.Named("printed", p)} }, "2.12")
}

// shorterPath checks that the printed paths of Pygmalion and LDPGen at ε = .2 on Facebook are below 2.12.
func shorterPath() check.Statement[releasedGraph] {
	var list []releasedGraph
	for _, g := range table2() {
		if g.network == facebook && g.eps == 2 && (g.mechanism == "Pygmalion" || g.mechanism == "LDPGen") {
			list = append(list, g)
		}
	}
	return check.Listed("Pygmalion and LDPGen on Facebook at ε = .2",
		func(g releasedGraph) bool { return g.path.Rat().Cmp(check.Printed("2.12").Rat()) < 0 }, nil, list...)
}

// inputCase is an input of Algorithm 1, with α in hundredths and ε in tenths.
type inputCase struct {
	name           string
	n, p, s        int
	eps, hundredth int
}

func (c inputCase) rate(ctx context.Context, complement bool) evidence.Certified {
	law := check.Must(xor.Allocate(xor.Budget{N: c.n, P: c.p, Epsilon: check.BudgetOf(float64(c.eps) / 10),
		Alpha: float64(c.hundredth) / 100, Sensitivity: float64(c.s)}))
	return check.Must(law.Columns().FlipRate(ctx, xor.Variant(complement)))
}

func (c inputCase) script() check.Code {
	return check.Code(fmt.Sprintf("xor_allocation(%d, %d, %g, %g, %d)", c.n, c.p, float64(c.eps)/10,
		float64(c.hundredth)/100, c.s))
}

// orderCase states that the first input flips fewer bits than the second.
type orderCase struct{ fewer, more inputCase }

// flipOrders is a family of orderCase.
type flipOrders struct {
	family string
	size   int
	axes   func(c *orderCase, at *inputCase) []check.Axis
}

var (
	voting = inputCase{name: "Voting", n: 240, p: 16, s: 16}
	cancer = inputCase{name: "Cancer", n: 426, p: 30, s: 30}

	// moreShare states that α = 1 flips fewer bits than α = .75 at one ε.
	moreShare = flipOrders{"Voting and Cancer, ε in .1, .3, .5, 1, α = 1 against .75", 2 * 4,
		func(c *orderCase, at *inputCase) []check.Axis {
			return []check.Axis{check.Over(at, voting, cancer), check.Over(&at.eps, 1, 3, 5, 10), check.Let(func() {
				c.fewer, c.more = *at, *at
				c.fewer.hundredth, c.more.hundredth = 100, 75
			})}
		}}
	// moreBudget states that a larger budget flips fewer bits.
	moreBudget = flipOrders{"Voting and Cancer, α = 1 and .75, ε from .1 to .2 … and .9 to 1", 2 * 2 * 9,
		func(c *orderCase, at *inputCase) []check.Axis {
			return []check.Axis{check.Over(at, voting, cancer), check.Over(&at.hundredth, 100, 75), check.Span(&at.eps, 1, 9),
				check.Let(func() {
					c.fewer, c.more = *at, *at
					c.fewer.eps++
				})}
		}}
	// lessBudget states that a smaller budget flips more bits of an adjacency matrix, so that more edges are released.
	lessBudget = flipOrders{"the Facebook and the e-mail graph, α = .55, .7 and .9, ε from 1 to .6 and to .2", 2 * 3 * 2,
		func(c *orderCase, at *inputCase) []check.Axis {
			graph := func(g network) inputCase { return inputCase{name: g.name, n: g.nodes, p: g.nodes, s: 2} }
			return []check.Axis{check.Over(at, graph(facebook), graph(email)), check.Over(&at.hundredth, 70, 55, 90),
				check.Over(&at.eps, 6, 2), check.Let(func() {
					c.fewer, c.more = *at, *at
					c.fewer.eps += 4
				})}
		}}
)

// inOrder checks that the first flip rate is the smaller one, for the complement of the noise if complement is set,
// otherwise for the noise.
func inOrder(complement bool, of flipOrders) check.Statement[orderCase] {
	ctx := context.Background()
	return check.Statement[orderCase]{
		Family: of.family, Size: of.size,
		Each: check.Grid(func(c *orderCase) []check.Axis { return of.axes(c, new(inputCase)) }),
		Holds: func(c orderCase) bool {
			fewer, more := c.fewer.rate(ctx, complement), c.more.rate(ctx, complement)
			if fewer.Hi >= more.Lo && more.Hi >= fewer.Lo {
				check.Refuse("the enclosures of the flip rates %v and %v overlap, want disjoint ones", fewer, more)
			}
			return fewer.Hi < more.Lo
		},
		Witness: func(c orderCase) *check.Witness {
			return check.NewWitness(check.Named("query", c.fewer.name, "N", c.fewer.n, "P", c.fewer.p, "s_f", c.fewer.s, "eps",
				fmt.Sprintf("%g and %g", float64(c.fewer.eps)/10, float64(c.more.eps)/10), "alpha", fmt.Sprintf("%g and %g",
					float64(c.fewer.hundredth)/100, float64(c.more.hundredth)/100)),
				check.Vars{"a": c.fewer.script(), "b": c.more.script(), "complement": complement},
				"a, b = {a}.error_rate(complement={complement}), {b}.error_rate(complement={complement}); print(a, b, a.lo < b.hi)")
		},
	}
}

// complementRates returns the flip rates of the complement at α = 1, up to ε = 50.
func complementRates(ctx context.Context) (out []check.Item) {
	for _, c := range []inputCase{voting, cancer} {
		c.hundredth = 100
		for _, eps := range []int{1, 5, 10, 100, 500} {
			c.eps = eps
			out = append(out, check.Item{Label: fmt.Sprintf("flip rate of the complement at α = 1 on %s, ε = %g", c.name,
				float64(eps)/10), Number: c.rate(ctx, true)})
		}
	}
	return out
}
