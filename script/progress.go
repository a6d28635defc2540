package script

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"dpworkbench/internal/parallel"
)

// Progress is the progress of a long built-in, or the current line of a script.
type Progress struct {
	Name        string
	Done, Total int64 // Total is 0 if unknown
	Elapsed     time.Duration
	Note        string // current result or step; may be ""
	Finished    bool   // the last report of this work
}

// patience is the time before the first report, tick the time between reports.
const (
	patience = time.Second
	tick     = 200 * time.Millisecond
)

// progress is the displayed progress of a session: the line of a built-in that reports or, if there is none, that
// of the script.
type progress struct {
	mu    sync.Mutex
	calls int       // built-ins that show their line
	shown string    // name of the displayed work, "" if none
	quiet time.Time // when the last line of a built-in or the last output was shown
}

// follow shows which line of the script runs, once a second has passed without output and without a built-in's progress
// line. Many short calls, and built-ins that report nothing, may take long too. The returned function ends this.
func (s *Session) follow(ctx context.Context) (end func()) {
	if s.OnProgress == nil {
		return func() {}
	}
	begin, before := time.Now(), s.at.Load()
	s.showing.mu.Lock()
	s.showing.quiet = begin
	s.showing.mu.Unlock()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		defer s.ClearProgress()
		ticks := time.NewTicker(tick)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
			case <-stop:
				return
			case <-ctx.Done():
				return
			}
			at := s.at.Load()
			s.showing.mu.Lock()
			if at != before && s.showing.calls == 0 && time.Since(s.showing.quiet) >= patience {
				s.showing.shown = at.text()
				s.OnProgress(Progress{Name: at.text(), Elapsed: time.Since(begin)})
			}
			s.showing.mu.Unlock()
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// ClearProgress removes the progress line until the next report. Code that prints while a script runs calls it first.
func (s *Session) ClearProgress() {
	s.showing.mu.Lock()
	defer s.showing.mu.Unlock()
	s.showing.quiet = time.Now()
	if s.showing.shown != "" {
		s.OnProgress(Progress{Name: s.showing.shown, Finished: true})
		s.showing.shown = ""
	}
}

// line is the progress line of a call, from reports through the call's context.
type line struct {
	call  *Call
	begin time.Time

	mu            sync.Mutex
	now           Progress      // the last report; it has no name before the first one
	ended         bool          // reports after the end of a call are ignored
	stop, stopped chan struct{} // closed to end watch, and closed by watch when it has ended
}

// listen makes the call's context report progress to the session's OnProgress, if that is set. The returned function
// ends the call's progress line.
func (c *Call) listen() (end func()) {
	if c.Session.OnProgress == nil {
		return func() {}
	}
	l := &line{call: c, begin: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{})}
	c.Context = parallel.WithProgress(c.Context, l.hear)
	return l.end
}

// hear implements parallel.Progress.
func (l *line) hear(done, total int64, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	if l.now.Name == "" {
		go l.watch()
	}
	l.now = Progress{Name: l.call.Name, Done: done, Total: total, Note: what}
}

func (l *line) end() {
	l.mu.Lock()
	began := l.now.Name != ""
	l.ended = true
	l.mu.Unlock()
	if began {
		close(l.stop)
		<-l.stopped
	}
}

// watch reports the work to the session once it has lasted long enough, repeatedly until the call ends or is
// interrupted.
func (l *line) watch() {
	defer close(l.stopped)
	shown := false
	showing := &l.call.Session.showing
	tell := func(finished bool) {
		l.mu.Lock()
		p := l.now
		l.mu.Unlock()
		showing.mu.Lock()
		defer showing.mu.Unlock()
		if finished {
			showing.calls--
			showing.shown = ""
		} else {
			if !shown {
				showing.calls++
			}
			showing.shown = p.Name
		}
		shown, showing.quiet = true, time.Now()
		p.Elapsed, p.Finished = time.Since(l.begin), finished
		l.call.Session.OnProgress(p)
	}
	timer := time.NewTimer(patience - time.Since(l.begin))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			tell(false)
			timer.Reset(tick)
			continue
		case <-l.stop:
		case <-l.call.Context.Done():
		}
		if shown {
			tell(true)
		}
		return
	}
}

// ProgressLine returns an OnProgress that shows the progress on one line of a terminal and clears the line at the end.
func ProgressLine(w io.Writer) func(Progress) {
	return func(p Progress) {
		line := "\r\x1b[K"
		if !p.Finished {
			line += p.String()
		}
		fmt.Fprint(w, line)
	}
}

// String returns the report as one line: name, bar and percentage if the total is known, time, note.
func (p Progress) String() string {
	seconds := p.Elapsed.Round(time.Second).String()
	if p.Note != "" {
		seconds += "; " + p.Note
	}
	switch {
	case p.Total <= 0 && p.Done == 0:
		return fmt.Sprintf("%s: %s", p.Name, seconds)
	case p.Total <= 0:
		return fmt.Sprintf("%s: %d done, %s", p.Name, p.Done, seconds)
	}
	const width = 24
	done := max(0, min(p.Done, p.Total))
	filled := int(done * width / p.Total)
	return fmt.Sprintf("%s [%s%s] %d%%, %s", p.Name, strings.Repeat("=", filled), strings.Repeat(" ", width-filled), done*100/p.Total, seconds)
}
