package signrp

// Helpers of the tests inside and outside the package.

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// EveryRelease returns each release of signs for a projection.
func EveryRelease(t testing.TB, w *Projection, e evidence.Epsilon, beta float64) []*Release {
	t.Helper()
	var out []*Release
	add := func(r *Release, err error) {
		t.Helper()
		if err != nil && w.nonZero() == 0 {
			return // a sparse W of zeros has no noise to calibrate
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	add(NewSignRP(context.Background(), w, e, SignOptions{Noise: RandomizedResponse, Beta: beta}))
	add(NewSignRP(context.Background(), w, e, SignOptions{Noise: RandomizedResponse, Beta: beta, Smoothing: true}))
	add(NewSignRP(context.Background(), w, e, SignOptions{Noise: RandomizedResponse, Beta: beta, Delta: evidencetest.Delta(0.3)}))
	add(NewSignRP(context.Background(), w, e, SignOptions{Noise: GaussianNoise, Beta: beta, Delta: evidencetest.Delta(1e-3)}))
	add(NewIndividual(w, e, SignOptions{Noise: RandomizedResponse, Beta: beta}))
	add(NewIndividual(w, e, SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: beta}))
	return out
}

// AllReleases returns every release of W, those of numbers included.
func AllReleases(t testing.TB, w *Projection) []*Release {
	out := EveryRelease(t, w, evidencetest.Epsilon(2), .25)
	r := must.Be(NewRP(context.Background(), w, evidencetest.Epsilon(2), evidencetest.Delta(1e-3), RPOptions{Beta: .25}))
	raw := must.Be(NewRaw(w.P(), evidencetest.Epsilon(2), evidencetest.Delta(1e-3), RPOptions{Beta: .25}))
	return append(out, r, raw)
}

// AllKinds returns a projection of each kind; OPORP needs k ≤ p.
func AllKinds(t testing.TB, p, k int, seed uint64) []*Projection {
	var out []*Projection
	for _, kind := range []Kind{Rademacher, Gaussian, Uniform, Sparse} {
		out = append(out, must.Be(NewProjection(kind, p, k, ProjectionOptions{Sparsity: 3, Seed: seed})))
	}
	if k <= p {
		out = append(out, must.Be(NewOPORP(context.Background(), p, k, seed)))
	}
	return out
}

// PrintedDecimal returns the decimal that v prints as.
func PrintedDecimal(v float64) *big.Rat {
	q, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok {
		panic(v)
	}
	return q
}

// RandomVector returns a uniform vector of [−1, 1]^p.
func RandomVector(rng *rand.Rand, p int) []float64 {
	u := make([]float64, p)
	for i := range u {
		u[i] = 2*rng.Float64() - 1
	}
	return u
}

// BoundaryVector returns a random vector. In style 1 its entries are on a lattice, so signs and levels are on their
// boundaries.
func BoundaryVector(rng *rand.Rand, p, style int) []float64 {
	u := make([]float64, p)
	for i := range u {
		switch style % 3 {
		case 0:
			u[i] = 2*rng.Float64() - 1
		case 1:
			u[i] = float64(rng.IntN(5)-2) / 2
		default:
			u[i] = (2*rng.Float64() - 1) / 8
		}
	}
	return u
}

// NumbersLike returns vectors with entries of many bits, so that no two angles are equal unless two vectors are.
func NumbersLike(rng *rand.Rand, n, p int) (out [][]float64) {
	for v := range n {
		x := make([]float64, p)
		for i := range x {
			x[i] = 2*rng.Float64() - 1
		}
		if v%7 == 6 {
			x = slices.Clone(out[v-2])
		}
		out = append(out, x)
	}
	return out
}

// DeltaForEpsilon returns the δ at which the tests ask for the smallest ε: the release's own δ for numbers, and 0 for
// signs.
func DeltaForEpsilon(r *Release) evidence.Delta {
	if r.Signs() {
		return evidence.Delta{}
	}
	return r.Delta()
}

func SmallestOf(t testing.TB, r *Release, u, v []float64) evidence.Number {
	return must.Be(r.Pair(u, v).Epsilon(context.Background(), DeltaForEpsilon(r)))
}

func WorstOf(t testing.TB, r *Release, u []float64) Worst {
	return must.Be(r.Neighbors(u).Worst(context.Background()))
}

// Discard drops a result and returns its error.
func Discard[T any](_ T, err error) error { return err }

// FreshProjection returns a projection without cached properties. If streamed, it stores no entries either.
func FreshProjection(t testing.TB, kind Kind, p, k int, streamed bool) *Projection {
	t.Helper()
	var w *Projection
	if kind == OPORP {
		w = must.Be(NewOPORP(context.Background(), p, k, 22))
	} else {
		w = must.Be(NewProjection(kind, p, k, ProjectionOptions{Sparsity: 3, Seed: 22}))
	}
	if streamed {
		w.stored = func() [][]float64 { return nil }
	}
	return w
}

// ExhaustivePPlus returns P₊ for Rademacher w by visiting every sign pattern. It computes with the shortest decimals of
// u and β as rationals.
func ExhaustivePPlus(u []float64, beta float64) *big.Rat {
	p := len(u)
	rats := make([]*big.Rat, p)
	for i, v := range u {
		rats[i], _ = new(big.Rat).SetString(fmt.Sprint(v))
	}
	limit, _ := new(big.Rat).SetString(fmt.Sprint(beta))
	inside := int64(0)
	sum := new(big.Rat)
	for _, r := range rats {
		sum.Sub(sum, r)
	}
	last := 0
	for n := range 1 << p { // Gray code: one sign a step
		gray := n ^ n>>1
		for i, r := range rats {
			if (gray^last)>>i&1 == 1 {
				twice := new(big.Rat).Add(r, r)
				if gray>>i&1 == 1 {
					sum.Add(sum, twice)
				} else {
					sum.Sub(sum, twice)
				}
			}
		}
		last = gray
		if new(big.Rat).Abs(sum).Cmp(limit) <= 0 {
			inside++
		}
	}
	return big.NewRat(inside, 1<<p)
}

// Tenths returns random multiples of a tenth in [−1, 1].
func Tenths(rng *rand.Rand, p int) []float64 {
	u := make([]float64, p)
	for i := range u {
		u[i] = float64(rng.IntN(21)-10) / 10
	}
	return u
}
