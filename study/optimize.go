package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/redact"
)

// Run configures one call of Optimize.
type Run struct {
	Trials  int // trials to run; 0 is no limit
	Total   int // stop when the study holds this many trials of all workers, not counting lost ones; 0 is no limit
	Workers int // number of goroutines; 0 means 1

	Heartbeat time.Duration // time between two heartbeats; 0 means 2 s
	Lost      time.Duration // time without a heartbeat after which a trial counts as lost; 0 means 30 s
	Ended     func(Result)  // called for every trial that ends, in the goroutine that ran it
}

// filled returns the run with defaults for zero fields.
func (r Run) filled() Run {
	r.Workers = max(r.Workers, 1)
	if r.Heartbeat <= 0 {
		r.Heartbeat = 2 * time.Second
	}
	if r.Lost <= 0 {
		r.Lost = 30 * time.Second
	}
	return r
}

// Objective is the function that a study minimises or maximises. It may be called from several goroutines; worker
// counts from 0.
type Objective func(ctx context.Context, worker int, t *Trial) (float64, error)

// Optimize runs trials until there are enough or ctx ends. If an objective returns an error or a value that is not
// finite, or panics, its trial fails, and the study continues. If ctx ends, trials that have not returned are marked
// failed and are repeated by the next run.
//
// It returns an error if the storage is unavailable for too long, if the objective requests a search space other than
// the study's (ErrSpace), or if ctx ended.
func (s *Study) Optimize(ctx context.Context, objective Objective, run Run) error {
	switch {
	case run.Trials < 0 || run.Total < 0 || run.Workers < 0:
		return parameter.Errorf("trials = %d, total = %d and workers = %d, want numbers of at least 0", run.Trials, run.Total, run.Workers)
	case run.Trials == 0 && run.Total == 0:
		return parameter.Errorf("trials = 0 and total = 0, want at least one of them above 0")
	}
	run = run.filled()
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k := newLease(s, run)
	if err := k.sweep(ctx, time.Now()); err != nil { // trials of workers that have died are repeated
		return err
	}
	stop := k.start(ctx)
	defer stop()

	p := &workerPool{study: s, run: run, objective: objective, lease: k}
	_ = parallel.AtOnce(ctx, run.Workers, func(w int) error {
		err := parallel.Guard(func() error { return p.work(ctx, w) })
		if err != nil {
			cancel(err) // stops the other workers, whose errors would carry no information
		}
		return err
	})
	if err := context.Cause(ctx); err != nil { // the error of the worker that failed first
		return first(outer, err)
	}
	return nil
}

// first returns err, or the error of the caller's context if that has ended and err concerns neither the storage nor
// the search space.
func first(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ErrStorage) && !errors.Is(err, ErrSpace) {
		return ctx.Err()
	}
	return err
}

// workerPool is the pool of workers of one call of Optimize.
type workerPool struct {
	study     *Study
	run       Run
	objective Objective
	lease     *lease
	taken     atomic.Int64
}

// work runs trials until there are enough.
func (p *workerPool) work(ctx context.Context, worker int) error {
	smp, err := newSampler(p.study.sampler, p.study.seed)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		if p.run.Trials > 0 && p.taken.Add(1) > int64(p.run.Trials) {
			return nil
		}
		b, err := p.study.storage.begin(ctx, p.study.id, p.run.Total, p.lease.mark())
		if errors.Is(err, errEnough) {
			done, err := p.await(ctx)
			if done || err != nil {
				return err
			}
			p.taken.Add(-1)
			continue
		}
		if err != nil {
			return err
		}
		if err := p.trial(ctx, worker, b, smp); err != nil {
			return err
		}
	}
	return nil
}

// await waits while other workers run trials, because a lost trial has to be repeated. done reports that no trial runs
// or waits.
func (p *workerPool) await(ctx context.Context) (done bool, err error) {
	if err := p.lease.sweep(ctx, time.Now()); err != nil {
		return false, err
	}
	waits, runs, err := p.study.storage.unfinished(ctx, p.study.id)
	if err != nil || waits > 0 || runs == 0 {
		return waits == 0, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(min(p.run.Heartbeat, 250*time.Millisecond)):
	}
	return false, nil
}

