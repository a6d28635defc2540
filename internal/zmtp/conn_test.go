package zmtp

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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

// An address of the file system that an earlier process left is taken; one in use is not.
func TestListening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Listen(Rep, "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := Dial(Req, "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	other := listen(t, Rep)
	if s, err := Listen(Rep, "tcp", other.Addr().String()); err == nil || s != nil {
		t.Errorf("an address in use: %v, %v", s, err)
	}
}

// closing is a listener that fails to close.
type closing struct{ net.Listener }

func (c closing) Close() error { return errors.Join(errGone, c.Listener.Close()) }

// A socket that is closed, once or twice, has ended those that greet, and tells what its
// listener fails with.
func TestClosing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newSocket(Rep, closing{l})
	go s.accept()
	silent, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	greeting := func() (all []net.Conn) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Clone(s.greeting)
	}
	for len(greeting()) == 0 {
		time.Sleep(time.Millisecond)
	}
	c := greeting()[0]
	if err := s.Close(); !errors.Is(err, errGone) {
		t.Errorf("closing fails with %v", err)
	}
	if err := c.SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("who greets goes on: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	select {
	case <-s.done:
	default:
		t.Error("the socket goes on")
	}
}

// The pauses after what cannot be accepted double up to a second, and begin anew after
// what can.
func TestPauses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newSocket(Rep, &scripted{Listener: l, fails: []bool{true, true, true, true, true, true, true, true, true, true, false, true, true}})
	var pauses []time.Duration
	over := make(chan time.Time)
	close(over)
	done := make(chan struct{})
	s.after = func(d time.Duration) <-chan time.Time {
		if pauses = append(pauses, d); len(pauses) == 12 {
			close(s.done)
			return nil
		}
		return over
	}
	go func() { s.accept(); close(done) }()
	<-done
	var want []time.Duration
	for _, ms := range []int{5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 5, 10} {
		want = append(want, time.Duration(ms)*time.Millisecond)
	}
	if !slices.Equal(pauses, want) {
		t.Errorf("the pauses are %v, want %v", pauses, want)
	}
	l.Close()
}

// scripted fails as it is told.
type scripted struct {
	net.Listener
	fails []bool
}

func (s *scripted) Accept() (net.Conn, error) {
	fails := s.fails[0]
	s.fails = s.fails[1:]
	if fails {
		return nil, errGone
	}
	here, there := net.Pipe()
	there.Close()
	return here, nil
}

// ended is a connection that notes its end.
type ended struct {
	net.Conn
	closed bool
}

func (e *ended) Close() error { e.closed = true; return nil }

// Room is made by the oldest who has not greeted, then, where trust can be earned, by the
// oldest stranger; a peer that is trusted, or of a socket of another kind, stays.
func TestRoom(t *testing.T) {
	full := func(kind Kind, greeting, strangers, friends int) (s *Socket, all []*ended) {
		s = &Socket{kind: kind, peers: map[*Conn]map[string]bool{}}
		for range greeting {
			e := &ended{}
			all, s.greeting = append(all, e), append(s.greeting, e)
		}
		for i := range friends + strangers {
			e := &ended{}
			c := &Conn{net: e}
			c.trusted.Store(i < friends) // the oldest are friends
			all, s.order = append(all, e), append(s.order, c)
			s.peers[c] = map[string]bool{}
		}
		return s, all
	}
	for _, c := range []struct {
		kind                         Kind
		greeting, strangers, friends int
		enters                       bool
		goes                         int // which of them; -1 for none
	}{
		{Router, 0, 0, 0, true, -1}, {Router, maxPeers - 1, 0, 0, true, -1}, {Router, 1, 1, maxPeers - 3, true, -1},
		{Router, maxPeers, 0, 0, true, 0}, {Router, 1, maxPeers - 1, 0, true, 0}, {Rep, 1, 0, maxPeers - 1, true, 0}, {Pub, 2, maxPeers - 2, 0, true, 0},
		{Router, 0, maxPeers, 0, true, 0}, {Router, 0, 2, maxPeers - 2, true, maxPeers - 2}, {Router, 0, 1, maxPeers - 1, true, maxPeers - 1},
		{Router, 0, 0, maxPeers, false, -1}, {Pub, 0, maxPeers, 0, false, -1}, {Rep, 0, maxPeers - 1, 1, false, -1},
	} {
		s, all := full(c.kind, c.greeting, c.strangers, c.friends)
		e := &ended{}
		if got := s.enter(e); got != c.enters || e.closed == c.enters {
			t.Errorf("%+v: enters: %t, is closed: %t", c, got, e.closed)
		}
		for i, old := range all {
			if old.closed != (i == c.goes) {
				t.Errorf("%+v: of %d the one at %d goes: %t", c, len(all), i, old.closed)
			}
		}
		want := len(all)
		if c.enters && c.goes < 0 {
			want++
		}
		if n := len(s.greeting) + len(s.order); n != want {
			t.Errorf("%+v: %d connections are left, want %d", c, n, want)
		}
		if c.enters && s.greeting[len(s.greeting)-1] != e {
			t.Errorf("%+v: who enters does not greet", c)
		}
	}
	s, _ := full(Router, 0, 0, 0)
	s.closed = true
	if e := (&ended{}); s.enter(e) || !e.closed {
		t.Error("a socket that is closed is entered")
	}
}

