package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dpworkbench/display"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/redact"
	"dpworkbench/script"
	"dpworkbench/study"

	"go.starlark.net/starlark"
)

// optimizeStudy implements study.optimize.
func optimizeStudy(c *script.Call, s *search) (any, error) {
	flags := own(c).Study
	run := study.Run{
		Trials:  cmp.Or(flags.Trials, c.Int("trials")),
		Total:   cmp.Or(flags.Total, c.Int("total")),
		Workers: cmp.Or(flags.Workers, c.Int("workers")),
	}
	if flags.Trials == 0 && run.Total > 0 && (flags.Total > 0 || !c.Spelled("trials")) {
		run.Trials = 0 // no bound
	}
	h := &workerPool{c: c, objective: c.Function("objective"), argument: func(_ context.Context, t *study.Trial) (starlark.Value, error) {
		return trialClass.Of(c, &trialValue{t, s}), nil
	}}
	n := &news{search: s, session: c.Session, ctx: c.Context, total: int64(max(run.Trials, run.Total))}
	return nil, h.optimize(s, run, n, func() {
		n.resume()
		c.After(func() { n.close(context.WithoutCancel(c.Context)) }) // after the progress line has ended
	})
}

// optimize runs trials of a study. It calls begun before the first trial, once the workers are ready.
func (h *workerPool) optimize(s *search, run study.Run, n *news, begun func()) error {
	ctx, cancel := context.WithCancel(h.c.Context)
	defer cancel()
	h.stop, h.threads = cancel, []*starlark.Thread{h.c.Thread}
	if run.Workers > 1 {
		if err := h.start(run.Workers); err != nil {
			return err
		}
		defer context.AfterFunc(ctx, func() {
			for _, t := range h.threads {
				t.Cancel(script.ErrStopped.Error())
			}
		})()
	}
	begun()
	parallel.Report(n.ctx, 0, n.total, "%s", n.summary())
	run.Ended = n.ended
	err := s.Optimize(ctx, h.evaluate, run)
	if exit := h.exit.Load(); exit != nil {
		return exit
	}
	if err == nil {
		err = n.fruitless(h.c.Context)
	}
	return err
}

// workersKey is the thread-local key of the number of nested studies with several workers. The threads of workers count
// their call depth from 0, so nested studies are counted too, up to maxPools.
const (
	workersKey = "workers"
	maxPools   = 8
)

// workerPool holds the threads on which the workers of one optimize call run the objective.
type workerPool struct {
	c         *script.Call
	objective starlark.Callable
	argument  func(ctx context.Context, t *study.Trial) (starlark.Value, error) // the objective's argument for a trial
	threads   []*starlark.Thread
	stop      func()
	exit      atomic.Pointer[script.Exit]
	print     sync.Mutex
}

// start starts the threads of several workers. A single worker uses the caller's thread.
func (h *workerPool) start(workers int) error {
	inside, _ := h.c.Thread.Local(workersKey).(int)
	if inside >= maxPools {
		return fmt.Errorf("more than %d studies with several workers are nested", maxPools)
	}
	h.threads = make([]*starlark.Thread, workers)
	for w := range h.threads {
		t := h.c.Worker(fmt.Sprintf("worker %d", w))
		t.SetLocal(workersKey, inside+1)
		t.Print = func(_ *starlark.Thread, msg string) {
			h.print.Lock()
			defer h.print.Unlock()
			h.c.Session.ClearProgress()
			fmt.Fprintln(h.c.Session.Stdout, redact.Text(msg))
		}
		h.threads[w] = t
	}
	return h.c.Session.FreezeReached(h.objective)
}

// evaluate calls the objective.
func (h *workerPool) evaluate(ctx context.Context, worker int, t *study.Trial) (float64, error) {
	if ctx.Err() != nil {
		return 0, script.ErrStopped
	}
	arg, err := h.argument(ctx, t)
	if err != nil {
		return 0, err
	}
	v, err := h.call(h.threads[worker], starlark.Tuple{arg})
	if err != nil {
		if h.c.Session.Interrupted() {
			select { // ctx ends a moment after the session's context; only then the trial counts as lost, not as failed
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		err = h.c.Session.ReasonOf(err)
		var exit *script.Exit
		if errors.As(err, &exit) { // the script wants to exit, not to fail a trial
			h.exit.Store(exit)
			h.stop()
		}
		return 0, err
	}
	f, ok := script.NearestFloat(v)
	if !ok {
		return 0, fmt.Errorf("the objective returned %s, want a number", script.Brief(v))
	}
	return f, nil
}

// call calls the objective. A worker has its own goroutine, so panics must be caught here.
func (h *workerPool) call(thread *starlark.Thread, args starlark.Tuple) (v starlark.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, h.c.Session.Caught(h.c.Name, r)
		}
	}()
	return starlark.Call(thread, h.objective, args, nil)
}

