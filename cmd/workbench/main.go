// Command workbench builds, optimises and exactly verifies
// differential-privacy mechanisms, from a prompt and from scripts.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

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
