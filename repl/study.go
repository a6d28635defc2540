package repl

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"dpworkbench/display"
	"dpworkbench/script"
	"dpworkbench/study"

	"go.starlark.net/starlark"
)

// overnight returns the end of a search's help: lines that run the same search as a study.
func overnight(lines string) string {
	return "\nFor a long search, run it as a study on SQLite with goptuna's samplers and two workers; running the same lines again resumes it (docs/guide/overnight.md):\n" + lines
}

// runOvernight is the line of script that runs the study of an objective f.
const runOvernight = `
study("search", storage="search.db").optimize(f, total=1000, workers=2)`

// studyBuiltins returns the built-ins for parameter searches.
func studyBuiltins() []script.Builtin {
	return []script.Builtin{script.Func(
		`study(name: string, storage: string=None, sampler: sampler="cmaes", seed: seed=0, direction: "minimize"|"maximize"="minimize") -> study`,
		`A search for good parameters, run by its method optimize. storage is where the trials are stored: the path of a SQLite file, or postgres://user:password@host/database; None keeps them in memory. An existing study of that name is continued, and several processes may work on one study at once. The samplers and tables are goptuna's, and optuna-dashboard shows the trials. sampler is "cmaes" (CMA-ES with restarts: Auger and Hansen 2005), "tpe" (Bergstra et al. 2011), "sobol" or "random". The proposals depend only on the seed, the trial's number and the finished trials: with one worker the same seed gives the same trials, interrupted or not. direction is "minimize" or "maximize".`,
		`s = study("parabola", seed=1)
s.optimize(lambda trial: math.pow(trial.suggest_float("x", 0, 1) - 0.3, 2), trials=30)
print(s.best_value < 1e-3, s.best_params)`, newStudy)}
}

// search is a study as a script value.
type search struct {
	*study.Study
	mu      sync.Mutex
	choices map[[2]string]starlark.Value // the script's values, by parameter and label
}

// trialValue is a trial as the objective sees it.
type trialValue struct {
	*study.Trial
	search *search
}

func newStudy(c *script.Call) (any, error) {
	return openStudy(c, c.Text("direction") == "maximize"), nil
}

// openStudy opens the study with a call's name, storage, sampler and seed.
func openStudy(c *script.Call, maximize bool) *search {
	flags, url := own(c).Study, c.Text("storage")
	if url == "" && c.Given("storage") {
		c.Fail("storage", c.Value("storage"), "a path, a URL, or None")
	}
	if flags.Storage != "" {
		url = flags.Storage
	} else {
		url = must(c.Session.ConfinedStorage(url))
	}
	storage := must(own(c).openStorage(c.Context, url))
	s := must(study.New(c.Context, storage, c.Text("name"), study.Options{
		Sampler: cmp.Or(flags.Sampler, c.Text("sampler")), Seed: c.Seed("seed"), Maximize: maximize,
	}))
	v := &search{Study: s, choices: make(map[[2]string]starlark.Value)}
	if flags.Keep {
		own(c).studies = append(own(c).studies, s)
	} else if url == "" {
		runtime.AddCleanup(v, func(st *study.Storage) { _ = st.Close() }, storage)
	}
	return v
}

const studySetup = `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
`

var studyClass = &script.Class[*search]{
	Name: "study", Once: "its trials are in its storage; open that with study(name, storage=…) where it is wanted", Help: "A search for good parameters, with its trials and the best of them. optimize runs more trials.", Example: `study("empty").trials`,
	Show: func(s *search) string {
		return fmt.Sprintf("<study %q in %s>", s.Name(), strings.TrimPrefix(s.Storage().Name(), "in ")) // the storage's name is "in memory"
	},
	Attrs: []script.Attr[*search]{
		script.Get("name -> string", "The study's name in its storage.", `study("a").name`, func(s *search) any { return s.Name() }),
		script.Do("optimize(objective: function, trials: int[0..]=100, workers: int[1..1024]=1, total: int[1..2147483647]=None) -> none", "Runs trials: calls objective(trial), which asks the trial for parameters and returns a number. If the objective fails, or returns NaN or infinity, the trial fails and the study goes on. It is an error if every trial of this call failed, unless other processes completed some meanwhile, or if the study has no complete trial at the end. trials is the number of trials of this call. total ends the call when the study has that many trials from all processes; use it to restart a script after a crash, or to run it in several processes. workers is the number of concurrent objectives in this process; more than one freezes all values that the objective uses. A trial whose worker was killed is marked lost by another worker (at once on the same machine, otherwise after 30 s) and repeated. A trial interrupted by Ctrl-C is repeated by the next run. The best result so far is printed to standard error.", `study("a", sampler="sobol").optimize(lambda t: t.suggest_int("n", 1, 9) % 4, trials=8)`, optimizeStudy),
		script.Do("best_value -> number", "The objective's best value. It is an error while no trial has finished.", studySetup+"print(s.best_value)", func(c *script.Call, s *search) (any, error) {
			return must(s.Best(c.Context)).Value, nil
		}).Varying(),
		script.Do("best_params -> dict", "A dict of the parameters of the best trial, the first of several equally good ones. It is an error while no trial has finished.", studySetup+`print(s.best_params["x"])`, func(c *script.Call, s *search) (any, error) { return s.params(must(s.Best(c.Context))), nil }),
		script.Do("best_trial -> dict", "The best trial as a dict; see trials.", studySetup+`print(s.best_trial["number"])`, func(c *script.Call, s *search) (any, error) { return s.trial(must(s.Best(c.Context))), nil }),
		script.Do("trials -> list", `Every trial, a list of dicts: "number", "state" ("complete", "failed", "lost", "running" or "waiting"), "value" (None unless complete), "params", "reason" (why it failed or was lost, or None), "lost" (True if its worker was killed or interrupted, and another trial repeats it).`, studySetup+`print(len(s.trials), s.trials[0]["params"])`, func(c *script.Call, s *search) (any, error) {
			return script.Each(must(s.Results(c.Context)), s.trial), nil
		}),
		script.Do("plot() -> line_plot", "The history of the study: the value of every complete trial, and the best so far. Bad values farther out than three interquartile ranges are drawn at the edge. The axis is logarithmic if positive values span a factor of 100.", studySetup+"s.plot()", plotStudy),
	},
}