// news reports a study's progress, on the progress line if there is one and on standard error.
type news struct {
	search  *search
	session *script.Session
	ctx     context.Context // the call's context, which carries its progress
	total   int64           // the number of trials; 0 for no bound

	mu          sync.Mutex
	before      int // complete trials before the run
	ran, failed int
	reason      string       // the error of the first failed trial
	best        study.Result // empty before the first complete trial
	last        time.Time
}

// resume starts with the best of the trials that the study already holds.
func (n *news) resume() {
	results, err := n.search.Results(n.ctx) // an error is reported by the run itself
	if best, ok := study.BestOf(results, n.search.Maximizes()); ok && err == nil {
		n.best, n.before = best, completed(results)
		n.session.ClearProgress()
		fmt.Fprintf(n.session.Stderr, "study %s: resumed; %s\n", n.search.Name(), Best(n.ctx, n.search.Study))
	}
}

// completed counts the complete trials.
func completed(results []study.Result) (n int) {
	for _, r := range results {
		if r.State == "complete" {
			n++
		}
	}
	return n
}

// ended records the end of a trial.
func (n *news) ended(r study.Result) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ran++
	defer func() { parallel.Report(n.ctx, int64(n.ran), n.total, "%s", n.summary()) }()
	if r.State != "complete" {
		if n.failed++; n.reason == "" {
			n.reason = fmt.Sprintf("trial %d: %s", r.Number, r.Reason)
		}
		return
	}
	best, _ := study.BestOf([]study.Result{n.best, r}, n.search.Maximizes())
	if n.known() && best.Number == n.best.Number {
		return
	}
	n.best = best
	if n.last.IsZero() {
		n.last = time.Now() // report nothing during the first second
	} else if n.session.OnProgress == nil && time.Since(n.last) > time.Second {
		n.last = time.Now()
		fmt.Fprintf(n.session.Stderr, "study %s: %s\n", n.search.Name(), n.summary())
	}
}

// fruitless returns an error if every trial of the run failed and no trial was completed meanwhile, or if no trial was
// run and the study holds no complete one.
func (n *news) fruitless(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failed < n.ran {
		return nil
	}
	results, err := n.search.Results(ctx)
	if err != nil {
		return err
	}
	switch complete := completed(results); {
	case n.failed > 0 && complete <= n.before:
		return fmt.Errorf("all %d trials failed; %s", n.failed, n.reason)
	case complete == 0:
		why := ""
		if i := slices.IndexFunc(results, func(r study.Result) bool { return r.Reason != "" }); i >= 0 {
			why = fmt.Sprintf("; trial %d: %s", results[i].Number, results[i].Reason)
		}
		return fmt.Errorf("no trial was run, and none of the %d trials of the study is complete%s", len(results), why)
	}
	return nil
}

func (n *news) known() bool { return n.best.State != "" }

// summary describes the best trial, "" before the first complete one.
func (n *news) summary() string {
	if !n.known() {
		return ""
	}
	return fmt.Sprintf("%s at trial %d", display.Number(n.best.Value, 6), n.best.Number)
}

// close reports the best result so far, however the run ended.
func (n *news) close(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	failed := ""
	if n.failed > 0 {
		failed = fmt.Sprintf(", %d failed (%s)", n.failed, n.reason)
	}
	n.session.ClearProgress()
	fmt.Fprintf(n.session.Stderr, "study %s: %d trials run%s; %s\n", n.search.Name(), n.ran, failed, Best(ctx, n.search.Study))
}

// Best describes the best trial of a study in one line.
func Best(ctx context.Context, s *study.Study) string {
	best, err := s.Best(ctx)
	switch {
	case errors.Is(err, study.ErrNoTrial):
		return "no trial has finished"
	case err != nil:
		return "the best is not known: " + err.Error()
	}
	return fmt.Sprintf("best %s at trial %d: %s", display.Number(best.Value, 10), best.Number, Parameters(best.Params))
}

// Parameters formats the parameters of a trial on one line, sorted by name.
func Parameters(params map[string]any) string {
	var parts []string
	for name, v := range params {
		text := fmt.Sprint(v)
		if f, ok := v.(float64); ok {
			text = display.Number(f, 8)
		}
		parts = append(parts, name+" = "+text)
	}
	slices.Sort(parts)
	return redact.Text(strings.Join(parts, ", "))
}
