package continuous

import (
	"context"
	"math/big"
	"sync"
)

// maxCachedLayers bounds the radii whose layers a Cache holds.
const maxCachedLayers = 128

// Cache holds the layers that were built for one linear query, by their radius:
// they do not depend on the decay, so that a sweep over it builds them once. Its zero
// value is empty, and several goroutines may use it at once.
type Cache struct {
	mu    sync.Mutex
	known map[string]*Sequence
}

// Sequence returns NewSequence(ctx, q, radius), q being the same at every call.
func (k *Cache) Sequence(ctx context.Context, q *Linear, radius *big.Rat) (*Sequence, error) {
	key := radius.RatString()
	k.mu.Lock()
	l := k.known[key]
	k.mu.Unlock()
	if l != nil {
		return l, nil
	}
	l, err := NewSequence(ctx, q, radius)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= maxCachedLayers {
		k.known = make(map[string]*Sequence)
	}
	k.known[key] = l
	return l, nil
}
