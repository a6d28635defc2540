package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"dpworkbench/repl"
	"dpworkbench/script"
)

// errUsage is wrapped by errors in the use of the command line.
var errUsage = errors.New("usage")

// runScripts runs files in one session.
func runScripts(o options, files []string) error {
	ctx, stop := interruptible()
	defer stop()
	_, err := runSession(ctx, o, files)
	return cutShort(ctx, err)
}

// runSession runs files in a new session and returns it.
func runSession(ctx context.Context, o options, files []string) (_ *repl.Session, err error) {
	s := newSession(o)
	defer s.Close()
	ctx, cancel, err := within(ctx, o)
	if err != nil {
		return s, err
	}
	defer cancel()
	if o.untrusted {
		if err := confine(s, o, files); err != nil {
			return s, err
		}
	}
	shard, err := parseShard(o, files)
	if err != nil {
		return s, err
	}
	s.Shard, s.NoteInputs = shard, shard != nil
	s.OnExhausted = func(err error) { // a running built-in function can be stopped only by ending the process
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(statusFailed)
	}
	if o.json {
		s.Stdout = os.Stderr
	}
	tellWrites(s)
	if o.certificates != "" {
		tell := io.Discard
		if o.silent {
			s.Stdout, tell = io.Discard, stdout
		}
		printed := s.Certify()
		defer func() {
			if ctx.Err() == nil { // also after a failure, for the numbers printed before it
				err = cmp.Or(err, writeCertificates(ctx, printed, o.certificates, tell))
			}
		}()
	}
	for _, assignment := range o.set {
		if err := setArg(s, assignment); err != nil {
			return s, err
		}
	}
	sources := make([]string, len(files))
	for i, file := range files {
		source, err := readScript(file)
		if err != nil {
			return s, err
		}
		sources[i] = source
	}
	if err := s.Reach(ctx); err != nil {
		return s, &failure{err}
	}
	if o.bests {
		defer func() {
			err = cmp.Or(err, printBests(s.Studies(), files))
		}()
	}
	for i, file := range files {
		if file == "-" {
			file = "<stdin>"
		}
		_, err := s.ExecScript(ctx, file, sources[i])
		if shard != nil && shard.Done {
			return s, writeShard(s, o, sources[i])
		}
		if err != nil {
			return s, err
		}
	}
	if shard != nil {
		return s, &failure{fmt.Errorf("%s has no sweep, so there is nothing to write to %s", files[0], o.out)}
	}
	if o.json {
		return s, writeResult(s)
	}
	if o.silent {
		_, _ = s.JSON("result") // registers the numbers of result, if it is defined
	}
	return s, nil
}

// untrustedTime is the time limit of untrusted scripts without --time.
const untrustedTime = time.Minute

// within returns a context with the time limit of a run.
func within(ctx context.Context, o options) (context.Context, context.CancelFunc, error) {
	limit := o.time
	switch {
	case limit < 0:
		return nil, nil, fmt.Errorf("--time = %v, want a time such as 10s, or 0 for no limit", limit)
	case limit == 0 && o.untrusted:
		limit = untrustedTime
	case limit == 0:
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &script.TimeLimit{Limit: limit})
	return ctx, cancel, nil
}

// confine restricts a session to the folders of its scripts and --data, and clears its environment.
func confine(s *repl.Session, o options, files []string) error {
	var home, data []string
	for _, file := range files {
		if file != "-" {
			home = append(home, filepath.Dir(file))
		}
	}
	if o.data != "" {
		data = []string{o.data}
	}
	s.DataDirs = data
	return s.Confine(home, data)
}

func readScript(file string) (string, error) {
	if file == "-" {
		source, err := io.ReadAll(os.Stdin)
		return string(source), err
	}
	source, err := os.ReadFile(file)
	return string(source), err
}

// writeResult writes the global variable result as JSON.
func writeResult(s *repl.Session) error {
	text, err := s.JSON("result")
	if err != nil {
		return &failure{err}
	}
	_, err = fmt.Fprintln(stdout, text)
	return failureOf(err)
}
