package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/mvg"
	"dpworkbench/script"
	"dpworkbench/study"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// designSearch is a search, in a study, for the design with the least objective.
type designSearch struct {
	space *mvg.Search
	study *search
	delta evidence.Delta

	start, best       *mvg.Design
	startValue, value starlark.Value // as the objective returned them
	optimum           evidence.Certified
	optimumKnown      bool
}

const mvgSearchSetup = "s = mvg_search(box_sensitivity(2, 100, [1, 10]), 1, 1e-5, lambda d: d.element_sd, trials=60, axes=\"given\")\n"

// searchOvernight is a script that searches, as a study, for the most information about a signal of covariance k.
const searchOvernight = `s, k = box_sensitivity(2, 100, [1, 10]), [[900, 0], [0, 90000]]
mvg_search(s, 1, 1e-5, lambda d: -d.log_pnr(k), trials=1000, storage="search.db", workers=2)`

var mvgSearchBuiltin = script.Func(`mvg_search(s: sensitivity, eps: epsilon, delta: delta, objective: function, trials: int[0..2147483647]=200, storage: string=None, weights: numbers=None, directions: dense=None, modal: "uni"|"equi"="uni", axes: "given"|"free"="free", sampler: sampler="cmaes", seed: seed=0, workers: int[1..1024]=1, name: string="mvg_search") -> mvg search`,
	`Searches for the design under exact (eps, delta) with the least objective(d), a function of an mvg design that returns a number. It is for objectives that mvg_optimal does not solve. A study searches the precisions of Σ and, with axes "free", its directions. Each design is scaled to meet the exact (eps, delta). The search starts from water-filling: the most information about a signal with eigenvalues weights in the directions. If weights is None, the signal is far above the noise, so all directions get the same part of the budget. s.gain is the gain over water-filling. The result is proven optimal only if s.optimum is known. modal "uni" has Ψ = I, "equi" Ψ = Σ. trials is the total number of trials in the study: with a storage the same call resumes after an interrupt, with more trials, or in several processes. Ctrl-C leaves the best design so far in _. With one worker the same seed gives the same search. If the objective fails for the starting design, or does not return a finite number, it is an error; for a later design only the trial fails. Source of the water-filling: `+mvg.Paper+`, Theorem 7.`,
	mvgSearchSetup+"print(s.gain, s.value, s.optimum)\nprint(s.design.smallest_epsilon)", searchDesign)

// searchDesign implements mvg_search.
func searchDesign(c *script.Call) (any, error) {
	r, flags := recipe(c), own(c).Study
	r.FreeAxes = c.Text("axes") == "free"
	v := &designSearch{delta: r.Delta}
	v.space = must(mvg.NewSearch(c.Context, sensitivityClass.Arg(c, "s"), r, c.Floats("weights")))
	v.start = v.space.Start()
	v.startValue = must(v.call(c, v.start))
	if again := must(v.call(c, v.start)); v.float(again) != v.float(v.startValue) {
		return nil, fmt.Errorf("objective returned %s and then %s for the same design, want a value that depends only on the design: pass a seed to everything random", script.Brief(v.startValue), script.Brief(again))
	}
	v.study = openStudy(c, false)
	before := must(v.study.Results(c.Context))
	if best, ok := study.BestOf(before, false); ok { // report trials of a different search before adding more
		stop(v.again(c, best))
	}
	run := study.Run{Trials: flags.Trials, Total: cmp.Or(flags.Total, c.Int("trials")), Workers: cmp.Or(flags.Workers, c.Int("workers"))}
	if flags.Trials > 0 && flags.Total == 0 {
		run.Total = 0
	}
	n := &news{search: v.study, session: c.Session, ctx: c.Context, total: int64(max(run.Trials, run.Total)), before: completed(before)}
	if run.Trials+run.Total > 0 {
		h := &workerPool{c: c, objective: c.Function("objective"), argument: func(ctx context.Context, t *study.Trial) (starlark.Value, error) {
			var at []float64
			for _, name := range v.space.Parameters() {
				x, err := t.Float(name, -1, 1, false)
				if err != nil {
					return nil, err
				}
				at = append(at, x)
			}
			d, err := v.space.Design(ctx, at)
			return designClass.Of(c, v.shown(d)), err
		}}
		if err := h.optimize(v.study, run, n, func() {}); err != nil {
			if c.Context.Err() != nil && !errors.As(err, new(*script.Exit)) {
				return nil, v.stopped(c, n)
			}
			return nil, err
		}
	}
	if n.failed > 0 {
		c.Session.Warn(fmt.Sprintf("mvg_search: %d of %d trials failed; %s", n.failed, n.ran, n.reason))
	}
	return v, v.finish(c)
}

// shown returns a design of the search as a script value.
func (v *designSearch) shown(d *mvg.Design) *design {
	return &design{Design: d, delta: &v.delta, condition: "searched"}
}

func (v *designSearch) float(value starlark.Value) float64 {
	f, _ := script.NearestFloat(value)
	return f
}

// call returns the objective of a design, or an error if the objective is not a finite number.
func (v *designSearch) call(c *script.Call, d *mvg.Design) (starlark.Value, error) {
	value, err := c.Callable("objective")(designClass.Of(c, v.shown(d)))
	if err != nil {
		return nil, err
	}
	if f, ok := script.NearestFloat(value); !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("objective(d) = %s, want a finite number; d is %s", script.Brief(value), designClass.Show(v.shown(d)))
	}
	return value, nil
}

// rebuilt returns the design of a trial.
func (v *designSearch) rebuilt(ctx context.Context, r study.Result) (*mvg.Design, error) {
	var at []float64
	for _, name := range v.space.Parameters() {
		t, ok := r.Params[name].(float64)
		if !ok {
			return nil, v.another(r)
		}
		at = append(at, t)
	}
	return v.space.Design(ctx, at)
}

