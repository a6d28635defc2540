package kernel

import (
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"dpworkbench/internal/zmtp"
	"dpworkbench/repl"
)

// client speaks to a kernel over its sockets, as a notebook does.
type client struct {
	t                     *testing.T
	wire                  wire
	shell, control, iopub *zmtp.Conn
	heartbeat             *zmtp.Conn
	begun                 string // a request that was seen to run
}

// output is what a request made the kernel say.
type output struct {
	kind    string
	content map[string]any
}

// answer is a reply and what came with it.
type answer struct {
	kind    string
	content map[string]any
	outputs []output // without status and execute_input
}

// texts joins what was printed to a stream.
func (a answer) texts(name string) (text string) {
	for _, o := range a.outputs {
		if o.kind == "stream" && o.content["name"] == name {
			text += o.content["text"].(string)
		}
	}
	return text
}

// first returns the content of the first output of a kind, nil where there is
// none.
func (a answer) first(kind string) map[string]any {
	for _, o := range a.outputs {
		if o.kind == kind {
			return o.content
		}
	}
	return nil
}

const testKey = "5ecd41b2-a15e"

// start serves a fresh session and connects a client to it. ended yields what
// Serve returns.
func start(t *testing.T) (k *Kernel, c *client, ended chan error) {
	t.Helper()
	return startWith(t, Options{Version: "test"})
}

func startWith(t *testing.T, o Options) (k *Kernel, c *client, ended chan error) {
	t.Helper()
	k, err := New(repl.NewSession().Session, Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: testKey}, o)
	if err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- k.Serve(t.Context()) }()
	t.Cleanup(k.Stop)
	return k, connect(t, k.Connection()), ended
}

// connect opens every socket and asks until what the kernel says is heard: a
// subscription takes effect when the kernel gets to it.
func connect(t *testing.T, at Connection) *client {
	t.Helper()
	c := stranger(t, at)
	c.iopub, c.control = dial(t, zmtp.Sub, at.IP, at.IOPubPort), dial(t, zmtp.Dealer, at.IP, at.ControlPort)
	c.heartbeat = dial(t, zmtp.Req, at.IP, at.HeartbeatPort)
	if err := c.iopub.Subscribe(""); err != nil {
		t.Fatal(err)
	}
	heard := make(chan error, 1)
	go func() {
		_, _, _, err := c.receive(c.iopub)
		heard <- err
	}()
	for {
		c.send(c.control, "kernel_info_request", map[string]any{})
		if _, _, _, err := c.receive(c.control); err != nil {
			t.Fatalf("waiting for the kernel: %v", err)
		}
		select {
		case err := <-heard:
			if err != nil {
				t.Fatalf("waiting to be heard: %v", err)
			}
			return c
		default:
		}
	}
}

// stranger opens a shell alone, and has not yet shown that it has the key.
func stranger(t *testing.T, at Connection) *client {
	t.Helper()
	return &client{t: t, wire: wire{key: []byte(at.Key), session: newID()}, shell: dial(t, zmtp.Dealer, at.IP, at.ShellPort)}
}

func dial(t *testing.T, kind zmtp.Kind, ip string, port int) *zmtp.Conn {
	t.Helper()
	conn, err := zmtp.Dial(kind, "tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// send sends a request and returns its id.
func (c *client) send(to *zmtp.Conn, kind string, content any) string {
	c.t.Helper()
	frames, err := c.wire.encode(nil, nil, kind, content)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := to.Send(frames...); err != nil {
		c.t.Fatal(err)
	}
	var h header
	if err := json.Unmarshal(frames[2], &h); err != nil {
		c.t.Fatal(err)
	}
	return h.ID
}

// patience is how long a test waits for the kernel: far longer than a busy
// machine takes, for what is waited for is an event.
const patience = 2 * time.Minute

// receive reads one message, whose parent's id it returns too.
func (c *client) receive(from *zmtp.Conn) (m *message, parent string, content map[string]any, err error) {
	if err := from.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, "", nil, err
	}
	frames, err := from.Receive()
	if err != nil {
		return nil, "", nil, err
	}
	if m, err = c.wire.decode(frames); err != nil {
		return nil, "", nil, err
	}
	var h header
	err = errors.Join(json.Unmarshal(m.parent, &h), json.Unmarshal(m.content, &content))
	return m, h.ID, content, err
}

// collect gathers the outputs of a request up to its idle, and its reply.
func (c *client) collect(from *zmtp.Conn, id string) answer {
	c.t.Helper()
	var a answer
	busy := id == c.begun
	for {
		m, parent, content, err := c.receive(c.iopub)
		if err != nil {
			c.t.Fatalf("waiting for output: %v", err)
		}
		if parent != id {
			continue
		}
		if m.header.Type == "status" {
			if content["execution_state"] == "idle" {
				break
			}
			busy = true
			continue
		}
		if !busy {
			c.t.Errorf("%s before the kernel is busy", m.header.Type)
		}
		if m.header.Type != "execute_input" {
			a.outputs = append(a.outputs, output{m.header.Type, content})
		}
	}
	for {
		m, parent, content, err := c.receive(from)
		if err != nil {
			c.t.Fatalf("waiting for a reply: %v", err)
		}
		if parent == id {
			a.kind, a.content = m.header.Type, content
			return a
		}
	}
}

// ask sends a request on shell and returns the answer.
func (c *client) ask(kind string, content any) answer {
	c.t.Helper()
	return c.collect(c.shell, c.send(c.shell, kind, content))
}

func (c *client) execute(code string) answer {
	c.t.Helper()
	return c.ask("execute_request", map[string]any{"code": code})
}
