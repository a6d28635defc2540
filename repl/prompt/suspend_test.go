//go:build linux || darwin

package prompt

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"dpworkbench/repl"

	"github.com/creack/pty"
)

// asChild is set if the test binary runs as the prompt started by a shell.
const asChild = "WORKBENCH_PROMPT_CHILD"

// TestPromptOfShell is not a test but the prompt that TestCtrlZ starts.
func TestPromptOfShell(t *testing.T) {
	if os.Getenv(asChild) == "" {
		t.Skip("it is run by TestCtrlZ")
	}
	s := repl.NewSession()
	defer s.Close()
	if _, err := Run(s.Session, Options{}); err != nil {
		t.Fatal(err)
	}
}

// typist types at a terminal and reads what it shows.
type typist struct {
	t       *testing.T
	control *os.File
	lock    sync.Mutex
	more    *sync.Cond
	seen    strings.Builder
	ended   bool
	at      int // end of the text that was waited for
}

func (y *typist) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := y.control.Read(buffer)
		y.lock.Lock()
		y.seen.Write(buffer[:n])
		y.ended = err != nil
		y.more.Broadcast()
		y.lock.Unlock()
		if err != nil {
			return
		}
	}
}

// wait returns the terminal's output since the last wait, once it contains text.
func (y *typist) wait(text string) string {
	y.t.Helper()
	y.lock.Lock()
	defer y.lock.Unlock()
	for {
		now := y.seen.String()[y.at:]
		if i := strings.Index(now, text); i >= 0 {
			y.at += i + len(text)
			return now[:i+len(text)]
		}
		if y.ended {
			y.t.Fatalf("the terminal shows %q, want %q", now, text)
		}
		y.more.Wait()
	}
}

func (y *typist) keys(text string) { _, _ = io.WriteString(y.control, text) }

// onTerminal starts a command on a terminal of 24 lines and 80 columns, and ends it with the test.
func onTerminal(t *testing.T, command *exec.Cmd) *typist {
	t.Helper()
	control, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skipf("no terminal available: %v", err)
	}
	y := &typist{t: t, control: control}
	y.more = sync.NewCond(&y.lock)
	go y.read()
	watchdog := time.AfterFunc(2*time.Minute, func() { _ = command.Process.Kill() }) // fail on a hang
	t.Cleanup(func() {
		watchdog.Stop()
		_ = command.Process.Kill()
		_ = command.Wait()
		control.Close()
	})
	return y
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
	y := onTerminal(t, shell)

	y.wait("shell> ")
	y.keys("stty -a; echo d''one\n")
	before := y.wait("done")
	y.wait("shell> ")
	y.keys("trap - TSTP CONT; '" + os.Args[0] + "' -test.run '^TestPromptOfShell$'\n")
	y.wait(">>> ")
	stop := func(what string) { // by Ctrl-Z, then asks the shell to continue
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
