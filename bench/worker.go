package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"dpworkbench/repl"
	"dpworkbench/script"
)

// workerWord is the first argument of a worker process. The next argument is "go", "script" or the index of a peer.
// Then follow the comparison's name and the size.
const workerWord = "worker"

// work runs the task once for each line of in.
func work(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	c, err := find(args[1])
	if err != nil {
		return err
	}
	n := must(strconv.Atoi(args[2]))
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	lines.Scan() // skip the input, which only Python peers use
	var run task
	switch args[0] {
	case "go":
		run = c.run(ctx, n)
	case "script":
		run = c.script.prepare(ctx, n)
	default:
		run = c.peers[must(strconv.Atoi(args[0]))].run(ctx, n)
	}
	fmt.Fprintln(out, "ready")
	for lines.Scan() {
		begun, before := time.Now(), processor()
		value := run()
		fmt.Fprintln(out, time.Since(begun).Seconds(), value, peak(), processor()-before)
	}
	return nil
}

func find(name string) (*comparison, error) {
	for i := range comparisons {
		if comparisons[i].name == name {
			return &comparisons[i], nil
		}
	}
	return nil, fmt.Errorf("no row is called %q", name)
}

// prepare runs the script's setup, and returns its statement as a task. The script's globals are n and dir, a folder
// for files.
func (s *scripted) prepare(ctx context.Context, n int) task {
	session := repl.NewSession()
	session.Stdout, session.Stderr = io.Discard, io.Discard
	dir := must(os.MkdirTemp("", "bench"))
	must(session.Exec(ctx, "setup", fmt.Sprintf("n = %d\ndir = %q\n%s", n, dir, s.setup)))
	return func() float64 {
		v := must(session.Exec(ctx, "statement", s.statement))
		x, ok := script.NearestFloat(v)
		if !ok {
			panic(fmt.Errorf("%q gives %v, want a number", s.statement, v))
		}
		return x
	}
}

// peak returns the peak memory of the process in bytes on Linux, and 0 elsewhere.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kib float64
	_, _ = fmt.Sscan(string(rest[:min(len(rest), 40)]), &kib)
	return 1024 * kib
}
