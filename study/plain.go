package study

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"dpworkbench/internal/redact"
)

// plainError is an error with a message of one line that names no password.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }

// plain shortens a driver's error to what its reader can act upon.
func plain(err error) error {
	var (
		connect *pgconn.ConnectError
		op      *net.OpError
		text    = err.Error()
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
	case errors.As(err, &connect):
		if inner := connect.Unwrap(); inner != nil {
			text = inner.Error()
		}
	}
	text, _, _ = strings.Cut(text, "\n")
	return &plainError{redact.Text(strings.TrimSpace(text)), err}
}
