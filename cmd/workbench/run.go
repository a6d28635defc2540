package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dpworkbench/repl"
)

// errUsage is wrapped by errors of the command line.
var errUsage = errors.New("usage")

// runScripts runs files in one session.
func runScripts(o options, files []string) error {
	ctx, stop := interruptible()
	defer stop()
	_, err := runSession(ctx, o, files)
	return cutShort(ctx, err)
}

// runSession runs files in a session, which it returns.
func runSession(ctx context.Context, o options, files []string) (_ *repl.Session, err error) {
	s := newSession(o)
	defer s.Close()
	shard, err := parseShard(o, files)
	if err != nil {
		return s, err
	}
	s.Shard = shard
	if o.json {
		s.Stdout = os.Stderr
	}
	s.OnWrite = func(path string) {
		if s.OnProgress != nil {
			fmt.Fprint(os.Stderr, "\r\x1b[K") // off its line
		}
		fmt.Fprintf(os.Stderr, "wrote %s\n", path)
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
			if printBests(s.Studies()) == 0 && err == nil {
				err = &failure{fmt.Errorf("%s: no script made a study", strings.Join(files, ", "))}
			}
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
	return s, nil
}

func readScript(file string) (string, error) {
	if file == "-" {
		source, err := io.ReadAll(os.Stdin)
		return string(source), err
	}
	source, err := os.ReadFile(file)
	return string(source), err
}

// writeResult writes the global result as JSON.
func writeResult(s *repl.Session) error {
	text, err := s.JSON("result")
	if err != nil {
		return &failure{err}
	}
	if _, err := fmt.Fprintln(stdout, text); err != nil {
		return &failure{err}
	}
	return nil
}
