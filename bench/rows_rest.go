package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"dpworkbench/study"

	"github.com/creack/pty"
)

var trialSeries = &series{sizes: []int{30, 100, 300, 1000}, unit: "trials", expected: 1}

var restRows = []comparison{
	{
		name: "study-random", work: "a trial of a study on SQLite, random search: one of %d", n: 200, quick: 5, each: true,
		run: trials("random"), script: scriptedTrials("random"),
		peers: []peer{{name: "Optuna", module: "with_optuna", function: "random"}},
		asked: ".5 ms", series: trialSeries,
	},
	{
		name: "study-tpe", work: "the same, TPE: one of %d", n: 200, quick: 5, each: true,
		run: trials("tpe"), script: scriptedTrials("tpe"),
		peers: []peer{{name: "Optuna", module: "with_optuna", function: "tpe"}},
		asked: ".5 ms", series: trialSeries,
	},
	{
		name: "prompt", work: "from the start of the program to the prompt", n: 1, quick: 1,
		run: func(ctx context.Context, _ int) task {
			return untilPrompt(ctx, cmp.Or(os.Getenv("BENCH_WORKBENCH"), "workbench"))
		},
		peers: []peer{
			{name: "Python alone", run: func(ctx context.Context, _ int) task { return untilPrompt(ctx, python(), "-q") }},
			{name: "Python with dp_accounting", run: func(ctx context.Context, _ int) task {
				return untilPrompt(ctx, python(), "-q", "-i", "-c", "import dp_accounting.pld.privacy_loss_distribution")
			}},
		},
		asked: "20 ms",
	},
}

func trials(sampler string) func(context.Context, int) task {
	return func(ctx context.Context, n int) task {
		dir, count := must(os.MkdirTemp("", "bench")), 0
		return func() float64 {
			count++
			storage := must(study.Open(ctx, filepath.Join(dir, fmt.Sprint(count)+".db"), study.StorageOptions{}))
			defer storage.Close()
			s := must(study.New(ctx, storage, "bench", study.Options{Sampler: sampler}))
			check(s.Optimize(ctx, func(_ context.Context, _ int, t *study.Trial) (float64, error) {
				x, y := must(t.Float("x", 0, 1, false)), must(t.Float("y", -5, 5, false))
				return (x-.3)*(x-.3) + (y+2)*(y+2)/100, nil
			}, study.Run{Trials: n}))
			return 0
		}
	}
}

func scriptedTrials(sampler string) *scripted {
	return &scripted{`
k = 0
def sphere(trial):
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", -5, 5)
    return (x - 0.3) * (x - 0.3) + (y + 2) * (y + 2) / 100
`, fmt.Sprintf("k += 1\nstudy(\"bench\", storage=\"%%s/%%d.db\" %% (dir, k), sampler=%q).optimize(sphere, trials=n)\n0", sampler)}
}

func python() string { return cmp.Or(os.Getenv("BENCH_PYTHON"), "python3") }

// untilPrompt returns a task that starts a program in a terminal and waits for its prompt.
func untilPrompt(ctx context.Context, command string, args ...string) task {
	return func() float64 {
		cmd := exec.CommandContext(ctx, command, args...)
		cmd.Env = append(os.Environ(), "TERM=xterm", "PYTHON_BASIC_REPL=1")
		terminal := must(pty.Start(cmd))
		defer func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			terminal.Close()
		}()
		var said []byte
		for buffer := make([]byte, 4096); !bytes.Contains(said, []byte(">>> ")); {
			n, err := terminal.Read(buffer)
			said = append(said, buffer[:n]...)
			if bytes.Contains(said, []byte("\x1b[6n")) { // a query for the cursor position
				said = bytes.ReplaceAll(said, []byte("\x1b[6n"), nil)
				must(terminal.WriteString("\x1b[1;1R"))
			}
			check(err)
		}
		return 0
	}
}
