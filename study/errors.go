package study

import (
	"errors"
	"fmt"
)

var (
	// ErrNoTrial is the answer to questions about the best of no finished trial.
	ErrNoTrial = errors.New("no finished trial")
	// ErrSpace is a parameter whose range differs from what the study holds.
	ErrSpace = errors.New("another search space")
	// ErrStorage is a storage that cannot be reached or used.
	ErrStorage = errors.New("storage")
	// ErrUnknown is a study that the storage does not hold.
	ErrUnknown = errors.New("no such study")
	// errForeign is a database with tables that are another program's.
	errForeign = errors.New("another program has tables there: give the studies a database of their own")
	// errTaken is a trial that another worker took for lost and repeated.
	errTaken = errors.New("the trial was taken for lost")
)

// storageError is an error of a database, with the storage it came from.
func storageError(name string, err error) error {
	return fmt.Errorf("%w %s: %w", ErrStorage, name, err)
}
