package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Go ends the process if a goroutine's stack exceeds a gigabyte, and recover cannot catch that. So code that recurs
// over values or source refuses anything nested deeper than MaxNesting. A level takes at most about a kilobyte of
// stack, so all levels take at most a hundredth of the gigabyte. Output, JSON and freezing count levels themselves.
// Tuples are counted when they are made (tuples.go), because hashing them recurs. Source is counted before it is
// compiled.
const MaxNesting = 10000

// errNested returns the error for something nested too deeply.
func errNested(what string) error {
	return fmt.Errorf("%s is nested more than %d deep", what, MaxNesting)
}

// maxDigits bounds the digits of ints that are parsed from text, because the time of parsing is quadratic. maxPrinted
// bounds the digits of ints that are printed.
const (
	maxDigits  = 300_000
	maxPrinted = 1_000_000
)

// parse parses source and returns an error if it is nested too deeply to compile.
func parse(file, source string, mode syntax.Mode) (*syntax.File, error) {
	f, err := checked(file, source, Dialect.Parse)
	if err == nil && mode&syntax.RetainComments != 0 { // attaching comments is recursive
		return Dialect.Parse(file, source, mode)
	}
	return f, err
}

// checked parses source without comments. It returns an error for too many digits or too deep a tree.
func checked[N syntax.Node](file, source string, parse func(file string, source any, mode syntax.Mode) (N, error)) (N, error) {
	var none N
	if err := checkDigits(file, source); err != nil {
		return none, err
	}
	n, err := parse(file, source, 0)
	if err == nil {
		err = checkDepth(n)
	}
	if err != nil {
		return none, err
	}
	return n, nil
}

// constant returns the value of an expression without names.
func constant(file, source string) (starlark.Value, error) {
	e, err := checked(file, source, Dialect.ParseExpr)
	if err != nil {
		return nil, err
	}
	return starlark.EvalExprOptions(Dialect, &starlark.Thread{}, e, starlark.StringDict{})
}

// checkDigits refuses source with a number of more than maxDigits digits.
func checkDigits(file, source string) error {
	if len(source) <= maxDigits {
		return nil
	}
	line, run := int32(1), 0
	for i := range len(source) {
		if run++; !strings.Contains("0123456789abcdefABCDEF", source[i:i+1]) {
			run = 0
		}
		if source[i] == '\n' {
			line++
		}
		if run == maxDigits {
			return syntax.Error{Pos: syntax.MakePosition(&file, line, 1), Msg: fmt.Sprintf("a number of more than %d digits", maxDigits)}
		}
	}
	return nil
}

// checkDepth returns an error for a syntax tree deeper than MaxNesting. The parser limits nested brackets to a
// thousand, but not the length of a chain such as a + b + c + …, f()()()… or if-elif-elif-…, and the tree of a chain is
// as deep as the chain is long.
func checkDepth(root syntax.Node) error {
	type place struct {
		node  syntax.Node
		depth int
	}
	open := []place{{root, 0}}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at.depth > MaxNesting {
			return syntax.Error{Pos: position(at.node), Msg: errNested("an expression, or a chain of elifs,").Error()}
		}
		own := true
		syntax.Walk(at.node, func(n syntax.Node) bool { // the children
			if own {
				own = false
				return true
			}
			if n != nil {
				open = append(open, place{n, at.depth + 1})
			}
			return false
		})
	}
	return nil
}

// position returns the position of a node without visiting its children.
func position(n syntax.Node) syntax.Position {
	switch n := n.(type) {
	case *syntax.BinaryExpr:
		return n.OpPos
	case *syntax.CallExpr:
		return n.Lparen
	case *syntax.DotExpr:
		return n.Dot
	case *syntax.IndexExpr:
		return n.Lbrack
	case *syntax.SliceExpr:
		return n.Lbrack
	case *syntax.IfStmt:
		return n.If
	}
	start, _ := n.Span()
	return start
}
