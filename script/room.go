package script

import "slices"

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

	// Words are those that a parameter of a built-in takes, nil for any other.
	Words func(builtin, parameter string) []string
}

// Type is what a type of value says about itself without a value at hand.
type Type interface {
	manual() []*Doc // the type, then its attributes
}

// rooms returns the vocabulary between what every session knows.
func (s *Session) rooms() []Room {
	out := []Room{NewRoom("Numbers and evidence", lnBuiltins(), numberBuiltins(), matrixBuiltins())}
	return append(append(out, s.vocabulary.Rooms...), NewRoom("The session", sessionBuiltins()))
}

// types returns every type of the workbench.
func (s *Session) types() []Type {
	return append([]Type{evidenceManual{}, matrixManual{}}, s.vocabulary.Types...)
}
