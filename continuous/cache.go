package continuous

import (
	"context"
	"math/big"
	"sync"
)

// maxCachedLayers bounds the number of radii whose layers a Cache holds.
const maxCachedLayers = 128

// Cache holds the layers of one linear query by radius. Layers do not depend on the decay, so a sweep over decays
// builds them once. The zero value is empty. A Cache is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	known map[string]*Sequence
}

// Sequence returns NewSequence(ctx, q, radius). All calls must pass the same q.
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
