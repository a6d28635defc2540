package script

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// FreezeReached freezes every list, dict and set that a function can reach, so that several goroutines may call it.
// It follows the function's defaults and free variables, the values of the global names in its source, and the
// functions among these.
//
// starlark.Value.Freeze is recursive and has no memory of functions: a function nested in a function that calls itself
// would never end. So this code walks over functions and tuples itself. It freezes the lists, dicts and sets they lead
// to one by one, each after checking that its recursion ends.
func (s *Session) FreezeReached(f starlark.Value) error {
	r := freezer{session: s, seen: make(map[any]bool), frozen: make(map[starlark.Value]bool),
		files: make(map[string]map[syntax.Position][]string)}
	r.work = append(r.work, f)
	for len(r.work) > 0 {
		v := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		r.visit(v)
	}
	for _, box := range r.boxes {
		if err := r.freeze(box); err != nil {
			return err
		}
	}
	return nil
}

// freezer visits all values that a function can reach, and then freezes the lists, dicts and sets among them.
type freezer struct {
	session *Session
	work    []starlark.Value
	seen    map[any]bool
	boxes   []starlark.Value // lists, dicts and sets
	frozen  map[starlark.Value]bool
	steps   int
	files   map[string]map[syntax.Position][]string // names in functions, by file and place
}

// visit records a value and queues the values it refers to.
func (r *freezer) visit(v starlark.Value) {
	var key any = v
	switch v := v.(type) {
	case starlark.Tuple:
		if len(v) == 0 {
			return
		}
		key = &v[0]
	case *starlark.Function, *starlark.List, *starlark.Dict, *starlark.Set, *starlark.Builtin:
	default:
		return
	}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	switch v := v.(type) {
	case *starlark.List, *starlark.Dict, *starlark.Set:
		r.boxes = append(r.boxes, v)
	case *starlark.Function:
		r.globals(v)
	}
	r.work = append(r.work, heldBy(v)...)
}

// globals queues the values of the global names in a function's source. If the source is no longer known, because
// another file had the same name, it queues the values of all names.
func (r *freezer) globals(f *starlark.Function) {
	pos := f.Position()
	file, table := pos.Filename(), r.session.table
	if m, ok := r.session.modules[file]; ok {
		table = m.table
	}
	if _, ok := r.files[file]; !ok {
		r.files[file] = r.session.namesInFunctions(file)
	}
	names, ok := r.files[file][syntax.MakePosition(nil, pos.Line, pos.Col)]
	if !ok {
		names = plainNames(table)
	}
	for _, name := range names {
		r.work = append(r.work, table[livePrefix+name])
	}
}

// heldBy returns the values that Freeze visits next after v. Missing ones are nil.
func heldBy(v starlark.Value) []starlark.Value {
	var out []starlark.Value
	switch v := v.(type) {
	case starlark.Tuple, *starlark.List, *starlark.Set, *starlark.Dict:
		return slices.Collect(contents(v.(starlark.Iterable)))
	case *starlark.Function:
		for i := range v.NumFreeVars() {
			_, x := v.FreeVar(i)
			out = append(out, x)
		}
		for i := range v.NumParams() {
			out = append(out, v.ParamDefault(i))
		}
	case *starlark.Builtin:
		return []starlark.Value{v.Receiver()}
	}
	return out
}

// maxFreezing bounds the steps of one recursion of Freeze.
const maxFreezing = 1 << 24

// freeze freezes a list, dict or set after checking that the recursion ends.
func (r *freezer) freeze(box starlark.Value) error {
	levels := [][]starlark.Value{{box}} // values still to visit, by level
	for len(levels) > 0 {
		top := len(levels) - 1
		if len(levels[top]) == 0 {
			levels = levels[:top]
			continue
		}
		v := levels[top][0]
		levels[top] = levels[top][1:]
		switch v.(type) {
		case *starlark.List, *starlark.Dict, *starlark.Set:
			if r.frozen[v] {
				continue
			}
			r.frozen[v] = true
		}
		if r.steps++; len(levels) > MaxNesting || r.steps > maxFreezing {
			return fmt.Errorf("with several workers every value that the objective reaches is frozen, but a %s there contains a function that refers to itself, values nested more than %d deep, or too many values", box.Type(), MaxNesting)
		}
		if held := heldBy(v); len(held) > 0 {
			levels = append(levels, held)
		}
	}
	box.Freeze()
	return nil
}

// namesInFunctions returns the names used in the functions of a file, by the functions' positions. It returns nil if
// the source is not known.
func (s *Session) namesInFunctions(file string) map[syntax.Position][]string {
	lines, ok := s.sources[file]
	if !ok || s.rewritten[file] {
		return nil
	}
	f, err := parse(file, strings.Join(lines, "\n"), 0)
	if err != nil {
		return nil
	}
	out := make(map[syntax.Position][]string)
	syntax.Walk(f, func(n syntax.Node) bool {
		var places []syntax.Position
		switch n := n.(type) {
		case *syntax.DefStmt:
			places = []syntax.Position{n.Def, n.Name.NamePos}
		case *syntax.LambdaExpr:
			places = []syntax.Position{n.Lambda}
		default:
			return true
		}
		var names []string
		syntax.Walk(n, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				names = append(names, id.Name)
			}
			return true
		})
		for _, p := range places {
			out[syntax.MakePosition(nil, p.Line, p.Col)] = names
		}
		return true
	})
	return out
}