var trialClass = &script.Class[*trialValue]{
	Name: "trial", Once: "it ends with its objective", Help: "The argument of an objective. Parameters are identified by name, and each name has one range in a study.",
	Example: `s = study("a")
s.optimize(lambda trial: trial.suggest_float("x", 0, 1), trials=3)`,
	Show: func(t *trialValue) string { return fmt.Sprintf("<trial %d>", t.Number()) },
	Attrs: []script.Attr[*trialValue]{
		script.Get("number -> int", "The trial's number in the study, from 0.", `study("a", sampler="random").optimize(lambda t: t.number, trials=3)`, func(t *trialValue) any { return t.Number() }),
		script.Do("suggest_float(name: string, lo: choice, hi: choice, log: bool=False) -> number", "A number in [lo, hi]; log=True searches its logarithm, and needs lo > 0.", `study("a", sampler="random").optimize(lambda t: t.suggest_float("eps", 0.01, 10, log=True), trials=3)`, func(c *script.Call, t *trialValue) (any, error) {
			return t.Float(c.Text("name"), c.Float("lo"), c.Float("hi"), c.Bool("log"))
		}),
		script.Do("suggest_int(name: string, lo: int, hi: int) -> int", "An integer from lo to hi, both included.", `study("a", sampler="random").optimize(lambda t: t.suggest_int("n", 1, 6), trials=3)`, func(c *script.Call, t *trialValue) (any, error) {
			return t.Int(c.Text("name"), c.Int("lo"), c.Int("hi"))
		}),
		script.Do("suggest_categorical(name: string, choices: list) -> value", "One of the choices, a list of strings, numbers, truth values or None. The storage keeps them as text.", `study("a", sampler="tpe").optimize(lambda t: len(t.suggest_categorical("rule", ["closure", "printed"])), trials=3)`, suggestCategorical),
	},
}

// suggestCategorical proposes a choice. The storage holds its label, the search the script's value.
func suggestCategorical(c *script.Call, t *trialValue) (any, error) {
	name, choices := c.Text("name"), c.List("choices")
	labels := make([]string, len(choices))
	for i, v := range choices {
		switch v := v.(type) {
		case starlark.String:
			labels[i] = string(v)
		case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
			labels[i] = v.String()
		default:
			c.Fail(fmt.Sprintf("choices[%d]", i), v, "a string, a number, True, False or None")
		}
	}
	k := must(t.Choice(name, labels))
	t.search.mu.Lock()
	defer t.search.mu.Unlock()
	t.search.choices[[2]string{name, labels[k]}] = choices[k]
	return choices[k], nil
}

// params returns the parameters of a trial.
func (s *search) params(r study.Result) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]any, len(r.Params))
	for name, v := range r.Params {
		out[name] = v
		if label, ok := v.(string); ok {
			if choice, ok := s.choices[[2]string{name, label}]; ok {
				out[name] = choice
			}
		}
	}
	return out
}

// trial returns a trial as a script value.
func (s *search) trial(r study.Result) any {
	return map[string]any{"number": r.Number, "state": r.State, "value": onlyIf(r.State == "complete", r.Value),
		"params": s.params(r), "reason": onlyIf(r.Reason != "", r.Reason), "lost": r.Lost}
}

func plotStudy(c *script.Call, s *search) (any, error) {
	x, y, best := study.History(must(s.Results(c.Context)), s.Maximizes())
	if len(x) == 0 {
		return nil, fmt.Errorf("%w: the plot would be empty", study.ErrNoTrial)
	}
	scale, data := study.NewScale(y, s.Maximizes()), map[string]any{"x": x, "value": y, "best": best}
	spec := display.LineSpec{Title: "Study " + s.Name(), XLabel: "trial", YLabel: "value", X: x, LogY: scale.Log}
	shown := func(values []float64) []float64 {
		out := slices.Clone(values)
		for i, v := range out {
			if !scale.Shows(v) {
				out[i] = math.NaN() // a gap
			}
		}
		return out
	}
	spec.Series = []display.Series{{Name: "value", Y: shown(y), Markers: true, NoLine: true}, {Name: "best so far", Y: shown(best)}}
	if n := scale.Above + scale.Below; n > 0 {
		spec.Series = append(spec.Series, display.Series{Name: fmt.Sprintf("%d beyond", n), Y: scale.Beyond(y), NoLine: true})
	}
	return drawn(c, data)(display.NewLinePlot(spec))
}
