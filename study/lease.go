package study

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// lease renews the heartbeats of this process's trials, and watches those of other processes. A heartbeat is a counter.
// An observer compares it with its previous observation, on its own clock, so machines need not agree on the time.
type lease struct {
	study *Study
	run   Run
	owner owner

	mu         sync.Mutex
	tokens     int
	marks      map[int]string // the stored marks of this process's trials
	seen       map[int]observation
	heartbeats int // sent so far
}

// observation is a mark and the time at which it was first seen.
type observation struct {
	mark string
	at   time.Time
}

func newLease(s *Study, run Run) *lease {
	return &lease{study: s, run: run, owner: newOwner(), marks: make(map[int]string), seen: make(map[int]observation)}
}

// mark returns a new unique mark.
func (l *lease) mark() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens++
	return l.owner.mark(strconv.Itoa(l.tokens), 0)
}

func (l *lease) hold(b begun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks[b.id] = b.mark
}

func (l *lease) release(b begun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.marks, b.id)
}

// current returns the mark of a trial that is stored in the database.
func (l *lease) current(b begun) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.marks[b.id]
}

// start renews heartbeats and looks for lost trials until stop is called.
func (l *lease) start(ctx context.Context) (stop func()) {
	if l.study.storage.memory {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(l.run.Heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			// Errors are ignored here, because the workers report an unavailable storage.
			_ = l.heartbeat(ctx)
			_ = l.sweep(ctx, time.Now())
		}
	}()
	return func() { cancel(); <-done }
}

// heartbeat renews the marks of this process's trials.
func (l *lease) heartbeat(ctx context.Context) error {
	l.mu.Lock()
	l.heartbeats++
	trials := make([]int, 0, len(l.marks))
	for id := range l.marks {
		trials = append(trials, id)
	}
	l.mu.Unlock()
	for _, id := range trials {
		if err := l.renew(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (l *lease) renew(ctx context.Context, id int) error {
	l.mu.Lock()
	defer l.mu.Unlock() // until the new mark is stored and recorded, since lose compares them
	mark, ok := l.marks[id]
	if !ok {
		return nil
	}
	next := advance(mark, l.heartbeats)
	if err := l.study.storage.heartbeat(ctx, id, next); err != nil {
		return err
	}
	l.marks[id] = next
	return nil
}

// advance replaces the heartbeat counter of a mark.
func advance(mark string, count int) string {
	for i := len(mark) - 1; i >= 0; i-- {
		if mark[i] == '|' {
			return mark[:i+1] + strconv.Itoa(count)
		}
	}
	return mark
}

// sweep checks once the running trials of other processes. It schedules the repetition of those whose worker is gone.
func (l *lease) sweep(ctx context.Context, now time.Time) error {
	if l.study.storage.memory {
		return nil
	}
	all, err := l.study.storage.holders(ctx, l.study.id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	var lost []held
	present := make(map[int]bool)
	for _, h := range all {
		if _, own := l.marks[h.trial]; own {
			continue
		}
		present[h.trial] = true
		if s, ok := l.seen[h.trial]; !ok || s.mark != h.mark {
			l.seen[h.trial] = observation{h.mark, now}
		}
		if l.owner.gone(h.mark) || now.Sub(l.seen[h.trial].at) > l.run.Lost {
			lost = append(lost, h)
		}
	}
	for id := range l.seen {
		if !present[id] {
			delete(l.seen, id)
		}
	}
	l.mu.Unlock()
	for _, h := range lost {
		if _, err := l.study.storage.lose(ctx, l.study.id, h.trial, h.mark, "its worker went away"); err != nil {
			return err
		}
	}
	return nil
}
