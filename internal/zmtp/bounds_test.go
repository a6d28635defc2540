package zmtp

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A stranger may not send much; a peer that is trusted may.
func TestStrangersSendLittle(t *testing.T) {
	s := listen(t, Router)
	go func() {
		for m := range s.Incoming() {
			if len(m.Frames) == 2 {
				m.Trust()
			}
			_ = m.Reply([]byte("ok"))
		}
	}()
	large := make([]byte, strangerMessage+1)
	stranger := dial(t, Dealer, s)
	_ = stranger.Send(large)
	if _, err := stranger.Receive(); err == nil {
		t.Errorf("a stranger may send %d bytes", len(large))
	}
	friend := dial(t, Dealer, s)
	for _, frames := range [][][]byte{{[]byte("a"), []byte("b")}, {large}} {
		if err := friend.Send(frames...); err != nil {
			t.Fatal(err)
		}
		if _, err := friend.Receive(); err != nil {
			t.Errorf("a peer that is trusted may not send %d frames: %v", len(frames), err)
		}
	}
}

// Strangers take no place from a peer that is trusted, and not all of them.
func TestPeersAreFew(t *testing.T) {
	for _, kind := range []Kind{Router, Pub, Rep} {
		s := listen(t, kind)
		go func() {
			for m := range s.Incoming() {
				m.Trust()
				_ = m.Reply(m.Frames...)
			}
		}()
		mine := map[Kind]Kind{Router: Dealer, Pub: Sub, Rep: Req}[kind]
		friend := dial(t, mine, s)
		if kind == Pub {
			if err := friend.Subscribe(""); err != nil {
				t.Fatal(err)
			}
			<-s.Subscribed()
		} else {
			roundTrip(t, friend)
		}
		for range 3 * maxPeers { // who never greets
			c, err := net.Dial("tcp", s.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
		}
		for range 3 * maxPeers { // who greets and says no more
			if c, err := Dial(mine, "tcp", s.Addr().String()); err == nil {
				defer c.Close()
			}
		}
		s.mu.Lock()
		n := len(s.order) + len(s.greeting)
		s.mu.Unlock()
		if n > maxPeers {
			t.Errorf("%s: %d connections, want at most %d", kind, n, maxPeers)
		}
		if kind == Pub {
			s.Publish([]byte("x"))
			if _, err := friend.Receive(); err != nil {
				t.Errorf("%s: the first subscriber has lost its place: %v", kind, err)
			}
		} else {
			roundTrip(t, friend)
		}
		if kind == Router { // there is always room for one more who may earn trust
			roundTrip(t, dial(t, mine, s))
		}
	}
}

func roundTrip(t *testing.T, c *Conn) {
	t.Helper()
	if err := c.Send(nil, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Receive(); err != nil {
		t.Fatal(err)
	}
}

// Subscriptions are few and short.
func TestSubscriptionsAreFew(t *testing.T) {
	s := listen(t, Pub)
	many, long := dial(t, Sub, s), dial(t, Sub, s)
	for i := range maxTopics + 1 {
		_ = many.Subscribe(strings.Repeat("a", i+1))
	}
	_ = long.Subscribe(strings.Repeat("a", maxTopic))
	for name, c := range map[string]*Conn{"many": many, "long": long} {
		if _, err := c.Receive(); err == nil || errors.Is(err, syscall.ETIMEDOUT) {
			t.Errorf("%s subscriptions: %v, want the end of the connection", name, err)
		}
	}
}

// flaky fails as a listener does where the process has run out of descriptors.
type flaky struct {
	net.Listener
	fails int
}

func (f *flaky) Accept() (net.Conn, error) {
	if f.fails--; f.fails >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

func TestAcceptRecovers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newSocket(Rep, &flaky{Listener: l, fails: 5})
	go s.accept()
	t.Cleanup(func() { s.Close() })
	go func() {
		for m := range s.Incoming() {
			_ = m.Reply(m.Frames...)
		}
	}()
	roundTrip(t, dial(t, Req, s))
}

// What is published waits once, however many subscribers do not read.
func TestPublishedWaitsOnce(t *testing.T) {
	s := listen(t, Pub)
	var subscribers []*Conn
	for range 4 {
		c := dial(t, Sub, s)
		if err := c.Subscribe(""); err != nil {
			t.Fatal(err)
		}
		subscribers = append(subscribers, c)
	}
	joined := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, topics := range s.peers {
			n += len(topics)
		}
		return n
	}
	for joined() < len(subscribers) {
		time.Sleep(time.Millisecond)
	}
	load := make([]byte, 1<<20)
	for range 32 { // more than the system's buffers hold
		s.Publish([]byte("t"), load)
	}
	seen := make(map[*byte]int)
	s.mu.Lock()
	for conn := range s.peers {
		conn.mu.Lock()
		for _, data := range conn.queue {
			seen[&data[0]]++
		}
		conn.mu.Unlock()
	}
	s.mu.Unlock()
	if len(seen) == 0 || len(seen) > 32 {
		t.Errorf("%d messages wait, want 1 to 32", len(seen))
	}
	for _, c := range subscribers {
		for i := range 32 {
			if got, err := c.Receive(); err != nil || len(got[1]) != len(load) {
				t.Fatalf("message %d: %v", i, err)
			}
		}
	}
}
