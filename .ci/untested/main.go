// Command untested lists the places that return an error and that no test comes by.
//
//	go test -coverprofile room.out ./room
//	go run ./.ci/untested room.out…
//
// A place is a return statement of a function whose last result is an error, where
// something other than nil stands for it. Profiles of several tests are taken together: one
// of them that comes by is enough. It prints the places, and how many there are of each room. Nothing
// is written; the exit status is 1 where -most is given and a room has more.
//
// A place that no test can come by, or that none can in good time, stands in -reasons: its file,
// its function and its statement, a tab, and why, a line for each place. It is not counted; the exit status is 1 where a test comes by it,
// or where it is not there. A reason that begins with "servers:" holds where they are not installed.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
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

// A place is a return statement, and the function that it stands in.
type place struct {
	*ast.ReturnStmt
	function string
}

// key names a place but for its line.
func (p place) key(file string) string {
	var b strings.Builder
	_ = printer.Fprint(&b, token.NewFileSet(), p.ReturnStmt)
	return fmt.Sprintf("%s %s: %s", file, p.function, strings.Join(strings.Fields(b.String()), " "))
}

// places are where a file returns an error.
func places(f *ast.File) (out []place) {
	var name string
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
					out = append(out, place{n, name})
				}
			}
			return true
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name = d.Name.Name; d.Body != nil {
				visit(d.Body, d.Type.Results)
			}
		case *ast.GenDecl: // functions that are values
			name = "var"
			ast.Inspect(d, func(n ast.Node) bool {
				f, ok := n.(*ast.FuncLit)
				if ok {
					visit(f.Body, f.Type.Results)
				}
				return !ok
			})
		}
	}
	return out
}

// readReasons reads why places have no test.
func readReasons(name string) (map[string][]string, error) {
	out := map[string][]string{}
	if name == "" {
		return out, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, why, found := strings.Cut(line, "\t")
		if !found {
			return nil, fmt.Errorf("%s: %q has no reason behind a tab", name, line)
		}
		out[key] = append(out[key], why)
	}
	return out, nil
}

func run(profiles []string, reasonsFile string, most int) error {
	reasons, err := readReasons(reasonsFile)
	if err != nil {
		return err
	}
	used, stale := map[string]int{}, false
	seen := map[string]map[block]bool{}
	for _, name := range profiles {
		if err := profile(seen, name); err != nil {
			return err
		}
	}
	type count struct{ all, untested, reasons int }
	rooms := map[string]count{}
	for _, file := range slices.Sorted(maps.Keys(seen)) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.FromSlash(file), nil, 0)
		if err != nil {
			return err
		}
		room := rooms[path.Dir(file)]
		for _, r := range places(f) {
			at := fset.Position(r.Pos())
			for b, tested := range seen[file] {
				if !b.holds(at) {
					continue
				}
				room.all++
				if tested {
					break
				}
				if key := r.key(file); used[key] < len(reasons[key]) {
					room.reasons++
					used[key]++
				} else {
					room.untested++
					fmt.Printf("%s:%d\t%s\n", file, at.Line, key)
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
		fmt.Printf("%-24s %4d places return an error, %3d untested, %3d with a reason\n", name, rooms[name].all, rooms[name].untested, rooms[name].reasons)
		over = over || most >= 0 && rooms[name].untested > most
	}
	for _, key := range slices.Sorted(maps.Keys(reasons)) {
		file, _, _ := strings.Cut(key, " ")
		if seen[file] != nil && used[key] < len(reasons[key]) && !strings.HasPrefix(reasons[key][0], "servers: ") {
			stale = true
			fmt.Printf("a test comes by it, or it is not there: %s\n", key)
		}
	}
	switch {
	case stale:
		return fmt.Errorf("%s has a reason too many", reasonsFile)
	case over:
		return fmt.Errorf("a room has more than %d places that return an error and no test comes by", most)
	}
	return nil
}

func main() {
	most := flag.Int("most", -1, "how `many` untested places a room may have")
	reasons := flag.String("reasons", "", "a `file` of places that no test can come by, and why")
	flag.Parse()
	if err := run(flag.Args(), *reasons, *most); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
