package script

import (
	"fmt"
	"path/filepath"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// lineName is the name of a value in the rewritten script. The expression %line[n] before a statement calls
// Session.mark(n).
const lineName = "%line"

// scriptLine is the start of a statement outside functions. It is the origin of everything computed by that
// statement, also in functions that it calls.
type scriptLine struct {
	file   string
	number int
}

// text returns the file name and the number of the line, or "" for nil. It leaves out the folder, which differs between
// machines.
func (l *scriptLine) text() string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%s, line %d", filepath.Base(l.file), l.number)
}

// scriptLines holds the lines of a session by number. An abandoned chunk may still read them while the next chunk adds
// lines.
type scriptLines struct {
	mu  sync.RWMutex
	all []*scriptLine
}

// noteLine adds a position to the session's lines and returns its number there.
func (s *Session) noteLine(pos syntax.Position) int {
	s.lines.mu.Lock()
	defer s.lines.mu.Unlock()
	s.lines.all = append(s.lines.all, &scriptLine{pos.Filename(), int(pos.Line)})
	return len(s.lines.all) - 1
}

// mark makes the line with this number the session's current line.
func (s *Session) mark(number starlark.Value) (starlark.Value, error) {
	i, _ := starlark.AsInt32(number)
	s.lines.mu.RLock()
	s.at.Store(s.lines.all[i])
	s.lines.mu.RUnlock()
	return starlark.None, nil
}

// mark notes a position under a number n and returns the statement %line[n].
func (rw *rewriter) mark(at syntax.Position) syntax.Stmt {
	n := rw.note(at)
	number := &syntax.Literal{Token: syntax.INT, TokenPos: at, Raw: fmt.Sprint(n), Value: int64(n)}
	return &syntax.ExprStmt{X: index(&syntax.Ident{NamePos: at, Name: lineName}, number, at)}
}

// computes reports whether a statement contains a call or reads an attribute, and so may create evidence. It returns
// false for def and load statements.
func computes(stmt syntax.Stmt) (found bool) {
	switch stmt.(type) {
	case *syntax.DefStmt, *syntax.LoadStmt:
		return false
	}
	syntax.Walk(stmt, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CallExpr, *syntax.DotExpr:
			found = true
		}
		return !found
	})
	return found
}
