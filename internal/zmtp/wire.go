package zmtp

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// The flags of a frame.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// greeting is what either side says first: signature, version 3.0, mechanism
// NULL, not as a server, filler.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9] = 0xff, 0x7f
	g[10] = 3
	copy(g[12:], "NULL")
	return g
}

func checkGreeting(g []byte) error {
	switch {
	case g[0] != 0xff || g[9]&1 == 0:
		return fmt.Errorf("%w: no ZMTP signature", ErrProtocol)
	case g[10] < 3:
		return fmt.Errorf("%w: ZMTP version %d, want 3 or later", ErrProtocol, g[10])
	case string(bytes.TrimRight(g[12:32], "\x00")) != "NULL":
		return fmt.Errorf("%w: security mechanism %q, want NULL", ErrProtocol, bytes.TrimRight(g[12:32], "\x00"))
	}
	return nil
}

// handshake greets the peer and returns its kind.
func handshake(r *bufio.Reader, w io.Writer, kind Kind) (Kind, error) {
	if _, err := w.Write(append(greeting(), readyCommand(kind)...)); err != nil {
		return "", err
	}
	g := make([]byte, 64)
	if _, err := io.ReadFull(r, g); err != nil {
		return "", err
	}
	if err := checkGreeting(g); err != nil {
		return "", err
	}
	flags, body, err := readFrame(r, 1<<16)
	if err != nil {
		return "", err
	}
	properties, err := parseReady(flags, body)
	if err != nil {
		return "", err
	}
	peer := Kind(properties["socket-type"])
	if !slices.Contains(speaksTo[kind], peer) {
		return "", fmt.Errorf("%w: a %s socket, want one of %v", ErrProtocol, peer, speaksTo[kind])
	}
	return peer, nil
}

func readyCommand(kind Kind) []byte {
	body := []byte("\x05READY")
	property := func(name, value string) {
		body = append(append(body, byte(len(name))), name...)
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(value))), value...)
	}
	property("Socket-Type", string(kind))
	if kind == Dealer || kind == Req || kind == Router {
		property("Identity", "")
	}
	return append([]byte{flagCommand, byte(len(body))}, body...)
}

// parseReady returns the properties of a READY command, their names in small
// letters: names are compared without regard to case.
func parseReady(flags byte, body []byte) (map[string]string, error) {
	rest, ok := bytes.CutPrefix(body, []byte("\x05READY"))
	if flags&flagCommand == 0 || !ok {
		return nil, fmt.Errorf("%w: no READY command", ErrProtocol)
	}
	properties := make(map[string]string)
	for len(rest) > 0 {
		n := int(rest[0])
		if len(rest) < 1+n+4 {
			return nil, fmt.Errorf("%w: READY is cut short", ErrProtocol)
		}
		name := string(bytes.ToLower(rest[1 : 1+n]))
		size := binary.BigEndian.Uint32(rest[1+n:])
		if rest = rest[1+n+4:]; uint64(size) > uint64(len(rest)) {
			return nil, fmt.Errorf("%w: READY is cut short", ErrProtocol)
		}
		properties[name], rest = string(rest[:size]), rest[size:]
	}
	return properties, nil
}

// readFrame reads one frame of at most limit bytes.
func readFrame(r *bufio.Reader, limit uint64) (flags byte, body []byte, err error) {
	if flags, err = r.ReadByte(); err != nil {
		return 0, nil, err
	}
	if flags&^(flagMore|flagLong|flagCommand) != 0 {
		return 0, nil, fmt.Errorf("%w: frame flags %#x", ErrProtocol, flags)
	}
	var size uint64
	if flags&flagLong != 0 {
		var b [8]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return 0, nil, cut(err)
		}
		size = binary.BigEndian.Uint64(b[:])
	} else {
		b, err := r.ReadByte()
		if err != nil {
			return 0, nil, cut(err)
		}
		size = uint64(b)
	}
	if size > limit {
		return 0, nil, fmt.Errorf("%w: a frame of %d bytes, want at most %d", ErrProtocol, size, limit)
	}
	// Copied as it comes: a size alone allocates nothing.
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, r, int64(size)); err != nil {
		return 0, nil, cut(err)
	}
	return flags, buf.Bytes(), nil
}

// cut says that the end came inside a frame.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readMessage reads the frames of one message of at most limit() bytes, or one
// command. The limit is asked for when bytes have come: it may rise meanwhile.
func readMessage(r *bufio.Reader, limit func() uint64) (frames [][]byte, command bool, err error) {
	read := uint64(0)
	for {
		if _, err := r.Peek(1); err != nil {
			if len(frames) > 0 {
				err = cut(err)
			}
			return nil, false, err
		}
		most := limit()
		flags, body, err := readFrame(r, most-min(read, most))
		if err != nil {
			return nil, false, err
		}
		if flags&flagCommand != 0 {
			return [][]byte{body}, true, nil
		}
		frames = append(frames, body)
		if flags&flagMore == 0 {
			return frames, false, nil
		}
		if read += uint64(len(body)); len(frames) == maxFrames {
			return nil, false, fmt.Errorf("%w: more than %d frames", ErrProtocol, maxFrames)
		}
	}
}

// encode returns the bytes of a message.
func encode(frames [][]byte) []byte {
	var parts [][]byte
	for i, f := range frames {
		var flags byte
		if i+1 < len(frames) {
			flags = flagMore
		}
		head := []byte{flags, byte(len(f))}
		if len(f) > 255 {
			head = binary.BigEndian.AppendUint64([]byte{flags | flagLong}, uint64(len(f)))
		}
		parts = append(parts, head, f)
	}
	return slices.Concat(parts...)
}
