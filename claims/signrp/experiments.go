package signrp

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// figuresFile has the output of notebooks/signrp.star (Figures 5, 13 and 16) and notebooks/signrp_features.star (6,
// 15 and 17): a measure of a method at each ε. The notebooks are not rerun here.
//
//go:embed figures.csv
var figuresFile string

// curve is a row of figures.csv with the ε of its columns.
type curve struct {
	figure, data, measure, k, method string
	eps, values                      []float64
}

// curves returns the rows of figures.csv. The file's first line has the ε.
var curves = sync.OnceValue(func() (out []curve) {
	lines := check.Must(csv.NewReader(strings.NewReader(figuresFile)).ReadAll())
	numbers := func(fields []string) (out []float64) {
		for _, field := range fields {
			out = append(out, check.Must(strconv.ParseFloat(field, 64)))
		}
		return out
	}
	for _, f := range lines[1:] {
		out = append(out, curve{f[0], f[1], f[2], f[3], f[4], numbers(lines[0][5:]), numbers(f[5:])})
	}
	return out
})

func (c curve) items() (out []check.Item) {
	source := "notebooks/signrp_features.star"
	if c.measure != "accuracy" {
		source = "notebooks/signrp.star"
	}
	for i, eps := range c.eps {
		out = append(out, check.Item{
			Label:  fmt.Sprintf("%s, %s, k = %s, %s, ε = %g", c.measure, c.data, c.k, c.method, eps),
			Number: evidence.Claimed{Value: c.values[i], Provenance: evidence.From(source)},
		})
	}
	return out
}

// experimentChecks returns the checks of the statements about figures of experiments.
func experimentChecks() check.Checks {
	return check.Checks{
		"signrp.figure5":  stored("5", flat),
		"signrp.figure6":  stored("6", nil),
		"signrp.figure13": stored("13", aboveRaw),
		"signrp.figure15": stored("15", nil),
		"signrp.figure16": stored("16", nil),
		"signrp.figure17": stored("17", nil),
	}
}

// stored reports the curves of a figure, which decide nothing. If shows is given, the remark is "reproduced" if shows
// accepts the curves of some k, and otherwise "not reproducible". One k is enough, because the paper does not give k.
func stored(figure string, shows func([]curve) bool) check.Checker {
	return func(context.Context, check.Run) (check.Outcome, error) {
		out := check.Outcome{Verdict: evidence.Undecided}
		groups := make(map[string][]curve)
		for _, c := range curves() {
			if c.figure == figure {
				out.Instances++
				out.Evidence = append(out.Evidence, c.items()...)
				groups[c.k] = append(groups[c.k], c)
			}
		}
		out.Scope = fmt.Sprintf("%d curves", out.Instances)
		if shows != nil {
			out.Remark = "not reproducible"
			for _, group := range groups {
				if shows(group) {
					out.Remark = "reproduced"
				}
			}
		}
		return out, nil
	}
}

// flat reports whether every curve is at least .9 and varies by at most .05.
func flat(group []curve) bool {
	return !slices.ContainsFunc(group, func(c curve) bool {
		least, most := slices.Min(c.values), slices.Max(c.values)
		return least < 0.9 || most-least > 0.05
	})
}

// aboveRaw reports whether no curve is anywhere below the curve of noise on the raw data.
func aboveRaw(group []curve) bool {
	at := slices.IndexFunc(group, func(c curve) bool { return c.method == "Raw-data-G-OPT" })
	raw := group[at]
	return !slices.ContainsFunc(group, func(c curve) bool {
		return slices.ContainsFunc(check.Counting(len(raw.values)), func(i int) bool {
			return c.values[i] < raw.values[i]
		})
	})
}
