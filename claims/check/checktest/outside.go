package checktest

import (
	"errors"

	"dpworkbench/claims/check"
)

// ErrNoAnswer is the error of a rule that has no answer for an instance.
var ErrNoAnswer = errors.New("no answer")

// Holds reports whether a statement holds at an instance, or returns the error for which its check is undecided.
func Holds[I any](s check.Statement[I], i I) (holds bool, err error) {
	err = check.Try(func() { holds = s.Holds(i) })
	return holds, err
}

// Held evaluates a statement at an instance. It returns the error for which the check is undecided there, or nil.
func Held[I any](s check.Statement[I], i I) error { return check.Try(func() { s.Holds(i) }) }
