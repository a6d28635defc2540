package study_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dpworkbench/internal/must"
	"dpworkbench/study"
)

// optunaPython returns a Python that has Optuna: the value of WORKBENCH_OPTUNA, or else python3.
func optunaPython(t *testing.T, modules ...string) string {
	t.Helper()
	python := os.Getenv("WORKBENCH_OPTUNA")
	if python == "" {
		python = "python3"
	}
	for _, module := range append([]string{"optuna"}, modules...) {
		if exec.Command(python, "-c", "import "+module).Run() != nil {
			t.Skipf("no Python with %s here: python3 -m venv DIR; DIR/bin/pip install %s; WORKBENCH_OPTUNA=DIR/bin/python", module, strings.NewReplacer("psycopg2", "psycopg2-binary", "_", "-").Replace(module))
		}
	}
	return python
}

// optunaView is the output of testdata/reading.py.
type optunaView struct {
	Version    string
	Names      []string
	Direction  string
	Attributes map[string]string
	Trials     []optunaTrial
	Best       []float64
	Studies    []struct {
		Name      string
		Direction []string
		Trials    int `json:"n_trials"`
	}
	Listed     []optunaRow
	BestListed optunaRow `json:"best_listed"`
}

type optunaTrial struct {
	Number     int
	State      string
	Values     []float64
	Params     map[string]any
	Space      map[string]map[string]any
	Attributes map[string]string
	Reported   int
	Start      *float64
}

// optunaRow is a trial as listed by the optuna command.
type optunaRow struct {
	Number int
	State  string
	Value  *float64
	Params map[string]any
}

// everything returns an objective with every kind of parameter. Two of its trials fail, and one is lost and repeated.
func everything(cancel func()) study.Objective {
	return func(ctx context.Context, _ int, t *study.Trial) (float64, error) {
		x, err1 := t.Float("x", -1, 1, false)
		e, err2 := t.Float("e", 1e-3, 10, true)
		n, err3 := t.Int("X", 1, 6) // a different parameter from "x"
		k, err4 := t.Choice("rule", []string{"closure", `"printed" \ 'ε'`, "3"})
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return 0, err
		}
		switch t.Number() {
		case 2:
			return math.NaN(), nil
		case 3:
			return 0, errors.New("no \"luck\"\tin C:\\x\nnor here")
		case 5:
			cancel()
			return 0, ctx.Err()
		}
		return x + math.Log(e) + float64(n+k), nil
	}
}

// optunaAgrees runs a study on a storage, and fails unless Optuna finds the same data there.
func optunaAgrees(t *testing.T, url, optunaURL, python string) {
	const name = "seen by Optuna"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	storage := open(t, url)
	s := newStudy(t, storage, name, study.Options{Sampler: "tpe", Seed: 3, Maximize: true})
	begin := time.Now()
	if err := s.Optimize(ctx, everything(cancel), study.Run{Total: 12}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := s.Optimize(context.Background(), everything(nil), study.Run{Total: 12}); err != nil {
		t.Fatal(err)
	}
	end := time.Now()
	results := must.For(s.Results(context.Background()))(t)
	best := must.For(s.Best(context.Background()))(t)

	cmd := exec.Command(python, filepath.Join("testdata", "reading.py"), optunaURL, name)
	// Before version 5, Optuna interprets stored times as local times. From PostgreSQL it reads them in the time zone
	// of the session.
	cmd.Env = append(os.Environ(), "TZ=UTC", "PGTZ=UTC")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var v optunaView
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
		t.Fatalf("%v\n%s", err, stdout.String())
	}
	t.Logf("Optuna %s reads %d trials", v.Version, len(v.Trials))

	if fmt.Sprint(v.Names) != "["+name+"]" || v.Direction != "MAXIMIZE" || len(v.Attributes) != 4 {
		t.Errorf("the study is %q %s with attributes %v", v.Names, v.Direction, v.Attributes)
	}
	if len(v.Studies) != 1 || v.Studies[0].Name != name || fmt.Sprint(v.Studies[0].Direction) != "[MAXIMIZE]" || v.Studies[0].Trials != len(results) {
		t.Errorf("optuna studies lists %+v", v.Studies)
	}
	if len(v.Trials) != len(results) || len(v.Listed) != len(results) || len(results) != 13 {
		t.Fatalf("Optuna has %d trials and lists %d, the study has %d, want 13", len(v.Trials), len(v.Listed), len(results))
	}
	space := map[string]map[string]any{
		"x":    {"kind": "float", "low": -1.0, "high": 1.0, "log": false},
		"e":    {"kind": "float", "low": 1e-3, "high": 10.0, "log": true},
		"X":    {"kind": "int", "low": 1.0, "high": 6.0, "log": false},
		"rule": {"kind": "choice", "choices": []any{"closure", `"printed" \ 'ε'`, "3"}},
	}
	failed := 0
	for i, r := range results {
		o, l := v.Trials[i], v.Listed[i]
		state, values := "COMPLETE", []float64{r.Value}
		if r.State != "complete" {
			state, values = "FAIL", nil
			failed++
		}
		if o.Number != r.Number || o.State != state || !reflect.DeepEqual(o.Values, values) || o.Reported != 0 {
			t.Errorf("trial %d is %s with %v (%d reported) for Optuna, want %s with %v", r.Number, o.State, o.Values, o.Reported, state, values)
		}
		if l.Number != r.Number || l.State != state || (l.Value == nil) != (values == nil) || (l.Value != nil && *l.Value != r.Value) {
			t.Errorf("optuna trials lists %+v, want %s with %v", l, state, values)
		}
		if !reflect.DeepEqual(o.Space, space) {
			t.Errorf("trial %d has the space %v, want %v", r.Number, o.Space, space)
		}
		for what, params := range map[string]map[string]any{"Optuna": o.Params, "optuna trials": l.Params} {
			if len(params) != 4 || params["x"] != r.Params["x"] || params["e"] != r.Params["e"] ||
				params["X"] != float64(r.Params["X"].(int)) || params["rule"] != r.Params["rule"] {
				t.Errorf("trial %d has %v for %s, want %v", r.Number, params, what, r.Params)
			}
		}
		if o.Attributes["workbench:reason"] != r.Reason {
			t.Errorf("trial %d failed for %q, Optuna reads %q", r.Number, r.Reason, o.Attributes["workbench:reason"])
		}
		if o.Start == nil || *o.Start < float64(begin.Unix()-1) || *o.Start > float64(end.Unix()+1) {
			t.Errorf("trial %d started at %v for Optuna, want %d to %d", r.Number, o.Start, begin.Unix(), end.Unix())
		}
	}
	if failed != 3 {
		t.Errorf("%d trials failed, want 3", failed)
	}
	if l := v.BestListed; v.Best[0] != float64(best.Number) || v.Best[1] != best.Value || l.Number != best.Number || l.Value == nil || *l.Value != best.Value {
		t.Errorf("the best is %v and %+v for Optuna, want trial %d with %v", v.Best, l, best.Number, best.Value)
	}
	if err := storage.Delete(context.Background(), name); err != nil {
		t.Errorf("after Optuna has read the study: %v", err)
	}
}

