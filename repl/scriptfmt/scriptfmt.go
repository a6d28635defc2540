// Package scriptfmt formats scripts with the formatter of Bazel's buildtools: blanks around operators, double quotes,
// one argument per line in calls of several lines.
package scriptfmt

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"dpworkbench/script"

	"github.com/bazelbuild/buildtools/build"
	"go.starlark.net/syntax"
)

// ErrFormat is wrapped by the error for a script that cannot be formatted without changing it.
var ErrFormat = errors.New("cannot format")

// whileMark is the loop variable of a for statement that replaces a while statement, which the formatter cannot parse
// because Bazel's files have none.
const whileMark = "while__mark"

// Source returns a script formatted. A script with a syntax error returns that error. Source parses the result again
// and compares it with the original, so it has the same meaning.
func Source(file, source string) (string, error) {
	before, err := script.Parse(file, source)
	if err != nil {
		return "", err
	}
	if strings.Contains(source, whileMark) {
		return "", fmt.Errorf("%w %s: it uses the name %s, which the formatter reserves", ErrFormat, file, whileMark)
	}
	tree, err := build.ParseDefault(file, []byte(adapt(before, source)))
	if err != nil {
		return "", fmt.Errorf("%w %s: %w", ErrFormat, file, err)
	}
	build.Walk(tree, requote)
	out := strings.ReplaceAll(string(build.FormatWithoutRewriting(tree)), "for "+whileMark+" in ", "while ")
	after, err := script.Parse(file, out)
	if err != nil {
		return "", fmt.Errorf("%w %s: %w", ErrFormat, file, err)
	}
	if !sameTree(before, after) {
		return "", fmt.Errorf("%w %s: the formatted script would have another meaning", ErrFormat, file)
	}
	return out, nil
}

// requote changes single quotes to double quotes around a text with non-ASCII letters. The formatter would change the
// quotes itself, but would write the bytes of such letters as octal escapes, which mean something else in a script.
func requote(x build.Expr, _ []build.Expr) {
	s, ok := x.(*build.StringExpr)
	beyond := func(r rune) bool { return r >= utf8.RuneSelf }
	if !ok || !strings.HasPrefix(s.Token, "'") || strings.Contains(s.Value, `"`) || !strings.ContainsFunc(s.Value, beyond) {
		return
	}
	old, quotes := "'", `"`
	if s.TripleQuote {
		old, quotes = "'''", `"""`
	}
	s.Token = quotes + strings.TrimSuffix(strings.TrimPrefix(s.Token, old), old) + quotes
}

// place is a line and a column in characters, both from 1.
type place struct{ line, column int32 }

func placeOf(p syntax.Position) place { return place{p.Line, p.Col} }

// adapt rewrites syntax that the formatter's grammar lacks. "while x:" becomes "for while__mark in x:", and a
// conditional in a tuple without parentheses gets parentheses.
func adapt(f *syntax.File, source string) string {
	before := make(map[place]string) // text to insert at a place
	whiles := make(map[place]bool)
	enclosed := make(map[syntax.Node]bool) // tuples in parentheses
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WhileStmt:
			whiles[placeOf(n.While)] = true
		case *syntax.ParenExpr:
			enclosed[n.X] = true
		case *syntax.TupleExpr:
			for _, x := range n.List {
				if c, ok := x.(*syntax.CondExpr); ok && !enclosed[n] && !n.Lparen.IsValid() {
					start, end := c.Span()
					before[placeOf(start)] += "("
					before[placeOf(end)] = ")" + before[placeOf(end)]
				}
			}
		}
		return true
	})
	if len(before)+len(whiles) == 0 {
		return source
	}
	var b strings.Builder
	for i, line := range strings.SplitAfter(source, "\n") {
		at := place{int32(i + 1), 1}
		for rest := line; rest != ""; at.column++ {
			b.WriteString(before[at])
			if after, ok := strings.CutPrefix(rest, "while"); ok && whiles[at] {
				b.WriteString("for " + whileMark + " in ")
				at.column += int32(len("while")) - 1
				rest = after
				continue
			}
			_, size := utf8.DecodeRuneInString(rest)
			b.WriteString(rest[:size])
			rest = rest[size:]
		}
		b.WriteString(before[at]) // the insertion at the very end, if the text ends without a newline
	}
	return b.String()
}

// sameTree reports whether two scripts differ only in layout, quotes, parentheses and comments.
func sameTree(a, b *syntax.File) bool { return reflect.DeepEqual(outline(a), outline(b)) }

// outline lists the nodes of a tree in order.
func outline(f *syntax.File) []string {
	var out []string
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil:
			out = append(out, "end")
		case *syntax.Ident:
			out = append(out, n.Name)
		case *syntax.Literal:
			out = append(out, fmt.Sprintf("%T %v", n.Value, n.Value))
		case *syntax.BinaryExpr:
			out = append(out, n.Op.String())
		case *syntax.UnaryExpr:
			out = append(out, n.Op.String())
		case *syntax.AssignStmt:
			out = append(out, n.Op.String())
		case *syntax.BranchStmt:
			out = append(out, n.Token.String())
		case *syntax.ParenExpr:
			out = append(out, outlineOf(n.X)...)
			return false
		default:
			out = append(out, fmt.Sprintf("%T", n))
		}
		return true
	})
	return out
}

// outlineOf lists the nodes of an expression.
func outlineOf(x syntax.Expr) []string {
	inner := outline(&syntax.File{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: x}}})
	return inner[2 : len(inner)-2]
}
