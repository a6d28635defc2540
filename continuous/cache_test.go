package continuous_test

import (
	"context"
	"dpworkbench/internal/must"
	"math/big"
	"testing"

	"dpworkbench/continuous"
)

func TestCacheBuildsOnce(t *testing.T) {
	q := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(0, 1), big.NewRat(1, 1)}}))(t)
	var cache continuous.Cache
	at := func(radius *big.Rat) *continuous.Sequence {
		l := must.For(cache.Sequence(context.Background(), q, radius))(t)
		return l
	}
	half := at(big.NewRat(1, 2))
	if at(big.NewRat(2, 4)) != half || at(big.NewRat(1, 3)) == half {
		t.Error("layers are not those of their radius, built once")
	}
	if _, err := cache.Sequence(context.Background(), q, big.NewRat(-1, 1)); err == nil {
		t.Error("a negative radius has layers")
	}
}
