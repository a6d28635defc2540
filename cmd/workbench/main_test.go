package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"workbench": main}) }

func TestCommand(t *testing.T) { commands(t, "testdata") }

// The bound on memory, by itself: where the process has another, it is not reached.
func TestBoundOfMemory(t *testing.T) { commands(t, filepath.Join("testdata", "bound")) }

func commands(t *testing.T, dir string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:  dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
		Setup: func(e *testscript.Env) error {
			notebooks, err := filepath.Abs("../../notebooks")
			e.Setenv("NOTEBOOKS", notebooks)
			for _, name := range []string{"WORKBENCH_REACH", "WORKBENCH_MUTANT"} { // what .ci/mutate asks of the commands, too
				if v, ok := os.LookupEnv(name); ok {
					e.Setenv(name, v)
				}
			}
			return err
		},
	})
}

// status runs a command and checks its exit status: status 2 workbench run.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND [ARGUMENT...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}
