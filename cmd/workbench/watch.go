package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"dpworkbench/script"
)

// watchTick is the interval of checking the files. Polling needs no library and works on network file systems, where
// notifications do not.
const watchTick = 200 * time.Millisecond

// watchScripts runs the scripts, and runs them again whenever one of them or a loaded library changes, until an
// interrupt.
func watchScripts(o options, files []string) error {
	if slices.Contains(files, "-") {
		return fmt.Errorf("%w: --watch needs files, not standard input", errUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for {
		// Stamps of the files are taken before the run, so that a change during the run starts another run.
		seen := stamps(files)
		loaded, err := watchedRun(ctx, o, files, seen)
		if ctx.Err() != nil {
			return nil
		}
		tell(err)
		watched := append(slices.Clone(files), loaded...)
		seen = append(seen, stamps(loaded)...)
		fmt.Fprintf(os.Stderr, "-- %s; waiting for a change (Ctrl-C ends)\n", time.Now().Format(time.TimeOnly))
		for slices.Equal(stamps(watched), seen) {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(watchTick):
			}
		}
	}
}

// watchedRun runs the scripts once in a new session, until they end or a file changes. It returns the loaded libraries.
func watchedRun(ctx context.Context, o options, files []string, seen []stamp) ([]string, error) {
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for run.Err() == nil {
			if !slices.Equal(stamps(files), seen) {
				cancel()
			}
			time.Sleep(watchTick)
		}
	}()
	s, err := runSession(run, o, files)
	return s.Loaded(), err
}

// tell prints the error of a run, after which watching continues.
func tell(err error) {
	if exit := new(script.Exit); errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, exit)
		return
	}
	report(failureOf(err))
}

// stamp identifies a version of a file. Its zero value means that the file does not exist, as during an editor's save.
type stamp struct {
	modified time.Time
	size     int64
}

func stamps(files []string) []stamp {
	out := make([]stamp, len(files))
	for i, file := range files {
		if info, err := os.Stat(file); err == nil {
			out[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return out
}
