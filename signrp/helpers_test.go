package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/privacy"
)

func eps(t testing.TB, v float64) evidence.Epsilon {
	t.Helper()
	e := must(evidence.NewEpsilon("eps", v))
	return e
}

func lnEps(t testing.TB, num, den int64) evidence.Epsilon {
	t.Helper()
	e := must(evidence.LogEpsilon("eps", big.NewRat(num, den)))
	return e
}

// projectionWith finds a seed whose Rademacher matrix is m.
func projectionWith(m [][]float64) *Projection {
	for seed := uint64(0); ; seed++ {
		w, err := NewProjection(Rademacher, len(m), len(m[0]), ProjectionOptions{Seed: seed})
		if err != nil {
			panic(err)
		}
		got, _ := w.Matrix()
		if fmt.Sprint(got) == fmt.Sprint(m) {
			return w
		}
	}
}

// everyRelease returns each release of signs for a projection.
func everyRelease(t testing.TB, w *Projection, e evidence.Epsilon, beta float64) []*Release {
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

// printedDecimal returns the decimal that v prints as.
func printedDecimal(v float64) *big.Rat {
	q, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok {
		panic(v)
	}
	return q
}

// chances are Pr[+1] and Pr[−1], each computed without cancellation.
type chances struct{ plus, minus float64 }

// slowLaw returns the probabilities of every sign, written from the papers' algorithms. It uses float64, with rational
// sums, and shares only σ and N₊ with law.
func slowLaw(t testing.TB, r *Release, u []float64) []chances {
	t.Helper()
	w := r.w
	m := must(w.Matrix())
	d, largest := make([]*big.Rat, w.k), make([]float64, w.k)
	entries, product := make([]*big.Rat, len(u)), new(big.Rat)
	for i, c := range u {
		entries[i] = printedDecimal(c)
	}
	for j := range d {
		d[j] = new(big.Rat)
		for i := range u {
			if m[i][j] != 0 {
				d[j].Add(d[j], product.Mul(entries[i], new(big.Rat).SetFloat64(m[i][j])))
			}
			largest[j] = math.Max(largest[j], math.Abs(m[i][j]))
		}
	}
	reach := func(j int) *big.Rat {
		q := printedDecimal(r.beta)
		return q.Mul(q, new(big.Rat).SetFloat64(largest[j]))
	}
	var inA []bool
	n := 0
	rows := make([]float64, w.p)
	for j := range d {
		inA = append(inA, new(big.Rat).Abs(d[j]).Cmp(reach(j)) <= 0)
		if inA[j] {
			n++
			for i := range rows {
				rows[i] += m[i][j] * m[i][j]
			}
		}
	}
	share := float64(w.k)
	if w.kind == OPORP {
		share = 1
	}
	if r.rule == randomizedSigns && !r.delta.IsZero() && w.kind != OPORP {
		share = float64(r.sharedBy(norm(u)))
	}
	phi := func(z float64) chances { return chances{math.Erfc(-z/math.Sqrt2) / 2, math.Erfc(z/math.Sqrt2) / 2} }
	fixed := func(s float64) chances { return chances{(1 + s) / 2, (1 - s) / 2} }
	out := make([]chances, w.k)
	for j := range out {
		x, _ := d[j].Float64()
		s := 1.0
		if d[j].Sign() < 0 {
			s = -1
		}
		logistic := func(a float64) chances { return chances{1 / (1 + math.Exp(-a)), 1 / (1 + math.Exp(a))} }
		switch r.rule {
		case randomizedSigns:
			out[j] = logistic(s * r.eps.Value() / share)
		case smoothSigns:
			q := new(big.Rat)
			if largest[j] > 0 {
				q.Quo(new(big.Rat).Abs(d[j]), reach(j))
			}
			level := new(big.Int).Quo(new(big.Int).Sub(new(big.Int).Add(q.Num(), q.Denom()), big.NewInt(1)), q.Denom())
			out[j] = logistic(s * float64(level.Int64()) * r.eps.Value() / share)
		case noisySigns:
			out[j] = phi(x / w.scale() / r.sigma.Hi)
		default:
			largestRow := 0.0
			for _, v := range rows {
				largestRow = math.Max(largestRow, v)
			}
			switch {
			case !inA[j]:
				out[j] = fixed(s)
			case r.rule == individualRR:
				out[j] = logistic(s * r.eps.Value() / float64(n))
			default:
				outside := make([]bool, w.k)
				for l := range outside {
					outside[l] = !inA[l]
				}
				sigma := must(r.individualSigma(context.Background(), outside, n))
				out[j] = fixed(s)
				if sigma > 0 {
					out[j] = phi(x / w.scale() / sigma)
				}
			}
		}
	}
	return out
}

// bruteForce returns the smallest ε and δ(ε) over all 2^k patterns.
func bruteForce(p, q []chances, eps float64) (smallest, delta float64) {
	sums, factor := [2]float64{}, math.Exp(eps)
	for pattern := range 1 << len(p) {
		a, b := 1.0, 1.0
		for j := range p {
			if pattern>>j&1 == 1 {
				a, b = a*p[j].plus, b*q[j].plus
			} else {
				a, b = a*p[j].minus, b*q[j].minus
			}
		}
		if a > 0 || b > 0 {
			smallest = math.Max(smallest, math.Abs(math.Log(a/b)))
		}
		sums[0] += max(0, a-factor*b)
		sums[1] += max(0, b-factor*a)
	}
	return smallest, math.Max(sums[0], sums[1])
}

func agrees(n evidence.Number, want, tolerance float64) bool {
	lo, hi := n.Bounds()
	if math.IsInf(want, 1) {
		return math.IsInf(n.Float(), 1)
	}
	return lo <= want+tolerance && hi >= want-tolerance && hi-lo <= 2*tolerance
}

// boundaryVector returns a random vector. In style 1 its entries are on a lattice, so signs and levels are on their
// boundaries.
func boundaryVector(rng *rand.Rand, p, style int) []float64 {
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

// deltaForEpsilon returns the δ at which the tests ask for the smallest ε: the release's own δ for numbers, 0 for
// signs.
func deltaForEpsilon(r *Release) evidence.Delta {
	if r.rule == numbers {
		return r.delta
	}
	return evidence.Delta{}
}

func smallestOf(t testing.TB, r *Release, u, v []float64) evidence.Number {
	t.Helper()
	e := must(r.Pair(u, v).Epsilon(context.Background(), deltaForEpsilon(r)))
	return e
}

func deltaOf(t testing.TB, c privacy.Profile, e evidence.Epsilon) evidence.Number {
	t.Helper()
	d := must(c.Delta(context.Background(), e))
	return d
}

func worstOf(t testing.TB, r *Release, u []float64) Worst {
	t.Helper()
	w := must(r.Neighbors(u).Worst(context.Background()))
	return w
}

func ballOf(t testing.TB, r *Release, u []float64) evidence.Number {
	t.Helper()
	e := must(r.Ball(u).Epsilon(context.Background(), deltaForEpsilon(r)))
	return e
}

// publicOf returns the public ε of a release, at its δ if the noise is Gaussian.
func publicOf(t testing.TB, r *Release) evidence.Number {
	t.Helper()
	var delta evidence.Delta
	if r.HasSigma() {
		delta = r.delta
	}
	e := must(r.Public().Epsilon(context.Background(), delta))
	return e
}
