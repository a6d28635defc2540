package script

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Starlark compares values of different types with nobody's help, so that the
// operators are rewritten where evidence may stand on a side (guard.go):
//
//	x < 2     %float[x] < 2.0, and %int[x] < 2
//	x < y     %<[x][y]
//	x in y    x in %in[y]
//
// An index of an index costs the interpreter what a comparison does, as long as
// nothing takes memory for it.

// ways are the orders in which a comparison holds, by operator.
var ways = [...]evidence.Order{
	syntax.EQL: evidence.Equal,
	syntax.NEQ: evidence.Less | evidence.Greater,
	syntax.LT:  evidence.Less,
	syntax.LE:  evidence.Less | evidence.Equal,
	syntax.GT:  evidence.Greater,
	syntax.GE:  evidence.Greater | evidence.Equal,
}

// compareValues is starlark.Compare, but that evidence compares with evidence and
// numbers as far as it decides, in lists, tuples and dicts too.
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

// decide compares where a side is evidence. One object is one number.
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

// numberOf returns the number that a value is, for comparisons.
func numberOf(v starlark.Value) (evidence.Number, bool) {
	switch v := v.(type) {
	case *Evidence:
		return v.number, true
	case starlark.Int:
		return evidence.Whole(v.BigInt()), true
	case starlark.Float:
		return evidence.Plain(float64(v)), true
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

// search compares pairs until one of them is equal, or differs, and returns what
// that one is; the opposite where there is none. One such pair is enough, whether
// or not the pairs before it are decided.
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

// sameKey reports whether two numbers are one key of a dict or a set: they are
// equal, or else nothing tells them apart.
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

// operation is an operator as a type, so that an int that waits for it takes no
// memory.
type operation interface{ op() syntax.Token }

type (
	opEQL struct{}
	opNEQ struct{}
	opLT  struct{}
	opLE  struct{}
	opGT  struct{}
	opGE  struct{}
)

func (opEQL) op() syntax.Token { return syntax.EQL }
func (opNEQ) op() syntax.Token { return syntax.NEQ }
func (opLT) op() syntax.Token  { return syntax.LT }
func (opLE) op() syntax.Token  { return syntax.LE }
func (opGT) op() syntax.Token  { return syntax.GT }
func (opGE) op() syntax.Token  { return syntax.GE }

// comparisons are the guards of the operators.
var comparisons = map[syntax.Token]starlark.Value{
	syntax.EQL: operator[opEQL]{}, syntax.NEQ: operator[opNEQ]{}, syntax.LT: operator[opLT]{},
	syntax.LE: operator[opLE]{}, syntax.GT: operator[opGT]{}, syntax.GE: operator[opGE]{},
}

// operator is an operator that waits for its left side.
type operator[O operation] struct{ silent }

// Get implements starlark.Mapping.
func (operator[O]) Get(x starlark.Value) (starlark.Value, bool, error) {
	if x, ok := x.(starlark.Int); ok {
		return intSide[O]{x: x}, true, nil
	}
	var o O
	s := sides.Get().(*side)
	s.op, s.x = o.op(), x
	return s, true, nil
}

// intSide is the left side of a comparison, which waits for the right one.
type intSide[O operation] struct {
	silent
	x starlark.Int
}

// Get implements starlark.Mapping.
func (s intSide[O]) Get(y starlark.Value) (starlark.Value, bool, error) {
	var o O
	if y, ok := y.(starlark.Int); ok {
		order, err := s.x.Cmp(y, 1)
		return starlark.Bool(holds(o.op(), order)), true, err
	}
	is, err := compareValues(o.op(), s.x, y)
	return starlark.Bool(is), true, err
}

// side is an intSide of any value. The interpreter asks it once, when nobody else
// has it, so that it is used again.
type side struct {
	silent
	op syntax.Token
	x  starlark.Value
}

var sides = sync.Pool{New: func() any { return new(side) }}

// Get implements starlark.Mapping.
func (s *side) Get(y starlark.Value) (starlark.Value, bool, error) {
	op, v := s.op, s.x
	s.x = nil
	sides.Put(s)
	switch x := v.(type) {
	case starlark.Float:
		if y, ok := y.(starlark.Float); ok && x == x && y == y { // no NaN
			return starlark.Bool(holds(op, cmp.Compare(x, y))), true, nil
		}
	case starlark.String:
		if y, ok := y.(starlark.String); ok {
			return starlark.Bool(holds(op, strings.Compare(string(x), string(y)))), true, nil
		}
	}
	is, err := compareValues(op, v, y)
	return starlark.Bool(is), true, err
}

// beside returns the guard of what stands left of a number of a type: evidence
// passes for another one, so that the interpreter asks it.
func beside(number string) func(starlark.Value) (starlark.Value, error) {
	return func(x starlark.Value) (starlark.Value, error) {
		if e, ok := x.(*Evidence); ok {
			return passing{e, number}, nil
		}
		if o, ok := x.(interface {
			comparing
			compares() bool
		}); ok && o.compares() {
			return passingObject{o, number}, nil
		}
		return x, nil
	}
}

// passing is evidence that passes for a number of a type.
type passing struct {
	*Evidence
	number string
}

func (p passing) Type() string { return p.number }

// CompareSameType implements starlark.Comparable.
func (p passing) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	return decide(op, p.Evidence, y)
}

// silent is what a value must be that no script sees.
type silent struct{}

func (silent) String() string        { return "<guard>" }
func (silent) Type() string          { return "guard" }
func (silent) Freeze()               {}
func (silent) Truth() starlark.Bool  { return true }
func (silent) Hash() (uint32, error) { return 0, errors.New("unhashable type: guard") }

// orders are what a comparison comes out as, −1, 0 or 1, less its least.
var orders = [...]evidence.Order{evidence.Less, evidence.Equal, evidence.Greater}

// holds reports whether a comparison that came out as order, −1, 0 or 1, satisfies
// op.
func holds(op syntax.Token, order int) bool { return ways[op]&orders[order+1] != 0 }

// members are the elements of a list or a tuple, to look one up.
type members struct{ starlark.Indexable }

func membersOf(v starlark.Value) (starlark.Value, error) {
	switch v.(type) {
	case *starlark.List, starlark.Tuple:
		return members{v.(starlark.Indexable)}, nil
	}
	return v, nil
}

// Has implements starlark.Container. Where one element is not decided, another one
// may be the same.
func (m members) Has(x starlark.Value) (bool, error) {
	return search(true, starlark.CompareLimit, func(yield func(v, w starlark.Value) bool) {
		for i := 0; i < m.Len() && yield(x, m.Index(i)); i++ {
		}
	})
}
