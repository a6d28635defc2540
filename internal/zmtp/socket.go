package zmtp

import (
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Message is what a peer sent.
type Message struct {
	Frames [][]byte
	from   *Conn
}

// Reply queues a message for the peer that sent m.
func (m Message) Reply(frames ...[]byte) error { return m.from.Send(frames...) }

// Socket listens for peers.
type Socket struct {
	kind     Kind
	listener net.Listener
	incoming chan Message
	done     chan struct{}
	reached  chan struct{} // closed with the first subscription
	after    func(time.Duration) <-chan time.Time

	mu       sync.Mutex
	closed   bool
	peers    map[*Conn]map[string]bool // the topics of each
	order    []*Conn                   // the peers, oldest first
	greeting []net.Conn                // those that have not said who they are, oldest first
	once     sync.Once
}

// Listen opens a socket of kind Router, Pub or Rep; network is "tcp" or "unix".
func Listen(kind Kind, network, address string) (*Socket, error) {
	if network == "unix" {
		_ = os.Remove(address) // what an earlier process left
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	s := newSocket(kind, l)
	go s.accept()
	return s, nil
}

// newSocket returns a socket that does not accept yet.
func newSocket(kind Kind, l net.Listener) *Socket {
	s := &Socket{
		kind: kind, listener: l, incoming: make(chan Message), after: time.After,
		done: make(chan struct{}), reached: make(chan struct{}), peers: make(map[*Conn]map[string]bool),
	}
	return s
}

// Addr returns where the socket listens.
func (s *Socket) Addr() net.Addr { return s.listener.Addr() }

// Incoming returns the messages of all peers; Close ends no receive from it.
func (s *Socket) Incoming() <-chan Message { return s.incoming }

// Subscribed is closed once a peer has subscribed to something.
func (s *Socket) Subscribed() <-chan struct{} { return s.reached }

// The pauses after a connection could not be accepted.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = time.Second
)

// accept takes connections until the socket closes. A process that has run out of
// descriptors gets some back: it waits.
func (s *Socket) accept() {
	pause := firstPause
	for {
		c, err := s.listener.Accept()
		if err == nil {
			pause = firstPause
			if s.enter(c) {
				go s.serve(c)
			}
			continue
		}
		select {
		case <-s.done:
			return
		case <-s.after(pause):
			pause = min(2*pause, longestPause)
		}
	}
}

// enter makes room for a connection, and reports whether there is any: first
// those go that have not said who they are, the oldest before the others, then,
// where trust can be earned, strangers.
func (s *Socket) enter(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return false
	}
	if len(s.greeting)+len(s.order) >= maxPeers && !s.makeRoom() {
		c.Close()
		return false
	}
	s.greeting = append(s.greeting, c)
	return true
}

// makeRoom ends one connection.
func (s *Socket) makeRoom() bool {
	if len(s.greeting) > 0 {
		s.greeting[0].Close()
		s.greeting = s.greeting[1:]
		return true
	}
	if s.kind != Router {
		return false
	}
	for i, conn := range s.order {
		if !conn.trusted.Load() {
			conn.net.Close()
			s.order = slices.Delete(s.order, i, i+1)
			return true
		}
	}
	return false
}

// known takes a connection from those that greet to the peers.
func (s *Socket) known(c net.Conn, conn *Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.greeting, c)
	if at >= 0 {
		s.greeting = slices.Delete(s.greeting, at, at+1)
	}
	if s.closed || at < 0 || conn == nil {
		return false
	}
	s.peers[conn], s.order = make(map[string]bool), append(s.order, conn)
	return true
}

func (s *Socket) forget(conn *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, conn)
	if at := slices.Index(s.order, conn); at >= 0 {
		s.order = slices.Delete(s.order, at, at+1)
	}
}

// serve speaks with one peer. What a peer does wrong ends its connection alone.
func (s *Socket) serve(c net.Conn) {
	conn, err := connect(c, s.kind)
	if err != nil {
		s.known(c, nil)
		return
	}
	defer conn.Close()
	if !s.known(c, conn) {
		return
	}
	defer s.forget(conn)
	for {
		frames, err := conn.Receive()
		if err != nil {
			return
		}
		if s.kind == Pub {
			if !s.subscribe(conn, frames[0]) {
				return
			}
			continue
		}
		select {
		case s.incoming <- Message{frames, conn}:
		case <-s.done:
			return
		}
	}
}

// subscribe follows a request; false ends the connection of who wants too much.
func (s *Socket) subscribe(conn *Conn, request []byte) bool {
	switch {
	case len(request) == 0:
		return true
	case len(request) > maxTopic:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch topic := string(request[1:]); request[0] {
	case 0:
		delete(s.peers[conn], topic)
	case 1:
		s.peers[conn][topic] = true
		s.once.Do(func() { close(s.reached) })
	}
	return len(s.peers[conn]) <= maxTopics
}

// Publish queues a message for every peer that subscribed to its first frame.
func (s *Socket) Publish(frames ...[]byte) {
	data := encode(frames) // once: however many read slowly, it waits in one place
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn, topics := range s.peers {
		for topic := range topics {
			if strings.HasPrefix(string(frames[0]), topic) {
				_ = conn.queueUp(data) // a peer that has gone hears nothing
				break
			}
		}
	}
}

// Close stops listening, sends what is queued, and ends all connections.
func (s *Socket) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.done)
	var peers []*Conn
	for conn := range s.peers {
		peers = append(peers, conn)
	}
	for _, c := range s.greeting {
		c.Close()
	}
	s.mu.Unlock()
	err := s.listener.Close()
	var all sync.WaitGroup
	for _, conn := range peers {
		all.Go(func() { conn.Close() })
	}
	all.Wait()
	return err
}
