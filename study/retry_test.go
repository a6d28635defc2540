package study

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// sqliteError is an error with a SQLite code.
type sqliteError int

func (c sqliteError) Error() string { return fmt.Sprintf("SQLite's %d", int(c)) }

func (c sqliteError) Code() int { return int(c) }

// Only errors that another attempt can resolve are retried.
func TestPermanent(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("the line is down"), false},
		{errors.New(`sql: Scan error on column index 1: converting "abc"`), true},
		{fmt.Errorf("no: %w", gorm.ErrRecordNotFound), true}, {gorm.ErrDuplicatedKey, true},
		{ErrSpace, true}, {ErrUnknown, true}, {errForeign, true}, {errTaken, true}, {errEnough, true}, {ErrStorage, false},
		{&pgconn.PgError{Code: "22001"}, true}, {&pgconn.PgError{Code: "23505"}, true}, {&pgconn.PgError{Code: "28P01"}, true},
		{&pgconn.PgError{Code: "3D000"}, true}, {&pgconn.PgError{Code: "42P01"}, true}, {&pgconn.PgError{Code: "42501"}, true},
		{&pgconn.PgError{Code: "25006"}, true}, {&pgconn.PgError{Code: "53100"}, true}, {&pgconn.PgError{Code: "54000"}, true}, {&pgconn.PgError{Code: "53300"}, false}, {&pgconn.PgError{Code: "25P02"}, false},
		{&pgconn.PgError{Code: "42P07"}, false}, {&pgconn.PgError{Code: "42701"}, false}, // created by another process meanwhile
		{&pgconn.PgError{Code: "40001"}, false}, {&pgconn.PgError{Code: "57P03"}, false}, {&pgconn.PgError{Code: "08006"}, false},
		{sqliteError(1), true}, {sqliteError(26), true}, {sqliteError(8), true}, {sqliteError(19), true}, {sqliteError(8 | 3<<8), true},
		{sqliteError(5), false}, {sqliteError(6), false}, {sqliteError(7), false}, {sqliteError(9), false}, {sqliteError(10), false}, {sqliteError(5 | 2<<8), false},
		{fmt.Errorf("%w (%w)", syscall.EFBIG, sqliteError(10|3<<8)), true}, {fmt.Errorf("%w (%w)", syscall.EDQUOT, sqliteError(10)), true}, {syscall.ENOSPC, true}, {syscall.EROFS, true}, {syscall.EIO, false},
		{fmt.Errorf("table x already exists: %w", sqliteError(1)), false}, {fmt.Errorf("duplicate column name: x: %w", sqliteError(1)), false},
	} {
		if got := permanent(c.err); got != c.want {
			t.Errorf("%v is permanent: %t", c.err, got)
		}
	}
}

// Waiting ends with its context, and returns the error of the last attempt.
func TestRetryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	attempts := 0
	err := retry(ctx, time.Hour, func(inner context.Context) error {
		attempts++
		cancel()
		if inner.Err() != nil {
			t.Error("an attempt ends with the context")
		}
		return errFault
	})
	if attempts != 1 || !errors.Is(err, errFault) {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

// An attempt may take as long as patience, between 1 and 20 seconds. Pauses double from 50 ms to 5 s, each varied by
// up to a half, until patience is over.
func TestRetryPauses(t *testing.T) {
	for patience, limit := range map[time.Duration]time.Duration{
		impatient: time.Second, 0: time.Second, 300 * time.Millisecond: time.Second, 7 * time.Second: 7 * time.Second, 20 * time.Second: 20 * time.Second, time.Minute: 20 * time.Second, time.Hour: 20 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, last, attempts := time.Now(), time.Now(), 0
			err := retry(t.Context(), patience, func(ctx context.Context) error {
				if end, ok := ctx.Deadline(); !ok || time.Until(end) != limit {
					t.Errorf("patience %v: an attempt may take %v, want %v", patience, time.Until(end), limit)
				}
				if attempts > 0 {
					pause, want := time.Since(last), 5*time.Second
					if attempts < 8 { // 50 ms · 2⁶ is below 5 s, and 50 ms · 2⁷ is above
						want = 50 * time.Millisecond << (attempts - 1)
					}
					if pause < want/2 || pause > want*3/2 {
						t.Errorf("patience %v: pause %d takes %v, want about %v", patience, attempts, pause, want)
					}
					if since := last.Sub(begin); since > patience {
						t.Errorf("patience %v: another attempt after %v", patience, since)
					}
				}
				attempts++
				last = time.Now()
				return errFault
			})
			if !errors.Is(err, errFault) || last.Sub(begin) <= patience {
				t.Errorf("patience %v: stopped after %v with %v", patience, last.Sub(begin), err)
			}
		})
	}
}
