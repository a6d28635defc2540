package continuous_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// Several goroutines may request cached results at once.
func TestConcurrentCacheRequests(t *testing.T) {
	line, one := queryOf(t, "0", "1/7", "1", "3/2"), evidencetest.Epsilon(1)
	var cache continuous.Cache
	layered := must.For(continuous.NewPurest(context.Background(), line, one))(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := cache.Sequence(context.Background(), line, big.NewRat(int64(i%4), 7)); err != nil {
				t.Error(err)
			}
			if _, err := layered.Noise(1, rand.NewPCG(1, 1)); err != nil {
				t.Error(err)
			}
			if _, err := layered.Curve([]evidence.Epsilon{one}); err != nil {
				t.Error(err)
			}
			if _, err := layered.Privacy().Delta(context.Background(), one.Ratio(1, 2)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
