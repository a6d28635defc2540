package script

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Exact evidence with an integer value is accepted wherever an int is: as an index, an end of a slice, a key of a dict,
// an argument of range and other counting functions, a number of repetitions, and for %d.

const (
	guardWhole = "%whole"
	guardCount = "%count"
	guardText  = "%text"
)

// counting are the functions, and placing the methods, that take integers.
var (
	counting = []string{"range", "enumerate", "chr"}
	placing  = []string{"get", "pop", "setdefault", "insert"}
)

// places guards expressions that are not literals.
func (g *guarder) places(name string, exprs ...*syntax.Expr) {
	for _, e := range exprs {
		if *e != nil && literal(*e) == 0 {
			*e = g.guard(name, *e, position(*e))
		}
	}
}

// counted guards the arguments of functions that take integers.
func (g *guarder) counted(n *syntax.CallExpr) {
	name := ""
	switch f := unparen(n.Fn).(type) {
	case *syntax.Ident:
		if slices.Contains(counting, f.Name) {
			name = guardCount
		}
	case *syntax.DotExpr:
		if slices.Contains(placing, f.Name.Name) {
			name = guardWhole
		}
	}
	for i := range n.Args {
		switch arg := n.Args[i].(type) {
		case *syntax.BinaryExpr:
			if name != "" && arg.Op == syntax.EQ { // f(name=x)
				g.places(name, &arg.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if arg.Op == syntax.STAR || arg.Op == syntax.STARSTAR {
				continue
			}
		}
		if name != "" {
			g.places(name, &n.Args[i])
		}
	}
}

// whole returns a value, or an int for exact evidence with an integer value.
func whole(v starlark.Value) (starlark.Value, error) {
	if e, ok := v.(*Evidence); ok {
		if q, ok := exactOf(e); ok && q.IsInt() {
			return starlark.MakeBigInt(q.Num()), nil
		}
	}
	return v, nil
}

// count is whole for numbers of repetitions. It refuses other evidence.
func count(v starlark.Value) (starlark.Value, error) {
	n, _ := whole(v)
	if e, ok := n.(*Evidence); ok {
		return nil, fmt.Errorf("%v, want a whole number: int(e.value) is one", e)
	}
	return n, nil
}

// formatText is the guard of the left side of %.
func formatText(v starlark.Value) (starlark.Value, error) {
	if _, ok := v.(starlark.String); ok {
		return &operand{v, syntax.PERCENT}, nil
	}
	return v, nil
}

// percent returns f % v. Exact integers are accepted for %d, %i, %o and %x, and evidence by its value for %e, %f and
// %g.
func percent(f, v starlark.Value) (starlark.Value, error) {
	args, many := v.(starlark.Tuple)
	if !many {
		args = starlark.Tuple{v}
	}
	args = slices.Clone(args) // do not change the caller's tuple
	known := func(v starlark.Value) bool { _, ok := v.(*Evidence); return ok }
	text, _ := starlark.AsString(f)
	if !slices.ContainsFunc(args, known) {
		text = ""
	}
	for k := 0; k < len(args); k++ {
		_, after, found := strings.Cut(text, "%")
		if !found || after == "" {
			break
		}
		if text = after[1:]; after[0] == '%' {
			k--
		} else if strings.IndexByte("diox", after[0]) >= 0 {
			n, err := count(args[k])
			if err != nil {
				return nil, fmt.Errorf("%%%c: %w", after[0], err)
			}
			args[k] = n
		} else if strings.IndexByte("eEfFgG", after[0]) >= 0 {
			args[k] = floatOf(args[k])
		}
	}
	if many {
		return starlark.Binary(syntax.PERCENT, f, args)
	}
	return starlark.Binary(syntax.PERCENT, f, args[0])
}
