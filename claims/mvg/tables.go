package mvg

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// tablesCSV has recomputed numbers of the paper's evaluation: the means of at least 100 draws with 95 % t intervals,
// and their differences from the best MVG row's, draw by draw, with 99 % t intervals. The data sets are not part of
// the workbench, so a check reads these numbers. They come from
//
//	workbench run notebooks/mvg_tables.star --set csv=claims/mvg/tables.csv
//
//go:embed tables.csv
var tablesCSV string

// tableRow is one row of one table.
type tableRow struct {
	table, comparison, measure, method string
	parameter                          string
	mean                               evidence.Number    // mean of the method's draws, or its closed form
	gap                                evidence.Estimated // the mean of the method's draws minus MVG's
	held                               bool               // whether the row has a gap
}

var tableRows = sync.OnceValues(func() ([]tableRow, error) { return readTables(tablesCSV) })

const (
	tableSource   = "notebooks/mvg_tables.star, Student's t interval, exact for normal draws"
	confidence    = 0.95
	gapConfidence = 0.99
	closedForm    = "closed form" // in the column of parameters, if the mean is known in closed form
)

func readTables(text string) ([]tableRow, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []tableRow
	for _, f := range lines[1:] {
		at := func(k int) float64 {
			v, e := strconv.ParseFloat(f[k], 64)
			if e != nil {
				err = fmt.Errorf("tables.csv, row %s, %s: %w", f[0], f[3], e)
			}
			return v
		}
		r := tableRow{table: f[0], comparison: f[1], measure: f[2], method: f[3], parameter: f[4]}
		count := int(at(8))
		number := func(k int, level float64) evidence.Estimated {
			return evidence.Estimated{Value: at(k), Lo: at(k + 1), Hi: at(k + 2), Confidence: level, Draws: count, Provenance: evidence.From(tableSource)}
		}
		if r.mean = number(5, confidence); r.parameter == closedForm { // the table has nine digits
			v := at(5)
			r.mean = evidence.Certified{Lo: v * (1 - 1e-8), Hi: v * (1 + 1e-8), Provenance: evidence.From("notebooks/mvg_tables.star").By(closedForm)}
		}
		if f[10] != "" {
			r.gap, r.held = number(10, gapConfidence), true
		}
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// decided returns the sign of a difference if its interval excludes 0, otherwise 0.
func decided(gap evidence.Estimated) int {
	switch {
	case gap.Lo > 0:
		return 1
	case gap.Hi < 0:
		return -1
	}
	return 0
}

// remarkOf returns the remark on a ranking: "reproduced" if every interval is above 0, "reversed" if one is below 0,
// otherwise "not reproducible".
func remarkOf(gaps []evidence.Estimated) string {
	remark := "reproduced"
	for _, g := range gaps {
		switch decided(g) {
		case -1:
			return "reversed"
		case 0:
			remark = "not reproducible"
		}
	}
	return remark
}

// ranking checks by the committed draws that one method of a table, MVG or the direction (a), has less loss than the
// other counted methods. An estimate confirms nothing, and there are no data for a witness. So the verdict is
// undecided, and the remark says what the intervals show.
//
//go:noinline
func ranking(table, comparison string, counts func(method string) bool) check.Checker {
	return func(context.Context, check.Run) (check.Outcome, error) {
		rows := check.Must(tableRows())
		first := make(map[string]tableRow) // the first row of each measure
		for _, r := range rows {
			if r.table == table && r.comparison == comparison && r.parameter != closedForm && !r.held {
				first[r.measure] = r
			}
		}
		var items []check.Item
		var gaps []evidence.Estimated
		for _, r := range rows {
			if r.table != table || r.comparison != comparison || !r.held || !counts(r.method) {
				continue
			}
			ours, name := first[r.measure], r.measure+", "+r.named()
			if ours.figure() {
				name = "ε = " + r.measure + ", " + r.method
			} else {
				items = append(items,
					check.Item{Label: name + ": its mean", Number: r.mean},
					check.Item{Label: name + ": the mean of " + ours.named(), Number: ours.mean})
			}
			items = append(items, check.Item{Label: name + ": by how much it is higher, draw by draw", Number: r.gap})
			gaps = append(gaps, r.gap)
		}
		return check.Outcome{Verdict: evidence.Undecided, Remark: remarkOf(gaps), Instances: len(gaps), Scope: fmt.Sprintf("%d comparisons", len(gaps)), Evidence: items}, nil
	}
}

// figure reports whether the row is a point of Figure 4.
func (r tableRow) figure() bool { return strings.HasPrefix(r.table, "Figure") }

// shown returns the means of MVG and of the baselines, for the parameters that the paper states.
func shown(table string) (out []check.Item) {
	for _, r := range check.Must(tableRows()) {
		if baseline := r.parameter == closedForm && !r.held; r.table == table && r.comparison == asStated && (baseline || !rival(r.method)) {
			out = append(out, check.Item{Label: r.measure + ", " + r.named(), Number: r.mean})
		}
	}
	return out
}

// named returns the method's name with its parameter.
func (r tableRow) named() string {
	if r.parameter == "" || r.parameter == closedForm {
		return r.method
	}
	return r.method + " (" + r.parameter + ")"
}

// rival reports whether a method is compared with MVG, that is, whether it is not an MVG design.
func rival(method string) bool { return !strings.HasPrefix(method, "MVG") }

func others(string) bool { return true }
