package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages lists the peers' packages, installed in their newest versions, with requirements that they do not declare
// themselves.
var packages = [][]string{
	{"numpy"}, {"scipy"}, {"highspy"}, {"dp-accounting"}, {"prv-accountant"}, {"opendp"}, {"optuna"}, {"jax-privacy"},
	{"diffprivlib", "scikit-learn<1.8"}, // diffprivlib 0.6 uses functions that later versions of scikit-learn removed
}

// environment holds the Python installation of the peers and the builds of this program.
type environment struct {
	python  string // "" if Python is not installed
	cache   string
	missing []string // packages that could not be installed, with the errors
	builds  map[string]string
}

// prepare creates the environment, or updates the existing one.
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

// install installs the peers' packages one by one, so that a failure does not affect the other packages. No package may
// replace NumPy or SciPy by an older version.
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
				continue // an earlier run installed it
			}
			e.missing = append(e.missing, name+": "+lastLine(out, err))
		}
	}
	return ctx.Err()
}

// pinned returns the installed versions of NumPy and SciPy as requirements.
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

// binary returns this program built with tags.
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
