package zmtp

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"dpworkbench/internal/locks"
)

// A stranger sends and leaves unread little; what is published waits for all at once.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		trusted, shared bool
		message         uint64
		queue           int
	}{{false, false, 1 << 20, 1 << 21}, {true, false, 1 << 28, 1 << 28}, {false, true, 1 << 20, 1 << 28}, {true, true, 1 << 28, 1 << 28}} {
		conn := &Conn{shared: c.shared}
		conn.trusted.Store(c.trusted)
		if conn.messageLimit() != c.message || conn.queueLimit() != c.queue {
			t.Errorf("%+v: %d and %d", c, conn.messageLimit(), conn.queueLimit())
		}
	}
}

// idle returns a connection whose queue nobody writes.
func idle() (*Conn, net.Conn) {
	here, there := net.Pipe()
	c := &Conn{net: here, r: bufio.NewReader(here), written: make(chan struct{})}
	c.wake = sync.NewCond(&c.mu)
	return c, there
}

// A peer that reads nothing is cut off where more waits than may, to the last byte, and
// its writer ends.
func TestQueuesAreBounded(t *testing.T) {
	c, there := idle()
	for _, n := range []int{1 << 20, 1<<20 - 1, 1} { // together as much as may wait
		if err := c.queueUp(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.queueUp([]byte{1}); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), "it has not read for 2097153 bytes") {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := there.Write([]byte{1}); err == nil {
		t.Error("the connection goes on")
	}
	if err := c.Send([]byte("a")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("then %v", err)
	}
	if len(c.queue) != 3 {
		t.Errorf("%d messages wait", len(c.queue))
	}
	c, _ = idle()
	go c.write()
	writerWaits()
	if err := c.queueUp(make([]byte, 1<<21+1)); !errors.Is(err, ErrProtocol) {
		t.Error(err)
	}
	<-c.written
}

// writerWaits returns once a writer waits for something to write.
func writerWaits() {
	stacks := make([]byte, 1<<20)
	for {
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, "[sync.Cond.Wait") && strings.Contains(stack, "(*Conn).write") {
				return
			}
		}
		runtime.Gosched()
	}
}

// broken is a connection that cannot be written to.
type broken struct{ net.Conn }

func (broken) Write([]byte) (int, error) { return 0, errGone }

// A connection that cannot be written to has ended.
func TestWritingFails(t *testing.T) {
	c, _ := idle()
	c.net = broken{c.net}
	go c.write()
	if err := c.Send([]byte("a")); err != nil {
		t.Fatal(err)
	}
	<-c.written
	if err := c.Send([]byte("a")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("then %v", err)
	}
}

// What a connection shares is used under its lock, and what a socket shares under its own.
func TestSharedStateIsLocked(t *testing.T) {
	c, there := idle()
	go func() { _, _ = io.Copy(io.Discard, there) }()
	locks.Awaited(t, "sending", &c.mu, func() { _ = c.Send([]byte("a")) })
	go c.write()
	locks.Awaited(t, "closing", &c.mu, func() { _ = c.Close() })
	other, _ := idle()
	other.closing = true
	locks.Awaited(t, "writing", &other.mu, other.write)
	s := listen(t, Pub)
	s.peers[c] = map[string]bool{}
	for what, do := range map[string]func(){
		"entering": func() { s.enter(there) }, "becoming known": func() { s.known(there, nil) }, "publishing": func() { s.Publish([]byte("a")) }, "subscribing": func() { s.subscribe(c, []byte{1}) }, "being forgotten": func() { s.forget(c) },
	} {
		locks.Awaited(t, what, &s.mu, do)
	}
	locks.Awaited(t, "closing", &s.mu, func() { s.Close() })
}

// Commands that mean nothing are passed over, those that subscribe are heard, and the
// wait for a message can be bounded.
func TestReceive(t *testing.T) {
	c, there := idle()
	go func() { _, _ = there.Write([]byte("\x04\x05\x04PING\x04\x0c\x09SUBSCRIBEab\x00\x01x")) }()
	for _, want := range []string{"\x01ab", "x"} {
		if frames, err := c.Receive(); err != nil || len(frames) != 1 || string(frames[0]) != want {
			t.Errorf("received %q, %v, want %q", frames, err, want)
		}
	}
	if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if frames, err := c.Receive(); !errors.Is(err, os.ErrDeadlineExceeded) || frames != nil {
		t.Errorf("beyond its bound: %q, %v", frames, err)
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	there.Close()
	if frames, err := c.Receive(); err != io.EOF || frames != nil {
		t.Errorf("at the end: %q, %v", frames, err)
	}
}

// Nobody listens, or nobody who speaks the protocol: that is an error. A connection that
// is closed is closed for both.
func TestDialling(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	if c, err := Dial(Req, "tcp", at); err == nil || c != nil {
		t.Errorf("where nobody listens: %v, %v", c, err)
	}
	s := listen(t, Router)
	if c, err := Dial(Sub, "tcp", s.Addr().String()); !errors.Is(err, ErrProtocol) || c != nil {
		t.Errorf("a peer of another kind: %v, %v", c, err)
	}
	c := dial(t, Dealer, s)
	if !c.trusted.Load() || c.shared || c.peer != Router {
		t.Errorf("who was called is a %s, trusted: %t, shared: %t", c.peer, c.trusted.Load(), c.shared)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := c.net.SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a connection that is closed: %v", err)
	}
	if err := c.Send([]byte("a")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("is sent: %v", err)
	}
}
