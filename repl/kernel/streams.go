package kernel

import (
	"io"
	"strings"
	"sync"
	"time"
)

// streams gathers what a cell prints, so that ten thousand short lines are a
// few messages.
type streams struct {
	send func(name, text string)

	mu    sync.Mutex
	name  string // of what is gathered
	text  strings.Builder
	timer *time.Timer
}

type streamContent struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

const (
	gatherTime = 50 * time.Millisecond
	gatherSize = 1 << 16
)

func newStreams(send func(name, text string)) *streams { return &streams{send: send} }

// flush sends what has been gathered.
func (s *streams) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
}

func (s *streams) flushLocked() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if s.text.Len() > 0 {
		s.send(s.name, strings.ToValidUTF8(s.text.String(), "\uFFFD"))
		s.text.Reset()
	}
}

func (s *streams) write(name string, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name != s.name {
		s.flushLocked()
		s.name = name
	}
	s.text.Write(p)
	if s.text.Len() >= gatherSize {
		s.flushLocked()
	} else if s.timer == nil {
		s.timer = time.AfterFunc(gatherTime, s.flush)
	}
}

func (s *streams) writer(name string) io.Writer { return streamWriter{s, name} }

type streamWriter struct {
	streams *streams
	name    string
}

func (w streamWriter) Write(p []byte) (int, error) {
	w.streams.write(w.name, p)
	return len(p), nil
}
