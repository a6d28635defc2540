package study

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// lease renews the heartbeats of this process's trials, and watches those of the others. A heartbeat is a counter.
// An observer compares it with its previous observation, on its own clock, so machines need not agree on the time.
type lease struct {
	study *Study
	run   Run
	owner owner

	mu     sync.Mutex
	tokens int
	marks  map[int]string // of the trials that this process runs
	seen   map[int]observation
	beats  int
}

// observation is a mark, and when it was first seen as it is.
type observation struct {
	mark string
	at   time.Time
}

func newLease(s *Study, run Run) *lease {
	return &lease{study: s, run: run, owner: newOwner(), marks: make(map[int]string), seen: make(map[int]observation)}
}

// mark returns a mark that no other trial has.
func (k *lease) mark() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tokens++
	return k.owner.mark(strconv.Itoa(k.tokens), 0)
}

func (k *lease) hold(b begun) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.marks[b.id] = b.mark
}

func (k *lease) release(b begun) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.marks, b.id)
}

// current returns the mark of a trial as stored.
func (k *lease) current(b begun) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.marks[b.id]
}

// start renews heartbeats and looks for lost trials until stop is called.
func (k *lease) start(ctx context.Context) (stop func()) {
	if k.study.storage.memory {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(k.run.Beat)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			// A storage that is away is the workers' to report.
			_ = k.beat(ctx)
			_ = k.sweep(ctx, time.Now())
		}
	}()
	return func() { cancel(); <-done }
}

// heartbeat renews the marks of this process's trials.
func (k *lease) beat(ctx context.Context) error {
	k.mu.Lock()
	k.beats++
	trials := make([]int, 0, len(k.marks))
	for id := range k.marks {
		trials = append(trials, id)
	}
	k.mu.Unlock()
	for _, id := range trials {
		if err := k.renew(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (k *lease) renew(ctx context.Context, id int) error {
	k.mu.Lock()
	defer k.mu.Unlock() // lose must find the mark that is stored
	mark, ok := k.marks[id]
	if !ok {
		return nil
	}
	next := advance(mark, k.beats)
	if err := k.study.storage.beat(ctx, id, next); err != nil {
		return err
	}
	k.marks[id] = next
	return nil
}

// advance replaces the beat of a mark.
func advance(mark string, beat int) string {
	for i := len(mark) - 1; i >= 0; i-- {
		if mark[i] == '|' {
			return mark[:i+1] + strconv.Itoa(beat)
		}
	}
	return mark
}

// sweep checks the running trials of others once, and schedules the repetition of those whose worker is gone.
func (k *lease) sweep(ctx context.Context, now time.Time) error {
	if k.study.storage.memory {
		return nil
	}
	all, err := k.study.storage.holders(ctx, k.study.id)
	if err != nil {
		return err
	}
	k.mu.Lock()
	var lost []held
	present := make(map[int]bool)
	for _, h := range all {
		if _, own := k.marks[h.trial]; own {
			continue
		}
		present[h.trial] = true
		if s, ok := k.seen[h.trial]; !ok || s.mark != h.mark {
			k.seen[h.trial] = observation{h.mark, now}
		}
		if k.owner.gone(h.mark) || now.Sub(k.seen[h.trial].at) > k.run.Lost {
			lost = append(lost, h)
		}
	}
	for id := range k.seen {
		if !present[id] {
			delete(k.seen, id)
		}
	}
	k.mu.Unlock()
	for _, h := range lost {
		if _, err := k.study.storage.lose(ctx, k.study.id, h.trial, h.mark, "its worker went away"); err != nil {
			return err
		}
	}
	return nil
}
