package zmtp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// patience bounds a handshake, and linger what Close waits for a peer to read.
const (
	patience = 10 * time.Second
	linger   = 2 * time.Second
)

// Conn is a connection to one peer.
type Conn struct {
	net  net.Conn
	r    *bufio.Reader
	peer Kind

	trusted atomic.Bool
	shared  bool // what it is sent, others are sent too

	mu      sync.Mutex
	wake    *sync.Cond
	queue   [][]byte
	queued  int
	closing bool
	written chan struct{} // closed when the writer has ended
}

// connect shakes hands over c.
func connect(c net.Conn, kind Kind) (*Conn, error) {
	conn := &Conn{net: c, r: bufio.NewReader(c), shared: kind == Pub, written: make(chan struct{})}
	conn.wake = sync.NewCond(&conn.mu)
	_ = c.SetDeadline(time.Now().Add(patience)) // a connection without deadlines is one without a bound
	var err error
	if conn.peer, err = handshake(conn.r, c, kind); err != nil {
		c.Close()
		return nil, err
	}
	_ = c.SetDeadline(time.Time{})
	go conn.write()
	return conn, nil
}

// Dial connects to a listening socket; network is "tcp" or "unix".
func Dial(kind Kind, network, address string) (*Conn, error) {
	c, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return nil, err
	}
	conn, err := connect(c, kind)
	if err == nil {
		conn.trusted.Store(true) // whom one calls, one knows
	}
	return conn, err
}

// Send queues a message. It fails only where the connection has ended.
func (c *Conn) Send(frames ...[]byte) error { return c.queueUp(encode(frames)) }

// queueUp queues the bytes of a message.
func (c *Conn) queueUp(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return net.ErrClosed
	}
	if c.queued += len(data); c.queued > c.queueLimit() {
		c.closing = true
		c.net.Close()
		c.wake.Signal()
		return fmt.Errorf("%w: it has not read for %d bytes", ErrProtocol, c.queued)
	}
	c.queue = append(c.queue, data)
	c.wake.Signal()
	return nil
}

// write sends what is queued, until the connection closes.
func (c *Conn) write() {
	defer close(c.written)
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.closing {
			c.wake.Wait()
		}
		batch := net.Buffers(c.queue)
		c.queue, c.queued = nil, 0
		closing := c.closing
		c.mu.Unlock()
		if len(batch) == 0 && closing {
			return
		}
		if _, err := batch.WriteTo(c.net); err != nil {
			c.mu.Lock()
			c.closing = true
			c.mu.Unlock()
			return
		}
	}
}

// Receive returns the next message. The end of the connection is io.EOF.
func (c *Conn) Receive() ([][]byte, error) {
	for {
		frames, command, err := readMessage(c.r, c.messageLimit)
		switch {
		case err != nil:
			return nil, err
		case !command:
			return frames, nil
		}
		if frames := subscription(frames[0]); frames != nil {
			return frames, nil
		}
	}
}

// subscription turns the commands of ZMTP 3.1 into the messages of 3.0; nil for
// any other command, which has no meaning here.
func subscription(body []byte) [][]byte {
	for name, mark := range map[string]byte{"\x09SUBSCRIBE": 1, "\x06CANCEL": 0} {
		if len(body) >= len(name) && string(body[:len(name)]) == name {
			return [][]byte{append([]byte{mark}, body[len(name):]...)}
		}
	}
	return nil
}

// Subscribe asks a PUB socket for messages whose first frame starts with topic.
func (c *Conn) Subscribe(topic string) error { return c.Send(append([]byte{1}, topic...)) }

// SetReadDeadline bounds the next Receive.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.net.SetReadDeadline(t) }

// Close sends what is queued, for at most linger, and ends the connection.
func (c *Conn) Close() error {
	_ = c.net.SetWriteDeadline(time.Now().Add(linger))
	c.mu.Lock()
	c.closing = true
	c.wake.Signal()
	c.mu.Unlock()
	<-c.written
	return c.net.Close()
}

var _ io.Closer = (*Conn)(nil)
