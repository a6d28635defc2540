package zmtp

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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
