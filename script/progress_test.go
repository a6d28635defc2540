package script

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"dpworkbench/internal/parallel"
)

// listening returns a call whose progress is reported to hear.
func listening(ctx context.Context, hear func(Progress)) (c *Call, end func()) {
	s := New(Vocabulary{})
	s.OnProgress = hear
	c = &Call{Context: ctx, Session: s, Name: "work"}
	return c, c.listen()
}

// Work is reported after a second and then five times a second, with its latest progress. The last report removes the
// line.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		c, end := listening(t.Context(), func(p Progress) {
			lines = append(lines, fmt.Sprintf("%s, finished %t", p, p.Finished))
		})
		time.Sleep(300 * time.Millisecond) // before there is anything to report
		for i := range int64(5) {
			parallel.Report(c.Context, i, 5, "step %d", i)
			time.Sleep(200 * time.Millisecond)
		}
		end()
		parallel.Report(c.Context, 5, 5, "left behind")
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
		c, end := listening(t.Context(), func(p Progress) { t.Errorf("short work reports %+v", p) })
		parallel.Report(c.Context, 1, 2, "")
		time.Sleep(patience / 2)
		end()
		_, end = listening(t.Context(), func(p Progress) { t.Errorf("silent work reports %+v", p) })
		time.Sleep(2 * patience)
		end()
	})
}

// If no built-in has shown a line for a second, the script shows its current line. A built-in's line replaces it, and
// output removes it for another second.
func TestProgressOfScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Vocabulary{Sections: []Section{NewSection("Work", []Builtin{
			Func("nap() -> none", "Says nothing for .63 s, which is no number of ticks.", "nap()", func(*Call) (any, error) { time.Sleep(630 * time.Millisecond); return nil, nil }),
			Func("work() -> none", "Reports for 1.1 s.", "work()", func(c *Call) (any, error) {
				parallel.Report(c.Context, 0, 0, "")
				time.Sleep(1100 * time.Millisecond)
				return nil, nil
			}),
		})}})
		s.ShowsLines = true
		var lines []string
		s.Stdout = writes(func(text string) { lines = append(lines, "printed "+text) })
		s.OnProgress = func(p Progress) {
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

// writes is a writer that passes texts on.
type writes func(text string)

func (w writes) Write(p []byte) (int, error) { w(string(p)); return len(p), nil }

// An interrupted computation removes its progress line and reports no more progress while it stops. The prompt appears
// in place of the line.
func TestInterruptedProgressIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []Progress
		ctx, cancel := context.WithCancel(t.Context())
		c, end := listening(ctx, func(p Progress) { reports = append(reports, p) })
		parallel.Report(c.Context, 0, 0, "")
		time.Sleep(2 * patience)
		cancel()
		synctest.Wait()
		shown := len(reports)
		if shown < 2 || !reports[shown-1].Finished {
			t.Errorf("the reports are %+v, want the last to end the line", reports)
		}
		parallel.Report(c.Context, 1, 0, "")
		time.Sleep(3 * patience)
		end()
		if len(reports) > shown {
			t.Errorf("%d reports after the last", len(reports)-shown)
		}
	})
}
