package kernel

import (
	"context"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/zmtp"
	"dpworkbench/repl"
	"dpworkbench/script"
)

var anywhere = Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: testKey}

// listener connects to what the kernel says in public before it serves.
func listener(t *testing.T, k *Kernel) *client {
	t.Helper()
	c := stranger(t, k.Connection())
	c.iopub = dial(t, zmtp.Sub, k.Connection().IP, k.Connection().IOPubPort)
	if err := c.iopub.Subscribe(""); err != nil {
		t.Fatal(err)
	}
	<-k.iopub.Subscribed()
	return c
}

// waitsIn waits until a goroutine stands in a function, and reports false where done comes first.
func waitsIn[T any](done <-chan T, functions ...string) bool {
	stacks := make([]byte, 1<<20)
	for {
	stack:
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			for _, f := range functions {
				if !strings.Contains(stack, f) {
					continue stack
				}
			}
			return true
		}
		select {
		case <-done:
			return false
		default:
			runtime.Gosched()
		}
	}
}

// A kernel takes the session's output over, and says first that it starts, of nobody's
// request.
func TestKernelStarts(t *testing.T) {
	s := repl.NewSession().Session
	k, err := New(s, anywhere, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := (display.Caps{Width: 80, Height: 20, Unicode: true}); s.Terminal != want {
		t.Errorf("the session draws for %+v, want %+v", s.Terminal, want)
	}
	if s.Stderr != s.Stdout {
		t.Error("news go to another stream")
	}
	c := listener(t, k)
	ended := make(chan error, 1)
	go func() { ended <- k.Serve(t.Context()) }()
	if m, parent, content, err := c.receive(c.iopub); err != nil || m.header.Type != "status" || content["execution_state"] != "starting" || parent != "" {
		t.Errorf("first there is %v %v of %q, %v", m, content, parent, err)
	}
	k.Stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A kernel ends with its context, and lets go of one that goes on.
func TestKernelAndItsContext(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		k, err := New(repl.NewSession().Session, anywhere, Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx := &observed{Context: context.Background(), done: make(chan struct{}), end: make(chan func(), 1)}
		ended := make(chan error, 1)
		go func() { ended <- k.Serve(ctx) }()
		if end := <-ctx.end; goesOn {
			k.Stop()
		} else {
			close(ctx.done)
			end()
		}
		if err := <-ended; err != nil || ctx.left != goesOn {
			t.Errorf("%v; the context goes on: %t, is let go of: %t", err, goesOn, ctx.left)
		}
	}
}

// observed is a context that notes whether what waits for its end is let go.
type observed struct {
	context.Context
	done chan struct{}
	end  chan func() // what waits for its end
	left bool
}

func (c *observed) Done() <-chan struct{} { return c.done }

func (c *observed) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

func (c *observed) AfterFunc(f func()) (stop func() bool) {
	c.end <- f
	return func() bool { c.left = true; return true }
}

// The first request waits for somebody to listen.
func TestFirstRequestWaitsForAListener(t *testing.T) {
	k, err := New(repl.NewSession().Session, anywhere, Options{settle: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	c := stranger(t, k.Connection())
	id := c.send(c.shell, "kernel_info_request", map[string]any{})
	handled := make(chan struct{})
	go func() {
		defer close(handled)
		k.handle(<-k.shell.Incoming(), shellRequests)
	}()
	if !waitsIn(handled, "awaitListener") {
		t.Fatal("the first request waits for nobody")
	}
	c.iopub = dial(t, zmtp.Sub, k.Connection().IP, k.Connection().IOPubPort)
	if err := c.iopub.Subscribe(""); err != nil {
		t.Fatal(err)
	}
	if m, parent, content, err := c.receive(c.iopub); err != nil || m.header.Type != "status" || content["execution_state"] != "busy" || parent != id {
		t.Errorf("first there is %v %v, %v", m, content, err)
	}
	<-handled
}

// A request that nobody knows, one that is signed wrongly, and a reply that JSON cannot
// write are logged; none of them is answered, but for whether the kernel is busy.
func TestWhatIsLogged(t *testing.T) {
	var logged []string
	k, err := New(repl.NewSession().Session, anywhere, Options{Log: func(err error) { logged = append(logged, err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	c := listener(t, k)
	table := map[string]entry{"odd_request": {"odd_reply", func(*request) (any, error) { return make(chan int), nil }}, "quiet": {"", func(*request) (any, error) { return 1, nil }}, "empty": {"empty_reply", func(*request) (any, error) { return nil, nil }}}
	for _, c2 := range []struct {
		kind, log string
		said      int
	}{{"frobnicate_request", "bad message: no answer to a frobnicate_request here", 2}, {"odd_request", "json: unsupported type: chan int", 2}, {"quiet", "", 2}, {"empty", "", 2}} {
		logged = nil
		c.send(c.shell, c2.kind, map[string]any{})
		k.handle(<-k.shell.Incoming(), table)
		if c2.log == "" && len(logged) > 0 || c2.log != "" && (len(logged) != 1 || logged[0] != c2.log) {
			t.Errorf("%s: logged is %q, want %q", c2.kind, logged, c2.log)
		}
		for _, state := range []string{"busy", "idle"} {
			if m, _, content, err := c.receive(c.iopub); err != nil || m.header.Type != "status" || content["execution_state"] != state {
				t.Errorf("%s: %v %v, %v, want %s", c2.kind, m, content, err, state)
			}
		}
	}
	logged = nil
	c.send(c.shell, "known", map[string]any{}) // what comes first on its way to the client is the reply to this
	k.handle(<-k.shell.Incoming(), map[string]entry{"known": {"known_reply", func(*request) (any, error) { return 1, errors.New("an error") }}})
	m, _, err := func() (*message, string, error) { m, p, _, err := c.receive(c.shell); return m, p, err }()
	if err != nil || m.header.Type != "known_reply" || !strings.Contains(string(m.content), "an error") {
		t.Errorf("answered is %v, %v", m, err)
	}
	liar := &client{t: t, wire: wire{key: []byte("another"), session: "x"}, shell: c.shell}
	liar.send(c.shell, "known", map[string]any{})
	k.handle(<-k.shell.Incoming(), table)
	if len(logged) != 1 || logged[0] != "bad message: wrong signature" {
		t.Errorf("logged is %q", logged)
	}
}

// A kernel that cannot have all its ports has none.
func TestPortsAreGivenBack(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	at := anywhere
	at.ShellPort, at.HeartbeatPort = free.Addr().(*net.TCPAddr).Port, taken.Addr().(*net.TCPAddr).Port
	if k, err := New(repl.NewSession().Session, at, Options{}); err == nil || k != nil {
		t.Fatal("a port in use is served")
	}
	again, err := net.Listen("tcp", free.Addr().String())
	if err != nil {
		t.Fatalf("a port that is not used is held: %v", err)
	}
	again.Close()
}

// The end waits for what is being answered beside the cells.
func TestEndWaitsForAnswers(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	k, c, ended := startWith(t, Options{Log: func(error) { close(entered); <-release }})
	c.send(c.control, "frobnicate_request", map[string]any{})
	<-entered
	k.Stop()
	if !waitsIn(ended, "sync.(*WaitGroup).Wait", "(*Kernel).Serve") {
		t.Error("the kernel ends while it answers")
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What comes by the socket of questions is taken, though nothing is ever asked: its peer
// is heard to do wrong.
func TestAnswersToNoQuestionAreTaken(t *testing.T) {
	k, _, _ := start(t)
	stdin := dial(t, zmtp.Dealer, k.Connection().IP, k.Connection().StdinPort)
	for _, frame := range [][]byte{[]byte("an answer"), []byte("another"), make([]byte, 1<<20+1)} {
		if err := stdin.Send(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := stdin.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Receive(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a stranger who sends too much: %v", err)
	}
}

// The kernel tells what it is.
func TestKernelTellsWhatItIs(t *testing.T) {
	got, err := answerTo(t, alone(), kernelInfo, "{}")
	want := map[string]any{
		"status": "ok", "protocol_version": "5.3", "implementation": "dpworkbench", "implementation_version": "9", "help_links": []any{}, "debugger": false,
		"banner":        "dpworkbench 9\nhelp() lists the vocabulary, name? explains.",
		"language_info": map[string]any{"name": "starlark", "version": "1", "mimetype": "text/x-python", "file_extension": ".star", "pygments_lexer": "python", "codemirror_mode": map[string]any{"name": "python", "version": 3.0}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// Evidence shows its value, how it is known in the kind's colour, and what was given
// with it; its source is a tool tip. A picture has the size of its drawing on the page.
func TestRichForms(t *testing.T) {
	k := alone()
	shown := func(source, form string) (string, map[string]any) {
		t.Helper()
		v, err := k.session.Exec(t.Context(), "a", source+"\n")
		if err != nil {
			t.Fatal(err)
		}
		content, err := k.bundle(v)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := content["data"].(map[string]any)[form].(string)
		return text, content["metadata"].(map[string]any)
	}
	kind := func(color, name, rest string) string {
		return `<b style="color: #fff; background: ` + color + `; padding: 0 0.4em; border-radius: 0.3em">` + name + `</b>` + rest + `</span>`
	}
	for _, c := range []struct {
		number evidence.Number
		want   string
	}{
		{evidence.ExactLog{Argument: big.NewRat(3, 1)}, `<span title=""><code>1.09861228866811</code> ` + kind("#007a55", "exact", " <small>ln(3)</small>")},
		{evidence.Claimed{Value: 0.25, Source: "Theorem <1>"}, `<span title="Theorem &lt;1&gt;"><code>0.25</code> ` + kind("#b45f00", "claimed", "")},
		{evidence.Estimated{Value: 0.5, Lo: 0.49, Hi: 0.51, Confidence: 0.99, Draws: 1000}, `<span title=""><code>0.5</code> ` + kind("#a05080", "estimated", " <small>in [0.49, 0.51] with confidence 0.99, 1000 draws</small>")},
		{evidence.Certified{Lo: 1.25, Hi: 1.25, Source: "a sum"}, `<span title="a sum"><code>1.25</code> ` + kind("#0072b2", "certified", "")},
	} {
		if got := evidenceHTML(script.Known(c.number).(*script.Evidence)); got != c.want {
			t.Errorf("%v is shown as\n%s\nwant\n%s", c.number, got, c.want)
		}
	}
	svg, metadata := shown("line_plot([1, 4, 9])", "image/svg+xml")
	size := metadata["image/png"].(map[string]any)
	for _, side := range []string{"width", "height"} {
		m := regexp.MustCompile(side + `="([0-9.]+)`).FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("the drawing has no %s: %.200s", side, svg)
		}
		points, err := strconv.ParseFloat(m[1], 64)
		if got, want := float64(size[side].(int)), points*96/72; err != nil || got > want || got < want-1 { // CSS pixels, of whole dots
			t.Errorf("the picture has the %s %v, its drawing %v", side, got, want)
		}
	}
}

// What is sent is written as it is; a key of one byte signs and is asked for.
func TestWireForms(t *testing.T) {
	short := &wire{session: "s", key: []byte("k"), read: &signatures{}}
	frames, err := short.encode(nil, nil, "a", map[string]string{"x": "<&>é"})
	if err != nil || string(frames[5]) != `{"x":"<&>é"}` || string(frames[3]) != "{}" || len(frames[1]) != 64 {
		t.Errorf("sent is %q, %v", frames, err)
	}
	if _, err := short.decode(frames); err != nil {
		t.Error(err)
	}
	if _, err := short.decode(frames); err == nil {
		t.Error("with a key of one byte a message comes twice")
	}
	if frames, err = short.encode(nil, nil, "a", 1); err != nil {
		t.Fatal(err)
	}
	frames[1] = nil
	if _, err := short.decode(frames); err == nil {
		t.Error("with a key of one byte a message is not signed")
	}
}

// No two digits of identifiers are the same in all of them, but for those that are fixed.
func TestDigitsOfIdentifiers(t *testing.T) {
	var differ [36][36]bool
	for range 1000 { // two free digits agree in all with probability below 36²·4^−1000
		id := newID()
		for i := range id {
			for j := range i {
				if id[i]&3 != id[j]&3 {
					differ[i][j] = true
				}
			}
		}
	}
	fixed := map[int]bool{8: true, 13: true, 14: true, 18: true, 23: true}
	for i := range differ {
		for j := range i {
			if !fixed[i] && !fixed[j] && !differ[i][j] {
				t.Errorf("digits %d and %d are the same", i, j)
			}
		}
	}
}

// What is installed can be read by all whom the user lets.
func TestModesOfTheSpecification(t *testing.T) {
	dir := t.TempDir()
	at, err := Install(dir, "/bin/workbench")
	if err != nil {
		t.Fatal(err)
	}
	like := filepath.Join(dir, "like")
	if err := os.Mkdir(like, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{at, filepath.Dir(at)} {
		got, err := os.Stat(path)
		want, err2 := os.Stat(like)
		if err != nil || err2 != nil || got.Mode() != want.Mode() {
			t.Errorf("%s has the mode %v, want %v", path, got.Mode(), want.Mode())
		}
	}
	if err := os.WriteFile(filepath.Join(like, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kernel.json", "logo-svg.svg"} {
		got, err := os.Stat(filepath.Join(at, name))
		want, err2 := os.Stat(filepath.Join(like, "file"))
		if err != nil || err2 != nil || got.Mode() != want.Mode() {
			t.Errorf("%s has the mode %v, want %v", name, got.Mode(), want.Mode())
		}
	}
}
