package serve_test

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/repl/serve"
)

// message is a frame as the client sees it.
type message struct {
	kind   byte
	number uint32
	body   map[string]any
	data   []byte
}

// client talks to a server that runs in the same process. done receives the error of [serve.Serve].
type client struct {
	t    testing.TB
	to   io.WriteCloser
	fro  io.Reader
	done chan error
}

// bare returns a client that has not greeted the server.
func bare(t testing.TB) *client { return bareWith(t, serve.Options{Version: "test"}) }

func bareWith(t testing.TB, o serve.Options) *client {
	in, to := io.Pipe()
	fro, out := io.Pipe()
	c := &client{t, to, fro, make(chan error, 1)}
	go func() {
		s := repl.NewSession()
		c.done <- serve.Serve(s.Session, in, out, o)
		out.Close()
		s.Close()
	}()
	t.Cleanup(func() { to.Close(); fro.Close() })
	return c
}

// connect returns a client that has greeted the server.
func connect(t testing.TB) *client {
	c := bare(t)
	c.send('H', 0, map[string]any{"protocol": serve.Protocol}, nil)
	if m := c.read(); m.kind != 'h' || m.body["version"] != "test" {
		t.Fatalf("greeted with %c %v", m.kind, m.body)
	}
	return c
}

// encode returns a frame.
func encode(kind byte, number uint32, body any, data []byte) []byte {
	text, _ := json.Marshal(body) // maps of plain values: never fails
	b := make([]byte, 13)
	binary.LittleEndian.PutUint32(b, uint32(9+len(text)+len(data)))
	b[4] = kind
	binary.LittleEndian.PutUint32(b[5:], number)
	binary.LittleEndian.PutUint32(b[9:], uint32(len(text)))
	return append(append(b, text...), data...)
}

func (c *client) send(kind byte, number uint32, body any, data []byte) {
	if _, err := c.to.Write(encode(kind, number, body, data)); err != nil {
		c.t.Error(err)
	}
}

// read returns the next frame, or a frame of kind 0 at the end of the output.
func (c *client) read() (m message) {
	var h [13]byte
	if _, err := io.ReadFull(c.fro, h[:]); err != nil {
		return m
	}
	rest := make([]byte, binary.LittleEndian.Uint32(h[:])-9)
	if _, err := io.ReadFull(c.fro, rest); err != nil {
		c.t.Fatal(err)
	}
	n := binary.LittleEndian.Uint32(h[9:])
	m = message{kind: h[4], number: binary.LittleEndian.Uint32(h[5:]), data: rest[n:]}
	if err := json.Unmarshal(rest[:n], &m.body); err != nil {
		c.t.Fatalf("%v: %s", err, rest[:n])
	}
	return m
}

// ask sends a request and returns its answer.
func (c *client) ask(kind byte, body any, data []byte) message {
	c.send(kind, 1, body, data)
	return c.read()
}

type object = map[string]any
type list = []any
