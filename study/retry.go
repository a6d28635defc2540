package study

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"gorm.io/gorm"
)

// The limit of the duration of an attempt, and of the pauses between two attempts.
const (
	attemptLimit = 20 * time.Second
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// permanent reports whether every further attempt would fail with the same error.
func permanent(err error) bool {
	state := sqlState(err)
	switch {
	case lasts(err):
		return true
	case strings.Contains(err.Error(), "sql: Scan error"): // corrupt data: not an outage
		return true
	case errors.Is(err, gorm.ErrRecordNotFound), errors.Is(err, gorm.ErrDuplicatedKey),
		errors.Is(err, ErrSpace), errors.Is(err, ErrUnknown), errors.Is(err, errForeign), errors.Is(err, errTaken), errors.Is(err, errEnough):
		return true
	case remade(err):
		return false
	case state != "": // the classes of SQLSTATE: data, integrity, authorization, catalog, syntax, program limits
		switch state[:2] {
		case "22", "23", "28", "3D", "42", "54":
			return true
		}
		return state == "25006" || state == "53100" // read-only transaction; disk full
	}
	switch sqliteCode(err) { // an attempt may succeed after busy, locked, out of memory, interrupted and disk errors
	case 0, 5, 6, 7, 9, sqliteIO:
		return false
	}
	return true
}

// Error codes of SQLite.
const (
	sqliteReadOnly = 8
	sqliteIO       = 10
	sqliteCantOpen = 14
)

// sqliteCode returns the code of an error from SQLite, and 0 for any other error.
func sqliteCode(err error) int {
	var sl interface {
		error
		Code() int
	}
	if !errors.As(err, &sl) {
		return 0
	}
	return sl.Code() & 0xff
}

// remade reports whether a table or column already exists, because another process created it meanwhile or a response
// was lost. Another attempt then finds it.
func remade(err error) bool {
	if state := sqlState(err); state != "" {
		return state == "42P07" || state == "42701"
	}
	text := err.Error() // SQLite has no error code for it
	return strings.Contains(text, "already exists") || strings.Contains(text, "duplicate column name")
}

// retry calls f until it succeeds, fails permanently, or patience is over. The pauses double and are randomised, so
// that workers do not all return at once after an outage. The context of f ends with the attempt. If ctx ends, retry
// waits no longer.
func retry(ctx context.Context, patience time.Duration, f func(ctx context.Context) error) error {
	begin, pause := time.Now(), firstPause
	for {
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(attemptLimit, max(patience, time.Second)))
		err := f(attempt)
		cancel()
		if err == nil || permanent(err) || time.Since(begin) > patience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause/2 + rand.N(pause)): // no result depends on it
		}
		pause = min(2*pause, longestPause)
	}
}
