package privacy

import "reflect"

// Universe is what the pairs of a family are counted by: families of equal scopes have
// pair i for the same two datasets, so that uses of both share it.
type Universe interface {
	// Same reports whether two scopes count the same pairs of datasets.
	Same(Universe) bool
}

// IncompatibleUniverse is a scope whose datasets are those of no other scope of its kind.
type IncompatibleUniverse interface {
	Universe
	// CheckCompatible returns an error wrapping evidence.ErrParameter where o is such a scope, and not the
	// same.
	CheckCompatible(o Universe) error
}

// Unique returns the scope of what x points to alone: uses of one thing share the pair. What cannot be compared is like
// nothing else.
func Unique(x any) Universe { return uniqueUniverse{x} }

// ByEquality returns the scope of all that equals x: uses of equal things share the pair, however they were made.
func ByEquality[T interface{ Equal(T) bool }](x T) Universe { return equalUniverse[T]{x} }

type equalUniverse[T interface{ Equal(T) bool }] struct{ to T }

// Same implements Scope.
func (s equalUniverse[T]) Same(o Universe) bool {
	t, ok := o.(equalUniverse[T])
	return ok && s.to.Equal(t.to)
}

type uniqueUniverse struct{ of any }

// Same implements Scope.
func (s uniqueUniverse) Same(o Universe) bool {
	t, ok := o.(uniqueUniverse)
	return ok && reflect.ValueOf(s.of).Comparable() && reflect.ValueOf(t.of).Comparable() && s == t
}
