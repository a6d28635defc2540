package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// projectionWith finds a seed whose Rademacher matrix is m.
func projectionWith(m [][]float64) *signrp.Projection {
	for seed := uint64(0); ; seed++ {
		w, err := signrp.NewProjection(signrp.Rademacher, len(m), len(m[0]), signrp.ProjectionOptions{Seed: seed})
		if err != nil {
			panic(err)
		}
		got, _ := w.Matrix()
		if fmt.Sprint(got) == fmt.Sprint(m) {
			return w
		}
	}
}

// chances holds Pr[+1] and Pr[−1] of one sign, each computed without cancellation.
type chances struct{ plus, minus float64 }

// slowLaw returns the probabilities of every sign, computed directly from the papers' algorithms. It uses float64, with
// rational sums, and takes only the σ of DP-SignRP-G from the release.
func slowLaw(t testing.TB, r *signrp.Release, u []float64) []chances {
	t.Helper()
	w, individual, eps := r.Projection(), r.Individual(), r.ClaimedEpsilon().Epsilon
	flips, levels := !strings.HasSuffix(r.Name(), "-G"), strings.HasSuffix(r.Name(), "-smooth")
	scale := math.Sqrt(float64(w.K()))
	if w.Kind() == signrp.OPORP {
		scale = 1
	}
	m := must.Be(w.Matrix())
	d, largest := make([]*big.Rat, w.K()), make([]float64, w.K())
	entries, product := make([]*big.Rat, len(u)), new(big.Rat)
	for i, c := range u {
		entries[i] = signrp.PrintedDecimal(c)
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
		q := signrp.PrintedDecimal(r.Beta())
		return q.Mul(q, new(big.Rat).SetFloat64(largest[j]))
	}
	var inA []bool
	n := 0
	rows := make([]float64, w.P())
	for j := range d {
		inA = append(inA, new(big.Rat).Abs(d[j]).Cmp(reach(j)) <= 0)
		if inA[j] {
			n++
			for i := range rows {
				rows[i] += m[i][j] * m[i][j]
			}
		}
	}
	share := float64(w.K())
	if w.Kind() == signrp.OPORP {
		share = 1
	}
	if flips && !individual && !r.Delta().IsZero() && w.Kind() != signrp.OPORP && norm(u) > 0 {
		reach := must.Be(signrp.PublishedRademacher(r.Beta()/norm(u), w.P()))
		if w.Kind() != signrp.Rademacher {
			reach = must.Be(signrp.PublishedGaussian(r.Beta()/norm(u), w.P()))
		}
		share = float64(must.Be(signrp.ChernoffCount(reach.Value, w.K(), r.Delta())))
	}
	phi := func(z float64) chances { return chances{math.Erfc(-z/math.Sqrt2) / 2, math.Erfc(z/math.Sqrt2) / 2} }
	fixed := func(s float64) chances { return chances{(1 + s) / 2, (1 - s) / 2} }
	out := make([]chances, w.K())
	for j := range out {
		x, _ := d[j].Float64()
		s := 1.0
		if d[j].Sign() < 0 {
			s = -1
		}
		logistic := func(a float64) chances { return chances{1 / (1 + math.Exp(-a)), 1 / (1 + math.Exp(a))} }
		switch {
		case individual && !inA[j]:
			out[j] = fixed(s)
		case individual && flips:
			out[j] = logistic(s * eps.Value() / float64(n))
		case individual:
			reach := r.Beta() * math.Sqrt(slices.Max(rows)) / scale
			if out[j] = fixed(s); reach > 0 {
				out[j] = phi(x / scale / must.Be(gaussian.Sigma(eps, r.Delta(), reach)).Hi)
			}
		case !flips:
			out[j] = phi(x / scale / must.Be(r.Sigma()).Hi)
		case levels:
			q := new(big.Rat)
			if largest[j] > 0 {
				q.Quo(new(big.Rat).Abs(d[j]), reach(j))
			}
			level := new(big.Int).Quo(new(big.Int).Sub(new(big.Int).Add(q.Num(), q.Denom()), big.NewInt(1)), q.Denom())
			out[j] = logistic(s * float64(level.Int64()) * eps.Value() / share)
		default:
			out[j] = logistic(s * eps.Value() / share)
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

func deltaOf(t testing.TB, c privacy.Profile, e evidence.Epsilon) evidence.Number {
	return must.Be(c.Delta(context.Background(), e))
}

func ballOf(t testing.TB, r *signrp.Release, u []float64) evidence.Number {
	return must.Be(r.Ball(u).Epsilon(context.Background(), signrp.DeltaForEpsilon(r)))
}

// publicOf returns the public ε of a release: at the release's δ if the noise is Gaussian, otherwise at δ = 0.
func publicOf(t testing.TB, r *signrp.Release) evidence.Number {
	t.Helper()
	var delta evidence.Delta
	if r.HasSigma() {
		delta = r.Delta()
	}
	return must.Be(r.Public().Epsilon(context.Background(), delta))
}

func lower(n evidence.Number) float64 {
	lo, _ := n.Bounds()
	return lo
}

func upper(n evidence.Number) float64 {
	_, hi := n.Bounds()
	return hi
}

func norm(u []float64) (length float64) {
	for _, v := range u {
		length = math.Hypot(length, v)
	}
	return length
}

// plainFlips reports whether a release flips every sign with one public probability.
func plainFlips(r *signrp.Release) bool {
	return r.Delta().IsZero() && !r.Individual() && strings.HasSuffix(r.Name(), "-RR")
}

// sigmaOf returns the σ with which a release draws noise.
func sigmaOf(r *signrp.Release) float64 { return must.Be(r.Sigma()).Hi }
