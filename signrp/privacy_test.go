package signrp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"
)

func eps(t testing.TB, v float64) evidence.Epsilon {
	t.Helper()
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func lnEps(t testing.TB, num, den int64) evidence.Epsilon {
	t.Helper()
	e, err := evidence.LogEpsilon("eps", big.NewRat(num, den))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Appendix A's iDP-SignRP-RR at k = 1, p = 2, W = (1, 1), β = 1: u = (0.6, 0.5)
// never flips, u' = (−0.4, 0.5) does.
func ExampleRelease_PairEpsilon() {
	one, _ := evidence.NewEpsilon("eps", 1)
	w := seek([][]float64{{1}, {1}})
	r, _ := NewIndividual(w, one, RandomizedResponse, 0, 1)
	e, _ := r.PairEpsilon([]float64{0.6, 0.5}, []float64{-0.4, 0.5})
	fmt.Println(r.ClaimedEpsilon().Value, e.Float())
	fmt.Println(r.Label())
	// Output:
	// 1 +Inf
	// individual, data-dependent: not differential privacy
}

// seek finds a seed whose Rademacher matrix is the given one.
func seek(m [][]float64) *Projection {
	for seed := uint64(0); ; seed++ {
		w, err := New(Rademacher, len(m), len(m[0]), 0, seed)
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
		if err != nil && w.NonZero() == 0 {
			return // a sparse W of zeros has no noise to calibrate
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	add(NewSignRP(w, e, SignOptions{Noise: RandomizedResponse, Beta: beta}))
	add(NewSignRP(w, e, SignOptions{Noise: RandomizedResponse, Beta: beta, Smoothing: true}))
	add(NewSignRP(w, e, SignOptions{Noise: RandomizedResponse, Beta: beta, Delta: 0.3}))
	add(NewSignRP(w, e, SignOptions{Noise: GaussianNoise, Beta: beta, Delta: 1e-3}))
	add(NewIndividual(w, e, RandomizedResponse, 0, beta))
	add(NewIndividual(w, e, GaussianNoise, 1e-3, beta))
	return out
}

// written is the decimal that v prints as.
func written(v float64) *big.Rat {
	q, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok {
		panic(v)
	}
	return q
}

// chances are Pr[+1] and Pr[−1], neither by cancellation.
type chances struct{ plus, minus float64 }

// slowLaw returns the chances of every sign from the algorithms' text, in float64
// with sums in rationals; it shares nothing with law but σ and N₊.
func slowLaw(t testing.TB, r *Release, u []float64) []chances {
	t.Helper()
	w := r.w
	m, err := w.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	d, largest := make([]*big.Rat, w.k), make([]float64, w.k)
	for j := range d {
		d[j] = new(big.Rat)
		for i, c := range u {
			x := written(c)
			d[j].Add(d[j], x.Mul(x, new(big.Rat).SetFloat64(m[i][j])))
			largest[j] = math.Max(largest[j], math.Abs(m[i][j]))
		}
	}
	reach := func(j int) *big.Rat {
		q := written(r.beta)
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
	if r.rule == randomizedSigns && r.delta > 0 && w.kind != OPORP {
		count, err := r.sharedBy(norm(u))
		if err != nil {
			t.Fatal(err)
		}
		share = float64(count)
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
				sigma, err := r.individualSigma(outside, n)
				if err != nil {
					t.Fatal(err)
				}
				out[j] = fixed(s)
				if sigma > 0 {
					out[j] = phi(x / w.scale() / sigma)
				}
			}
		}
	}
	return out
}

// brute returns the smallest ε and δ(ε) over all 2^k patterns.
func brute(p, q []chances, eps float64) (smallest, delta float64) {
	var sums [2]float64
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
		sums[0] += math.Max(0, a-math.Exp(eps)*b)
		sums[1] += math.Max(0, b-math.Exp(eps)*a)
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

// lattice vectors put signs and levels on their edges.
func edgyVector(rng *rand.Rand, p, style int) []float64 {
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

// Smallest ε and δ(ε) of every release of signs against all sign patterns,
// k ≤ 8, for pairs that need not be neighbors.
func TestPairAgainstAllPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for trial := range 40 {
		p, k := 1+rng.IntN(6), 1+rng.IntN(8)
		e := eps(t, []float64{0.3, 1, 4}[trial%3])
		if trial%4 == 0 {
			e = lnEps(t, 3, 1).Times(int64(k))
		}
		beta := []float64{1, 0.5, 0.3}[rng.IntN(3)]
		for _, w := range allKinds(t, p, k, uint64(trial)) {
			for _, r := range everyRelease(t, w, e, beta) {
				u := edgyVector(rng, p, trial)
				v := append([]float64(nil), u...)
				i := rng.IntN(p)
				v[i] = math.Max(-1, math.Min(1, u[i]+[]float64{beta, -beta}[rng.IntN(2)]))
				if trial%5 == 0 {
					v = edgyVector(rng, p, trial+1)
				}
				a, b := slowLaw(t, r, u), slowLaw(t, r, v)
				at := []float64{0.1, 0.7, 2}[rng.IntN(3)]
				wantEps, wantDelta := brute(a, b, at)
				got, err := r.PairEpsilon(u, v)
				if err != nil {
					t.Fatal(err)
				}
				if !agrees(got, wantEps, 1e-9*(1+wantEps)) {
					t.Errorf("%s, %s W, k = %d, u = %v, v = %v: smallest ε %v, all patterns %v", r.name, w.kind, k, u, v, got, wantEps)
				}
				delta, err := r.PairDelta(eps(t, at), u, v)
				if err != nil {
					t.Fatal(err)
				}
				if !agrees(delta, wantDelta, 1e-10) {
					t.Errorf("%s, %s W, k = %d, u = %v, v = %v: δ(%g) = %v, all patterns %v", r.name, w.kind, k, u, v, at, delta, wantDelta)
				}
				if r.rule == randomizedSigns && r.delta == 0 && got.Kind() != evidence.KindExact {
					t.Errorf("%s: smallest ε is %s, want exact", r.name, got.Kind())
				}
				if r.Individual() && (!strings.Contains(got.Origin(), IndividualLabel) || !strings.Contains(delta.Origin(), IndividualLabel) || !strings.Contains(r.ClaimedEpsilon().Origin(), IndividualLabel)) {
					t.Errorf("%s: evidence without its label: %q", r.name, got.Origin())
				}
			}
		}
	}
}

// δ is a rational where e^ε' and e^ε are. All three signs of u and v differ: at
// Pr[keep] = 2/3 the patterns weigh 8, 3·4, 3·2 and 1 of 27 against the reverse,
// and δ(ln 3/2) = (8 + 12)/27 − 3/2·(1 + 6)/27 = 19/54.
func TestExactDelta(t *testing.T) {
	w := seek([][]float64{{1, 1, -1}, {-1, 1, 1}})
	r, err := NewSignRP(w, lnEps(t, 2, 1).Times(3), SignOptions{Noise: RandomizedResponse, Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	u, v := []float64{0.5, 0.25}, []float64{-0.5, 0.25}
	d, err := r.PairDelta(lnEps(t, 3, 2), u, v)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := d.(evidence.Exact); !ok || got.Value.Cmp(big.NewRat(19, 54)) != 0 {
		t.Errorf("δ = %v, want 19/54", d)
	}
	e, err := r.PairEpsilon(u, v)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := e.(evidence.ExactLog); !ok || got.Argument.Cmp(big.NewRat(8, 1)) != 0 {
		t.Errorf("smallest ε = %v, want ln 8", e)
	}
}

// The sweep finds the worst of many neighbors, ends and inner points alike, and
// none is worse.
func TestNeighborsAgainstManyPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	ctx := context.Background()
	for trial := range 12 {
		p, k := 1+rng.IntN(5), 1+rng.IntN(8)
		beta := []float64{1, 0.5, 0.25, 2.5}[trial%4]
		e := eps(t, []float64{0.5, 2}[trial%2])
		for _, w := range allKinds(t, p, k, uint64(trial)) {
			for _, r := range everyRelease(t, w, e, beta) {
				u := edgyVector(rng, p, trial)
				worst, err := r.NeighborEpsilon(ctx, u)
				if err != nil {
					t.Fatal(err)
				}
				lo, hi := worst.Epsilon.Bounds()
				a := slowLaw(t, r, u)
				found := 0.0
				for i := range u {
					for n := range 21 {
						v := append([]float64(nil), u...)
						v[i] = math.Max(-1, math.Min(1, u[i]+beta*float64(n-10)/10))
						got, _ := brute(a, slowLaw(t, r, v), 1)
						found = math.Max(found, got)
					}
				}
				if found > hi*(1+1e-9)+1e-12 {
					t.Errorf("%s, %s W, β = %g, u = %v: a neighbor has %v, sweep [%v, %v]", r.name, w.kind, beta, u, found, lo, hi)
				}
				if found < lo*(1-1e-9)-1e-12 {
					t.Errorf("%s, %s W, β = %g, u = %v: worst of many %v, sweep [%v, %v] at %d → %v", r.name, w.kind, beta, u, found, lo, hi, worst.Coordinate, worst.To)
				}
				ball, err := r.BallEpsilon(ctx, u)
				if err != nil {
					t.Fatal(err)
				}
				if ball.Hi < hi*(1-1e-12) {
					t.Errorf("%s: ball %v below the neighbors' %v", r.name, ball, worst.Epsilon)
				}
				for range 5 { // points of the ball
					v := append([]float64(nil), u...)
					left := beta
					for range 3 {
						i, step := rng.IntN(p), left*rng.Float64()
						left -= step
						v[i] = math.Max(-1, math.Min(1, v[i]+step*float64(1-2*rng.IntN(2))))
					}
					if got, _ := brute(a, slowLaw(t, r, v), 1); got > ball.Hi*(1+1e-9)+1e-12 {
						t.Errorf("%s: %v in the ball has %v, bound %v", r.name, v, got, ball.Hi)
					}
				}
				public, err := r.PublicEpsilon()
				if err != nil {
					t.Fatal(err)
				}
				if r.rule != noisySigns && upper(public) < lo*(1-1e-12) {
					t.Errorf("%s, %s W, β = %g, u = %v: individual %v above differential privacy %v", r.name, w.kind, beta, u, worst.Epsilon, public)
				}
			}
		}
	}
}

// Reading (ii) in closed form: the pair −t e_i, t e_i reaches it.
func TestPublicEpsilonIsReached(t *testing.T) {
	for _, w := range allKinds(t, 9, 8, 4) {
		for _, smoothing := range []bool{false, true} {
			r, err := NewSignRP(w, eps(t, 2), SignOptions{Noise: RandomizedResponse, Beta: 0.5, Smoothing: smoothing})
			if err != nil {
				t.Fatal(err)
			}
			public, err := r.PublicEpsilon()
			if err != nil {
				t.Fatal(err)
			}
			u, v := r.centredPair()
			pair, err := r.PairEpsilon(u, v)
			if err != nil {
				t.Fatal(err)
			}
			want := 2 * float64(w.NonZero()) / 8
			if w.Kind() == OPORP {
				want = 2
			}
			if public.Float() != want || public.Kind() != evidence.KindExact || !agrees(pair, want, 1e-12) {
				t.Errorf("%s, %s W: public %v, pair %v, want %v", r.name, w.Kind(), public, pair, want)
			}
		}
	}
}

// The grid that encloses δ for many Gaussian bits brackets the enumeration.
func TestLatticeStickBrackets(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range 20 {
		bits := make([]coinLoss, 12)
		for j := range bits {
			p, q := 0.02+0.96*rng.Float64(), 0.0
			q = math.Max(0.01, math.Min(0.99, p+0.2*(rng.Float64()-0.5)))
			minus := math.Log((1 - p) / (1 - q))
			bits[j] = coinLoss{p, 1 - p, minus, math.Log(p/q) - minus}
		}
		base := 0.0
		for _, b := range bits {
			base += b.base
		}
		for _, threshold := range []float64{-0.5, 0, 0.3, 1} {
			lo, hi, _ := hockeyStick(context.Background(), bits, threshold, 0)
			wideLo, wideHi, _ := latticeStick(context.Background(), append([]coinLoss(nil), bits...), base, threshold, 0)
			if wideLo > hi || wideHi < lo || wideHi-wideLo > 1e-3 {
				t.Errorf("threshold %g: enumerated [%v, %v], grid [%v, %v]", threshold, lo, hi, wideLo, wideHi)
			}
		}
	}
}

// DP-SignRP-G at k = 512: individual δ below the claim, and ε at δ below ε.
func TestManyGaussianSigns(t *testing.T) {
	w, err := New(Rademacher, 100, 512, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewSignRP(w, eps(t, 1), SignOptions{Noise: GaussianNoise, Beta: 1, Delta: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	u, v := r.centredPair()
	d, err := r.PairDelta(eps(t, 1), u, v)
	if err != nil {
		t.Fatal(err)
	}
	if d.Float() > 1e-6 {
		t.Errorf("δ(1) = %v of a post-processing, claimed 1e-6", d)
	}
	e, err := r.PairEpsilonAt(1e-6, u, v)
	if err != nil {
		t.Fatal(err)
	}
	public, err := r.PublicEpsilon()
	if err != nil {
		t.Fatal(err)
	}
	if !(e.Hi <= 1 && e.Hi-e.Lo < 0.05 && e.Lo > 0.5) || upper(public) > 1+1e-9 {
		t.Errorf("ε(1e-6) = %v, public %v, want within 1", e, public)
	}
	t.Logf("pair %v, δ(1) %v, public %v", e, d, public)
}

// Numbers: the analytic Gaussian curve at the distance of the projections.
func TestNumbersPrivacy(t *testing.T) {
	ctx := context.Background()
	for _, w := range allKinds(t, 20, 8, 2) {
		r, err := NewRP(w, eps(t, 1), 1e-5, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		public, err := r.PublicEpsilon()
		if err != nil {
			t.Fatal(err)
		}
		if !agrees(public, 1, 1e-9) {
			t.Errorf("%s: public ε %v, want 1: σ is calibrated to it", r.name, public)
		}
		u := make([]float64, 20)
		worst, err := r.NeighborEpsilon(ctx, u)
		if err != nil {
			t.Fatal(err)
		}
		if !agrees(worst.Epsilon, 1, 1e-9) {
			t.Errorf("%s, %s: neighbors of 0: %v, want 1", r.name, w.kind, worst.Epsilon)
		}
		v := append([]float64(nil), u...)
		v[worst.Coordinate] = worst.To
		pair, err := r.PairEpsilon(u, v)
		if err != nil {
			t.Fatal(err)
		}
		if !agrees(pair, worst.Epsilon.Float(), 1e-9) {
			t.Errorf("%s: pair %v, worst %v", r.name, pair, worst.Epsilon)
		}
		same, err := r.PairEpsilon(u, u)
		if err != nil || same.Float() != 0 {
			t.Errorf("a vector and itself: %v, %v", same, err)
		}
	}
}

func TestReleaseBadInput(t *testing.T) {
	w, _ := New(Rademacher, 3, 2, 0, 0)
	e := eps(t, 1)
	rejects := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
	for _, beta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := NewRP(w, e, 1e-6, beta)
		rejects("beta", err)
		_, err = NewRaw(3, e, 1e-6, beta)
		rejects("beta", err)
		_, err = NewSignRP(w, e, SignOptions{Noise: RandomizedResponse, Beta: beta})
		rejects("beta", err)
		_, err = NewIndividual(w, e, RandomizedResponse, 0, beta)
		rejects("beta", err)
	}
	for _, delta := range []float64{0, 1, -0.1, math.NaN()} {
		_, err := NewRP(w, e, delta, 1)
		rejects("delta", err)
		_, err = NewSignRP(w, e, SignOptions{Noise: GaussianNoise, Delta: delta, Beta: 1})
		rejects("delta", err)
		_, err = NewIndividual(w, e, GaussianNoise, delta, 1)
		rejects("delta", err)
	}
	_, err := NewSignRP(w, e, SignOptions{Noise: "laplace", Beta: 1})
	rejects("noise", err)
	_, err = NewSignRP(w, e, SignOptions{Noise: RandomizedResponse, Delta: 1e-6, Smoothing: true, Beta: 1})
	rejects("smoothing with delta", err)
	_, err = NewRaw(0, e, 1e-6, 1)
	rejects("p", err)
	r, err := NewSignRP(w, e, SignOptions{Noise: RandomizedResponse, Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range [][]float64{{1, 2, 0}, {0, 0}, {0, 0, math.NaN()}} {
		_, err = r.Draw(u, rand.NewPCG(0, 0))
		rejects("draw", err)
		_, err = r.PairEpsilon(u, []float64{0, 0, 0})
		rejects("pair", err)
		_, err = r.NeighborEpsilon(context.Background(), u)
		rejects("neighbors", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.NeighborEpsilon(ctx, []float64{0, 0, 0}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