func TestOptunaReadsSQLite(t *testing.T) {
	python := optunaPython(t)
	path := filepath.Join(t.TempDir(), "study.db")
	optunaAgrees(t, path, "sqlite:///"+path, python)
}

// dashboardAgrees opens a study in optuna-dashboard while one of its trials runs. The dashboard must show all trials,
// and change none through a read-only URL.
func dashboardAgrees(t *testing.T, url, readURL, python string) {
	ctx, name := context.Background(), "seen by optuna-dashboard"
	storage := open(t, url)
	s := newStudy(t, storage, name, study.Options{Sampler: "random", Maximize: true})
	var seen struct {
		Studies []struct {
			Name       string `json:"study_name"`
			Directions []string
		}
		Trials []struct {
			Number int
			State  string
			Values []float64
		}
		Changes []int // HTTP status of each request that tries to change the study
	}
	err := s.Optimize(ctx, func(ctx context.Context, w int, tr *study.Trial) (float64, error) {
		switch tr.Number() {
		case 1:
			return 0, errors.New("no luck")
		case 3:
			if out, err := exec.Command(python, filepath.Join("testdata", "dashboard.py"), readURL).Output(); err != nil {
				t.Errorf("%v\n%s", err, err.(*exec.ExitError).Stderr)
			} else if err := json.Unmarshal(out, &seen); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		}
		return sphere(ctx, w, tr)
	}, study.Run{Trials: 5})
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.Results(ctx)
	if err != nil || len(results) != 5 {
		t.Fatalf("%d trials, %v", len(results), err)
	}
	if len(seen.Studies) != 1 || seen.Studies[0].Name != name || fmt.Sprint(seen.Studies[0].Directions) != "[maximize]" || len(seen.Trials) != 4 {
		t.Fatalf("the dashboard lists %+v with %d trials", seen.Studies, len(seen.Trials))
	}
	for i, want := range []string{"Complete", "Fail", "Complete", "Running"} {
		if got := seen.Trials[i]; got.Number != i || got.State != want || want == "Complete" && !reflect.DeepEqual(got.Values, []float64{results[i].Value}) {
			t.Errorf("the dashboard shows %+v, want trial %d, %s, with %v", got, i, want, results[i].Value)
		}
	}
	if len(seen.Changes) != 4 || slices.Min(seen.Changes) < 400 {
		t.Errorf("changes are answered %d", seen.Changes)
	}
	if names, err := storage.Names(ctx); err != nil || fmt.Sprint(names) != "["+name+"]" || results[3].State != "complete" {
		t.Errorf("after the dashboard the studies are %q (%v), and trial 3 is %s", names, err, results[3].State)
	}
}
