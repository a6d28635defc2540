package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

func TestPriors(t *testing.T) {
	ctx := context.Background()
	q := randomQuery(t, rand.New(rand.NewPCG(13, 14)), 1)
	m := build(t, "ladder", q, eps(t, 1))
	prior := make([]*big.Rat, q.Size())
	for x := range prior {
		prior[x] = new(big.Rat)
	}
	prior[1].SetInt64(1)
	got, err := mechanism.ExpectedDistortion(ctx, m, prior)
	if want := mechanism.Distortion(m, 1).Float(); err != nil || math.Abs(got.Float()-want) > 1e-14 {
		t.Errorf("a point prior gives %v, %v, want %v", got, err, want)
	}
	for _, bad := range [][]*big.Rat{prior[1:], make([]*big.Rat, q.Size()), append(append([]*big.Rat(nil), prior[:q.Size()-1]...), big.NewRat(1, 9)), append(append([]*big.Rat(nil), prior[:q.Size()-1]...), big.NewRat(-1, 1<<40))} {
		if _, err := mechanism.ExpectedDistortion(ctx, m, bad); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("prior %v gives %v, want ErrParameter", bad, err)
		}
	}
}
