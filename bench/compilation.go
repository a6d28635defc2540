package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const compilationName = "compilation"

// groups are what parts of the workbench are built on: modules by the beginnings of their names.
var groups = []struct {
	name    string
	modules []string
}{
	{"studies on databases, all of it", []string{"github.com/c-bata/goptuna", "gorm.io", "github.com/glebarez", "modernc.org", "github.com/jackc"}},
	{"of that SQLite", []string{"modernc.org", "github.com/glebarez"}},
	{"of that PostgreSQL", []string{"github.com/jackc", "gorm.io/driver/postgres"}},
	{"pictures", []string{"gonum.org/v1/plot", "codeberg.org/go-pdf", "golang.org/x/image"}},
	{"linear algebra", []string{"gonum.org/v1/gonum"}},
	{"tables", []string{"github.com/olekukonko"}},
	{"scripts", []string{"go.starlark.net"}},
	{"the layout of scripts", []string{"github.com/bazelbuild"}},
	{"the prompt", []string{"github.com/reeflective"}},
	{"the command line", []string{"github.com/spf13"}},
}

// compilation is what building the command from nothing takes.
type compilation struct {
	wall, processor time.Duration
	costs           []cost
}

// cost is what nothing but a group needs: packages, and the processor's time that they take.
type cost struct {
	name     string
	packages int
	time     time.Duration
}

// listed is a package as go list shows it.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Module     *struct{ Path string }
}

// measureCompilation builds the command with an empty cache.
func measureCompilation(ctx context.Context) (*compilation, error) {
	dir, err := os.MkdirTemp("", "compilation")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	graph := filepath.Join(dir, "graph.json")
	build := exec.CommandContext(ctx, "go", "build", "-debug-actiongraph="+graph, "-o", filepath.Join(dir, "workbench"), "./cmd/workbench")
	build.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
	begun := time.Now()
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %s", lastLine(out, err))
	}
	c := &compilation{wall: time.Since(begun)}
	text, err := os.ReadFile(graph)
	if err != nil {
		return nil, err
	}
	var actions []struct {
		Package         string
		CmdUser, CmdSys time.Duration
	}
	if err := json.Unmarshal(text, &actions); err != nil {
		return nil, err
	}
	spent := make(map[string]time.Duration)
	for _, a := range actions {
		spent[a.Package] += a.CmdUser + a.CmdSys
		c.processor += a.CmdUser + a.CmdSys
	}
	packages, err := dependencies(ctx)
	if err != nil {
		return nil, err
	}
	whole := reachable(packages, nil)
	add := func(name string, in func(p string) bool) {
		k := cost{name: name}
		for p := range whole {
			if in(p) {
				k.packages++
				k.time += spent[p]
			}
		}
		c.costs = append(c.costs, k)
	}
	for _, g := range groups {
		without := reachable(packages, g.modules)
		add(g.name+" ("+strings.Join(g.modules, ", ")+")", func(p string) bool { return !without[p] })
	}
	add("the workbench itself", func(p string) bool { return strings.HasPrefix(p, "dpworkbench/") })
	add("Go's own library", func(p string) bool { return packages[p].Standard })
	slices.SortStableFunc(c.costs, func(a, b cost) int { return int(b.time - a.time) })
	return c, nil
}

// dependencies are the packages of the command.
func dependencies(ctx context.Context) (map[string]listed, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Standard,Imports,Module", "./cmd/workbench").Output()
	if err != nil {
		return nil, err
	}
	all := make(map[string]listed)
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
	return all, nil
}

// reachable are the packages that the command needs were it not for the modules.
func reachable(packages map[string]listed, without []string) map[string]bool {
	seen := make(map[string]bool)
	var visit func(path string)
	visit = func(path string) {
		p, ok := packages[path]
		if !ok || seen[path] || p.Module != nil && slices.ContainsFunc(without, func(m string) bool {
			return p.Module.Path == m || strings.HasPrefix(p.Module.Path, m+"/")
		}) {
			return
		}
		seen[path] = true
		for _, next := range p.Imports {
			visit(next)
		}
	}
	visit("dpworkbench/cmd/workbench")
	return seen
}
