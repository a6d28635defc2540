package study_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/study"
)

// The test binary also serves as the worker process. If the variable workerURL is set, it works on the study at that
// URL and exits.
const (
	workerURL    = "STUDY_TEST_URL"
	workerTotal  = "STUDY_TEST_TOTAL"
	workerTrials = "STUDY_TEST_TRIALS"
	workerPaced  = "STUDY_TEST_PACED"
)

func TestMain(m *testing.M) {
	if url, ok := os.LookupEnv(workerURL); ok {
		if err := runWorker(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runWorker runs trials of the study "shared" until it has enough. If paced, it prints a line in every trial, and
// then waits for a byte or the end of its input.
func runWorker(url string) error {
	ctx := context.Background()
	total, _ := strconv.Atoi(os.Getenv(workerTotal))
	trials, _ := strconv.Atoi(os.Getenv(workerTrials))
	storage, err := study.Open(ctx, url, study.StorageOptions{Patience: time.Minute})
	if err != nil {
		return err
	}
	defer storage.Close()
	s, err := study.New(ctx, storage, "shared", study.Options{Sampler: "cmaes", Seed: 5})
	if err != nil {
		return err
	}
	return s.Optimize(ctx, func(ctx context.Context, w int, t *study.Trial) (float64, error) {
		v, err := sphere(ctx, w, t)
		if os.Getenv(workerPaced) != "" {
			fmt.Println(t.Number())
			_, _ = os.Stdin.Read(make([]byte, 1))
		}
		return v, err
	}, study.Run{Total: total, Trials: trials, Heartbeat: 200 * time.Millisecond})
}

// worker is a separate process that works on a study.
type worker struct {
	*exec.Cmd
	pace  io.WriteCloser // if paced, each byte lets one trial end
	lines *bufio.Scanner
	ahead int // steps whose next trial has not yet been seen to begin
}

func newWorker(t *testing.T, url string, total, trials int, paced string) *worker {
	t.Helper()
	exe := must.For(os.Executable())(t)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), workerURL+"="+url, workerTotal+"="+strconv.Itoa(total),
		workerTrials+"="+strconv.Itoa(trials), workerPaced+"="+paced)
	cmd.Stderr = os.Stderr
	pace := must.For(cmd.StdinPipe())(t)
	out := must.For(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &worker{Cmd: cmd, pace: pace, lines: bufio.NewScanner(out)}
}

// step lets one trial end.
func (w *worker) step(t *testing.T) {
	t.Helper()
	if _, err := w.pace.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	w.ahead++
}

// inTrial waits until the worker runs a trial that cannot end before the next step.
func (w *worker) inTrial(t *testing.T) {
	t.Helper()
	for ; w.ahead >= 0; w.ahead-- {
		if !w.lines.Scan() {
			t.Fatalf("a worker does not begin a trial: %v", w.lines.Err())
		}
	}
}

// finish lets the worker continue without pacing, and waits for its end.
func (w *worker) finish() error {
	_ = w.pace.Close()
	for w.lines.Scan() {
	}
	return w.Wait()
}

// killed runs a study with three processes. It repeatedly kills one of them, inside a trial or at any time, and
// replaces it. The study must end with exactly total complete trials.
func killed(t *testing.T, url string, kills, total int) {
	if total < 3*kills { // three trials end in each round
		t.Fatalf("%d trials are too few for %d kills", total, kills)
	}
	r := rand.New(rand.NewPCG(1, uint64(kills)))
	var workers []*worker
	for range 3 {
		workers = append(workers, newWorker(t, url, total, 0, "paced"))
	}
	for k := range kills {
		i := r.IntN(len(workers))
		if k%2 == 0 {
			workers[i].inTrial(t)
		}
		for j, w := range workers {
			if j != i || k%2 == 1 {
				w.step(t)
			}
		}
		_ = workers[i].Process.Kill() // SIGKILL
		_ = workers[i].Wait()
		workers[i] = newWorker(t, url, total, 0, "paced")
	}
	for _, w := range workers { // the last trials end only if all workers continue
		_ = w.pace.Close()
	}
	for _, w := range workers {
		if err := w.finish(); err != nil {
			t.Errorf("a worker that was not killed: %v", err)
		}
	}
	storage := open(t, url)
	s := must.For(study.Load(context.Background(), storage, "shared"))(t)
	checkLedger(t, s, total)
	results, _ := s.Results(context.Background())
	t.Logf("%d kills, %d trials lost and repeated, %d complete", kills, len(results)-total, total)
	if len(results)-total < kills/2 {
		t.Errorf("%d trials were lost, want at least one for every second kill", len(results)-total)
	}
}

func TestKilledWorkersSQLite(t *testing.T) {
	t.Parallel()
	killed(t, filepath.Join(t.TempDir(), "study.db"), cases.Of(20, 100), cases.Of(100, 500))
}

func TestProcessesShareSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	processesShare(t, path)
}

// processesShare runs 25 trials in each of four processes.
func processesShare(t *testing.T, url string) {
	var workers []*worker
	for range 4 {
		workers = append(workers, newWorker(t, url, 0, 25, ""))
	}
	for _, w := range workers {
		if err := w.finish(); err != nil {
			t.Error(err)
		}
	}
	s := must.For(study.Load(context.Background(), open(t, url), "shared"))(t)
	checkLedger(t, s, 100)
}
