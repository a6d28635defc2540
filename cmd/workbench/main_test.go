package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"workbench": main}) }

// The scripts in testdata test the output, files and exit status of the command.
func TestCommandCertificates(t *testing.T)         { commands(t, "certify") }
func TestCommandClaims(t *testing.T)               { commands(t, "claims") }
func TestCommandDataSets(t *testing.T)             { commands(t, "data") }
func TestCommandErrors(t *testing.T)               { commands(t, "errors") }
func TestCommandSecrets(t *testing.T)              { commands(t, "secrets") }
func TestCommandFormat(t *testing.T)               { commands(t, "fmt") }
func TestCommandJSON(t *testing.T)                 { commands(t, "json") }
func TestCommandKernelInstallation(t *testing.T)   { commands(t, "kernel") }
func TestCommandKilledShards(t *testing.T)         { commands(t, "kill") }
func TestCommandMiscellany(t *testing.T)           { commands(t, "misc") }
func TestCommandNotebooksWithoutData(t *testing.T) { commands(t, "notebooks") }
func TestCommandFullDisks(t *testing.T)            { commands(t, "output") }
func TestCommandRun(t *testing.T)                  { commands(t, "run") }
func TestCommandStudies(t *testing.T)              { commands(t, "study") }
func TestCommandSweeps(t *testing.T)               { commands(t, "sweep") }
func TestCommandUntrustedScripts(t *testing.T)     { commands(t, "untrusted") }

// The memory limit has its own test, because a test process that has a limit itself could not reach it.
func TestBoundOfMemory(t *testing.T) { commands(t, "bound/memory") }

// Every script of testdata is run by a test.
func TestCommandsAreAllTested(t *testing.T) {
	source, err := os.ReadFile("main_test.go")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".txtar")
		if !strings.Contains(string(source), fmt.Sprintf("{ commands(t, %q) }", name)) {
			t.Errorf("no test runs %s", script)
		}
	}
}

func commands(t *testing.T, name string) {
	t.Helper()
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", filepath.FromSlash(name)+".txtar")},
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"status": status},
		Setup: func(e *testscript.Env) error {
			notebooks, err := filepath.Abs("../../notebooks")
			e.Setenv("NOTEBOOKS", notebooks)
			return err
		},
	})
}

// status runs a command and checks its exit status. The line "status 2 workbench run" of a script expects status 2.
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
