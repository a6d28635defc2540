package ctxtest_test

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/internal/ctxtest"
)

func obeys(ctx context.Context) error {
	for range 3 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// closure polls again for the error in a closure.
func closure(ctx context.Context) error {
	if ctx.Err() != nil {
		return func() error { return ctx.Err() }()
	}
	return ctx.Err()
}

// Code that stops at each poll passes. Code that ignores the error, or returns another one, fails.
func TestEachPoll(t *testing.T) {
	if n := ctxtest.EachPoll(t, 2, obeys); n != 2 {
		t.Errorf("%d places, want 2", n)
	}
	if n := ctxtest.EachPoll(t, 2, closure); n != 2 {
		t.Errorf("%d places, want 2", n)
	}
	for name, do := range map[string]func(ctx context.Context) error{
		"ignores an error": func(ctx context.Context) error { _ = ctx.Err(); return obeys(ctx) },
		"another": func(ctx context.Context) error {
			if obeys(ctx) != nil {
				return errors.New("another")
			}
			return nil
		},
		"always fails":     func(context.Context) error { return errors.New("never") },
		"polls too rarely": func(ctx context.Context) error { return ctx.Err() },
	} {
		fake := &recorder{TB: t}
		if ctxtest.EachPoll(fake, 2, do); !fake.failed {
			t.Errorf("%s: passes", name)
		}
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}
