package serve

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"

	"go.starlark.net/starlark"
)

// handles are the values that the client refers to by number. The server counts how often it sends a value. So if the
// client releases a value just as the server sends it again, the new reference remains valid.
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

// hold counts a reference to a value that is sent, and returns the value's number.
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

// release reads pairs of a value's number and a count, and drops that many references to the value.
func (h *handles) release(pairs []byte) {
	for ; len(pairs) >= 16; pairs = pairs[16:] {
		h.drop(int64(binary.LittleEndian.Uint64(pairs)), int64(binary.LittleEndian.Uint64(pairs[8:])))
	}
}

// drop removes times references to the value with number n, and the value itself with its last reference.
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
