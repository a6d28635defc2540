package zmtp

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
)

var errGone = errors.New("the peer has gone")

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errGone }

// greetingOf is what rfc.zeromq.org/spec/23 has a peer say first.
func greetingOf() []byte {
	return []byte("\xff\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x03\x00NULL" + strings.Repeat("\x00", 48))
}

// What is said is what rfc.zeromq.org/spec/23 says, byte for byte.
func TestWhatIsSaid(t *testing.T) {
	if got := greeting(); !bytes.Equal(got, greetingOf()) {
		t.Errorf("the greeting is % x", got)
	}
	for kind, want := range map[Kind]string{
		Pub: "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03PUB", Rep: "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03REP", Sub: "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB",
		Dealer: "\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00", Req: "\x04\x26\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ\x08Identity\x00\x00\x00\x00", Router: "\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER\x08Identity\x00\x00\x00\x00",
	} {
		if got := string(readyCommand(kind)); got != want {
			t.Errorf("a %s is ready by %q, want %q", kind, got, want)
		}
	}
	long := strings.Repeat("x", 256)
	for _, c := range []struct {
		frames [][]byte
		want   string
	}{
		{nil, ""}, {[][]byte{{}}, "\x00\x00"}, {[][]byte{[]byte("a"), {}, []byte("bc")}, "\x01\x01a\x01\x00\x00\x02bc"},
		{[][]byte{[]byte(long[:255])}, "\x00\xff" + long[:255]}, {[][]byte{[]byte(long), []byte(long)}, "\x03\x00\x00\x00\x00\x00\x00\x01\x00" + long + "\x02\x00\x00\x00\x00\x00\x00\x01\x00" + long},
	} {
		if got := string(encode(c.frames)); got != c.want {
			t.Errorf("%d frames are written as %.40q, want %.40q", len(c.frames), got, c.want)
		}
	}
}

// A greeting has the signature, version 3 or later and no security; what else it says is
// passed over.
func TestGreetings(t *testing.T) {
	for name, c := range map[string]struct {
		at   int
		to   byte
		want string
	}{
		"as it is": {11, 0, ""}, "a minor version": {11, 9, ""}, "version 4": {10, 4, ""}, "a server": {32, 1, ""}, "filler": {63, 7, ""}, "padding": {5, 1, ""}, "another odd byte": {9, 1, ""},
		"no signature": {0, 0xfe, "no ZMTP signature"}, "its end": {9, 0x7e, "no ZMTP signature"}, "version 2": {10, 2, "ZMTP version 2, want 3 or later"}, "a mechanism": {12, 'C', `security mechanism "CULL", want NULL`}, "a longer one": {31, 'x', `want NULL`},
	} {
		g := greetingOf()
		g[c.at] = c.to
		if err := checkGreeting(g); c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Who is ready names its properties, in letters of any size, whole.
func TestReady(t *testing.T) {
	const good = "\x05READY\x0bSOCKET-Type\x00\x00\x00\x03REQ\x01a\x00\x00\x00\x00\x00\x00\x00\x00\x01x"
	got, err := parseReady(flagCommand, []byte(good))
	if want := map[string]string{"socket-type": "REQ", "a": "", "": "x"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	whole := map[int]bool{6: true, 25: true, 31: true, len(good): true}
	for n := range len(good) {
		if got, err := parseReady(flagCommand, []byte(good[:n])); whole[n] != (err == nil) || err != nil && (!errors.Is(err, ErrProtocol) || got != nil) {
			t.Errorf("the first %d bytes: %q, %v", n, got, err)
		}
	}
	for flags, body := range map[byte]string{0: good, flagLong: good, flagCommand: "\x05READy"} {
		if _, err := parseReady(flags, []byte(body)); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), "no READY command") {
			t.Errorf("flags %d: %v", flags, err)
		}
	}
}

// A handshake takes a peer of the right kind, whose READY is not too long, and ends with
// the error of what ends before, or cannot be written.
func TestHandshake(t *testing.T) {
	long := func(n int) []byte { // a READY of n bytes
		body := "\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ\x01a"
		body += string(binary.BigEndian.AppendUint32(nil, uint32(n-len(body)-4)))
		body += strings.Repeat("x", n-len(body))
		return append(binary.BigEndian.AppendUint64([]byte{flagCommand | flagLong}, uint64(n)), body...)
	}
	shake := func(said []byte, end error) (Kind, error) {
		return handshake(bufio.NewReader(io.MultiReader(bytes.NewReader(said), iotest.ErrReader(end))), io.Discard, Rep)
	}
	for n, want := range map[int]bool{100: true, 1 << 16: true, 1<<16 + 1: false} {
		if kind, err := shake(append(greetingOf(), long(n)...), errGone); (err == nil) != want || want && kind != Req || !want && kind != "" {
			t.Errorf("a READY of %d bytes: %q, %v", n, kind, err)
		}
	}
	said := append(greetingOf(), readyCommand(Dealer)...)
	for n := range said {
		if kind, err := shake(said[:n], errGone); kind != "" || !errors.Is(err, errGone) {
			t.Errorf("gone after %d bytes: %q, %v", n, kind, err)
		}
	}
	if kind, err := shake(said, errGone); kind != Dealer || err != nil {
		t.Errorf("%q, %v", kind, err)
	}
	for _, bad := range [][]byte{append(bytes.Repeat([]byte{1}, 64), readyCommand(Req)...), append(greetingOf(), "\x04\x06\x05READYx"...), append(greetingOf(), readyCommand(Sub)...), append(greetingOf(), "\x04\x07\x05READYx"...)} {
		if kind, err := shake(bad, errGone); kind != "" || err == nil {
			t.Errorf("% x: %q, %v", bad[64:], kind, err)
		}
	}
	if _, err := shake(append(greetingOf(), readyCommand(Sub)...), errGone); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), "a SUB socket, want one of [REQ DEALER]") {
		t.Error(err)
	}
	if kind, err := handshake(bufio.NewReader(bytes.NewReader(said)), gone{}, Rep); kind != "" || !errors.Is(err, errGone) {
		t.Errorf("to nobody: %q, %v", kind, err)
	}
}

