// Command untested lists the places that return an error and that no test comes by.
//
//	go test -coverprofile room.out ./room
//	go run ./.ci/untested room.out…
//
// A place is a return statement of a function whose last result is an error, where
// something other than nil stands for it. Profiles of several tests are taken together: one
// of them that comes by is enough. It prints the places, and how many there are of each room. Nothing
// is written; the exit status is 1 where -most is given and a room has more.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const module = "dpworkbench/"

// A block is a stretch of a file that a profile counts.
type block struct{ fromLine, fromColumn, toLine, toColumn int }

func (b block) holds(p token.Position) bool {
	after := p.Line > b.fromLine || p.Line == b.fromLine && p.Column >= b.fromColumn
	return after && (p.Line < b.toLine || p.Line == b.toLine && p.Column < b.toColumn)
}

// profile reads which blocks of which files are counted, and which of them a test comes by.
func profile(into map[string]map[block]bool, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		file, rest, found := strings.Cut(lines.Text(), ".go:")
		if !found {
			continue // mode: set
		}
		var b block
		var statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.fromLine, &b.fromColumn, &b.toLine, &b.toColumn, &statements, &count); err != nil {
			return fmt.Errorf("%s: %q: %w", name, lines.Text(), err)
		}
		file = strings.TrimPrefix(file, module) + ".go"
		if into[file] == nil {
			into[file] = map[block]bool{}
		}
		into[file][b] = into[file][b] || count > 0
	}
	return lines.Err()
}

// places are where a file returns an error.
func places(fset *token.FileSet, f *ast.File) (out []*ast.ReturnStmt) {
	var visit func(body *ast.BlockStmt, results *ast.FieldList)
	visit = func(body *ast.BlockStmt, results *ast.FieldList) {
		last := ""
		if results != nil && len(results.List) > 0 {
			if id, ok := results.List[len(results.List)-1].Type.(*ast.Ident); ok {
				last = id.Name
			}
		}
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				visit(n.Body, n.Type.Results)
				return false
			case *ast.ReturnStmt:
				if last != "error" || len(n.Results) == 0 {
					return true
				}
				if id, ok := n.Results[len(n.Results)-1].(*ast.Ident); !ok || id.Name != "nil" {
					out = append(out, n)
				}
			}
			return true
		})
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			visit(d.Body, d.Type.Results)
		}
	}
	return out
}

func run(profiles []string, most int) error {
	seen := map[string]map[block]bool{}
	for _, name := range profiles {
		if err := profile(seen, name); err != nil {
			return err
		}
	}
	type count struct{ all, untested int }
	rooms := map[string]count{}
	for _, file := range slices.Sorted(maps.Keys(seen)) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.FromSlash(file), nil, 0)
		if err != nil {
			return err
		}
		room := rooms[path.Dir(file)]
		for _, r := range places(fset, f) {
			at := fset.Position(r.Pos())
			for b, tested := range seen[file] {
				if !b.holds(at) {
					continue
				}
				room.all++
				if !tested {
					room.untested++
					fmt.Printf("%s:%d\n", file, at.Line)
				}
				break
			}
		}
		rooms[path.Dir(file)] = room
	}
	over := false
	fmt.Println()
	for _, name := range slices.SortedFunc(maps.Keys(rooms), func(a, b string) int {
		return cmp.Or(rooms[b].untested-rooms[a].untested, strings.Compare(a, b))
	}) {
		fmt.Printf("%-24s %4d places return an error, %3d untested\n", name, rooms[name].all, rooms[name].untested)
		over = over || most >= 0 && rooms[name].untested > most
	}
	if over {
		return fmt.Errorf("a room has more than %d places that return an error and no test comes by", most)
	}
	return nil
}

func main() {
	most := flag.Int("most", -1, "how `many` untested places a room may have")
	flag.Parse()
	if err := run(flag.Args(), *most); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