// another returns the error for a trial of a different search.
func (v *designSearch) another(r study.Result) error {
	return fmt.Errorf("trial %d of study %q in %s, with value %s, belongs to another search: choose another name for this study", r.Number, v.study.Name(), v.study.Storage().Name(), display.Number(r.Value, 8))
}

// again takes a trial's design as the best one and computes its objective again.
func (v *designSearch) again(c *script.Call, r study.Result) (err error) {
	if v.best, err = v.rebuilt(c.Context, r); err != nil {
		return err
	}
	if v.value, err = v.call(c, v.best); err != nil {
		return err
	}
	if f := v.float(v.value); !(math.Abs(f-r.Value) <= 1e-9*math.Abs(r.Value)) {
		return fmt.Errorf("%w; the objective of its design is %s in this search", v.another(r), display.Number(f, 8))
	}
	return nil
}

// finish sets the best design: that of the best trial, or the start if no trial is better. It also sets the optimum if
// that is known.
func (v *designSearch) finish(c *script.Call) error {
	results, err := v.study.Results(c.Context)
	if err != nil {
		return err
	}
	best, ok := study.BestOf(results, false)
	if ok && best.Value < v.float(v.startValue) {
		if err := v.again(c, best); err != nil {
			return err
		}
	} else {
		v.best, v.value = v.start, v.startValue
	}
	designs, values := []*mvg.Design{v.start}, []float64{v.float(v.startValue)}
	const enough = 30
	for _, r := range results {
		if r.State != "complete" || len(designs) == enough {
			continue
		}
		d, err := v.rebuilt(c.Context, r)
		if err != nil {
			return err
		}
		designs, values = append(designs, d), append(values, r.Value)
	}
	v.optimum, v.optimumKnown, err = v.space.Optimum(c.Context, designs, values)
	return err
}

// stopped returns the error of an interrupted search, which carries its best design so far.
func (v *designSearch) stopped(c *script.Call, n *news) error {
	ctx := context.WithoutCancel(c.Context)
	v.best, v.value = v.start, v.startValue
	if best, err := v.study.Best(ctx); err == nil && best.Value < v.float(v.startValue) {
		if d, err := v.rebuilt(ctx, best); err == nil {
			v.best, v.value = d, starlark.Float(best.Value)
		}
	}
	return &searchStopped{n.ran, mvgSearchClass.Of(c, v), mvgSearchClass.Show(v)}
}

type searchStopped struct {
	ran   int
	value starlark.Value
	text  string
}

func (e *searchStopped) Error() string         { return "stopped " + e.Partial() }
func (e *searchStopped) Value() starlark.Value { return e.value }
func (e *searchStopped) Partial() string {
	return fmt.Sprintf("after %d trials; _ is the best so far, %s", e.ran, e.text)
}

var mvgSearchClass = &script.Class[*designSearch]{
	Name: "mvg search", Help: "The best design found by a numerical search, compared with water-filling.", Setup: mvgSearchSetup,
	Show: func(v *designSearch) string {
		text := fmt.Sprintf("<mvg search: objective %s, at water-filling %s", number6(v.value), number6(v.startValue))
		if v.optimumKnown {
			text += ", at least " + evidence.FormatDown(v.optimum.Lo, 6)
		}
		return text + ">"
	},
	Attrs: []script.Attr[*designSearch]{
		script.Get("design -> mvg design", "The mechanism with the least objective that was found: exactly (eps, delta)-private.", mvgSearchSetup+"print(s.design.smallest_epsilon)", func(v *designSearch) any { return v.shown(v.best) }),
		script.Get("value -> number|evidence", "The objective of design, as the objective returned it. It is not proven to be the least: see optimum.", "", func(v *designSearch) any { return v.value }),
		script.Get("start -> mvg design", "The design of water-filling, from which the search started. If water-filling gives a direction precision 0, every precision is increased by 1 % of that of isotropic noise. For a list of differences without water-filling, such as with Ψ = Σ, it is isotropic.", "", func(v *designSearch) any { return v.shown(v.start) }),
		script.Get("start_value -> number|evidence", "The objective of start, as the objective returned it.", "", func(v *designSearch) any { return v.startValue }),
		script.Do("gain -> number|evidence", "start_value − value: the gain of the search over water-filling, 0 if it found nothing better.", "", func(_ *script.Call, v *designSearch) (any, error) {
			return starlark.Binary(syntax.MINUS, v.startValue, v.value)
		}),
		script.Get("optimum -> evidence?", "The certified optimum, between a design's value and a bound for all designs of this search. It is available if the objective agreed, at 10 designs or more and to a relative 1e-9, with an objective that mvg_optimal solves: element_sd, its square, the expected squared error, −ln PNR or −½ ln PNR of the signal described by weights. None otherwise. Certified for that objective.", "", func(v *designSearch) any { return known(v.optimum, v.optimumKnown) }),
		script.Get("waterfilling -> mvg optimum?", "The certified optimum of information from which the search started, as in mvg_optimal; None if there is none.", mvgSearchSetup+"print(s.waterfilling.precisions)", func(v *designSearch) any {
			o, ok := v.space.Waterfilling()
			return known(&optimalDesign{Optimum: o, delta: v.delta}, ok)
		}),
		script.Get("study -> study", "The study, with its trials and their plot. Its parameters are coordinates in [-1, 1] of the logarithm of Σ⁻¹ relative to water-filling's, where all are 0.", mvgSearchSetup+"print(len(s.study.trials))", func(v *designSearch) any { return v.study }),
	},
}

// number6 formats a number or evidence with six digits.
func number6(v starlark.Value) string {
	f, _ := script.NearestFloat(v)
	return display.Number(f, 6)
}
