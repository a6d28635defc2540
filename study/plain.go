package study

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"dpworkbench/internal/redact"

	"gorm.io/gorm"
)

// plainError is an error whose message is one line without passwords.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }

// plain shortens a driver's error to what a user can act on.
func plain(err error) error {
	var (
		op   *net.OpError
		text = err.Error()
	)
	switch {
	case sqliteCode(err) == sqliteReadOnly:
		text = "it may only be read (" + text + ")"
	case errors.Is(err, context.DeadlineExceeded):
		text = "no answer in time"
	case errors.Is(err, gorm.ErrRecordNotFound):
		text = strings.TrimSuffix(text, ": "+gorm.ErrRecordNotFound.Error())
	case errors.As(err, &op):
		text = op.Error()
	default:
		if inner := connectCause(err); inner != nil {
			text = inner.Error()
		}
	}
	text, _, _ = strings.Cut(text, "\n")
	return &plainError{redact.Text(strings.TrimSpace(text)), err}
}

var (
	// ErrNoTrial is wrapped if the best trial is requested but no trial is complete.
	ErrNoTrial = errors.New("no complete trial")
	// ErrSpace is wrapped if a parameter's range differs from the one stored in the study.
	ErrSpace = errors.New("another search space")
	// ErrStorage is wrapped if a storage cannot be reached or used.
	ErrStorage = errors.New("storage")
	// ErrUnknown is wrapped if the storage does not contain the study.
	ErrUnknown = errors.New("no such study")
	// errForeign is returned if the database contains another program's tables.
	errForeign = errors.New("it has tables of another program: use a separate database for studies")
	// errTaken is returned if another worker has declared the trial lost and repeated it.
	errTaken = errors.New("the trial was declared lost")
)

// storageError returns an error wrapping ErrStorage and err that names the storage.
func storageError(name string, err error) error {
	return fmt.Errorf("%w %s: %w", ErrStorage, name, err)
}
