package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/audit/audittest"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/mechanism"
)

// Releases of every kind have the law that the mechanism says, at e^ε rational and not, and the audit of this house does not
// refute what they cost between neighbors.
func TestReleasesHaveTheirLaw(t *testing.T) {
	ctx, q := context.Background(), pathQuery(t, 5)
	n := stattest.Draws(t, 1<<16)
	all := map[string]mechanism.Mechanism{}
	for _, name := range names {
		all[name] = build(t, name, q, eps(t, 0.9))
		all[name+" at ln 3"] = build(t, name, q, ln(t, 3, 1))
	}
	table, err := mechanism.NewFinite(ctx, q, slices.Repeat([][]*big.Rat{{big.NewRat(1, 3), big.NewRat(1, 6), big.NewRat(0, 1), big.NewRat(5, 12), big.NewRat(1, 12)}}, q.Size()), nil)
	if err != nil {
		t.Fatal(err)
	}
	all["table"] = table
	for name, m := range all {
		var draws audittest.Draws
		for i, x := range []int{1, 2} {
			out, err := mechanism.Release(ctx, m, x, n, rand.NewPCG(uint64(x), 61))
			if err != nil {
				t.Fatal(name, err)
			}
			law, err := mechanism.Law(m, x)
			if err != nil {
				t.Fatal(err)
			}
			counts := make([]int, len(law))
			for _, r := range out {
				counts[r]++
				draws[i] = append(draws[i], float64(r))
				if law[r] == 0 {
					t.Fatalf("%s gives value %d, which is impossible", name, r)
				}
			}
			stattest.Follows(t, name, counts, law)
		}
		e, err := mechanism.Privacy(m).Epsilon(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, hi := e.Bounds()
		audittest.Hold(t, name, max(hi, 1e-6), 0, draws, audittest.Draws{})
	}
}

// A release without a seed differs from the next one, one with a seed does not, and bad parameters and contexts that have
// ended are told.
func TestReleasesOfTheSystem(t *testing.T) {
	ctx, m := context.Background(), build(t, "ladder", pathQuery(t, 6), eps(t, 0.1))
	a, err := mechanism.Release(ctx, m, 3, 200, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := mechanism.Release(ctx, m, 3, 200, nil)
	if err != nil || slices.Equal(a, b) {
		t.Errorf("two releases of 200 values are alike: %v", err)
	}
	for _, x := range []int{-1, 6} {
		if _, err := mechanism.Release(ctx, m, x, 1, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("dataset %d: %v", x, err)
		}
	}
	if _, err := mechanism.Release(ctx, m, 0, -1, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("−1 draws: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	for _, name := range names {
		if _, err := mechanism.Release(over, build(t, name, pathQuery(t, 6), eps(t, 0.1)), 3, 9, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, interrupted: %v", name, err)
		}
	}
	unknown := opaque{m}
	if _, err := mechanism.Release(ctx, unknown, 3, 1, nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "no exact sampler") {
		t.Errorf("probabilities known within bounds alone: %v", err)
	}
}

// A draw that no digits decide, and a law that sums to nothing, are told: of a table and of levels.
func TestReleasesThatFail(t *testing.T) {
	ctx, q := t.Context(), pathQuery(t, 2)
	third, rest := big.NewRat(1, 3), big.NewRat(2, 3)
	table := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{third, rest}, {rest, third}}, nil))(t)
	levels := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, []int32{1, 0, 0, 1}))(t), ln(t, 2, 1), evidence.Claimed{})
	for name, c := range map[string]struct {
		m   mechanism.Mechanism
		src same
	}{"a third of a table": {table, 0x5555555555555555}, "two thirds of levels": {levels, 0xaaaaaaaaaaaaaaaa}, "nothing": {empty{table}, 0}} {
		if out, err := mechanism.Release(ctx, c.m, 0, 1, c.src); out != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}

// same is a source whose words are all the same.
type same uint64

func (s same) Uint64() uint64 { return uint64(s) }

// empty gives nothing any probability.
type empty struct{ mechanism.Mechanism }

func (empty) Rational(int, int) (*big.Rat, bool) { return new(big.Rat), true }

// opaque hides all but enclosures of a mechanism's probabilities.
type opaque struct{ mechanism.Mechanism }

func (opaque) Rational(int, int) (*big.Rat, bool) { return nil, false }
