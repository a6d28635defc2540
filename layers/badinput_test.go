package layers_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
)

// Sets, tables, radii and decays that fit nothing are errors.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	q, one := triangles(t, 3), epsilon(t, 1)
	n, size := q.Size(), len(q.Range())
	table := func(at int32) []int32 {
		out := make([]int32, n*size)
		out[0] = at
		return out
	}
	heading := mechanism.Heading{Query: q}
	sets := func(at ...map[int][]int) layers.Sets {
		return layers.Sets{At: append(at, make([]map[int][]int, n-len(at))...)}
	}
	for name, f := range map[string]func() error{
		"no sets":    func() error { _, err := layers.NewGeneral(ctx, q, one, layers.Sets{}, layers.Closure); return err },
		"empty sets": func() error { _, err := layers.NewGeneral(ctx, q, one, sets(), layers.Closure); return err },
		"negative layer": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{-1: {0}}), layers.Closure)
			return err
		},
		"far layer": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{math.MaxInt: {0}}), layers.Published)
			return err
		},
		"no place": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{0: {size}}), layers.Closure)
			return err
		},
		"rule": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{0: {0}}), "some")
			return err
		},
		"points":  func() error { _, err := layers.NewAtomic(ctx, q, one, nil); return err },
		"initial": func() error { _, err := layers.NewBasic(ctx, q, one, [][]int{{-1}}); return err },
		"radii":   func() error { _, err := layers.NewBalls(ctx, q, one, nil); return err },
		"NaN radius": func() error {
			_, err := layers.NewDeltaNeighborhood(ctx, q, one, []float64{math.NaN(), 0, 0, 0})
			return err
		},
		"short table": func() error { _, err := layers.NewGiven(ctx, heading, one, nil); return err },
		"low table":   func() error { _, err := layers.NewGiven(ctx, heading, one, table(-2)); return err },
		"deep table":  func() error { _, err := layers.NewGiven(ctx, heading, one, table(math.MaxInt32)); return err },
		"decay":       func() error { _, err := layers.NewPurest(ctx, q, evidence.Epsilon{}); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	m, err := layers.NewPurest(ctx, q, one)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][3]int{{-1, 0, 0}, {n, 0, 0}, {0, -1, 0}, {0, size, 0}, {0, 0, -1}, {0, 0, math.MaxInt}} {
		if _, err := m.Migrate(ctx, at[0], at[1], at[2]); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("migration %v: %v, want ErrParameter", at, err)
		}
		if _, err := m.PredictMigration(at[0], at[1], at[2]); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("prediction %v: %v, want ErrParameter", at, err)
		}
	}
}
