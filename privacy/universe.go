package privacy

import "reflect"

// Universe identifies the neighboring datasets of a family of pairs. In families with the same universe, pair i
// belongs to the same two datasets, so a composition multiplies pair i of each.
type Universe interface {
	// Same reports whether both universes index the same pairs of datasets.
	Same(Universe) bool
}

// IncompatibleUniverse is a universe that cannot be composed with others of its kind.
type IncompatibleUniverse interface {
	Universe
	// CheckCompatible returns an error wrapping evidence.ErrParameter if o is an IncompatibleUniverse of the same kind
	// but not the same universe.
	CheckCompatible(o Universe) error
}

// Unique returns a universe that is the same as another only if both are made from the same x, which must be
// comparable, such as a pointer.
func Unique(x any) Universe { return uniqueUniverse{x} }

// ByEquality returns a universe that is the same for all x that are equal by their Equal method.
func ByEquality[T interface{ Equal(T) bool }](x T) Universe { return equalUniverse[T]{x} }

type equalUniverse[T interface{ Equal(T) bool }] struct{ to T }

// Same implements Universe.
func (s equalUniverse[T]) Same(o Universe) bool {
	t, ok := o.(equalUniverse[T])
	return ok && s.to.Equal(t.to)
}

type uniqueUniverse struct{ of any }

// Same implements Universe.
func (s uniqueUniverse) Same(o Universe) bool {
	t, ok := o.(uniqueUniverse)
	return ok && reflect.ValueOf(s.of).Comparable() && reflect.ValueOf(t.of).Comparable() && s == t
}
