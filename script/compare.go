package script

import (
	"errors"
	"fmt"
	"iter"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// ways maps a comparison operator to the orders of two values in which it holds.
var ways = [...]evidence.Order{
	syntax.EQL: evidence.Equal,
	syntax.NEQ: evidence.Less | evidence.Greater,
	syntax.LT:  evidence.Less,
	syntax.LE:  evidence.Less | evidence.Equal,
	syntax.GT:  evidence.Greater,
	syntax.GE:  evidence.Greater | evidence.Equal,
}

// compareValues is starlark.Compare extended to evidence. Evidence is compared with evidence and numbers if its bounds
// decide the result, also inside lists, tuples and dicts.
func compareValues(op syntax.Token, x, y starlark.Value) (bool, error) {
	return compareDepth(op, x, y, starlark.CompareLimit)
}

// Compare compares values as scripts do.
func Compare(op syntax.Token, x, y starlark.Value) (bool, error) { return compareValues(op, x, y) }

func compareDepth(op syntax.Token, x, y starlark.Value, depth int) (bool, error) {
	if depth < 1 {
		return starlark.CompareDepth(op, x, y, depth) // its error
	}
	if is, ok, err := compareOwn(op, x, y); ok {
		return is, err
	}
	switch v := x.(type) {
	case *Evidence:
		return decide(op, x, y)
	case starlark.Int, starlark.Float:
		if _, ok := y.(*Evidence); ok {
			return decide(op, x, y)
		}
	case *starlark.List:
		if w, ok := y.(*starlark.List); ok {
			return compareItems(op, v, w, depth)
		}
	case starlark.Tuple:
		if w, ok := y.(starlark.Tuple); ok {
			return compareItems(op, v, w, depth)
		}
	case *starlark.Dict:
		if w, ok := y.(*starlark.Dict); ok && (op == syntax.EQL || op == syntax.NEQ) {
			same, err := sameEntries(v, w, depth)
			return same == (op == syntax.EQL), err
		}
	}
	return starlark.CompareDepth(op, x, y, depth)
}

// decide compares two values, at least one of which is evidence. Evidence equals itself even if its bounds would not
// decide this, unless it is estimated.
func decide(op syntax.Token, x, y starlark.Value) (bool, error) {
	a, okA := numberOf(x)
	b, okB := numberOf(y)
	if !okA || !okB {
		return starlark.Compare(op, x, y)
	}
	e, left := x.(*Evidence)
	f, right := y.(*Evidence)
	if left && right && e.origin() == f.origin() && a.Kind() != evidence.KindEstimated {
		return ways[op]&evidence.Equal != 0, nil
	}
	is, err := evidence.Decide(a, ways[op], b)
	if err != nil {
		err = fmt.Errorf("%s %s %s is %w", x.Type(), op, y.Type(), err)
	}
	return is, err
}

// numberOf returns a numeric value as an evidence.Number, for comparisons.
func numberOf(v starlark.Value) (evidence.Number, bool) {
	switch v := v.(type) {
	case *Evidence:
		return v.number, true
	case starlark.Int:
		return evidence.FromInt(v.BigInt()), true
	case starlark.Float:
		return evidence.FromFloat(float64(v)), true
	}
	return nil, false
}

// compareItems compares lists or tuples: by their first difference, or by length.
func compareItems(op syntax.Token, x, y starlark.Indexable, depth int) (bool, error) {
	n, m := x.Len(), y.Len()
	if op == syntax.EQL || op == syntax.NEQ {
		if n != m {
			return op == syntax.NEQ, nil
		}
		same, err := search(false, depth-1, func(yield func(v, w starlark.Value) bool) {
			for i := 0; i < n && yield(x.Index(i), y.Index(i)); i++ {
			}
		})
		return same == (op == syntax.EQL), err
	}
	for i := range min(n, m) {
		same, err := compareDepth(syntax.EQL, x.Index(i), y.Index(i), depth-1)
		if err != nil {
			return false, err
		}
		if !same {
			return compareDepth(op, x.Index(i), y.Index(i), depth-1)
		}
	}
	return starlark.Compare(op, starlark.MakeInt(n), starlark.MakeInt(m))
}

// sameEntries reports whether two dicts are equal.
func sameEntries(x, y *starlark.Dict, depth int) (bool, error) {
	missing := x.Len() != y.Len()
	same, err := search(false, depth-1, func(yield func(v, w starlark.Value) bool) {
		for k, v := range x.Entries() {
			w, found, _ := y.Get(k)
			if missing = missing || !found; missing || !yield(v, w) {
				return
			}
		}
	})
	return same && !missing, err
}

// search looks for a pair of elements that are equal (if equal is true) or differ (if it is false). It returns the
// value of equal if there is such a pair, even after undecided pairs. It returns !equal if all pairs are decided the
// other way, and otherwise an error.
func search(equal bool, depth int, pairs iter.Seq2[starlark.Value, starlark.Value]) (bool, error) {
	var open error
	for v, w := range pairs {
		same, err := compareDepth(syntax.EQL, v, w, depth)
		switch {
		case err == nil && same == equal:
			return equal, nil
		case errors.Is(err, evidence.ErrUndecided):
			open = err
		case err != nil:
			return false, err
		}
	}
	return open == nil && !equal, open
}

// sameKey reports whether two numbers count as one key of a dict or a set: they are equal, or undecided but with the
// same kind, bounds and value.
func sameKey(a, b evidence.Number) bool {
	switch evidence.Relate(a, b) {
	case evidence.Equal:
		return true
	case evidence.Less, evidence.Greater:
		return false
	}
	lo, hi := a.Bounds()
	l, h := b.Bounds()
	return a.Kind() == b.Kind() && lo == l && hi == h && a.Float() == b.Float()
}
