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

// asChild is set where the test binary is the prompt that a shell runs.
const asChild = "WORKBENCH_PROMPT_CHILD"

// TestPromptOfShell is no test but the prompt that TestCtrlZ starts.
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

// typed is a terminal that somebody types at.
type typed struct {
	t       *testing.T
	control *os.File
	lock    sync.Mutex
	more    *sync.Cond
	seen    strings.Builder
	ended   bool
	at      int // what was waited for so far
}

func (y *typed) read() {
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

// wait returns what the terminal has shown since the last wait once that holds text.
func (y *typed) wait(text string) string {
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
			y.t.Fatalf("the terminal shows %q, not %q", now, text)
		}
		y.more.Wait()
	}
}

func (y *typed) keys(text string) { _, _ = io.WriteString(y.control, text) }

// onTerminal starts a command on a terminal of 24 lines and 80 columns, and ends it with the test.
func onTerminal(t *testing.T, command *exec.Cmd) *typed {
	t.Helper()
	control, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	y := &typed{t: t, control: control}
	y.more = sync.NewCond(&y.lock)
	go y.read()
	watchdog := time.AfterFunc(2*time.Minute, func() { _ = command.Process.Kill() }) // a hang fails
	t.Cleanup(func() {
		watchdog.Stop()
		_ = command.Process.Kill()
		_ = command.Wait()
		control.Close()
	})
	return y
}

// Ctrl-Z stops the prompt, while a line is typed and while something is computed; the
// shell finds its terminal as it left it, and fg shows the line again, which goes on.
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
	stop := func(what string) { // by Ctrl-Z, and asks to go on
		t.Helper()
		y.keys("\x1a")
		y.wait("topped")
		y.wait("shell> ")
		y.keys("stty -a; echo d''one\n")
		if after := y.wait("done"); settings(after) != settings(before) {
			t.Errorf("stopped %s, the terminal has\n%s\nnot\n%s", what, after, before)
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
	y.keys("1\r") // 40 + 11
	y.wait("51")
	y.wait(">>> ")
	y.keys("print('be' + 'gun') or [x for x in range(1 << 40) if x < 0]\r")
	y.wait("begun")
	stop("in a computation")
	y.wait("test.run") // the shell names the job, and hands over the terminal at some time
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

// settings are what stty says of a terminal, without what was typed.
func settings(text string) string {
	at := strings.Index(text, "speed")
	return strings.Join(strings.Fields(text[max(at, 0):]), " ")
}
