package script_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"dpworkbench/internal/parallel"
	"dpworkbench/script"
)

const delay = time.Second // time before the first report

// working runs a built-in work whose progress is reported to hear. It returns when the built-in has ended.
func working(ctx context.Context, hear func(script.Progress), work func(c *script.Call)) {
	ended := make(chan bool)
	s := withBuiltins(nil, script.Func("work() -> none", "Works.", "", func(c *script.Call) (any, error) {
		c.After(func() { close(ended) })
		work(c)
		return nil, nil
	}))
	s.OnProgress = hear
	_, _ = s.Exec(ctx, "a", "work()\n") // an interrupt is its error
	<-ended
}

// Work is reported after a second and then five times a second, with its latest progress. The last report removes the
// line.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		hear := func(p script.Progress) {
			lines = append(lines, fmt.Sprintf("%s, finished %t", p, p.Finished))
		}
		var ctx context.Context
		working(t.Context(), hear, func(c *script.Call) {
			ctx = c.Context
			time.Sleep(300 * time.Millisecond) // the first report is due after delay
			for i := range int64(5) {
				parallel.Report(c.Context, i, 5, "step %d", i)
				time.Sleep(200 * time.Millisecond)
			}
		})
		parallel.Report(ctx, 5, 5, "left behind")
		want := []string{
			"work [==============          ] 60%, 1s; step 3, finished false",
			"work [===================     ] 80%, 1s; step 4, finished false",
			"work [===================     ] 80%, 1s; step 4, finished true",
		}
		if !slices.Equal(lines, want) {
			t.Errorf("the lines are %q, want %q", lines, want)
		}
	})
}

// Short work, and work that reports nothing, print no line.
func TestNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		working(t.Context(), func(p script.Progress) { t.Errorf("short work reports %+v", p) }, func(c *script.Call) {
			parallel.Report(c.Context, 1, 2, "")
			time.Sleep(delay / 2)
		})
		working(t.Context(), func(p script.Progress) { t.Errorf("silent work reports %+v", p) }, func(*script.Call) { time.Sleep(2 * delay) })
	})
}

// If no built-in has shown a line for a second, the script shows its current line. A built-in's line replaces it, and
// output removes it for another second.
func TestProgressOfScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withBuiltins(nil,
			script.Func("nap() -> none", "Says nothing for .63 s, which is no number of ticks.", "nap()", func(*script.Call) (any, error) { time.Sleep(630 * time.Millisecond); return nil, nil }),
			script.Func("work() -> none", "Reports for 1.1 s.", "work()", func(c *script.Call) (any, error) {
				parallel.Report(c.Context, 0, 0, "")
				time.Sleep(1100 * time.Millisecond)
				return nil, nil
			}),
		)
		s.ShowsLines = true
		var lines []string
		s.Stdout = writes(func(text string) { lines = append(lines, "printed "+text) })
		s.OnProgress = func(p script.Progress) {
			if line := fmt.Sprintf("%s, finished %t", p.Name, p.Finished); len(lines) == 0 || lines[len(lines)-1] != line {
				lines = append(lines, line)
			}
		}
		if _, err := s.Exec(t.Context(), "dir/a.star", "for i in range(2):\n    nap()\nprint(1)\nnap()\nprint(2)\n\nnap()\nnap()\nwork()\nx = [nap() for i in range(2)]\n"); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"a.star, line 2, finished false", "a.star, line 2, finished true", "printed 1\n", "printed 2\n",
			"a.star, line 8, finished false", "a.star, line 9, finished false", "work, finished false", "work, finished true",
			"a.star, line 10, finished false", "a.star, line 10, finished true",
		}
		if !slices.Equal(lines, want) {
			t.Errorf("shown is %q, want %q", lines, want)
		}
	})
}

// writes is a writer that calls itself with each text.
type writes func(text string)

func (w writes) Write(p []byte) (int, error) { w(string(p)); return len(p), nil }

// An interrupted computation removes its progress line and reports no more progress while it stops. The prompt appears
// in place of the line.
func TestInterruptedProgressIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []script.Progress
		shown := 0
		ctx, cancel := context.WithCancel(t.Context())
		working(ctx, func(p script.Progress) { reports = append(reports, p) }, func(c *script.Call) {
			parallel.Report(c.Context, 0, 0, "")
			time.Sleep(2 * delay)
			cancel()
			synctest.Wait()
			shown = len(reports)
			if shown < 2 || !reports[shown-1].Finished {
				t.Errorf("the reports are %+v, want the last to end the line", reports)
			}
			parallel.Report(c.Context, 1, 0, "")
			time.Sleep(3 * delay)
		})
		if len(reports) > shown {
			t.Errorf("%d reports after the last", len(reports)-shown)
		}
	})
}
