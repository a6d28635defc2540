//go:build unix

package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpworkbench/internal/zmtp"
)

// process is the command itself, run as Jupyter runs it.
type process struct {
	*exec.Cmd
	ended  chan struct{}
	stderr bytes.Buffer // to be read once it has ended
}

// launch starts the command on a connection file and waits until it listens.
func launch(t *testing.T, binary, file string) (*process, *client) {
	t.Helper()
	at, err := ReadConnection(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(binary, "kernel", "-f", file), ended: make(chan struct{})}
	p.Stderr = &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.Wait(); close(p.ended) }()
	t.Cleanup(func() { _ = p.Process.Kill(); <-p.ended })
	for until := time.Now().Add(patience); ; {
		c, err := net.Dial("tcp", net.JoinHostPort(at.IP, strconv.Itoa(at.HeartbeatPort))) // opened last
		if err == nil {
			c.Close()
			return p, connect(t, at)
		}
		select {
		case <-p.ended:
			t.Fatalf("%v: %s", p.ProcessState, p.stderr.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(until) {
			t.Fatal("the kernel does not listen")
		}
	}
}

// awaitEnd returns the exit status.
func (p *process) awaitEnd(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the kernel stays")
	}
	return p.ProcessState.ExitCode()
}

// buildCommand builds the command and writes a connection file beside it.
func buildCommand(t *testing.T) (binary, file string) {
	t.Helper()
	dir := t.TempDir()
	binary, file = filepath.Join(dir, "workbench"), filepath.Join(dir, "connection.json")
	if out, err := exec.Command("go", "build", "-o", binary, "dpworkbench/cmd/workbench").CombinedOutput(); err != nil {
		t.Skipf("the command cannot be built here: %v\n%s", err, out)
	}
	c := Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: testKey}
	for _, port := range []*int{&c.ShellPort, &c.ControlPort, &c.IOPubPort, &c.StdinPort, &c.HeartbeatPort} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all at once: no port twice
		*port = l.Addr().(*net.TCPAddr).Port
	}
	data, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return binary, file
}

// begin sends a cell that prints "on" where its long work begins, and returns once
// it has. A signal sent before may reach the process only now, and end the cell:
// it is then sent again.
func (c *client) begin(code string) (id string) {
	c.t.Helper()
	for {
		id = c.send(c.shell, "execute_request", map[string]any{"code": code})
		for ended := false; !ended; {
			m, parent, content, err := c.receive(c.iopub)
			switch {
			case err != nil:
				c.t.Fatal(err)
			case parent != id:
			case content["text"] == "on\n":
				c.begun = id
				return id
			default:
				ended = m.header.Type == "status" && content["execution_state"] == "idle"
			}
		}
	}
}

// unbroken runs a cell, again where a signal that was late has ended it.
func (c *client) unbroken(request map[string]any) answer {
	c.t.Helper()
	for {
		if a := c.ask("execute_request", request); a.content["ename"] != "Interrupted" {
			return a
		}
	}
}

