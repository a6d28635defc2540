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
	if l := k.get(key); l != nil {
		return l, nil
	}
	l, err := NewSequence(ctx, q, radius)
	if err != nil {
		return nil, err
	}
	k.put(key, l)
	return l, nil
}

func (k *Cache) get(key string) *Sequence {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[key]
}

func (k *Cache) put(key string, l *Sequence) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= maxCachedLayers {
		k.known = make(map[string]*Sequence)
	}
	k.known[key] = l
}
