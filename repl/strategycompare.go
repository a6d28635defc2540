package repl

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/script"
	"dpworkbench/workload"

	"go.starlark.net/starlark"
)

// strategyComparison is a table of strategies for one workload, objective and participation.
type strategyComparison struct {
	of    []*strategyOf
	names []string
	best  workload.Optimum
	eps   []evidence.Epsilon // the ε at which errors are computed; nil for none
	delta evidence.Delta
}

const strategiesSetup = workloadSetup + "c = compare([strategy(w, how) for how in [\"square_root\", " +
	"\"tree\", \"optimal\"]], eps=[1], delta=1e-6)\n"

// compareStrategies returns the comparison if the first argument of compare is a strategy.
func compareStrategies(c *script.Call, values []starlark.Value) (*strategyComparison, bool) {
	out := &strategyComparison{delta: c.Delta("delta")}
	for i, v := range values {
		s, ok := script.Unwrap(v, strategyClass)
		if !ok {
			if i == 0 {
				return nil, false
			}
			c.Fail(fmt.Sprintf("mechanisms[%d]", i), v, "a strategy, as mechanisms[0] is")
		}
		if first := append(out.of, s)[0]; !workload.Equal(s.Workload, first.Workload) || s.Params.Objective != first.Params.Objective || s.Params.Participation != first.Params.Participation {
			c.Stop("mechanisms[%d] is for %s, want the workload, objective and participation of mechanisms[0]: %s", i, s.question(), first.question())
		}
		out.of, out.names = append(out.of, s), append(out.names, s.title())
	}
	for _, name := range []string{"at", "signal", "sensitivity", "neighbors"} {
		if c.Spelled(name) {
			c.Fail(name, c.Value(name), "it only with mechanisms: strategies are compared by their errors at eps and delta")
		}
	}
	if c.Given("eps") {
		if out.eps = c.Epsilons("eps"); !c.Given("delta") {
			c.Stop("delta is missing: the error of Gaussian noise depends on eps and delta")
		}
	}
	first := out.of[0]
	out.best = must(bestOf(c, first.of, first.Params.Objective, first.Params.Participation, 0))
	return out, true
}

// question describes what a strategy answers.
func (s *strategyOf) question() string {
	return fmt.Sprintf("%s, %s error, participation %s", s.Workload.Name(), s.Params.Objective, s.Params.Participation)
}

// title returns the name of a strategy with its parameter.
func (s *strategyOf) title() string {
	for _, p := range []struct {
		name  string
		value int
	}{{"bands", s.Params.Bands}, {"degree", s.Params.Degree}, {"arity", s.Params.Arity}} {
		if p.value > 0 {
			return fmt.Sprintf("%s, %s %d", s.Name, p.name, p.value)
		}
	}
	return s.Name
}

// cellsOf returns the header and the rows of the table. The last row is the optimum.
func (r *strategyComparison) cellsOf() (header []string, rows [][]any) {
	first := r.of[0]
	header = []string{"strategy", "sensitivity", first.Params.Objective.String() + " error", "% over optimum",
		"memory", "multiplications"}
	for _, e := range r.eps {
		header = append(header, fmt.Sprintf("error at ε = %v, δ = %v", e, r.delta))
	}
	for i, s := range r.of {
		row := []any{r.names[i], s.Sensitivity, s.Error(), s.OverOptimum(r.best), streamed(s.Memory), streamed(s.Steps)}
		for _, e := range r.eps {
			row = append(row, must(workload.ErrorAt(s.Error(), e, r.delta)))
		}
		rows = append(rows, row)
	}
	row := []any{"least of any", nil, r.best.Error, nil, nil, nil}
	for _, e := range r.eps {
		row = append(row, must(workload.ErrorAt(r.best.Error, e, r.delta)))
	}
	return header, append(rows, row)
}

// draw plots the errors over the optimum at smaller numbers of steps.
func (r *strategyComparison) draw(c *script.Call) (any, error) {
	first := r.of[0]
	w, ok := first.Workload.(*workload.Toeplitz)
	if !ok {
		return nil, fmt.Errorf("%s has no variants with fewer steps: a plot over n needs prefix_sums or toeplitz", first.Workload.Name())
	}
	n, sizes := len(w.Coefficients()), c.Ints("n")
	if !c.Given("n") {
		for k := 1; k < min(n, 256); k *= 2 {
			if first.Params.Participation.Check(k) == nil {
				sizes = append(sizes, k)
			}
		}
		sizes = append(sizes, min(n, 256))
	}
	slices.Sort(sizes)
	series := lists.Each(r.names, func(name string) display.Series { return display.Series{Name: name} })
	for _, k := range sizes {
		if k < 1 || k > n {
			c.Fail("n", c.Value("n"), fmt.Sprintf("numbers of steps from 1 to %d", n))
		}
		part := must(workload.NewToeplitz(fmt.Sprintf("%s to step %d", w.Name(), k), w.Coefficients()[:k]))
		best := must(workload.LeastError(c.Context, part, first.Params.Objective, first.Params.Participation, workload.Options{}))
		for i, s := range r.of {
			over := must(s.Shortened(c.Context, part)).OverOptimum(best)
			series[i].Y = append(series[i].Y, 1+over.Float()/100)
		}
	}
	x := lists.Each(sizes, func(k int) float64 { return float64(k) })
	data := map[string]any{"n": x}
	for _, s := range series {
		data[s.Name] = s.Y
	}
	return drawn(c, data)(display.NewLinePlot(display.LineSpec{
		Title: "Error over the certified optimum", XLabel: "steps n", YLabel: first.Params.Objective.String() +
			" error / least of any strategy", X: x, Series: series, LogX: math.Log(x[len(x)-1]/x[0]) > 2,
	}))
}

var strategyComparisonClass = &script.Class[*strategyComparison]{
	Name: "strategy comparison", Help: "Strategies for one workload, compared with the optimum.", Setup: strategiesSetup,
	Show: func(r *strategyComparison) string {
		return fmt.Sprintf("<comparison of %d strategies for %s: see .table()>", len(r.of), r.of[0].question())
	},
	Attrs: []script.Attr[*strategyComparison]{
		script.Do("table() -> table", "A row for each strategy: its sensitivity under the participation pattern; its error at unit "+
			"sensitivity, and by how many per cent this exceeds the least error of any strategy; how many numbers "+
			"a stream stores, and how many it multiplies at its last step; and the error at each ε and δ given to "+
			"compare, by the analytic Gaussian mechanism. The last row is the optimum.", "()",
			func(c *script.Call, r *strategyComparison) (any, error) {
				header, rows := r.cellsOf()
				return newTable(c, "", header, rows, 6)
			}),
		script.Get("rows -> list", "The rows of the table as dicts from column names to values; numbers have their evidence.", strategiesSetup+"print(c.rows[0][\"% over optimum\"])", func(r *strategyComparison) any {
			header, rows := r.cellsOf()
			return script.Each(rows, func(row []any) any { return rowOf(header, row) })
		}),
		script.Do("plot(n: ints=None) -> line_plot",
			"The ratios of the strategies' errors to the least error of any strategy, plotted over the number "+
				"of steps of a stream. n lists the numbers of steps: by default the powers of two below 256, and "+
				"the length of the workload or 256. Each strategy is built again for each number.",
			"print(compare([strategy(prefix_sums(8), \"square_root\"), "+
				"strategy(prefix_sums(8), \"tree\")]).plot())",
			func(c *script.Call, r *strategyComparison) (any, error) { return r.draw(c) }),
	},
}
