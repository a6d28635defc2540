package study_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"dpworkbench/study"
)

// The test binary is its own worker: with workerURL set it works on the study
// there and exits.
const (
	workerURL    = "STUDY_TEST_URL"
	workerTotal  = "STUDY_TEST_TOTAL"
	workerTrials = "STUDY_TEST_TRIALS"
	workerPause  = "STUDY_TEST_PAUSE"
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

// runWorker runs trials of the study "shared" until it holds enough.
func runWorker(url string) error {
	ctx := context.Background()
	total, _ := strconv.Atoi(os.Getenv(workerTotal))
	trials, _ := strconv.Atoi(os.Getenv(workerTrials))
	pause, _ := time.ParseDuration(os.Getenv(workerPause))
	storage, err := study.Open(ctx, url, study.StorageOptions{})
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
		time.Sleep(pause)
		return v, err
	}, study.Run{Total: total, Trials: trials, Beat: 200 * time.Millisecond})
}

// worker starts a process of its own that works on a study.
func worker(t *testing.T, url string, total, trials int, pause time.Duration) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), workerURL+"="+url, workerTotal+"="+strconv.Itoa(total),
		workerTrials+"="+strconv.Itoa(trials), workerPause+"="+pause.String())
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// killed works on a study with three processes, of which it kills one after
// the other, at random moments, and replaces it. The study must end with
// exactly total trials complete, none twice and none missing.
func killed(t *testing.T, url string, kills, total int) {
	r := rand.New(rand.NewPCG(1, uint64(kills)))
	var workers []*exec.Cmd
	for range 3 {
		workers = append(workers, worker(t, url, total, 0, 20*time.Millisecond))
	}
	for range kills {
		time.Sleep(time.Duration(30+r.IntN(120)) * time.Millisecond)
		i := r.IntN(len(workers))
		_ = workers[i].Process.Kill() // SIGKILL
		_ = workers[i].Wait()
		workers[i] = worker(t, url, total, 0, 20*time.Millisecond)
	}
	for _, w := range workers {
		if err := w.Wait(); err != nil {
			t.Errorf("a worker that was left alone: %v", err)
		}
	}
	storage := open(t, url)
	s, err := study.Load(context.Background(), storage, "shared")
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, s, total)
	results, _ := s.Results(context.Background())
	t.Logf("%d kills, %d trials lost and repeated, %d complete", kills, len(results)-total, total)
	if kills > 20 && len(results) == total {
		t.Error("no kill hit a trial: the test shows nothing")
	}
}

func TestKilledWorkersSQLite(t *testing.T) {
	t.Parallel()
	killed(t, filepath.Join(t.TempDir(), "study.db"), 100, 500)
}

func TestProcessesShareSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	processesShare(t, path)
}

// processesShare has four processes run 25 trials each.
func processesShare(t *testing.T, url string) {
	var workers []*exec.Cmd
	for range 4 {
		workers = append(workers, worker(t, url, 0, 25, 0))
	}
	for _, w := range workers {
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	}
	s, err := study.Load(context.Background(), open(t, url), "shared")
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, s, 100)
}
