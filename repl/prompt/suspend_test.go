//go:build linux || darwin

package prompt_test

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpworkbench/repl"
	"dpworkbench/repl/prompt"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// asChild is an environment variable that is set if the test binary runs as the prompt started by a shell.
const asChild = "WORKBENCH_PROMPT_CHILD"

// TestPromptOfShell is not a test. It is the prompt that TestCtrlZ starts.
func TestPromptOfShell(t *testing.T) {
	if os.Getenv(asChild) == "" {
		t.Skip("it is run by TestCtrlZ")
	}
	s := repl.NewSession()
	defer s.Close()
	if _, err := prompt.Run(s.Session, prompt.Options{}); err != nil {
		t.Fatal(err)
	}
}

// Ctrl-Z stops the prompt, at an input line and during a computation. The shell finds its terminal unchanged. fg shows
// the line again, and typing continues.
func TestCtrlZ(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash is installed")
	}
	shell := exec.Command(bash, "--norc", "--noprofile", "--noediting", "-i")
	shell.Env = append(os.Environ(), asChild+"=1", "PS1=shell> ", "TERM=xterm", "HOME="+t.TempDir(), "INPUTRC=/dev/null")
	y := start(t, shell, 24, 80)

	y.wait("shell> ")
	y.keys("stty -a; echo d''one\n")
	before := y.wait("done")
	y.wait("shell> ")
	y.keys("trap - TSTP CONT; '" + os.Args[0] + "' -test.run '^TestPromptOfShell$'\n")
	y.wait(">>> ")
	stop := func(what string) { // stop sends Ctrl-Z, then tells the shell to continue the prompt
		t.Helper()
		y.keys("\x1a")
		y.wait("topped")
		y.wait("shell> ")
		y.keys("stty -a; echo d''one\n")
		if after := y.wait("done"); settings(after) != settings(before) {
			t.Errorf("stopped %s, the terminal has\n%s\nwant\n%s", what, after, before)
		}
		y.wait("shell> ")
		y.keys("fg\n")
	}
	y.keys("40 + 1")
	y.wait("1")
	stop("at the prompt")
	if back := y.wait("40 + 1"); !strings.Contains(back, ">>> ") {
		t.Errorf("fg shows %q", back)
	}
	y.keys("1\r") // completes 40 + 11
	y.wait("51")
	y.wait(">>> ")
	y.keys("print('be' + 'gun') or [x for x in range(1 << 40) if x < 0]\r")
	y.wait("begun")
	stop("in a computation")
	y.wait("test.run") // the shell names the job and then hands over the terminal
	interrupted := make(chan struct{})
	go func() {
		for again := time.NewTicker(time.Second / 4); ; {
			select {
			case <-again.C:
				y.keys("\x03")
			case <-interrupted:
				return
			}
		}
	}()
	y.wait("interrupted")
	close(interrupted)
	y.wait(">>> ")
	y.keys("\x04")
	y.wait("PASS")
	y.wait("shell> ")
	y.keys("exit\n")
}

// settings extracts the terminal's settings from the output of stty.
func settings(text string) string {
	at := strings.Index(text, "speed")
	return strings.Join(strings.Fields(text[max(at, 0):]), " ")
}

// A process that receives a termination signal restores the terminal and exits with status 1.
func TestPromptRestoresTerminalOnSignal(t *testing.T) {
	for _, told := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		control, terminal, err := pty.Open()
		if err != nil {
			t.Skipf("no terminal available: %v", err)
		}
		before := prompt.SettingsOf(t, terminal)
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), promptIn+"=", "TERM=xterm", "INPUTRC=/dev/null", "HOME="+t.TempDir())
		c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		shown := make(chan bool, 1)
		go func() { // read the terminal to its end, or the process would block
			var seen strings.Builder
			buffer := make([]byte, 1024)
			for told := false; ; {
				n, err := control.Read(buffer)
				seen.Write(buffer[:n])
				if ready := strings.Contains(seen.String(), ">>> "); !told && (ready || err != nil) {
					shown <- ready
					told = true
				}
				if err != nil {
					return
				}
			}
		}()
		if !<-shown {
			t.Error("the prompt did not appear")
		}
		_ = c.Process.Signal(told)
		_ = c.Wait()
		if status := c.ProcessState.ExitCode(); status != 1 {
			t.Errorf("after %v the prompt exits with %v", told, c.ProcessState)
		}
		if prompt.SettingsOf(t, terminal) != before {
			t.Errorf("after %v the prompt does not restore the terminal", told)
		}
		terminal.Close()
		control.Close()
	}
}

// TestPromptThatEnds is not a test. It is the child process of TestInterruptsAfterThePrompt.
func TestPromptThatEnds(t *testing.T) {
	if os.Getenv(asChild) != "ends" {
		t.Skip("it is run by TestInterruptsAfterThePrompt")
	}
	s := repl.NewSession()
	s.Stdout = io.Discard
	if status, err := prompt.Run(s.Session, prompt.Options{Plain: true}); status != 0 || err != nil {
		t.Fatal(status, err)
	}
	if s.OnText != nil || s.Folds {
		t.Error("the session still calls the prompt for texts")
	}
	_ = unix.Kill(os.Getpid(), unix.SIGINT)
	select {} // wait for the signal
}

// After the prompt has ended, an interrupt ends the process like any other.
func TestInterruptsAfterThePrompt(t *testing.T) {
	if signal.Ignored(syscall.SIGINT) {
		t.Skip("the parent process ignores interrupts, and so would the child")
	}
	c := exec.Command(os.Args[0], "-test.run", "^TestPromptThatEnds$", "-test.timeout", hang.String())
	c.Env = append(os.Environ(), asChild+"=ends")
	out, _ := c.CombinedOutput()
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("an interrupt ends the process as %v:\n%s", c.ProcessState, out)
	}
}
