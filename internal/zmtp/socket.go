package zmtp

import (
	"net"
	"os"
	"strings"
	"sync"
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

	mu     sync.Mutex
	closed bool
	peers  map[*Conn]map[string]bool // the topics of each
	once   sync.Once
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
	s := &Socket{
		kind: kind, listener: l, incoming: make(chan Message),
		done: make(chan struct{}), reached: make(chan struct{}), peers: make(map[*Conn]map[string]bool),
	}
	go s.accept()
	return s, nil
}

// Addr returns where the socket listens.
func (s *Socket) Addr() net.Addr { return s.listener.Addr() }

// Incoming returns the messages of all peers; Close ends no receive from it.
func (s *Socket) Incoming() <-chan Message { return s.incoming }

// Subscribed is closed once a peer has subscribed to something.
func (s *Socket) Subscribed() <-chan struct{} { return s.reached }

func (s *Socket) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.serve(c)
	}
}

// serve speaks with one peer. What a peer does wrong ends its connection alone.
func (s *Socket) serve(c net.Conn) {
	conn, err := connect(c, s.kind)
	if err != nil {
		return
	}
	defer conn.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.peers[conn] = make(map[string]bool)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.peers, conn)
		s.mu.Unlock()
	}()
	for {
		frames, err := conn.Receive()
		if err != nil {
			return
		}
		if s.kind == Pub {
			s.subscribe(conn, frames[0])
			continue
		}
		select {
		case s.incoming <- Message{frames, conn}:
		case <-s.done:
			return
		}
	}
}

func (s *Socket) subscribe(conn *Conn, request []byte) {
	if len(request) == 0 {
		return
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
}

// Publish queues a message for every peer that subscribed to its first frame.
func (s *Socket) Publish(frames ...[]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn, topics := range s.peers {
		for topic := range topics {
			if strings.HasPrefix(string(frames[0]), topic) {
				_ = conn.Send(frames...) // a peer that has gone hears nothing
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
	s.mu.Unlock()
	err := s.listener.Close()
	var all sync.WaitGroup
	for _, conn := range peers {
		all.Go(func() { conn.Close() })
	}
	all.Wait()
	return err
}
