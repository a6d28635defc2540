package prompt

import (
	"bytes"
	"io"
	"sync/atomic"
)

// pasteReader stands between the terminal and the line editor. It takes the
// marks of bracketed paste away, makes pasted tabs and control characters
// harmless, and counts lines, so that the prompt knows whether more lines have
// already arrived: those are pasted, and a blank line among them ends nothing.
type pasteReader struct {
	r       io.Reader
	raw     []byte // read, not yet looked at
	ready   []byte // looked at, not yet handed out
	inside  bool   // between the marks
	cr      bool   // the last pasted byte was a carriage return
	newline int    // pasted newlines held back: the last ones of a paste are dropped
	err     error

	handed atomic.Int64 // lines handed out
	taken  atomic.Int64 // lines that the editor has taken
}

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// bracketedPaste switches the marks on or off.
func bracketedPaste(on bool) string {
	if on {
		return "\x1b[?2004h"
	}
	return "\x1b[?2004l"
}

// Read implements io.Reader.
func (p *pasteReader) Read(b []byte) (int, error) {
	for len(p.ready) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		chunk := make([]byte, 4096)
		n, err := p.r.Read(chunk)
		p.raw, p.err = append(p.raw, chunk[:n]...), err
		p.digest()
	}
	n := copy(b, p.ready)
	p.ready = p.ready[n:]
	return n, nil
}

// digest moves bytes from raw to ready.
func (p *pasteReader) digest() {
	for len(p.raw) > 0 {
		mark := pasteStart
		if p.inside {
			mark = pasteEnd
		}
		if bytes.HasPrefix(p.raw, mark) {
			p.inside = !p.inside
			p.newline, p.cr = 0, false
			p.raw = p.raw[len(mark):]
			continue
		}
		if len(p.raw) < len(mark) && bytes.HasPrefix(mark, p.raw) && p.err == nil {
			return // perhaps the rest of a mark is on its way; the editor, too, would wait
		}
		c := p.raw[0]
		p.raw = p.raw[1:]
		if p.inside {
			p.pasted(c)
			continue
		}
		p.hand(c)
	}
}

// pasted takes one byte between the marks.
func (p *pasteReader) pasted(c byte) {
	switch {
	case c == '\n' && p.cr:
		p.cr = false
		return
	case c == '\r' || c == '\n':
		p.newline++
		p.cr = c == '\r'
		return
	}
	p.cr = false
	for ; p.newline > 0; p.newline-- {
		p.hand('\r')
	}
	switch {
	case c == '\t':
		p.ready = append(p.ready, "    "...)
	case c >= ' ' && c != 0x7f:
		p.hand(c)
	}
}

func (p *pasteReader) hand(c byte) {
	if c == '\r' || c == '\n' {
		p.handed.Add(1)
	}
	p.ready = append(p.ready, c)
}

// took notes a rune that the editor has taken.
func (p *pasteReader) took(r rune) {
	if r == '\r' || r == '\n' {
		p.taken.Add(1)
	}
}

// more reports whether further lines have already arrived.
func (p *pasteReader) more() bool { return p.handed.Load() > p.taken.Load() }
