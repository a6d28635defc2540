package xor_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/xor"
)

// Without a source a release draws from the system's, by exact methods alone, and says
// that it is exact.
func TestReleaseOfSystem(t *testing.T) {
	query := must.Be(xor.ParseBits([][]float64{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}}))
	closed := must.Be(xor.NewUniform(3, 3, .7, .1))
	listed := must.Be(xor.NewBernoulli([][]float64{{1, .4, 0}, {.4, -.5, 0}, {0, 0, .3}}, nil, 3))
	for _, b := range []*xor.Bernoulli{closed, listed} {
		for _, src := range []rand.Source{nil, xor.NewCryptoSource()} {
			for _, method := range []xor.Method{"", xor.Auto, xor.Enumerated, xor.Perfect} {
				out, report, err := xor.Release(ctx, query, b, xor.ReleaseOptions{Method: method}, src)
				if err != nil || out == nil || !report.Exact || !strings.HasPrefix(report.Note, "exact in law") {
					t.Errorf("%q: %+v, %v", method, report, err)
				}
			}
			for _, method := range []xor.Method{xor.EHMC, xor.Gibbs, xor.Published} {
				if _, _, err := xor.Release(ctx, query, b, xor.ReleaseOptions{Method: method}, src); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want closed, enumerate or perfect") {
					t.Errorf("%q gives %v", method, err)
				}
			}
		}
		if _, _, err := xor.ReleaseGraph(ctx, query, b, xor.ReleaseOptions{}, nil); err != nil {
			t.Error(err)
		}
	}
}

// Noise of blocks against the product of their laws, at a false-positive rate of 1e-6; a
// block with a weight 5% off is told.
func TestPartitionRelease(t *testing.T) {
	q := must.Be(xor.Divide(xor.Budget{N: 3, P: 1, Epsilon: nats(1), Alpha: .6, Sensitivity: 1}, 2, 1))
	query := must.Be(xor.ParseBits([][]float64{{1}, {0}, {1}}))
	const draws, rate, state = 1_000_000, 1e-6, 0b101
	counts, src := make([]int, 8), rand.NewPCG(26, 8)
	for range draws {
		out, report, err := q.Release(ctx, query, xor.ReleaseOptions{}, src)
		if err != nil || !report.Exact || report.Method != xor.Closed {
			t.Fatal(report, err)
		}
		counts[state^stateOf(out.Flat())]++
	}
	pair, single := must.Be(ehmc.Probabilities(q.Tiles[0].Law)), must.Be(ehmc.Probabilities(q.Tiles[1].Law))
	law, off := make([]float64, 8), make([]float64, 8)
	sum := 0.0
	for s := range law {
		law[s] = pair[s&3] * single[s>>2]
		off[s] = law[s]
		if s&3 == 3 {
			off[s] *= 1.05
		}
		sum += off[s]
	}
	for s := range off {
		off[s] /= sum
	}
	if _, _, tail := stattest.ChiSquare(counts, law); tail < rate {
		t.Errorf("chi-square tail %g", tail)
	}
	if _, _, tail := stattest.ChiSquare(counts, off); tail >= rate {
		t.Errorf("a weight 5%% off passes, with tail %g", tail)
	}
	plain, _, _ := q.Release(ctx, query, xor.ReleaseOptions{Method: xor.Closed}, rand.NewPCG(1, 1))
	turned, _, err := q.Release(ctx, query, xor.ReleaseOptions{Complement: true}, rand.NewPCG(1, 1))
	if err != nil || must.Be(plain.Xor(turned)).Ones() != 3 {
		t.Errorf("the complement's release is not the complement of the release: %v", err)
	}
	if _, _, err := q.Release(ctx, query, xor.ReleaseOptions{}, nil); err != nil {
		t.Error(err)
	}
	for _, method := range []xor.Method{xor.Enumerated, xor.Perfect, xor.EHMC, "magic"} {
		if _, _, err := q.Release(ctx, query, xor.ReleaseOptions{Method: method}, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%q gives %v", method, err)
		}
	}
	if _, _, err := q.Release(ctx, must.Be(xor.NewBits(3, 2)), xor.ReleaseOptions{}, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a matrix of another shape gives %v", err)
	}
}

// Laws of float64 weights are for research.
func TestNoiseLawReleaseRefuses(t *testing.T) {
	weights := must.Be(xor.NewWeightedNoiseLaw(1, 1, []float64{.7, .3}))
	if _, err := weights.Release(must.Be(xor.NewBits(1, 1)), nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want rational probabilities") {
		t.Errorf("float64 weights give %v", err)
	}
	if _, err := responses(2, 2).Release(must.Be(xor.NewBits(1, 2)), nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a matrix of another shape gives %v", err)
	}
	if _, err := responses(2, 2).Release(must.Be(xor.NewBits(2, 2)), nil); err != nil {
		t.Error(err)
	}
}
