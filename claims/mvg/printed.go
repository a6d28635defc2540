package mvg

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// printedCSV has the cells of Tables 3 to 5: a mean and half of its 95 % interval, in units of 10⁻² for Tables 3 and
// 5 and of 10⁻¹ for Table 4. The last two rows of Table 3 are from Section 10.2.
//
//go:embed printed.csv
var printedCSV string

// proseCSV has the comparisons that the text makes of these cells. The smaller error is first, and the printed difference
// is last if the text prints one.
//
//go:embed prose.csv
var proseCSV string

// cell is a printed mean with the half-width of its interval.
type cell struct{ mean, half check.Printed }

func (c cell) average() *big.Rat { return c.mean.Rat() }

// comparison is a sentence of the paper: one error is smaller than another, by a printed difference.
type comparison struct {
	table, better, worse, place string
	by                          check.Printed // "" for none
	low, high                   cell
}

// dataRows returns the rows of a CSV table without its heading.
func dataRows(text string) [][]string {
	return check.Must(csv.NewReader(strings.NewReader(text)).ReadAll())[1:]
}

var printedComparisons = sync.OnceValue(func() (out []comparison) {
	cells := make(map[string]cell)
	for _, f := range dataRows(printedCSV) {
		cells[f[0]+f[1]] = cell{check.Printed(f[2]), check.Printed(f[3])}
	}
	for _, f := range dataRows(proseCSV) {
		out = append(out, comparison{f[0], f[1], f[2], f[4], check.Printed(f[3]), cells[f[0]+f[1]], cells[f[0]+f[2]]})
	}
	return out
})

// gap returns the value of the worse cell minus that of the better one.
func (c comparison) gap(of func(cell) *big.Rat) *big.Rat {
	return new(big.Rat).Sub(of(c.high), of(c.low))
}

// comparisonsOf returns the printed comparisons that satisfy a condition.
func comparisonsOf(meets func(comparison) bool) []comparison {
	return slices.DeleteFunc(slices.Clone(printedComparisons()), func(c comparison) bool { return !meets(c) })
}

// printedChecks returns the checks of the statements about printed numbers, labels and costs.
func printedChecks() check.Checks {
	of := func(table string) func(comparison) bool {
		return func(c comparison) bool { return c.table == table && c.place != "Section 10.2" }
	}
	return check.Checks{
		"mvg.table3.prose":     proseAgrees("Table 3", of("3"), -2, cell.average).Check,
		"mvg.table4.prose":     proseAgrees("Table 4", of("4"), -1, cell.average).Check,
		"mvg.table5.prose":     proseAgrees("Table 5", of("5"), -2, cell.average).Check,
		"mvg.tables.intervals": check.Surveyed(intervalsDecide(big.NewRat(1, 1))),
		"mvg.gains":            check.Loose(printedGains(1).Check, gainItems),
		"mvg.figure4.labels":   check.WithCorrection(panelLabels("text").Check, panelLabels("corrected").Check),
		"mvg.section6.cost": check.WithCorrection(firstCost(func(m, n int64) int64 { return samplingCost(m, n) },
			1).Check, firstCost(func(m, n int64) int64 { return m*m*m + samplingCost(m, n) }, 1).Check),
		"mvg.section6.cost2":      secondCost(3).Check,
		"mvg.conference.tables":   bestIsMVG("non-private").Check,
		"mvg.section8.identities": identitySensitivity(func(lo, hi int64) int64 { return (hi - lo) * (hi - lo) }).Check,
	}
}

// proseAgrees checks the sentences about a table against its cells: the value called better is smaller, and the
// difference rounds to the printed one. The cells are in units of 10^exponent.
func proseAgrees(table string, meets func(comparison) bool, exponent int,
	value func(cell) *big.Rat) check.Statement[comparison] {
	unit := check.Power(big.NewRat(10, 1), exponent)
	return check.Listed("the comparisons in prose that "+table+" answers", func(c comparison) bool {
		gap := c.gap(value)
		return gap.Sign() > 0 && (c.by == "" || c.by.Rounds(gap.Mul(gap, unit)))
	}, nil, comparisonsOf(meets)...)
}

