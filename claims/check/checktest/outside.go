package checktest

import (
	"errors"

	"dpworkbench/claims/check"
)

// ErrNoAnswer is the error of a rule that has no answer for an instance.
var ErrNoAnswer = errors.New("no answer")

// Held returns the error with which a statement leaves an instance undecided.
func Held[I any](s check.Statement[I], i I) error {
	_, err := s.Holds(i)
	return err
}
