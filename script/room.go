package script

import (
	"slices"

	"go.starlark.net/starlark"
)

// Room is a part of the vocabulary under one heading of help().
type Room struct {
	Title    string
	Builtins []Builtin
}

// NewRoom returns a room of built-ins.
func NewRoom(title string, builtins ...[]Builtin) Room {
	return Room{title, slices.Concat(builtins...)}
}

// Vocabulary is what a session speaks beside Starlark, numbers and evidence.
type Vocabulary struct {
	Rooms []Room
	Types []Type
	Terms []Term // the glossary

	Kinds []Kind // of parameters, beside those of every session
}

// Type is what a type of value says about itself without a value at hand.
type Type interface {
	typeName() string
	manual() []*Doc                     // the type, then its attributes
	kind() Kind                         // of a parameter that takes such values
	wrap(c *Call, v any) starlark.Value // of what Go computed; nil where it is none
}

// rooms returns the vocabulary between what every session knows.
func (s *Session) rooms() []Room {
	numbers := NewRoom("Numbers and evidence", lnBuiltins(), numberBuiltins(), matrixBuiltins())
	return slices.Concat([]Room{numbers}, s.vocabulary.Rooms, []Room{NewRoom("The session", sessionBuiltins())})
}

// types returns every type of the workbench.
func (s *Session) types() []Type {
	return append([]Type{evidenceClass, matrixClass}, s.vocabulary.Types...)
}

// typeOf returns the type of a name, nil where no type is called so.
func (s *Session) typeOf(name string) Type {
	for _, t := range s.types() {
		if t.typeName() == name {
			return t
		}
	}
	return nil
}

// Builtin returns the value of a name of the vocabulary, whatever scripts have bound to
// it; nil where there is none.
func (s *Session) Builtin(name string) starlark.Value { return s.base[name] }
