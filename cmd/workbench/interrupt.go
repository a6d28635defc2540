package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// sameInterrupt is how long after an interrupt another is taken for the same one:
// timeout(1) sends its signal to the process and then to its group.
const sameInterrupt = 300 * time.Millisecond

// signaled is the cause of a context that a signal ended.
type signaled struct{ signal os.Signal }

func (s *signaled) Error() string { return fmt.Sprintf("signal: %v", s.signal) }

// interruptible returns a context that the first interrupt, or SIGTERM, ends;
// the second one ends the process.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(&signaled{s})
			time.AfterFunc(sameInterrupt, func() { signal.Stop(signals) }) // not before what is said of it
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// stopped is the error of a command that a signal cut short.
type stopped struct {
	signal os.Signal
	err    error
}

func (s *stopped) Error() string { return s.err.Error() }
func (s *stopped) Unwrap() error { return s.err }

// status is what shells say of a command that a signal ended: 128 and its number.
func (s *stopped) status() int {
	if n, ok := s.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return statusFailed
}

// cutShort marks the error of a command whose context a signal ended.
func cutShort(ctx context.Context, err error) error {
	var cause *signaled
	if err == nil || !errors.As(context.Cause(ctx), &cause) {
		return err
	}
	return &stopped{cause.signal, err}
}
