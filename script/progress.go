package script

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// Progress is how far a long built-in has come.
type Progress struct {
	Name        string
	Done, Total int64 // Total is 0 where it is not known
	Elapsed     time.Duration
	Note        string // what is known so far; may be ""
	Finished    bool   // the last report of this work
}

// patience is how long work goes unreported; between two reports lies tick.
const (
	patience = time.Second
	tick     = 200 * time.Millisecond
)

// Progress starts reporting on the work of this call, which has total steps (0
// where that is not known), and returns the function that takes the number of
// steps done; any goroutine may call it, as often as it likes. The session's
// OnProgress hears of it once the work has lasted a second. The report ends
// with the call, or where it is interrupted: work that winds down is silent.
func (c *Call) Progress(name string, total int64) func(done int64) {
	return c.ProgressNoting(name, total, func() string { return "" })
}

// ProgressNoting is Progress with a note in every report.
func (c *Call) ProgressNoting(name string, total int64, note func() string) func(done int64) {
	report := c.Session.OnProgress
	if report == nil {
		return func(int64) {}
	}
	var done atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	begin := time.Now()
	go func() {
		defer close(stopped)
		shown := false
		now := func(finished bool) Progress {
			return Progress{Name: name, Done: done.Load(), Total: total, Elapsed: time.Since(begin), Note: note(), Finished: finished}
		}
		timer := time.NewTimer(patience)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
				report(now(false))
				shown = true
				timer.Reset(tick)
				continue
			case <-stop:
			case <-c.Context.Done():
			}
			if shown {
				report(now(true))
			}
			return
		}
	}()
	c.cleanup = append(c.cleanup, func() { close(stop); <-stopped })
	return func(n int64) { done.Store(n) }
}

// ProgressLine returns an OnProgress that keeps one line of a terminal up to
// date, and clears it at the end.
func ProgressLine(w io.Writer) func(Progress) {
	return func(p Progress) {
		line := "\r\x1b[K"
		if !p.Finished {
			line += p.String()
		}
		fmt.Fprint(w, line)
	}
}

// String returns the report as one line: name, bar and share where the total is
// known, time, note.
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
