package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// preparation limits the time of a side's preparations.
const preparation = 10 * time.Minute

// side is a process that does its work once for every line that it receives. It first writes "ready" with its version,
// "absent" with the reason if something is not installed, or "failed" with the error. After each run it writes the
// seconds, its number, the peak memory in bytes and the processor time.
type side struct {
	times times
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	limit time.Duration // time limit of one run; 0 means none
	said  *tail
}

// start starts the process of a side, which prepares its work in the background.
func start(ctx context.Context, label string, command []string, input any, limit time.Duration) *side {
	s := &side{times: times{label: label}, limit: limit, said: new(tail), lines: make(chan string)}
	if command[0] == "" {
		s.times.absent = "Python is not installed"
		return s
	}
	s.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	s.cmd.Stderr = s.said
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		if s.in, err = s.cmd.StdinPipe(); err == nil {
			err = s.cmd.Start()
		}
	}
	if err != nil {
		s.end(oneLine(err.Error()))
		return s
	}
	go func() {
		defer close(s.lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			s.lines <- scan.Text()
		}
	}()
	text, err := json.Marshal(input)
	if err == nil {
		_, err = fmt.Fprintf(s.in, "%s\n", text)
	}
	switch word, rest, _ := strings.Cut(s.answer(ctx, preparation), " "); {
	case word == "ready":
		name, how, _ := strings.Cut(label, ",")
		s.times.label = strings.TrimSuffix(strings.TrimSpace(name+" "+rest)+","+how, ",")
	case word == "":
		s.fail(err)
	default:
		s.times.failed = word == "failed"
		s.end(rest)
	}
	return s
}

func (s *side) running() bool { return s.times.absent == "" }

// once runs the side's work once. A short first run is not counted. It returns an error only if the context ended. A
// failure of the side is recorded in its times.
func (s *side) once(ctx context.Context, first bool) error {
	if !s.running() || ctx.Err() != nil {
		return ctx.Err()
	}
	_, err := io.WriteString(s.in, "\n")
	begun := time.Now()
	line := s.answer(ctx, s.limit)
	var seconds, held, processors float64
	if n, _ := fmt.Sscan(line, &seconds, &s.times.value, &held, &processors); n < 2 {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case line == "" && s.limit > 0 && time.Since(begun) >= s.limit:
			s.end(fmt.Sprintf("more than %v", s.limit))
		case strings.HasPrefix(line, "failed "):
			s.times.failed = true
			s.end(strings.TrimPrefix(line, "failed "))
		default:
			s.fail(err)
		}
		return nil
	}
	if first { // in later runs, the memory includes garbage of earlier ones
		s.times.bytes = held
	}
	if !first || seconds > 5 {
		s.times.seconds = append(s.times.seconds, seconds)
		s.times.processors = append(s.times.processors, processors)
	}
	return nil
}

// answer returns the next line, or "" if none arrives in time.
func (s *side) answer(ctx context.Context, limit time.Duration) string {
	var over <-chan time.Time
	if limit > 0 {
		over = time.After(limit)
	}
	select {
	case line := <-s.lines:
		return line
	case <-over:
	case <-ctx.Done():
	}
	return ""
}

// fail records the failure of a side that has ended.
func (s *side) fail(err error) {
	s.times.failed = true
	s.close() // after this, all its output has been read
	why := oneLine(s.said.String())
	if why == "" && err != nil {
		why = err.Error()
	}
	s.end("failed: " + why)
}

// end stops the side and records the reason.
func (s *side) end(why string) {
	s.times.absent = why
	s.times.seconds = nil
	s.close()
}

func (s *side) close() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	for range s.lines {
	}
	_ = s.cmd.Wait()
	s.cmd = nil
}

// tail is a writer that keeps the end of a process's output.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-300):]
	return len(p), nil
}

func (t *tail) String() string { return string(t.text) }