// intervalsDecide checks whether the printed intervals decide the comparisons at the 5 % level. The half-widths are h =
// 1.96 s, so z = 1.96·gap/√(h₁² + h₂²) is at least 1.96 if gap² ≥ h₁² + h₂². share scales the right side.
func intervalsDecide(share *big.Rat) check.Statement[comparison] {
	squares := func(c comparison) (gap, noise *big.Rat) {
		noise = check.Power(c.low.half.Rat(), 2)
		return check.Power(c.gap(cell.average), 2), noise.Add(noise, check.Power(c.high.half.Rat(), 2)).Mul(noise, share)
	}
	list := comparisonsOf(func(c comparison) bool { return c.low.half != "" && c.high.half != "" })
	slices.SortStableFunc(list, func(a, b comparison) int { // the smallest z first
		g, n := squares(a)
		h, o := squares(b)
		return g.Mul(g, o).Cmp(h.Mul(h, n))
	})
	return check.Listed("the comparisons in prose of two printed means with intervals, the closest first",
		func(c comparison) bool {
			gap, noise := squares(c)
			return gap.Cmp(noise) >= 0
		}, func(c comparison) *check.Witness {
			return check.NewWitness(check.Named("table", c.table, c.better, c.low.mean+" ± "+c.low.half, c.worse,
				c.high.mean+" ± "+c.high.half),
				check.Vars{"d": c.gap(cell.average), "a": check.Code(c.low.half), "b": check.Code(c.high.half)},
				"z = 1.96 * ({d}) / math.sqrt({a} * {a} + {b} * {b}); print(z, 1.96, z >= 1.96)")
		}, list...)
}

// gainCase is a comparison of a mechanism's printed mean with one of MVG's. The text prints a percentage for their
// quotient.
type gainCase struct {
	comparison
	atLeast bool // "over 150 %"; otherwise "up to ~150 %"
}

// gains returns the comparisons with a printed percentage: those with Laplace in Table 3, and those with the two
// regressions from two features. Each is made with both MVG rows.
func gains() (out []gainCase) {
	mvgs := comparisonsOf(func(c comparison) bool { return c.table == "3" && c.better == "non-private" })
	for _, c := range comparisonsOf(func(c comparison) bool {
		return c.table == "3" && c.better == "MVG binary" && (c.worse == "Laplace" || c.place == "Section 10.2")
	}) {
		for _, m := range mvgs {
			c.better, c.low = m.worse, m.high
			out = append(out, gainCase{c, c.place == "Section 10.2"})
		}
	}
	return out
}

func (c gainCase) ratio() *big.Rat { return new(big.Rat).Quo(c.high.mean.Rat(), c.low.mean.Rat()) }

// printedGains checks the percentages as quotients of errors: the largest of Table 3 rounds to 1.5, and those of
// Section 10.2 are above 1.5. With base 1 the quotient itself is compared, with base 2 the quotient minus 1.
func printedGains(base int64) check.Statement[gainCase] {
	return check.Listed("Laplace in Table 3 and both mechanisms of Section 10.2, against both MVG rows",
		func(c gainCase) bool {
			gain := new(big.Rat).Sub(c.ratio(), big.NewRat(base-1, 1))
			if c.atLeast {
				return gain.Cmp(check.Printed("1.5").Rat()) > 0
			}
			return check.Printed("1.5").Rounds(gain)
		}, nil, gains()...)
}

func gainItems(context.Context) (out []check.Item) {
	for _, c := range gains() {
		out = append(out, check.Item{Label: fmt.Sprintf("error of %s over that of %s", c.worse, c.better),
			Number: evidence.Exact{Value: c.ratio(), Provenance: evidence.From("Table 3, " + c.place)}})
	}
	return out
}

// panel is a panel of Figure 4. The maps give the directions by letter, in the caption, in Section 10.1 and as
// corrected.
type panel struct {
	name                     string
	caption, text, corrected map[string]string
}

// panelLabels checks that each direction has the same letter as in the caption. which is "text" for the
// letters of Section 10.1, and "corrected" for the corrected ones.
func panelLabels(which string) check.Statement[panel] {
	liver := map[string]string{"a": "ALT Y", "b": "ALT", "c": "Y", "d": "ALT AST Y"}
	movement := map[string]string{"a": "ANC0 ANC3", "b": "ANC0", "c": "ANC3", "d": "ANC1 ANC2"}
	heart := map[string]string{"a": "FHR ASV ALV", "b": "the rest"}
	return check.Listed("the three panels of Figure 4", func(p panel) bool {
		for letter, features := range map[string]map[string]string{"text": p.text, "corrected": p.corrected}[which] {
			if p.caption[letter] != features {
				return false
			}
		}
		return true
	}, func(p panel) *check.Witness {
		return check.NewWitness(check.Named("panel", p.name, "the rest of the features, caption", "(b)",
			"the rest of the features, text", "(d)"),
			check.Vars{"a": "b", "b": "d"}, "caption, text = {a}, {b}; print(caption, text, caption == text)")
	},
		panel{"left", liver, liver, liver}, panel{"middle", movement, movement, movement},
		panel{"right", heart, map[string]string{"a": "FHR ASV ALV", "d": "the rest"}, heart})
}