// Who has greeted is known; who had to go meanwhile, has failed, or comes too late is not;
// who is forgotten has no topics and no place.
func TestKnown(t *testing.T) {
	a, b, c := &ended{}, &ended{}, &ended{}
	s := &Socket{kind: Pub, peers: map[*Conn]map[string]bool{}, greeting: []net.Conn{a, b, c}, reached: make(chan struct{})}
	left := func(want ...net.Conn) {
		t.Helper()
		if !slices.Equal(s.greeting, want) {
			t.Errorf("%d greet, want %d", len(s.greeting), len(want))
		}
	}
	conns := []*Conn{{net: a}, {net: b}, {net: c}}
	if !s.known(b, conns[1]) {
		t.Error("who greets is not known")
	}
	left(a, c)
	if s.known(b, conns[1]) || s.known(&ended{}, conns[0]) {
		t.Error("who does not greet is known")
	}
	left(a, c)
	if s.known(a, nil) {
		t.Error("who has failed is known")
	}
	left(c)
	s.closed = true
	if s.known(c, conns[2]) {
		t.Error("who comes too late is known")
	}
	left()
	s.closed, s.greeting = false, []net.Conn{a, c}
	if !s.known(a, conns[0]) || !s.known(c, conns[2]) || !slices.Equal(s.order, []*Conn{conns[1], conns[0], conns[2]}) || len(s.peers) != 3 {
		t.Errorf("%d are known, of %d", len(s.order), len(s.peers))
	}
	s.forget(conns[0])
	if !slices.Equal(s.order, []*Conn{conns[1], conns[2]}) || len(s.peers) != 2 || s.peers[conns[0]] != nil {
		t.Errorf("then %d are known, of %d", len(s.order), len(s.peers))
	}
	s.forget(conns[0])
	s.forget(conns[1])
	if !slices.Equal(s.order, conns[2:]) || len(s.peers) != 1 {
		t.Errorf("in the end %d are known, of %d", len(s.order), len(s.peers))
	}
}

// Subscriptions are counted by peer, to the last, and bounded in length; what is no
// subscription is passed over.
func TestSubscriptions(t *testing.T) {
	c := &Conn{}
	s := &Socket{peers: map[*Conn]map[string]bool{c: {}}, reached: make(chan struct{})}
	reached := func() bool {
		select {
		case <-s.reached:
			return true
		default:
			return false
		}
	}
	for _, request := range []string{"", "\x02a", "\x00a"} {
		if !s.subscribe(c, []byte(request)) || len(s.peers[c]) > 0 || reached() {
			t.Errorf("%q subscribes", request)
		}
	}
	long := "\x01" + strings.Repeat("a", maxTopic)
	if s.subscribe(c, []byte(long)) || len(s.peers[c]) > 0 {
		t.Error("a long topic is taken")
	}
	for i := range maxTopics {
		if !s.subscribe(c, []byte(long[:maxTopic-i])) || len(s.peers[c]) != i+1 || !reached() {
			t.Errorf("topic %d is not taken", i)
		}
	}
	if !s.subscribe(c, []byte(long[:maxTopic])) || !s.peers[c][long[1:maxTopic]] {
		t.Error("a topic counts twice")
	}
	if !s.subscribe(c, []byte("\x00"+long[1:maxTopic])) || len(s.peers[c]) != maxTopics-1 || s.peers[c][long[1:maxTopic]] {
		t.Error("a topic that is cancelled stays")
	}
	if !s.subscribe(c, []byte("\x01b")) || s.subscribe(c, []byte("\x01c")) {
		t.Error("one topic too many is taken, or the last is not")
	}
}

// Who leaves, or fails to greet, is forgotten; what a socket publishes is shared.
func TestPeersLeave(t *testing.T) {
	for kind, mine := range map[Kind]Kind{Router: Dealer, Pub: Sub, Rep: Req} {
		s := listen(t, kind)
		count := func() (peers, order, greeting int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.peers), len(s.order), len(s.greeting)
		}
		c := dial(t, mine, s)
		for peers, _, _ := count(); peers == 0; peers, _, _ = count() {
			time.Sleep(time.Millisecond)
		}
		s.mu.Lock()
		for conn := range s.peers {
			if conn.shared != (kind == Pub) || conn.trusted.Load() || conn.peer != mine {
				t.Errorf("%s: a peer is a %s, shared: %t, trusted: %t", kind, conn.peer, conn.shared, conn.trusted.Load())
			}
		}
		s.mu.Unlock()
		c.Close()
		bad, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = bad.Write([]byte(strings.Repeat("x", 64)))
		_, _ = io.Copy(io.Discard, bad) // until it is closed
		bad.Close()
		for {
			if peers, order, greeting := count(); peers == 0 && order == 0 && greeting == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}
