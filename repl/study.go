package repl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"

	"dpworkbench/optimize/study"
	"dpworkbench/repl/display"

	"go.starlark.net/starlark"
)

// StudyFlags take the place of what a script says about its studies, where
// they are set.
type StudyFlags struct {
	Storage, Sampler       string
	Trials, Total, Workers int
	Keep                   bool // Session.Studies is wanted
}

// studyBuiltins search parameters.
func studyBuiltins() []builtin {
	return []builtin{{
		name: "study", params: `name, storage=None, sampler="cmaes", seed=0, direction="minimize"`,
		help: `A search for good parameters, run by its method optimize. storage keeps the trials: a path of a SQLite file, or postgres://user:password@host/database, or mysql://user:password@host:port/database; None keeps them in memory. A study that the storage holds already is continued, and any number of processes may work on one study at once. sampler is "cmaes" (CMA-ES with restarts: Auger and Hansen 2005), "tpe" (Bergstra et al. 2011), "sobol" or "random". The proposals depend on the seed, the trial's number and the finished trials alone: with one worker the same seed gives the same trials, interrupted or not. direction is "minimize" or "maximize".`,
		example: `s = study("parabola", seed=1)
s.optimize(lambda trial: math.pow(trial.suggest_float("x", 0, 1) - 0.3, 2), trials=30)
print(s.best_value < 1e-3, s.best_params)`,
		run: makeStudy,
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

func makeStudy(c *call) (starlark.Value, error) {
	flags := c.session.Study
	url, sampler := "", c.choice("sampler", study.Samplers...)
	if c.given("storage") {
		if url = c.string("storage"); url == "" {
			c.fail("storage", c.value("storage"), "a path, a URL, or None")
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
		if url, err = c.session.confinedStorage(url); err != nil {
			return nil, err
		}
	}
	storage, err := c.session.openStorage(c.ctx, url)
	if err != nil {
		return nil, err
	}
	s, err := study.New(c.ctx, storage, c.string("name"), study.Options{
		Sampler: sampler, Seed: c.seed("seed"), Maximize: c.choice("direction", "minimize", "maximize") == "maximize",
	})
	if err != nil {
		return nil, err
	}
	v := &search{Study: s, choices: make(map[string]map[string]starlark.Value)}
	if flags.Keep {
		c.session.studies = append(c.session.studies, v.Study)
	} else if url == "" {
		runtime.AddCleanup(v, func(st *study.Storage) { _ = st.Close() }, storage)
	}
	return studyClass.of(c, v), nil
}

// openStorage returns the storage at url, one connection a session. In memory
// every study has its own.
func (s *Session) openStorage(ctx context.Context, url string) (*study.Storage, error) {
	if st, ok := s.storages[url]; ok && url != "" {
		return st, nil
	}
	st, err := study.Open(ctx, url, study.StorageOptions{})
	if err == nil && url != "" {
		if s.storages == nil {
			s.storages = make(map[string]*study.Storage)
		}
		s.storages[url] = st
	}
	return st, err
}

// Reach opens the storage that Study names, if any: a storage that cannot be
// reached is told before a script has done its work.
func (s *Session) Reach(ctx context.Context) error {
	if s.Study.Storage == "" {
		return nil
	}
	_, err := s.openStorage(ctx, s.Study.Storage)
	return err
}

// Close closes what the session holds open.
func (s *Session) Close() {
	for _, st := range s.storages {
		_ = st.Close() // a trial is committed when it ends: nothing is left to lose
	}
	s.storages, s.studies = nil, nil
	s.sandbox.close()
}

// Studies returns the studies that the session has made, where Study.Keep is
// set.
func (s *Session) Studies() []*study.Study { return s.studies }

var studyClass = &class[*search]{
	name:    "study",
	help:    "A search for good parameters: trials, the best of them, and optimize, which runs more.",
	example: `study("empty").trials`,
	show: func(s *search) string {
		return fmt.Sprintf("<study %q in %s>", s.Name(), s.Storage().Name())
	},
	attrs: []attr[*search]{
		{name: "name", help: "The study's name in its storage.", example: `study("a").name`,
			get: func(_ *call, s *search) (starlark.Value, error) { return starlark.String(s.Name()), nil }},
		{name: "optimize", params: "objective, trials=100, workers=1, total=None",
			help:    "Runs trials: calls objective(trial), which asks the trial for parameters and returns a number. An objective that fails, or returns NaN or infinity, fails its trial, and the study goes on; it is an error where every trial failed and the study holds no other. trials counts this call's; with total it ends too when the study holds so many, whoever ran them, which is how a script is started again after a crash or in several processes. workers is the number of objectives at once in this process; more than one freezes whatever the objective reaches. A trial whose worker was killed is marked failed by another worker (at once on the same machine, after 30 s elsewhere) and repeated; so is one that Ctrl-C cuts short, by the next run. The best result so far goes to standard error.",
			example: `study("a", sampler="sobol").optimize(lambda t: t.suggest_int("n", 1, 9) % 4, trials=8)`,
			run:     optimizeStudy},
		{name: "best_value", varies: true, help: "The objective's best value. It is an error while no trial has finished.",
			example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(s.best_value)`,
			get: func(c *call, s *search) (starlark.Value, error) {
				best, err := s.Best(c.ctx)
				return starlark.Float(best.Value), err
			}},
		{name: "best_params", help: "A dict of the parameters of the best trial, the first of several. It is an error while no trial has finished.",
			example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(s.best_params["x"])`,
			get: func(c *call, s *search) (starlark.Value, error) {
				best, err := s.Best(c.ctx)
				if err != nil {
					return nil, err
				}
				return s.params(best), nil
			}},
		{name: "best_trial", help: "The best trial as a dict; see trials.",
			example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(s.best_trial["number"])`,
			get: func(c *call, s *search) (starlark.Value, error) {
				best, err := s.Best(c.ctx)
				if err != nil {
					return nil, err
				}
				return s.trial(best), nil
			}},
		{name: "trials", help: `Every trial, a list of dicts: "number", "state" ("complete", "failed", "running" or "waiting"), "value" (None unless complete), "params", "reason" (why it failed, or None), "lost" (True where the trial's worker went away and another trial repeats it).`,
			example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
print(len(s.trials), s.trials[0]["params"])`,
			get: func(c *call, s *search) (starlark.Value, error) {
				results, err := s.Results(c.ctx)
				if err != nil {
					return nil, err
				}
				return listOf(results, func(r study.Result) starlark.Value { return s.trial(r) }), nil
			}},
		{name: "plot", params: "",
			help: "The history of the study: the value of every complete trial, and the best so far.",
			example: `s = study("a")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
s.plot()`,
			run: plotStudy},
	},
}

var trialClass = &class[*trialValue]{
	name: "trial",
	help: "What an objective is called with. Each parameter is known by its name; a study keeps to one range for a name.",
	example: `s = study("a")
s.optimize(lambda trial: trial.suggest_float("x", 0, 1), trials=3)`,
	show: func(t *trialValue) string { return fmt.Sprintf("<trial %d>", t.Number()) },
	attrs: []attr[*trialValue]{
		{name: "number", help: "The trial's number in the study, from 0.",
			example: `study("a", sampler="random").optimize(lambda t: t.number, trials=3)`,
			get:     func(_ *call, t *trialValue) (starlark.Value, error) { return starlark.MakeInt(t.Number()), nil }},
		{name: "suggest_float", params: "name, lo, hi, log=False", help: "A number in [lo, hi]; log=True searches its logarithm, and needs lo > 0.",
			example: `study("a", sampler="random").optimize(lambda t: t.suggest_float("eps", 0.01, 10, log=True), trials=3)`,
			run: func(c *call, t *trialValue) (starlark.Value, error) {
				v, err := t.Float(c.string("name"), c.finite("lo"), c.finite("hi"), c.bool("log"))
				return starlark.Float(v), err
			}},
		{name: "suggest_int", params: "name, lo, hi", help: "A whole number from lo to hi, both included.",
			example: `study("a", sampler="random").optimize(lambda t: t.suggest_int("n", 1, 6), trials=3)`,
			run: func(c *call, t *trialValue) (starlark.Value, error) {
				v, err := t.Int(c.string("name"), c.int("lo", math.MinInt, math.MaxInt), c.int("hi", math.MinInt, math.MaxInt))
				return starlark.MakeInt(v), err
			}},
		{name: "suggest_categorical", params: "name, choices", help: "One of the choices, a list of strings, numbers, truth values or None. The storage keeps them as text.",
			example: `study("a", sampler="tpe").optimize(lambda t: len(t.suggest_categorical("rule", ["closure", "printed"])), trials=3)`,
			run: func(c *call, t *trialValue) (starlark.Value, error) {
				choices := c.list("choices")
				labels := make([]string, len(choices))
				for i, v := range choices {
					switch v.(type) {
					case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
						labels[i] = label(v)
					default:
						c.fail(fmt.Sprintf("choices[%d]", i), v, "a string, a number, True, False or None")
					}
				}
				name := c.string("name")
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
	return fieldsOf(fields)
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
	return fieldsOf(map[string]starlark.Value{
		"number": starlark.MakeInt(r.Number), "state": starlark.String(r.State), "value": value,
		"params": s.params(r), "reason": reason, "lost": starlark.Bool(r.Lost),
	})
}

func plotStudy(c *call, s *search) (starlark.Value, error) {
	results, err := s.Results(c.ctx)
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
	return newFigure(c, lineClass, p, fieldsOf(map[string]starlark.Value{
		"x": floatList(x), "value": floatList(y), "best": floatList(best),
	})), nil
}

// reasonOf is an objective's error on one line, with its place in the script.
func (s *Session) reasonOf(err error) error {
	var exit *Exit
	if errors.As(err, &exit) {
		return exit
	}
	text, _, _ := strings.Cut(s.scriptError(err).Error(), "\n")
	return errors.New(text)
}
