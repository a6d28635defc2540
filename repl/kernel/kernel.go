package kernel

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"dpworkbench/display"
	"dpworkbench/internal/zmtp"
	"dpworkbench/script"
)

// Options says what a kernel tells of itself, and whom it tells of trouble.
type Options struct {
	Version string
	Log     func(error) // of messages that it drops; nil says nothing

	onTheWay time.Duration // how long it waits for requests sent along with a cell that failed; 0 is onTheWay
	settle   time.Duration // and for a client to listen; 0 is settle
}

// Kernel serves one session.
type Kernel struct {
	session *script.Session
	options Options
	conn    Connection
	wire    wire

	shell, control, stdin, iopub, heartbeat *zmtp.Socket
	streams                                 *streams
	progress                                progress

	count   int // cells executed
	cells   map[string]string
	history []record

	sentAlong []zmtp.Message // with a cell that failed

	mu       sync.Mutex
	cancel   context.CancelFunc // of the cell that runs or was the last; nil before the first
	parent   *message           // what output belongs to
	shown    map[string]bool    // the figures saved by the running cell, as they are displayed
	stopping chan struct{}
	once     sync.Once // of stopping
	settled  sync.Once
}

// New opens the kernel's sockets and takes the session over: what it prints and
// shows goes to the clients from now on.
func New(s *script.Session, c Connection, o Options) (*Kernel, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	k := &Kernel{
		session: s, options: o, conn: c,
		wire:     wire{key: []byte(c.Key), session: newID(), read: &signatures{}},
		cells:    make(map[string]string),
		stopping: make(chan struct{}),
	}
	for _, l := range []struct {
		socket **zmtp.Socket
		kind   zmtp.Kind
		port   *int
	}{
		{&k.shell, zmtp.Router, &k.conn.ShellPort}, {&k.control, zmtp.Router, &k.conn.ControlPort}, {&k.stdin, zmtp.Router, &k.conn.StdinPort},
		{&k.iopub, zmtp.Pub, &k.conn.IOPubPort}, {&k.heartbeat, zmtp.Rep, &k.conn.HeartbeatPort},
	} {
		network, address := k.conn.address(*l.port)
		socket, err := zmtp.Listen(l.kind, network, address)
		if err != nil {
			k.close()
			return nil, err
		}
		*l.socket = socket
		if at, ok := socket.Addr().(*net.TCPAddr); ok {
			*l.port = at.Port
		}
	}
	k.streams = newStreams(func(name, text string) { k.publish("stream", streamContent{name, text}) })
	k.progress.kernel = k
	s.Stdout = k.streams.writer("stdout")
	s.Stderr = s.Stdout // it has news of studies; notebooks paint what goes to stderr as an alarm
	s.Terminal = display.Caps{Width: 80, Height: 20, Unicode: true}
	s.OnProgress, s.OnShow, s.OnSave = k.progress.report, k.show, k.saved
	return k, nil
}

// Connection returns where the kernel listens, every port filled in.
func (k *Kernel) Connection() Connection { return k.conn }

// Interrupt stops the running cell, if there is one.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cancel != nil {
		k.cancel()
	}
}

// Stop makes Serve return, as a shutdown request does.
func (k *Kernel) Stop() {
	k.once.Do(func() { close(k.stopping) })
	k.Interrupt()
}

// settle is how long the first request waits for a client to listen for output:
// clients connect their sockets in no order.
const settle = 500 * time.Millisecond

// onTheWay is how long requests that were sent along with a cell that failed may take
// to come, one after another.
const onTheWay = 20 * time.Millisecond

// Serve answers requests until a client asks for a shutdown, Stop is called or
// ctx ends; then it sends what is queued and closes the sockets.
func (k *Kernel) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, k.Stop)
	defer stop()
	var beside sync.WaitGroup
	listen := func(s *zmtp.Socket, handle func(zmtp.Message)) {
		beside.Go(func() {
			for {
				select {
				case m := <-s.Incoming():
					handle(m)
				case <-k.stopping:
					return
				}
			}
		})
	}
	listen(k.heartbeat, func(m zmtp.Message) { _ = m.Reply(m.Frames...) }) // a client that has gone needs none
	listen(k.stdin, func(zmtp.Message) {})                                 // nothing is ever asked
	listen(k.control, func(m zmtp.Message) { k.handle(m, controlRequests) })
	k.publishStatus(nil, "starting")
	k.serveShell()
	beside.Wait()
	return k.close()
}

// serveShell answers requests in order.
func (k *Kernel) serveShell() {
	for {
		select {
		case m := <-k.shell.Incoming():
			k.handle(m, shellRequests)
			for _, m := range k.sentAlong {
				k.handle(m, abortedRequests)
			}
			k.sentAlong = nil
		case <-k.stopping:
			return
		}
	}
}

// awaitListener waits for a client to listen, once.
func (k *Kernel) awaitListener() {
	k.settled.Do(func() {
		select {
		case <-k.iopub.Subscribed():
		case <-time.After(cmp.Or(k.options.settle, settle)):
		case <-k.stopping:
		}
	})
}

// gather takes the requests that were sent along with one that failed, before
// its sender hears of the failure: cells among them are to be refused.
func (k *Kernel) gather() {
	for {
		select {
		case m := <-k.shell.Incoming():
			k.sentAlong = append(k.sentAlong, m)
		case <-time.After(cmp.Or(k.options.onTheWay, onTheWay)):
			return
		case <-k.stopping:
			return
		}
	}
}

func (k *Kernel) close() error {
	var errs []error
	for _, s := range []*zmtp.Socket{k.shell, k.control, k.stdin, k.iopub, k.heartbeat} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// log tells of an error that has no one else to be told to.
func (k *Kernel) log(err error) {
	if k.options.Log != nil && err != nil {
		k.options.Log(err)
	}
}
