package script

import (
	"slices"

	"go.starlark.net/starlark"
)

// Section is the part of the vocabulary under one heading of help().
type Section struct {
	Title    string
	Builtins []Builtin
}

// NewSection returns a section of built-ins.
func NewSection(title string, builtins ...[]Builtin) Section {
	return Section{title, slices.Concat(builtins...)}
}

// Vocabulary is what a session knows besides Starlark, numbers and evidence.
type Vocabulary struct {
	Sections []Section
	Types    []Type
	Terms    []Term // the glossary

	Kinds []Kind // kinds of parameters besides those of every session
}

// Type describes a type of script value, without a value of it: a [Class].
type Type interface{ class() *class }

// sections returns the vocabulary's sections between those that every session has.
func (s *Session) sections() []Section {
	numbers := NewSection("Numbers and evidence", lnBuiltins(), numberBuiltins(), matrixBuiltins())
	session := NewSection("The session", sessionBuiltins())
	return slices.Concat([]Section{numbers}, s.vocabulary.Sections, []Section{session})
}

// types returns every type of the workbench.
func (s *Session) types() []*class {
	types := []*class{evidenceClass.class(), matrixClass.class()}
	for _, t := range s.vocabulary.Types {
		types = append(types, t.class())
	}
	return types
}

// typeOf returns the type of that name, or nil.
func (s *Session) typeOf(name string) *class {
	for _, t := range s.types() {
		if t.name == name {
			return t
		}
	}
	return nil
}

// Builtin returns the built-in of that name, whatever scripts have bound to the name, or nil.
func (s *Session) Builtin(name string) starlark.Value { return s.base[name] }