// A frame is read up to its bound; one that is longer, that has other flags, or that ends
// within is an error and nothing else.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit uint64
		flags byte
		body  string
		want  string
	}{
		{"\x00\x00", 0, 0, "", ""}, {"\x01\x03abc", 3, 1, "abc", ""}, {"\x04\x03abc", 3, 4, "abc", ""}, {"\x02\x00\x00\x00\x00\x00\x00\x00\x02ab", 2, 2, "ab", ""},
		{"\x01\x03abc", 2, 0, "", "a frame of 3 bytes, want at most 2"}, {"\x02\xff\xff\xff\xff\xff\xff\xff\xff", 5, 0, "", "a frame of 18446744073709551615 bytes"}, {"\x08\x00", 9, 0, "", "frame flags 0x8"}, {"\x80\x00", 9, 0, "", "frame flags 0x80"},
	} {
		flags, body, err := readFrame(bufio.NewReader(strings.NewReader(c.text)), c.limit)
		if flags != c.flags || string(body) != c.body || c.want == "" && err != nil || c.want != "" && (body != nil || !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %d, %q, %v, want %d, %q, %q", c.text, flags, body, err, c.flags, c.body, c.want)
		}
	}
	for _, whole := range []string{"\x01\x03abc", "\x03\x00\x00\x00\x00\x00\x00\x00\x02ab"} {
		for n := range len(whole) {
			want := io.ErrUnexpectedEOF
			if n == 0 {
				want = io.EOF
			}
			if flags, body, err := readFrame(bufio.NewReader(strings.NewReader(whole[:n])), 99); flags != 0 || body != nil || err != want {
				t.Errorf("%q: %d, %q, %v, want %v", whole[:n], flags, body, err, want)
			}
			if flags, body, err := readFrame(bufio.NewReader(io.MultiReader(strings.NewReader(whole[:n]), iotest.ErrReader(errGone))), 99); flags != 0 || body != nil || err != errGone {
				t.Errorf("%q: %d, %q, %v, want %v", whole[:n], flags, body, err, errGone)
			}
		}
	}
}

// A message has bounds for all its frames together and for their number; an end between
// messages is one, an end within is not.
func TestMessages(t *testing.T) {
	read := func(text string, limits ...uint64) (string, bool, error) {
		asked := 0
		frames, command, err := readMessage(bufio.NewReader(strings.NewReader(text)), func() uint64 {
			asked++
			return limits[min(asked, len(limits))-1]
		})
		return fmt.Sprintf("%q", frames), command, err
	}
	const three = "\x01\x03abc\x01\x00\x00\x02de"
	for _, limits := range [][]uint64{{5}, {3, 3, 5}, {3, 0, 5}} {
		if got, command, err := read(three, limits...); got != `["abc" "" "de"]` || command || err != nil {
			t.Errorf("at %d bytes: %s, %v", limits, got, err)
		}
	}
	for _, limits := range [][]uint64{{4}, {2}, {3, 3, 4}, {9, 9, 0}, {9, 9, 1}} {
		if got, _, err := read(three, limits...); got != "[]" || !errors.Is(err, ErrProtocol) {
			t.Errorf("at %d bytes: %s, %v", limits, got, err)
		}
	}
	for n := range len(three) {
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		if got, _, err := read(three[:n], 99); got != "[]" || err != want {
			t.Errorf("%q: %s, %v, want %v", three[:n], got, err, want)
		}
	}
	if got, command, err := read("\x04\x03abc", 3); got != `["abc"]` || !command || err != nil {
		t.Errorf("a command: %s, %t, %v", got, command, err)
	}
	for n, want := range map[int]bool{1<<10 - 1: true, 1 << 10: true, 1<<10 + 1: false} {
		frames, _, err := readMessage(bufio.NewReader(bytes.NewReader(encode(make([][]byte, n)))), whole)
		if want && (err != nil || len(frames) != n) || !want && (frames != nil || !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), "more than 1024 frames")) {
			t.Errorf("%d frames: %d, %v", n, len(frames), err)
		}
	}
}

// The commands of ZMTP 3.1 that subscribe are the messages of 3.0; no other command is.
func TestSubscriptionCommands(t *testing.T) {
	for body, want := range map[string]string{
		"\x09SUBSCRIBE": "\x01", "\x09SUBSCRIBEab": "\x01ab", "\x06CANCEL": "\x00", "\x06CANCELab": "\x00ab", "\x09SUBSCRIB": "", "\x04PING\x00\x00": "", "": "", "\x06CANCELLED": "\x00LED", "\x05CANCEL": "",
	} {
		got := subscription([]byte(body))
		if want == "" && got != nil || want != "" && (len(got) != 1 || string(got[0]) != want) {
			t.Errorf("%q is %q, want %q", body, got, want)
		}
	}
}
