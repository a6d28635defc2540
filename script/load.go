package script

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dpworkbench/internal/nearest"

	"go.starlark.net/starlark"
)

// module is a loaded script.
type module struct {
	table   starlark.StringDict
	loading bool
	err     error
}

// load implements load("lib.star", "f", g="h"): the arguments are the path,
// then pairs of new name and name in the library. The path is relative to the
// script that loads. A library has its own names, runs once a session, and
// exports all names but those that start with an underscore.
func (s *Session) load(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	caller := thread.CallFrame(1).Pos.Filename()
	path := string(args[0].(starlark.String))
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dirOf(caller), path)
	}
	m, err := s.module(thread, path)
	if err != nil {
		return nil, err
	}
	into := thread.Local(tableKey).(starlark.StringDict)
	for i := 1; i < len(args); i += 2 {
		to, from := string(args[i].(starlark.String)), string(args[i+1].(starlark.String))
		v, ok := m.table[livePrefix+from]
		if _, builtin := s.base[from]; !ok || builtin && v == s.base[from] {
			return nil, fmt.Errorf("load: %s defines no %s%s", path, from, nearest.Hint(from, plainNames(m.table)))
		}
		into[livePrefix+to] = v
	}
	return starlark.None, nil
}

// Loaded returns the sorted paths of the libraries that scripts have loaded or tried to load.
func (s *Session) Loaded() []string {
	var paths []string
	s.loaded.Range(func(path, _ any) bool {
		paths = append(paths, path.(string))
		return true
	})
	slices.Sort(paths)
	return paths
}

// dirOf returns the folder that paths in the named chunk are relative to.
func (s *Session) dirOf(file string) string {
	if strings.HasPrefix(file, "<") { // <prompt>, <stdin>
		return s.Dir
	}
	return filepath.Dir(file)
}

// module returns the library at path. It runs the library at the first call, and again after an error.
func (s *Session) module(thread *starlark.Thread, path string) (*module, error) {
	if m, ok := s.modules[path]; ok {
		if m.loading {
			return nil, fmt.Errorf("load: %s loads itself", path)
		}
		return m, m.err
	}
	s.loaded.Store(path, true)
	source, err := s.read(path)
	if err != nil {
		return nil, &builtinError{"load", err}
	}
	m := &module{table: s.newTable(), loading: true}
	s.modules[path] = m
	_, m.err = s.runChunk(thread, m.table, path, string(source), false)
	if m.loading = false; m.err != nil {
		delete(s.modules, path) // the file may be corrected before the next load
	}
	return m, m.err
}

// plainNames returns the names in a table, sorted.
func plainNames(table starlark.StringDict) []string {
	var out []string
	for name := range table {
		if plain, ok := strings.CutPrefix(name, livePrefix); ok {
			out = append(out, plain)
		}
	}
	slices.Sort(out)
	return out
}

// Libraries returns the sources of the loaded scripts. They are sorted by their text, so the order does not depend on
// the scripts' paths.
func (s *Session) Libraries() []string {
	var out []string
	for path := range s.modules {
		out = append(out, strings.Join(s.sources[path], "\n")+"\n")
	}
	slices.Sort(out)
	return out
}

// Args returns the script's arguments, which --set sets, as a JSON object.
func (s *Session) Args() (string, error) {
	sorted := make(map[string]starlark.Value)
	for _, item := range s.args.Items() {
		sorted[string(item[0].(starlark.String))] = item[1]
	}
	return EncodeJSON(fieldsOf(sorted), 0)
}
