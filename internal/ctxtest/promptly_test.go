package ctxtest_test

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/internal/ctxtest"
)

func inner(ctx context.Context) error { return ctx.Err() }

func outer(ctx context.Context) error {
	for range 3 {
		if err := inner(ctx); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return func() error { return inner(ctx) }()
}

func after(ctx context.Context) error { return ctx.Err() }

// awaits runs work in another goroutine, and does not wait for it after cancellation.
func awaits(ctx context.Context) error {
	answer := make(chan error, 1)
	go func() { answer <- outer(ctx) }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Code that stops with its context passes. Code fails if it starts new work, ignores the error, returns a result or
// another error, or does not poll.
func TestStopsPromptly(t *testing.T) {
	just := func(do func(ctx context.Context) error) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) { return nil, do(ctx) }
	}
	ctxtest.StopsPromptly(t, "good", just(outer))
	ctxtest.StopsPromptly(t, "good", just(awaits))
	ctxtest.StopsPromptly(t, "many polls", just(func(ctx context.Context) error {
		for range 2000 {
			if err := outer(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
	for name, do := range map[string]func(ctx context.Context) (any, error){
		"continues": just(func(ctx context.Context) error {
			if outer(ctx) != nil {
				return after(ctx)
			}
			return nil
		}),
		"ignores an error": just(func(ctx context.Context) error { _ = ctx.Err(); return outer(ctx) }),
		"ignores the last error": just(func(ctx context.Context) error {
			err := outer(ctx)
			_ = ctx.Err()
			return err
		}),
		"returns another error": just(func(ctx context.Context) error {
			if outer(ctx) != nil {
				return errors.New("returns another error")
			}
			return nil
		}),
		"returns its own context.Canceled": just(func(ctx context.Context) error {
			if outer(ctx) != nil {
				return context.Canceled
			}
			return nil
		}),
		"always fails": just(func(context.Context) error { return errors.New("never") }),
		"never polls":  just(func(context.Context) error { return nil }),
		"returns a result too": func(ctx context.Context) (any, error) {
			err := outer(ctx)
			return 1, err
		},
	} {
		fake := &recorder{TB: t}
		if ctxtest.StopsPromptly(fake, name, do); !fake.failed {
			t.Errorf("%s: passes", name)
		}
	}
}