// trial runs one trial to its end.
func (p *workerPool) trial(ctx context.Context, worker int, b begun, smp sampler) error {
	s := p.study
	p.lease.hold(b)
	defer p.lease.release(b)
	t := &Trial{ctx: ctx, study: s, begun: b, sampler: smp, params: make(map[string]suggested)}
	value, err := p.evaluate(ctx, worker, t)
	ending := context.WithoutCancel(ctx) // after an interrupt, the trial's end is still stored
	reason := ""
	switch {
	case t.fatal != nil && errors.Is(t.fatal, ErrStorage):
		return t.fatal // other workers will declare the trial lost
	case errors.Is(t.fatal, ErrSpace): // another objective may run the trial
		if err := s.storage.putBack(ending, s.id, b.id, p.lease.current(b)); err != nil {
			return err
		}
		return t.fatal
	case err != nil && ctx.Err() != nil:
		_, err := s.storage.lose(ending, s.id, b.id, p.lease.current(b), "interrupted")
		return err
	case err != nil:
		reason = redact.Text(err.Error())
	case math.IsNaN(value) || math.IsInf(value, 0):
		reason = fmt.Sprintf("the objective is %v, want a finite number", value)
	}
	mark, end := p.lease.current(b), (*moment)(nil)
	if reason == "" {
		end, err = s.storage.finish(ending, b, s.id, value, "")
	} else {
		end, err = s.storage.finish(ending, b, s.id, 0, clip(reason))
	}
	switch {
	case errors.Is(err, errTaken): // other workers declared this process dead, and repeat the trial
		return nil
	case err != nil:
		return err
	}
	t.keep(mark, value, reason, end)
	if p.run.Ended != nil {
		p.run.Ended(t.result(value, reason))
	}
	return t.fatal
}

// evaluate proposes the parameters and calls the objective.
func (p *workerPool) evaluate(ctx context.Context, worker int, t *Trial) (value float64, err error) {
	if r := t.sampler.relative; r != nil {
		if t.relative, err = r.SampleRelative(p.study, t.frozen()); err != nil {
			t.fatal = err
			return 0, err
		}
		if t.begun.tag != "" {
			if err = p.study.storage.SetTrialSystemAttr(t.begun.id, attrCMA, t.begun.tag); err != nil {
				t.fatal = err
				return 0, err
			}
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the objective panicked: %v", r)
		}
	}()
	value, err = p.objective(ctx, worker, t)
	if t.fatal != nil { // regardless of the objective's result
		err = t.fatal
	}
	return value, err
}

// keep passes a finished trial to the storage's cache if everything stored about it is known: it must be a new trial
// whose sampler stores no attributes.
func (t *Trial) keep(mark string, value float64, reason string, end *moment) {
	if t.begun.start == nil || end == nil || reason != "" || t.sampler.relative != nil {
		return
	}
	row := trialRow{ID: t.begun.id, Number: t.begun.number, Study: t.study.id, State: complete, Value: &number{v: value}, Start: t.begun.start, Complete: end}
	f := row.frozen()
	f.SystemAttrs[attrOwner] = mark
	if t.begun.origin != t.begun.number {
		f.SystemAttrs[attrOrigin] = strconv.Itoa(t.begun.origin)
	}
	for name, p := range t.params {
		if (paramRow{Name: name, Value: number{v: p.value}, Distribution: p.distribution}).put(&f, p.kind) != "" {
			return // not in its range: read the trial from the database instead
		}
	}
	t.study.storage.cacheFinished(f)
}

// result returns the trial as it ended.
func (t *Trial) result(value float64, reason string) Result {
	r := Result{Number: t.begun.number, State: "complete", Value: value, Reason: reason}
	if reason != "" {
		r.State, r.Value = "failed", math.NaN()
	}
	return r
}
