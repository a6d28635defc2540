// Command workbench builds, optimises and exactly verifies
// differential-privacy mechanisms, from a prompt and from scripts.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"dpworkbench/internal/redact"
	"dpworkbench/script"
)

// Exit statuses.
const (
	statusDone   = 0
	statusFailed = 1 // a script failed
	statusUsage  = 2
)

func main() { os.Exit(workbench()) }

// workbench runs the command line and returns the exit status.
func workbench() int {
	err := newCommand().Execute()
	if failed := stdout.err(); failed != nil && err == nil {
		err = &failure{failed}
	}
	status := report(err)
	var cut *stopped
	if errors.As(err, &cut) {
		return cut.status()
	}
	return status
}

// report says on standard error what a command failed with, and returns the exit
// status.
func report(err error) int {
	var (
		exit   *script.Exit
		script *script.ScriptError
		failed *failure
	)
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &exit):
		return exit.Status
	case errors.As(err, &script):
		fmt.Fprint(os.Stderr, script.Backtrace())
		return statusFailed
	case errors.As(err, &failed):
		fmt.Fprintf(os.Stderr, "workbench: %s\n", redact.Text(failed.Error()))
		return statusFailed
	}
	fmt.Fprintf(os.Stderr, "workbench: %s\n", redact.Text(err.Error()))
	if file := new(fs.PathError); !errors.As(err, &file) {
		fmt.Fprintln(os.Stderr, "Try: workbench --help")
	}
	return statusUsage
}

// failure is an error that is neither a script's nor the user's on the
// command line, such as a full disk.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failureOf returns an error as a failure; nil stays nil.
func failureOf(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err}
}

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

// stdout is the standard output. It remembers its first failure, which ends the
// process with status 1: a script that has printed to a full disk has not done
// what it was run for.
var stdout = &stream{name: "standard output", out: os.Stdout}

// stream is a stream that remembers its first failure, after which it writes
// nothing more: what comes out is a whole beginning.
type stream struct {
	name string
	out  io.Writer

	mu     sync.Mutex
	failed error
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return 0, s.failed
	}
	n, err := s.out.Write(p)
	if err != nil {
		s.failed = fmt.Errorf("%s: %w", s.name, err)
	}
	return n, s.failed
}

// err returns the first failure, if any.
func (s *stream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
