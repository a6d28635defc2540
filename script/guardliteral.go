package script

import (
	"strings"

	"go.starlark.net/syntax"
)

// literal returns the literal that an expression is, one without token and value
// where it is something else.
func literal(e syntax.Expr) *syntax.Literal {
	if lit, ok := unparen(e).(*syntax.Literal); ok {
		return lit
	}
	return &syntax.Literal{}
}

// isNumber reports whether an expression is a number as it stands.
func isNumber(e syntax.Expr) bool { return isFloat(e) || literal(e).Token == syntax.INT }

// isFloat reports whether an expression is a float as it stands.
func isFloat(e syntax.Expr) bool { return literal(e).Token == syntax.FLOAT }

// isText reports whether an expression is a string as it stands.
func isText(e syntax.Expr) bool { return literal(e).Token == syntax.STRING }

// isSmall reports whether an expression is a number that repeats next to nothing.
func isSmall(e syntax.Expr) bool {
	n, ok := literal(e).Value.(int64)
	return ok && n <= few
}

// isPlainFormat reports whether an expression is a string, as it stands, that is
// formatted with arguments one after the other, none of them quoted.
func isPlainFormat(e syntax.Expr) bool {
	text, _ := literal(e).Value.(string)
	return isText(e) && !strings.Contains(text, "%(") && !strings.Contains(text, "%r")
}

// isPlain reports whether an expression is a string, bytes or None as it stands,
// which no evidence is.
func isPlain(e syntax.Expr) bool {
	id, ok := unparen(e).(*syntax.Ident)
	return isText(e) || literal(e).Token == syntax.BYTES || ok && id.Name == "None"
}

// sameName reports whether both sides are one variable: no value that can be
// multiplied by itself grows by it.
func sameName(x, y syntax.Expr) bool {
	a, ok1 := unparen(x).(*syntax.Ident)
	b, ok2 := unparen(y).(*syntax.Ident)
	return ok1 && ok2 && a.Name == b.Name
}

// unparen returns an expression without the parentheses around it.
func unparen(e syntax.Expr) syntax.Expr {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return unparen(p.X)
	}
	return e
}

// elements returns the expressions of a tuple or a list that is written out, nil
// for anything else.
func elements(e syntax.Expr) []syntax.Expr {
	switch e := unparen(e).(type) {
	case *syntax.TupleExpr:
		return e.List
	case *syntax.ListExpr:
		return e.List
	}
	return nil
}
