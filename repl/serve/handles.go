package serve

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"

	"go.starlark.net/starlark"
)

// handles are the values that the client refers to by number. A value is counted each time it is sent, so a release
// that crosses a new reference in transit frees nothing in use.
type handles struct {
	mu     sync.Mutex
	last   int64
	held   map[int64]*held
	number map[starlark.Value]int64 // values compared by identity
}

type held struct {
	value starlark.Value
	times int64
}

func newHandles() *handles {
	return &handles{held: make(map[int64]*held), number: make(map[starlark.Value]int64)}
}

// hold returns the number of a value that is sent.
func (h *handles) hold(v starlark.Value) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := reflect.TypeOf(v).Kind() == reflect.Pointer
	if one {
		if n, ok := h.number[v]; ok {
			h.held[n].times++
			return n
		}
	}
	h.last++
	h.held[h.last] = &held{v, 1}
	if one {
		h.number[v] = h.last
	}
	return h.last
}

// get returns the value with a number.
func (h *handles) get(n int64) (starlark.Value, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x := h.held[n]; x != nil {
		return x.value, nil
	}
	return nil, fmt.Errorf("no value has the number %d", n)
}

// release reads pairs of a value's number and how often it was sent, and drops them.
func (h *handles) release(pairs []byte) {
	for ; len(pairs) >= 16; pairs = pairs[16:] {
		h.drop(int64(binary.LittleEndian.Uint64(pairs)), int64(binary.LittleEndian.Uint64(pairs[8:])))
	}
}

// drop removes times references to a value.
func (h *handles) drop(n, times int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.held[n]
	if x == nil {
		return
	}
	if x.times -= times; x.times > 0 {
		return
	}
	delete(h.held, n)
	if reflect.TypeOf(x.value).Kind() == reflect.Pointer {
		delete(h.number, x.value)
	}
}
