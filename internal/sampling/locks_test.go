package sampling_test

import (
	"math/big"
	"sync"
	"testing"

	"dpworkbench/internal/locks"
	"dpworkbench/internal/sampling"
)

// Concurrent callers of a cached Number wait for each other.
func TestKnownIsConcurrent(t *testing.T) {
	asked := &locks.Alone{TB: t, Caller: "Number.Known."}
	x := sampling.Number(func(bits int) (lo, hi *big.Int) {
		defer asked.Enter()()
		n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		return n, n
	}).Known()
	var wait sync.WaitGroup
	for bits := range 4 {
		wait.Go(func() { x(bits) })
	}
	wait.Wait()
}
