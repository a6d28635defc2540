package continuous

import (
	"context"
	"math/big"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
)

// Layers tell how many there are, and a grid how many radii it has, of which the layers are quiet.
func TestProgressIsTold(t *testing.T) {
	type said struct {
		done, total int64
		what        string
	}
	var lock sync.Mutex
	var all []said
	ctx := parallel.WithProgress(context.Background(), func(done, total int64, what string) {
		lock.Lock()
		defer lock.Unlock()
		all = append(all, said{done, total, what})
	})
	q := linearOf(t, rats(t, "0", "1/7", "1", "3/2")...)
	l := must.For(NewSequence(ctx, q, rat(t, "1/3")))(t)
	if known, _ := l.Known(); len(all) != known || known < 2 {
		t.Errorf("of %d layers %d are told", known, len(all))
	}
	for k, s := range all {
		if s != (said{int64(k), 0, "layers"}) {
			t.Errorf("layer %d: %v", k, s)
		}
	}
	all = nil
	must.For(Grid(ctx, q, []*big.Rat{rat(t, "1/3"), rat(t, "1/2"), rat(t, "2")}, []evidence.Epsilon{nats(t, 1)}))(t)
	for k, s := range all {
		if len(all) != 3 || s != (said{int64(k + 1), 3, "radii"}) {
			t.Errorf("a grid of 3 radii tells %v", all)
		}
	}
	if len(all) == 0 {
		t.Error("a grid tells nothing")
	}
}
