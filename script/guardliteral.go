package script

import (
	"strings"

	"go.starlark.net/syntax"
)

// isNumber reports whether an expression is a number as it stands.
func isNumber(e syntax.Expr) bool {
	lit, ok := unparen(e).(*syntax.Literal)
	return ok && (lit.Token == syntax.INT || lit.Token == syntax.FLOAT)
}

// isSmall reports whether an expression is a number that repeats next to nothing.
func isSmall(e syntax.Expr) bool {
	lit, ok := unparen(e).(*syntax.Literal)
	if !ok {
		return false
	}
	n, ok := lit.Value.(int64)
	return ok && n <= few
}

// isText reports whether an expression is a string as it stands.
func isText(e syntax.Expr) bool {
	lit, ok := unparen(e).(*syntax.Literal)
	return ok && lit.Token == syntax.STRING
}

// isPlainFormat reports whether an expression is a string, as it stands, that is
// formatted with arguments one after the other, none of them quoted.
func isPlainFormat(e syntax.Expr) bool {
	if !isText(e) {
		return false
	}
	text := unparen(e).(*syntax.Literal).Value.(string)
	return !strings.Contains(text, "%(") && !strings.Contains(text, "%r")
}

// sameName reports whether both sides are one variable: no value that can be
// multiplied by itself grows by it.
func sameName(x, y syntax.Expr) bool {
	a, ok1 := unparen(x).(*syntax.Ident)
	b, ok2 := unparen(y).(*syntax.Ident)
	return ok1 && ok2 && a.Name == b.Name
}

// isPlain reports whether an expression is a string, bytes or None as it stands,
// which no evidence is.
func isPlain(e syntax.Expr) bool {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		return e.Token == syntax.STRING || e.Token == syntax.BYTES
	case *syntax.Ident:
		return e.Name == "None"
	}
	return false
}