// samplingCost returns the paper's count of operations for one draw: min{max{m³, n³}, (mn)²}.
func samplingCost(m, n int64) int64 { return min(max(m*m*m, n*n*n), m*m*n*n) }

// costCase is a constant C for which the bound must hold for all m and n.
type costCase struct{ factor, most int64 }

// firstCost checks that steps 5 and 6 of Algorithm 1 cost at most C times a bound for every m and n. By the paper's
// own count they cost m³ and samplingCost. The check fails for each C if the bound has a smaller order.
func firstCost(bound func(m, n int64) int64, steps int64) check.Statement[costCase] {
	worst := func(c costCase) (int64, int64, bool) {
		for m := int64(1); m <= c.most; m++ {
			for n := int64(1); n <= c.most; n++ {
				if steps*(m*m*m+samplingCost(m, n)) > c.factor*bound(m, n) {
					return m, n, true
				}
			}
		}
		return 0, 0, false
	}
	return check.Statement[costCase]{
		Family: "C = 1 … 60, m and n up to 64", Size: 60,
		Each: check.Grid(func(c *costCase) []check.Axis {
			c.most = 64
			return []check.Axis{check.Span(&c.factor, 1, 60), check.Let(func() { c.factor = 61 - c.factor })}
		}),
		Holds: func(c costCase) bool { _, _, beyond := worst(c); return !beyond },
		Witness: func(c costCase) *check.Witness {
			m, n, _ := worst(c)
			return check.NewWitness(check.Named("C", c.factor, "m", m, "n", n), check.Vars{"c": c.factor, "m": m, "n": n},
				"m, n, c = {m}, {n}, {c}; s = min(max(m * m * m, n * n * n), m * m * n * n)",
				"print(m * m * m + s, c * s, m * m * m + s <= c * s)")
		},
	}
}

// secondCost checks that steps 5 and 6 of Algorithm 2, m³ each by the paper's own count, cost at most twice m^power.
func secondCost(power int) check.Statement[int64] {
	return check.Statement[int64]{
		Family: "m = 1 … 64", Size: 64,
		Each:  check.Grid(func(m *int64) []check.Axis { return []check.Axis{check.Span(m, 1, 64)} }),
		Holds: func(m int64) bool { return big.NewRat(m*m*m, 1).Cmp(check.Power(big.NewRat(m, 1), power)) <= 0 },
	}
}

// bestIsMVG checks that in each experiment some MVG row has a lower printed error than every row of the other
// mechanisms. It ignores the method aside.
func bestIsMVG(aside string) check.Statement[string] {
	return check.Listed("Tables 3, 4 and 5", func(table string) bool {
		var ours, others *big.Rat
		for _, f := range dataRows(printedCSV) {
			v := check.Printed(f[2]).Rat()
			switch {
			case f[0] != table || f[1] == aside:
			case strings.HasPrefix(f[1], "MVG"):
				if ours == nil || v.Cmp(ours) < 0 {
					ours = v
				}
			case others == nil || v.Cmp(others) < 0:
				others = v
			}
		}
		return ours.Cmp(others) < 0
	}, nil, "3", "4", "5")
}

// identityCase is a query f(X) = X: the number of features, the range of each entry, and the printed s₂².
type identityCase struct{ features, lo, hi, square int64 }

// identitySensitivity checks s₂ of Experiments I and III. One record changes each of its features by at most the
// width of its range, which the check finds over the integers in the range. Squares of the changes add.
func identitySensitivity(rule func(lo, hi int64) int64) check.Statement[identityCase] {
	return check.Listed("Experiments I and III", func(c identityCase) bool {
		most := int64(0)
		for x := c.lo; x <= c.hi; x++ {
			for y := c.lo; y <= c.hi; y++ {
				most = max(most, (x-y)*(x-y))
			}
		}
		return c.features*most == c.square && c.features*rule(c.lo, c.hi) == c.square
	}, nil, identityCase{6, -1, 1, 4 * 6}, identityCase{21, 0, 1, 21})
}