// The command, as a process: real signals, a restart on the same connection
// file, and nothing that a stranger sends ends it.
func TestProcess(t *testing.T) {
	binary, file := buildCommand(t)
	p, c := launch(t, binary, file)
	value := func(code string) any {
		t.Helper()
		if r := c.unbroken(map[string]any{"code": code}).first("execute_result"); r != nil {
			return r["data"].(map[string]any)["text/plain"]
		}
		return nil
	}

	c.execute("x = 41")
	_ = p.Process.Signal(os.Interrupt) // between cells: nothing happens
	for _, long := range []string{
		"for i in range(1 << 40): 99 - i or print('on')",
		"optimal(graphs(7).count('triangle'), print('on') or 1)",
		"study('s', sampler='random').optimize(lambda t: (9 - t.number or print('on')) and t.suggest_float('x', 0, 1), trials=1000000000)",
	} {
		id := c.begin("y = 1\n" + long)
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = p.Process.Signal(os.Interrupt) // an impatient user
		a := c.collect(c.shell, id)        // waits for the event, however busy the machine
		if a.content["status"] != "error" || a.content["ename"] != "Interrupted" {
			t.Errorf("%s: %v", long, a.content)
		}
		late := strings.Contains(fmt.Sprint(a.content["evalue"]), "still winding down") // and no longer on a line
		if trace := fmt.Sprint(a.content["traceback"]); !late && (!strings.Contains(trace, "---->") || !strings.Contains(trace, long)) {
			t.Errorf("%s: the trace does not show the line:\n%s", long, trace)
		}
		if got := value("x + y"); got != "42" {
			t.Errorf("%s: the state is lost: x + y is %v", long, got)
		}
	}

	t.Run("stdin", func(t *testing.T) { testStdinRefused(t, c, file) })
	t.Run("strangers", func(t *testing.T) { testStrangers(t, c, file) })
	if got := value("x"); got != "41" {
		t.Errorf("a stranger changed x to %v", got)
	}

	// A restart: the manager ends one process and starts another on the same file.
	c.begin("print('on')\nwhile True: pass")
	a := c.collect(c.control, c.send(c.control, "shutdown_request", map[string]any{"restart": true}))
	if a.kind != "shutdown_reply" || a.content["restart"] != true || a.content["status"] != "ok" {
		t.Errorf("shutdown: %v", a)
	}
	if status := p.awaitEnd(t); status != 0 {
		t.Errorf("exit status %d after a shutdown: %s", status, p.stderr.String())
	}
	if log := p.stderr.String(); !strings.Contains(log, "wrong signature") || strings.Contains(log, "goroutine ") {
		t.Errorf("the log says %s", log)
	}
	p, c = launch(t, binary, file)
	if a := c.execute("x"); a.content["status"] != "error" || a.content["execution_count"] != 1.0 {
		t.Errorf("the new kernel knows x: %v", a.content)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.awaitEnd(t); status != 0 {
		t.Errorf("exit status %d after SIGTERM: %s", status, p.stderr.String())
	}
}

// A cell that asks a question gets an error, and the client is asked nothing.
func testStdinRefused(t *testing.T, c *client, file string) {
	at, err := ReadConnection(file)
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := zmtp.Dial(zmtp.Dealer, "tcp", net.JoinHostPort(at.IP, strconv.Itoa(at.StdinPort)))
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	a := c.unbroken(map[string]any{"code": "input('name? ')", "allow_stdin": true})
	if a.content["status"] != "error" || !strings.Contains(fmt.Sprint(a.content["evalue"]), "a script asks no questions") {
		t.Errorf("input gives %v", a.content)
	}
	c.send(stdin, "input_reply", map[string]any{"value": "x"})       // to no question
	_ = stdin.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // what it asks has come before its reply
	if frames, err := stdin.Receive(); err == nil {
		t.Errorf("the kernel asks %q", frames)
	}
}

// testStrangers sends what no client sends: bytes that are no ZMTP, messages
// that are none of the protocol, and messages signed with another key. None may
// be run, or end the process.
func testStrangers(t *testing.T, c *client, file string) {
	at, err := ReadConnection(file)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	greeting := append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0, 'N', 'U', 'L', 'L'}, make([]byte, 48)...)
	ready := []byte("\x04\x1b\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER")
	for _, port := range []int{at.ShellPort, at.ControlPort, at.StdinPort, at.IOPubPort, at.HeartbeatPort} {
		address := net.JoinHostPort(at.IP, strconv.Itoa(port))
		for _, bytes := range [][]byte{
			nil, noise(1), noise(64), noise(4096), []byte("GET / HTTP/1.1\r\n\r\n"), greeting[:30], greeting,
			append(greeting[:64:64], noise(300)...),
			append(greeting[:64:64], "\x04\x06\x05READYx"...),
			append(greeting[:64:64], "\x06\xff\xff\xff\xff\xff\xff\xff\xff"...), // a command of 2⁶⁴ − 1 bytes
			append(append(greeting[:64:64], ready...), noise(300)...),
			append(append(greeting[:64:64], ready...), "\x02\x7f\xff\xff\xff\xff\xff\xff\xff"...),
			append(append(greeting[:64:64], ready...), "\x00\x00\x01\x00"...),
		} {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = conn.Write(bytes)
			conn.Close()
		}
	}

	// Signed with another key, or with none: not even a shutdown is heard. A client
	// that has shown its own key keeps its connections.
	for _, conn := range []*zmtp.Conn{c.shell, c.control} {
		if a := c.collect(conn, c.send(conn, "kernel_info_request", map[string]any{})); a.kind != "kernel_info_reply" {
			t.Fatalf("the kernel says %v", a)
		}
	}
	for _, w := range []*wire{{key: []byte("another"), session: "liar"}, {session: "unsigned"}} {
		for kind, content := range map[string]any{
			"shutdown_request": map[string]any{"restart": false}, "execute_request": map[string]any{"code": "x = 0"}, "interrupt_request": map[string]any{},
		} {
			frames, err := w.encode(nil, nil, kind, content)
			if err != nil {
				t.Fatal(err)
			}
			for _, conn := range []*zmtp.Conn{c.shell, c.control} {
				if err := conn.Send(frames...); err != nil {
					t.Fatal(err)
				}
			}
		}
	}

	// Signed well, and nonsense.
	good, err := c.wire.encode(nil, nil, "execute_request", map[string]any{"code": "1"})
	if err != nil {
		t.Fatal(err)
	}
	deep := []byte(strings.Repeat("[", 20000) + strings.Repeat("]", 20000))
	odd := [][]byte{nil, []byte("null"), []byte("[]"), []byte(`""`), []byte("{"), []byte(`{"msg_id": 1}`), []byte(`{"code": 7}`), []byte("\xff\xfe"), deep, noise(50)}
	var messages [][][]byte
	for at := range 4 {
		for _, part := range odd {
			parts := append([][]byte(nil), good[2:6]...)
			parts[at] = part
			messages = append(messages, append([][]byte{[]byte(delimiter), c.wire.sign(parts)}, parts...))
		}
	}
	for n := range good {
		messages = append(messages, good[:n+1], good[n:])
	}
	messages = append(messages, [][]byte{{}}, append([][]byte{noise(255), {}}, good...), append(good[:6:6], noise(9), noise(300)))
	for _, kind := range []string{"", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_open", "shutdown_request", "interrupt_request", "execute_reply"} {
		for _, content := range []any{nil, 1, []int{1}, map[string]any{"code": 7, "restart": 1, "cursor_pos": "a"}, map[string]any{"code": "purest(", "cursor_pos": -5}, map[string]any{"code": "é", "cursor_pos": 1 << 40}} {
			if kind == "shutdown_request" {
				content = "a text" // no request: answered with an error
			}
			frames, err := c.wire.encode(nil, nil, kind, content)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, frames)
		}
	}
	for _, m := range messages {
		for _, conn := range []*zmtp.Conn{c.shell, c.control} {
			if err := conn.Send(m...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.heartbeat.Send(append([][]byte{nil}, noise(3), nil, noise(700))...); err != nil {
		t.Fatal(err)
	}
	if _, err := c.heartbeat.Receive(); err != nil && err != io.EOF {
		t.Error(err)
	}
	for _, conn := range []*zmtp.Conn{c.shell, c.control} {
		if a := c.collect(conn, c.send(conn, "kernel_info_request", map[string]any{})); a.kind != "kernel_info_reply" {
			t.Errorf("afterwards the kernel says %v", a)
		}
	}
}
