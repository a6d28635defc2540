// Command workbench builds, optimises and verifies differential-privacy mechanisms, from a prompt and from scripts.
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

// report prints a command's error on standard error and returns the exit status.
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

// failure is an error of the environment, such as a full disk, rather than of a script or the command line.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failureOf wraps an error as a failure. It returns nil if err is nil.
func failureOf(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err}
}

// sameInterrupt is the time within which a second interrupt counts as the same one. The program timeout sends its
// signal to the process and then to its group.
const sameInterrupt = 300 * time.Millisecond

// signaled is the cause of a context that a signal ended.
type signaled struct{ signal os.Signal }

func (s *signaled) Error() string { return fmt.Sprintf("signal: %v", s.signal) }

// interruptible returns a context that the first interrupt or SIGTERM ends. The second one ends the process.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(&signaled{s})
			time.AfterFunc(sameInterrupt, func() { signal.Stop(signals) }) // after a possible duplicate
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// stopped is the error of a command that a signal ended.
type stopped struct {
	signal os.Signal
	err    error
}

func (s *stopped) Error() string { return s.err.Error() }
func (s *stopped) Unwrap() error { return s.err }

// status returns the exit status that shells give a command ended by a signal: 128 plus the signal's number.
func (s *stopped) status() int {
	if n, ok := s.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return statusFailed
}

// cutShort marks the error of a command if a signal ended its context.
func cutShort(ctx context.Context, err error) error {
	var cause *signaled
	if err == nil || !errors.As(context.Cause(ctx), &cause) {
		return err
	}
	return &stopped{cause.signal, err}
}

// stdout is the standard output. Its first write error makes the exit status 1, because a script that printed to a full
// disk has not done its work.
var stdout = &stream{name: "standard output", out: os.Stdout}

// stream is a writer that keeps its first error and then writes nothing more. So the output may be cut off, but has no
// gap.
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

// err returns the first error, if any.
func (s *stream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
