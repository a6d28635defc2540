package repl

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"dpworkbench/display"
	"dpworkbench/optimize/study"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// studyBuiltins search parameters.
func studyBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "study", Params: `name, storage=None, sampler="cmaes", seed=0, direction="minimize"`,
		Help: `A search for good parameters, run by its method optimize. storage keeps the trials: a path of a SQLite file, or postgres://user:password@host/database, or mysql://user:password@host:port/database; None keeps them in memory. A study that the storage holds already is continued, and any number of processes may work on one study at once. sampler is "cmaes" (CMA-ES with restarts: Auger and Hansen 2005), "tpe" (Bergstra et al. 2011), "sobol" or "random". The proposals depend on the seed, the trial's number and the finished trials alone: with one worker the same seed gives the same trials, interrupted or not. direction is "minimize" or "maximize".`,
		Example: `s = study("parabola", seed=1)
s.optimize(lambda trial: math.pow(trial.suggest_float("x", 0, 1) - 0.3, 2), trials=30)
print(s.best_value < 1e-3, s.best_params)`,
		Run: makeStudy,
	}}
}

// search is a study as a script value.
type search struct {
	*study.Study
	mu      sync.Mutex
	choices map[string]map[string]starlark.Value // by parameter and label, as this session wrote them
}

// trialValue is a trial as the objective sees it.
type trialValue struct {
	*study.Trial
	search *search
}

func makeStudy(c *script.Call) (any, error) {
	flags := own(c).Study
	url, sampler := "", c.Choice("sampler", study.Samplers...)
	if c.Given("storage") {
		if url = c.Text("storage"); url == "" {
			c.Fail("storage", c.Value("storage"), "a path, a URL, or None")
		}
	}
	if flags.Storage != "" {
		url = flags.Storage
	}
	if flags.Sampler != "" {
		sampler = flags.Sampler
	}
	if flags.Storage == "" {
		var err error
		if url, err = c.Session.ConfinedStorage(url); err != nil {
			return nil, err
		}
	}
	storage, err := own(c).openStorage(c.Context, url)
	if err != nil {
		return nil, err
	}
	s, err := study.New(c.Context, storage, c.Text("name"), study.Options{
		Sampler: sampler, Seed: c.Seed("seed"), Maximize: c.Choice("direction", "minimize", "maximize") == "maximize",
	})
	if err != nil {
		return nil, err
	}
	v := &search{Study: s, choices: make(map[string]map[string]starlark.Value)}
	if flags.Keep {
		own(c).studies = append(own(c).studies, v.Study)
	} else if url == "" {
		runtime.AddCleanup(v, func(st *study.Storage) { _ = st.Close() }, storage)
	}
	return studyClass.Of(c, v), nil
}

