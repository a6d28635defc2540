package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// module is the path before every room.
const module = "dpworkbench"

// room is one package of the module, read and typed.
type room struct {
	path  string // below the module
	files []*source
	types *types.Package
	info  *types.Info
	fset  *token.FileSet
}

// source is one file of a room.
type source struct {
	name string // below the module
	text []byte
	ast  *ast.File
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
}

// load reads and types the rooms that match.
func load(which *regexp.Regexp) ([]*room, error) {
	out, err := output("go", "list", "-trimpath", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles", "./...")
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var wanted []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if below, ok := strings.CutPrefix(p.ImportPath, module+"/"); ok && len(p.CgoFiles) == 0 && which.MatchString(below) {
			wanted = append(wanted, p)
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var rooms []*room
	for _, p := range wanted {
		r := &room{path: strings.TrimPrefix(p.ImportPath, module+"/"), fset: fset,
			info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
		var files []*ast.File
		for _, name := range p.GoFiles {
			s := &source{name: filepath.Join(r.path, name)}
			if s.text, err = os.ReadFile(filepath.Join(p.Dir, name)); err != nil {
				return nil, err
			}
			if s.ast, err = parser.ParseFile(fset, s.name, s.text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
				return nil, err
			}
			if !ast.IsGenerated(s.ast) {
				r.files = append(r.files, s)
			}
			files = append(files, s.ast)
		}
		if r.types, err = (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, r.info); err != nil {
			return nil, err
		}
		rooms = append(rooms, r)
	}
	if len(rooms) == 0 {
		return nil, fmt.Errorf("no room matches %v", which)
	}
	return rooms, nil
}

// output runs a command and returns what it prints.
func output(name string, args ...string) ([]byte, error) {
	out, err := exec.Command(name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, args[0], err, exit.Stderr)
	}
	return out, err
}
