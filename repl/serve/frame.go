package serve

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// Protocol is the version of docs/protocol.md implemented here.
const Protocol = 1

// kind is the type of a frame. Capital letters are frames that the server receives, small letters are frames that it
// sends.
type kind byte

const (
	kindHello     kind = 'H' // the first frame
	kindCall      kind = 'C' // a call of a built-in, a method or a function
	kindGet       kind = 'G' // an attribute
	kindEvaluate  kind = 'E' // a script
	kindOperate   kind = 'O' // an operator
	kindShow      kind = 'S' // a value as text or as a picture
	kindAnswer    kind = 'A' // the result of a callback
	kindRaised    kind = 'X' // the exception of a callback
	kindInterrupt kind = 'I'
	kindRelease   kind = 'R' // values that the client no longer refers to
	kindNotebook  kind = 'N' // a request of a notebook's kernel

	kindWelcome  kind = 'h'
	kindResult   kind = 'r'
	kindError    kind = 'e'
	kindCallback kind = 'f'
	kindOutput   kind = 'o'
	kindProgress kind = 'p'
	kindDisplay  kind = 's'
	kindBundle   kind = 'd' // a value as a notebook displays it
)

// frame is one message: the number of its request or callback, JSON, and the binary data that the JSON refers to.
type frame struct {
	kind   kind
	number uint32
	text   []byte
	data   []byte
}

// head is the length of a frame's header in bytes. The header holds the number of bytes that follow its first four, the
// kind, the number, and the length of the text.
const head = 4 + 1 + 4 + 4

// maxFrame bounds the length of a frame. It is checked before memory is allocated.
const maxFrame = 1<<32 - 1

// readFrame returns the next frame, or io.EOF.
func readFrame(r io.Reader) (frame, error) {
	var h [head]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return frame{}, err
	}
	rest := int64(binary.LittleEndian.Uint32(h[:])) - (head - 4)
	text := int64(binary.LittleEndian.Uint32(h[9:]))
	if text > rest {
		return frame{}, fmt.Errorf("a frame of length %d has a text of %d bytes, want at most its length minus %d", rest+head-4, text, head-4)
	}
	f := frame{kind: kind(h[4]), number: binary.LittleEndian.Uint32(h[5:])}
	var err error
	if f.text, err = readBytes(r, text); err == nil {
		f.data, err = readBytes(r, rest-text)
	}
	return f, err
}

// readBytes reads n bytes. It allocates memory as data arrives, so a false length does not allocate much.
func readBytes(r io.Reader, n int64) ([]byte, error) {
	const step = 64 << 20
	b := make([]byte, 0, min(n, step))
	for int64(len(b)) < n {
		more := min(n-int64(len(b)), max(step, int64(len(b))))
		if int64(cap(b)-len(b)) < more {
			b = append(make([]byte, 0, int64(len(b))+more), b...)
		}
		part := b[len(b) : int64(len(b))+more]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, noEnd(err)
		}
		b = b[:int64(len(b))+more]
	}
	return b, nil
}

// noEnd turns io.EOF inside a frame into io.ErrUnexpectedEOF.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// sender writes whole frames. It is safe for concurrent use.
type sender struct {
	mu sync.Mutex
	w  io.Writer
}

// frameSize returns the value of a frame's first four bytes, or an error if the frame would be too long.
func frameSize(text, data int) (uint32, error) {
	size := int64(head-4) + int64(text) + int64(data)
	if size > maxFrame {
		return 0, fmt.Errorf("a value has %d bytes, want less than 4 GiB, the limit of a frame", size)
	}
	return uint32(size), nil
}

func (s *sender) send(f frame) error {
	size, err := frameSize(len(f.text), len(f.data))
	if err != nil {
		return err
	}
	h := make([]byte, head, head+len(f.text))
	binary.LittleEndian.PutUint32(h, size)
	h[4] = byte(f.kind)
	binary.LittleEndian.PutUint32(h[5:], f.number)
	binary.LittleEndian.PutUint32(h[9:], uint32(len(f.text)))
	h = append(h, f.text...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.w.Write(h); err != nil {
		return err
	}
	if len(f.data) == 0 {
		return nil
	}
	_, err = s.w.Write(f.data)
	return err
}