var studyClass = &script.Class[*search]{
	Name:    "study",
	Help:    "A search for good parameters: trials, the best of them, and optimize, which runs more.",
	Example: `study("empty").trials`,
	Show: func(s *search) string {
		return fmt.Sprintf("<study %q in %s>", s.Name(), s.Storage().Name())
	},
	Attrs: []script.Attr[*search]{
		{Name: "name", Help: "The study's name in its storage.", Example: `study("a").name`,
			Get: func(_ *script.Call, s *search) (any, error) { return starlark.String(s.Name()), nil }},
		{Name: "optimize", Params: "objective, trials=100, workers=1, total=None",
			Help:    "Runs trials: calls objective(trial), which asks the trial for parameters and returns a number. An objective that fails, or returns NaN or infinity, fails its trial, and the study goes on; it is an error where every trial failed and the study holds no other. trials counts this call's; with total it ends too when the study holds so many, whoever ran them, which is how a script is started again after a crash or in several processes. workers is the number of objectives at once in this process; more than one freezes whatever the objective reaches. A trial whose worker was killed is marked failed by another worker (at once on the same machine, after 30 s elsewhere) and repeated; so is one that Ctrl-C cuts short, by the next run. The best result so far goes to standard error.",
			Example: `study("a", sampler="sobol").optimize(lambda t: t.suggest_int("n", 1, 9) % 4, trials=8)`,
			Run:     optimizeStudy},
		{Name: "best_value", Varies: true, Help: "The objective's best value. It is an error while no trial has finished.",
			Example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(s.best_value)`,
			Get: func(c *script.Call, s *search) (any, error) {
				best, err := s.Best(c.Context)
				return starlark.Float(best.Value), err
			}},
		{Name: "best_params", Help: "A dict of the parameters of the best trial, the first of several. It is an error while no trial has finished.",
			Example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(s.best_params["x"])`,
			Get: func(c *script.Call, s *search) (any, error) {
				best, err := s.Best(c.Context)
				if err != nil {
					return nil, err
				}
				return s.params(best), nil
			}},
		{Name: "best_trial", Help: "The best trial as a dict; see trials.",
			Example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(s.best_trial["number"])`,
			Get: func(c *script.Call, s *search) (any, error) {
				best, err := s.Best(c.Context)
				if err != nil {
					return nil, err
				}
				return s.trial(best), nil
			}},
		{Name: "trials", Help: `Every trial, a list of dicts: "number", "state" ("complete", "failed", "running" or "waiting"), "value" (None unless complete), "params", "reason" (why it failed, or None), "lost" (True where the trial's worker went away and another trial repeats it).`,
			Example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(len(s.trials), s.trials[0]["params"])`,
			Get: func(c *script.Call, s *search) (any, error) {
				results, err := s.Results(c.Context)
				if err != nil {
					return nil, err
				}
				return script.List(results, func(r study.Result) starlark.Value { return s.trial(r) }), nil
			}},
		{Name: "plot", Params: "",
			Help: "The history of the study: the value of every complete trial, and the best so far.",
			Example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
s.plot()`,
			Run: plotStudy},
	},
}

var trialClass = &script.Class[*trialValue]{
	Name: "trial",
	Help: "What an objective is called with. Each parameter is known by its name; a study keeps to one range for a name.",
	Example: `s = study("a")
s.optimize(lambda trial: trial.suggest_float("x", 0, 1), trials=3)`,
	Show: func(t *trialValue) string { return fmt.Sprintf("<trial %d>", t.Number()) },
	Attrs: []script.Attr[*trialValue]{
		{Name: "number", Help: "The trial's number in the study, from 0.",
			Example: `study("a", sampler="random").optimize(lambda t: t.number, trials=3)`,
			Get:     func(_ *script.Call, t *trialValue) (any, error) { return starlark.MakeInt(t.Number()), nil }},
		{Name: "suggest_float", Params: "name, lo, hi, log=False", Help: "A number in [lo, hi]; log=True searches its logarithm, and needs lo > 0.",
			Example: `study("a", sampler="random").optimize(lambda t: t.suggest_float("eps", 0.01, 10, log=True), trials=3)`,
			Run: func(c *script.Call, t *trialValue) (any, error) {
				v, err := t.Float(c.Text("name"), c.Finite("lo"), c.Finite("hi"), c.Bool("log"))
				return starlark.Float(v), err
			}},
		{Name: "suggest_int", Params: "name, lo, hi", Help: "A whole number from lo to hi, both included.",
			Example: `study("a", sampler="random").optimize(lambda t: t.suggest_int("n", 1, 6), trials=3)`,
			Run: func(c *script.Call, t *trialValue) (any, error) {
				v, err := t.Int(c.Text("name"), c.Int("lo", math.MinInt, math.MaxInt), c.Int("hi", math.MinInt, math.MaxInt))
				return starlark.MakeInt(v), err
			}},
		{Name: "suggest_categorical", Params: "name, choices", Help: "One of the choices, a list of strings, numbers, truth values or None. The storage keeps them as text.",
			Example: `study("a", sampler="tpe").optimize(lambda t: len(t.suggest_categorical("rule", ["closure", "printed"])), trials=3)`,
			Run: func(c *script.Call, t *trialValue) (any, error) {
				choices := c.List("choices")
				labels := make([]string, len(choices))
				for i, v := range choices {
					switch v.(type) {
					case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
						labels[i] = label(v)
					default:
						c.Fail(fmt.Sprintf("choices[%d]", i), v, "a string, a number, True, False or None")
					}
				}
				name := c.Text("name")
				k, err := t.Choice(name, labels)
				if err != nil {
					return nil, err
				}
				t.search.remember(name, labels[k], choices[k])
				return choices[k], nil
			}},
	},
}

// label is a choice as the storage writes it.
func label(v starlark.Value) string {
	if s, ok := v.(starlark.String); ok {
		return string(s)
	}
	return v.String()
}

func (s *search) remember(name, label string, v starlark.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.choices[name] == nil {
		s.choices[name] = make(map[string]starlark.Value)
	}
	s.choices[name][label] = v
}

// params returns the parameters of a trial as a dict.
func (s *search) params(r study.Result) *starlark.Dict {
	s.mu.Lock()
	defer s.mu.Unlock()
	fields := make(map[string]starlark.Value)
	for name, v := range r.Params {
		switch v := v.(type) {
		case float64:
			fields[name] = starlark.Float(v)
		case int:
			fields[name] = starlark.MakeInt(v)
		case string:
			fields[name] = starlark.String(v)
			if choice, ok := s.choices[name][v]; ok {
				fields[name] = choice
			}
		}
	}
	return script.Fields(fields)
}

// trial returns a trial as a dict.
func (s *search) trial(r study.Result) *starlark.Dict {
	var value, reason starlark.Value = starlark.None, starlark.None
	if r.State == "complete" {
		value = starlark.Float(r.Value)
	}
	if r.Reason != "" {
		reason = starlark.String(r.Reason)
	}
	return script.Fields(map[string]starlark.Value{
		"number": starlark.MakeInt(r.Number), "state": starlark.String(r.State), "value": value,
		"params": s.params(r), "reason": reason, "lost": starlark.Bool(r.Lost),
	})
}

func plotStudy(c *script.Call, s *search) (any, error) {
	results, err := s.Results(c.Context)
	if err != nil {
		return nil, err
	}
	var x, y, best []float64
	for _, r := range results {
		if r.State != "complete" {
			continue
		}
		b := r.Value
		if n := len(best); n > 0 && (s.Maximizes() == (best[n-1] > b)) {
			b = best[n-1]
		}
		x, y, best = append(x, float64(r.Number)), append(y, r.Value), append(best, b)
	}
	if len(x) == 0 {
		return nil, fmt.Errorf("%w: there is nothing to draw", study.ErrNoTrial)
	}
	p, err := display.NewLinePlot(display.LineSpec{
		Title: "Study " + s.Name(), XLabel: "trial", YLabel: "value", X: x,
		Series: []display.Series{{Name: "value", Y: y, Markers: true, NoLine: true}, {Name: "best so far", Y: best}},
	})
	if err != nil {
		return nil, err
	}
	return newFigure(c, lineClass, p, script.Fields(map[string]starlark.Value{
		"x": script.Floats(x), "value": script.Floats(y), "best": script.Floats(best),
	})), nil
}
