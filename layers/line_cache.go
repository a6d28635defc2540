package layers

import (
	"context"
	"math/big"
	"sync"

	"dpworkbench/query"
)

// maxCachedLayers bounds the radii whose layers a LineCache holds.
const maxCachedLayers = 128

// LineCache holds the layers that were built for one linear query, by their radius:
// they do not depend on the decay, so that a sweep over it builds them once. Its zero
// value is empty, and several goroutines may use it at once.
type LineCache struct {
	mu    sync.Mutex
	known map[string]*LineLayers
}

// Layers returns NewLineLayers(ctx, q, radius), q being the same at every call.
func (k *LineCache) Layers(ctx context.Context, q *query.Linear, radius *big.Rat) (*LineLayers, error) {
	key := radius.RatString()
	k.mu.Lock()
	l := k.known[key]
	k.mu.Unlock()
	if l != nil {
		return l, nil
	}
	l, err := NewLineLayers(ctx, q, radius)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= maxCachedLayers {
		k.known = make(map[string]*LineLayers)
	}
	k.known[key] = l
	return l, nil
}
