package zmtp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// hang is when a test that waits for an event gives up: far longer than a busy
// machine takes.
const hang = 5 * time.Minute

func listen(t *testing.T, kind Kind) *Socket {
	t.Helper()
	s, err := Listen(kind, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func dial(t *testing.T, kind Kind, s *Socket) *Conn {
	t.Helper()
	c, err := Dial(kind, "tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetReadDeadline(time.Now().Add(hang)); err != nil {
		t.Fatal(err)
	}
	return c
}

// A reply reaches the peer that asked, whole, whatever the sizes of its frames.
func TestRouter(t *testing.T) {
	s := listen(t, Router)
	go func() {
		for m := range s.Incoming() {
			m.Trust()
			_ = m.Reply(m.Frames...)
		}
	}()
	peers := []*Conn{dial(t, Dealer, s), dial(t, Dealer, s), dial(t, Req, s)}
	for _, size := range []int{0, 1, 255, 256, 70000, 1 << 20} {
		for i, c := range peers {
			want := [][]byte{{}, bytes.Repeat([]byte{byte(i)}, size), []byte("end")}
			if err := c.Send(want...); err != nil {
				t.Fatal(err)
			}
		}
		for i, c := range peers {
			got, err := c.Receive()
			want := [][]byte{{}, bytes.Repeat([]byte{byte(i)}, size), []byte("end")}
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("peer %d, %d bytes: got %d frames, %v", i, size, len(got), err)
			}
		}
	}
}

// Subscribers get what they asked for, in order, and all of it before Close
// returns; one that reads nothing holds up nobody.
func TestPub(t *testing.T) {
	s := listen(t, Pub)
	all, some, stuck := dial(t, Sub, s), dial(t, Sub, s), dial(t, Sub, s)
	for c, topic := range map[*Conn]string{all: "", some: "b", stuck: ""} {
		if err := c.Subscribe(topic); err != nil {
			t.Fatal(err)
		}
	}
	<-s.Subscribed()
	subscribed := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, topics := range s.peers {
			n += len(topics)
		}
		return n
	}
	for subscribed() < 3 {
		time.Sleep(time.Millisecond)
	}
	const n = 10000
	load := bytes.Repeat([]byte("x"), 1000)
	for i := range n {
		s.Publish([]byte("ab"[i%2:i%2+1]), fmt.Append(nil, i), load)
	}
	var peers []*Conn
	s.mu.Lock()
	for conn := range s.peers {
		peers = append(peers, conn)
	}
	s.mu.Unlock()
	closed := make(chan struct{})
	go func() {
		s.Close()
		for _, conn := range peers {
			select {
			case <-conn.written:
			default:
				t.Error("Close returns before all is sent")
			}
		}
		close(closed)
	}()
	var readers sync.WaitGroup
	for c, step := range map[*Conn]int{all: 1, some: 2} {
		readers.Go(func() {
			for i := step - 1; i < n; i += step {
				got, err := c.Receive()
				if err != nil || string(got[1]) != fmt.Sprint(i) {
					t.Errorf("message %d: got %.40q, %v", i, got, err)
					return
				}
			}
			if _, err := c.Receive(); err == nil {
				t.Error("there is more than was sent")
			}
		})
	}
	readers.Wait()
	select {
	case <-closed:
	case <-time.After(hang):
		t.Error("a peer that reads nothing keeps Close waiting")
	}
}

// A peer of the wrong kind, or none at all, is turned away and leaves the
// socket working.
func TestStrangers(t *testing.T) {
	s := listen(t, Rep)
	if _, err := Dial(Sub, "tcp", s.Addr().String()); !errors.Is(err, ErrProtocol) {
		t.Errorf("a subscriber is told %v", err)
	}
	for _, words := range [][]byte{
		[]byte("GET / HTTP/1.1\r\n\r\n"),
		append(greeting(), "\x04\x06\x05READY\xff"...),
		append(greeting(), "\x02\xff\xff\xff\xff\xff\xff\xff\xff"...),
		append(append(greeting(), readyCommand(Req)...), "\x02\x7f\xff\xff\xff\xff\xff\xff\xff"...),
	} {
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write(words)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
		c.Close()
	}
	c := dial(t, Req, s)
	if err := c.Send(nil, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	m := <-s.Incoming()
	if err := m.Reply(m.Frames...); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Receive(); err != nil || string(got[1]) != "ping" {
		t.Errorf("got %q, %v", got, err)
	}
}

func whole() uint64 { return maxMessage }

func FuzzReadMessage(f *testing.F) {
	f.Add(encode([][]byte{[]byte("a"), bytes.Repeat([]byte("b"), 300)}))
	f.Add([]byte("\x04\x0a\x09SUBSCRIBE"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		for {
			frames, command, err := readMessage(r, whole)
			if err != nil {
				return
			}
			if command {
				subscription(frames[0])
				continue
			}
			again, _, err := readMessage(bufio.NewReader(bytes.NewReader(encode(frames))), whole)
			if err != nil || !slices.EqualFunc(frames, again, bytes.Equal) {
				t.Fatalf("%q encodes and reads as %q, %v", frames, again, err)
			}
		}
	})
}

func BenchmarkPublish(b *testing.B) {
	s, err := Listen(Pub, "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, err := Dial(Sub, "tcp", s.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	_ = c.Subscribe("")
	<-s.Subscribed()
	load := bytes.Repeat([]byte("x"), 500)
	b.ReportAllocs()
	for b.Loop() {
		s.Publish([]byte("t"), load)
		if _, err := c.Receive(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
