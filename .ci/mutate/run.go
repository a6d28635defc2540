package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// outcome is what became of a mutant.
type outcome int

const (
	untried    outcome = iota
	uncompiled         // it is no program
	killed
	survived
	equivalent // no test can notice it: its proof says why
)

// binary is the tests of one package, compiled.
type binary struct {
	room  string
	path  string
	race  string // compiled for the race detector, once somebody asks
	once  sync.Once
	tests []*test
}

type test struct {
	name   string
	takes  time.Duration
	passes bool
	comes  map[int]bool // the mutants that it comes by
}

// tiers are the tests that are tried together, by the time that one takes: brief ones first, and each of the others by
// itself.
var tiers = []time.Duration{30 * time.Millisecond, 200 * time.Millisecond, time.Second}

// limits of one run: what a test may take beyond its time without a mutant, and
// the memory that it may ask for, in KiB.
const (
	patience = 10 * time.Second
	times    = 3
	memory   = 8 << 20
)

// build compiles the tests that can reach a mutant.
func (t *tree) build(ctx context.Context, mutants []*mutant, near bool) error {
	needs, err := t.needs()
	if err != nil {
		return err
	}
	mutated := map[string]bool{}
	for _, m := range mutants {
		mutated[m.room] = true
	}
	var rooms []string
	for room, list := range needs {
		if mutated[room] || !near && slices.ContainsFunc(list, func(d string) bool { return mutated[d] }) {
			rooms = append(rooms, room)
		}
	}
	slices.Sort(rooms)
	bins, err := os.MkdirTemp(t.dir, ".tests")
	if err != nil {
		return err
	}
	for i, room := range rooms {
		b := &binary{room: room, path: filepath.Join(bins, fmt.Sprint(i, ".test"))}
		if err := t.compile(ctx, b.room, b.path); err != nil {
			return err
		}
		if _, err := os.Stat(b.path); err == nil {
			t.binaries = append(t.binaries, b)
		}
	}
	return nil
}

func (t *tree) compile(ctx context.Context, room, path string, flags ...string) error {
	c := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-c", "-trimpath", "-vet=off", "-o", path}, flags, []string{"./" + room})...)
	c.Dir = t.dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("tests of %s: %w\n%s", room, err, out)
	}
	return nil
}

// execute runs a binary in its package's folder and returns what it prints.
func (t *tree) execute(ctx context.Context, b *binary, race bool, limit time.Duration, env []string, args ...string) (string, error) {
	path, bound := b.path, fmt.Sprintf("ulimit -v %d; ", memory)
	if race { // which maps more than it uses
		path, bound = b.race, ""
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", slices.Concat([]string{"-c", bound + `exec "$0" "$@"`, path}, args)...)
	c.Dir = filepath.Join(t.dir, b.room)
	c.Env = slices.Concat(os.Environ(), env)
	c.WaitDelay = 5 * time.Second
	group(c)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.String(), err
}

// reach runs each test once without a mutant, to learn how long it takes and what
// it comes by.
func (t *tree) reach(ctx context.Context, mutants []*mutant, jobs int) {
	type job struct {
		b *binary
		t *test
	}
	var work []job
	for _, b := range t.binaries {
		out, err := t.execute(ctx, b, false, patience, nil, "-test.list", ".")
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: its tests cannot be listed: %v\n", b.room, err)
			continue
		}
		for _, name := range strings.Fields(out) {
			b.tests = append(b.tests, &test{name: name, comes: map[int]bool{}})
			work = append(work, job{b, b.tests[len(b.tests)-1]})
		}
	}
	var done atomic.Int64
	each(jobs, len(work), func(i int) {
		b, w := work[i].b, work[i].t
		seen := filepath.Join(filepath.Dir(b.path), fmt.Sprintf("reach%d", i))
		start := time.Now()
		_, err := t.execute(ctx, b, false, 10*time.Minute, []string{"WORKBENCH_REACH=" + seen}, "-test.run", "^"+regexp.QuoteMeta(w.name)+"$")
		w.takes, w.passes = time.Since(start), err == nil
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "%s %s fails without a mutant: left out\n", b.room, w.name)
		}
		text, _ := os.ReadFile(seen)
		for _, n := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(n); err == nil && w.passes {
				w.comes[id] = true
			}
		}
		progress(done.Add(1), len(work), "tests run once")
	})
}

// run runs, for each mutant, the tests that come by it, those of its own room
// and brief ones first, until one fails.
func (t *tree) run(ctx context.Context, mutants []*mutant, proofs map[string]string, jobs int) {
	order := slices.SortedFunc(slices.Values(mutants), func(a, b *mutant) int { // so that a run cut short has tried all rooms
		return cmp.Compare(rank(0, a.key), rank(0, b.key))
	})
	var done atomic.Int64
	each(jobs, len(order), func(i int) {
		m := order[i]
		if m.outcome == untried && ctx.Err() == nil {
			m.outcome = t.try(ctx, m)
			if _, proven := proofs[m.key]; proven && m.outcome == survived {
				m.outcome = equivalent
			}
			if m.outcome == survived {
				fmt.Fprintln(os.Stderr, "lives:", m.key)
			}
		}
		progress(done.Add(1), len(mutants), "mutants tried")
	})
}

func (t *tree) try(ctx context.Context, m *mutant) outcome {
	type batch struct {
		b     *binary
		names []string
		takes time.Duration
	}
	var batches []batch
	for _, b := range t.binaries {
		together := make([]batch, len(tiers))
		for _, test := range b.tests {
			if !test.comes[m.id] {
				continue
			}
			m.reached++
			name := regexp.QuoteMeta(test.name)
			tier, _ := slices.BinarySearch(tiers, test.takes)
			if tier == len(tiers) {
				batches = append(batches, batch{b, []string{name}, test.takes})
				continue
			}
			w := &together[tier]
			w.b, w.names, w.takes = b, append(w.names, name), w.takes+test.takes
		}
		for _, w := range together {
			if len(w.names) > 0 {
				batches = append(batches, w)
			}
		}
	}
	slices.SortStableFunc(batches, func(a, b batch) int {
		if own := a.b.room == m.room; own != (b.b.room == m.room) {
			if own {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.takes, b.takes)
	})
	race := m.kind == lock
	for _, w := range batches {
		if race {
			w.b.once.Do(func() {
				w.b.race = w.b.path + ".race"
				if err := t.compile(ctx, w.b.room, w.b.race, "-race"); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			})
			w.takes *= 10
		}
		out, err := t.execute(ctx, w.b, race, patience+times*w.takes, []string{"WORKBENCH_MUTANT=" + strconv.Itoa(m.id)},
			"-test.failfast", "-test.run", "^("+strings.Join(w.names, "|")+")$")
		if ctx.Err() != nil {
			return untried
		}
		m.tried += len(w.names)
		if err != nil {
			m.by = w.b.room
			if f := failing.FindStringSubmatch(out); f != nil {
				m.by += " " + f[1]
			} else if errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "killed") {
				m.by += " (in time)"
			}
			return killed
		}
	}
	return survived
}

var failing = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// each runs f(0) to f(n−1), so many at a time.
func each(jobs, n int, f func(int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range jobs {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wait.Wait()
}

// progress says every tenth part.
func progress(done int64, of int, what string) {
	if n := int64(of); 10*done/n != 10*(done-1)/n {
		fmt.Fprintf(os.Stderr, "%d of %d %s\n", done, n, what)
	}
}
