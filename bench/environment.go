package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages are installed for peers, the newest of each, with what they do not say that they need.
var packages = [][]string{
	{"numpy"}, {"scipy"}, {"highspy"}, {"dp-accounting"}, {"prv-accountant"}, {"opendp"}, {"optuna"}, {"jax-privacy"},
	{"diffprivlib", "scikit-learn<1.8"}, // diffprivlib 0.6 takes what later ones of scikit-learn no longer have
}

// environment is where peers and builds are.
type environment struct {
	python  string // "" where there is none
	cache   string
	missing []string // packages that could not be installed, and why
	builds  map[string]string
}

// prepare makes the environment, or brings the one that is there up to date.
func prepare(ctx context.Context, o options) (*environment, error) {
	cache, err := filepath.Abs(o.cache)
	if err != nil {
		return nil, err
	}
	e := &environment{cache: cache, builds: make(map[string]string)}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	tell("building the workbench")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", e.workbench(), "./cmd/workbench").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w: %s", err, oneLine(string(out)))
	}
	os.Setenv("BENCH_WORKBENCH", e.workbench())
	return e, e.install(ctx)
}

func (e *environment) workbench() string { return filepath.Join(e.cache, "workbench") }

// install installs what peers need, one package after the other, so that one which cannot be had
// leaves the others; NumPy and SciPy stay as they are where a later one would have older ones.
func (e *environment) install(ctx context.Context) error {
	home := filepath.Join(e.cache, "python")
	python := filepath.Join(home, "bin", "python3")
	if _, err := os.Stat(python); err != nil {
		tell("making a Python environment")
		if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", home).CombinedOutput(); err != nil {
			e.missing = append(e.missing, "Python: "+lastLine(out, err))
			return ctx.Err()
		}
	}
	e.python = python
	os.Setenv("BENCH_PYTHON", python)
	pip := func(args ...string) ([]byte, error) {
		args = append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"}, args...)
		return exec.CommandContext(ctx, python, args...).CombinedOutput()
	}
	for i, args := range packages {
		name := args[0]
		tell("installing %s", name)
		if i > 1 {
			args = append(args[:len(args):len(args)], e.pinned(ctx)...)
		}
		if out, err := pip(args...); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if e.has(ctx, name) {
				continue // what an earlier run installed
			}
			e.missing = append(e.missing, name+": "+lastLine(out, err))
		}
	}
	return ctx.Err()
}

// pinned are the newest NumPy and SciPy, as they are installed.
func (e *environment) pinned(ctx context.Context) (out []string) {
	list, _ := exec.CommandContext(ctx, e.python, "-m", "pip", "freeze").Output()
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "numpy==") || strings.HasPrefix(line, "scipy==") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func (e *environment) has(ctx context.Context, name string) bool {
	return exec.CommandContext(ctx, e.python, "-m", "pip", "show", "--quiet", name).Run() == nil
}

func lastLine(out []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := oneLine(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}

// binary is this program, built with the tags.
func (e *environment) binary(ctx context.Context, tags string) (string, error) {
	if tags == "" {
		return os.Executable()
	}
	if path, ok := e.builds[tags]; ok {
		return path, nil
	}
	path := filepath.Join(e.cache, "bench-"+tags)
	if out, err := exec.CommandContext(ctx, "go", "build", "-tags", tags, "-o", path, "./bench").CombinedOutput(); err != nil {
		return "", fmt.Errorf("not built with -tags %s: %s", tags, lastLine(out, err))
	}
	e.builds[tags] = path
	return path, nil
}
