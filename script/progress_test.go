package script

import (
	"context"
	"testing"
)

// What is interrupted takes its line away and reports no more, however long it
// winds down: the prompt stands where the line was.
func TestInterruptedProgressIsSilent(t *testing.T) {
	reports := make(chan Progress, 100)
	s := New(Vocabulary{})
	s.OnProgress = func(p Progress) { reports <- p }
	ctx, cancel := context.WithCancel(t.Context())
	c := &Call{Context: ctx, Session: s}
	c.Progress("work", 0)
	if p := <-reports; p.Finished {
		t.Fatalf("the first report is %+v", p)
	}
	cancel()
	for p := range reports {
		if p.Finished {
			break
		}
	}
	for _, f := range c.cleanup { // waits until nothing can report
		f()
	}
	if n := len(reports); n > 0 {
		t.Errorf("%d reports after the last", n)
	}
}
