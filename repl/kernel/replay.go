package kernel

import (
	"crypto/sha256"
	"sync"
)

// remembered is how many signatures a kernel knows again: as many as Jupyter's
// own kernels.
const remembered = 1 << 16

// signatures are those of the latest messages. A message that comes again, as
// whoever has overheard it can send it, is no message of its client's.
type signatures struct {
	mu    sync.Mutex
	seen  map[[sha256.Size]byte]bool
	order [][sha256.Size]byte // a ring
	next  int
}

// fresh notes a signature, and reports whether it is new.
func (s *signatures) fresh(signature []byte) bool {
	key := sha256.Sum256(signature)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[key] {
		return false
	}
	if s.seen == nil {
		s.seen = make(map[[sha256.Size]byte]bool)
	}
	s.seen[key] = true
	if len(s.order) < remembered {
		s.order = append(s.order, key)
		return true
	}
	delete(s.seen, s.order[s.next])
	s.order[s.next], s.next = key, (s.next+1)%remembered
	return true
}
