package claims

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

const signrpPaper = "Sign projections"

// signrpClaims returns the claims of the appendix of Sign projections.
func signrpClaims() []Claim {
	return slices.Concat(individualClaims(), reachClaims(), signrpFormulas())
}

// signPair is a pair of vectors under a small projection.
type signPair struct {
	p, k int
	seed uint64
	u, v []float64
	eps  float64
}

func (s signPair) projection() *signrp.Projection {
	w, err := signrp.New(signrp.Rademacher, s.p, s.k, 0, s.seed)
	if err != nil {
		panic(err) // the shapes are our own
	}
	return w
}

func (s signPair) epsilon() evidence.Epsilon {
	e, err := evidence.NewEpsilon("eps", s.eps)
	if err != nil {
		panic(err) // likewise
	}
	return e
}

func (s signPair) String() string { return fmt.Sprintf("%d×%d W, seed %d", s.p, s.k, s.seed) }

func (s signPair) describe(constructor string, value string) *Witness {
	w := s.projection()
	rows, err := w.Matrix()
	if err != nil {
		rows = nil
	}
	list := func(u []float64) string { return strings.ReplaceAll(fmt.Sprint(u), " ", ", ") }
	return &Witness{
		Fields: []Field{{"W", fmt.Sprint(rows)}, {"u", list(s.u)}, {"u'", list(s.v)}, {"beta", "1"}, {"eps", fmt.Sprint(s.eps)}},
		Script: fmt.Sprintf("r = %s; print(r.%s)", fmt.Sprintf(constructor, fmt.Sprintf("projection(%d, %d, seed=%d)", s.p, s.k, s.seed)), fmt.Sprintf(value, list(s.u), list(s.v))),
	}
}

// neighborPairs visits neighbors with β = 1 on a grid of halves, for small W.
func neighborPairs(eps float64) iter.Seq[signPair] {
	return func(yield func(signPair) bool) {
		grid := []float64{0, 0.5, -0.5, 1, -1}
		for _, shape := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}} {
			p, k := shape[0], shape[1]
			for seed := range uint64(4) {
				for n := range 25 {
					for _, step := range []float64{0.5, -0.5, 1, -1} {
						u := []float64{grid[n%5], grid[n/5]}[:p]
						v := slices.Clone(u)
						if v[0] += step; math.Abs(v[0]) > 1 || p == 1 && n >= 5 {
							continue
						}
						if !yield(signPair{p, k, seed, u, v, eps}) {
							return
						}
					}
				}
			}
		}
	}
}

func drawPair(rng *rand.Rand) signPair {
	s := signPair{p: 1 + rng.IntN(4), k: 1 + rng.IntN(4), seed: rng.Uint64N(1000), eps: 0.1 + 3*rng.Float64()}
	s.u = make([]float64, s.p)
	for i := range s.u {
		s.u[i] = float64(rng.IntN(21)-10) / 10
	}
	s.v = slices.Clone(s.u)
	i := rng.IntN(s.p)
	s.v[i] = max(-1, min(1, s.u[i]+2*rng.Float64()-1))
	return s
}

// individualClaims holds Theorems A.1, A.2 and 4.6 and the use of N₊.
func individualClaims() []Claim {
	const delta = 1e-6
	individual := func(s signPair, noise signrp.Noise) *signrp.Release {
		r, err := signrp.NewIndividual(s.projection(), s.epsilon(), noise, delta, 1)
		if err != nil {
			panic(err)
		}
		return r
	}
	a1 := statement[signPair]{
		family: "neighbors on a grid of halves, p, k ≤ 2", each: neighborPairs(1), draw: drawPair,
		holds: func(s signPair) (bool, error) {
			d, err := individual(s, signrp.GaussianNoise).PairDelta(s.epsilon(), s.u, s.v)
			if err != nil {
				return false, err
			}
			lo, _ := d.Bounds()
			return lo <= delta, nil
		},
		witness: func(s signPair) *Witness {
			return s.describe(fmt.Sprintf("idp_signrp(%%s, %g, noise=\"gaussian\", delta=1e-6)", s.eps), fmt.Sprintf("delta_at(%g, %%s, %%s)", s.eps))
		},
		measure: func(s signPair) []Item {
			d, err := individual(s, signrp.GaussianNoise).PairDelta(s.epsilon(), s.u, s.v)
			if err != nil {
				return nil
			}
			return []Item{{"δ(ε), claimed 1e-6", d}}
		},
	}
	a2 := statement[signPair]{
		family: a1.family, each: neighborPairs(1), draw: drawPair,
		holds: func(s signPair) (bool, error) {
			e, err := individual(s, signrp.RandomizedResponse).PairEpsilon(s.u, s.v)
			if err != nil {
				return false, err
			}
			lo, _ := e.Bounds()
			return lo <= s.eps*(1+1e-12), nil
		},
		witness: func(s signPair) *Witness {
			return s.describe(fmt.Sprintf("idp_signrp(%%s, %g)", s.eps), "smallest_epsilon(%s, %s)")
		},
		measure: func(s signPair) []Item {
			e, err := individual(s, signrp.RandomizedResponse).PairEpsilon(s.u, s.v)
			if err != nil {
				return nil
			}
			return []Item{{"smallest ε, claimed " + fmt.Sprint(s.eps), e}}
		},
	}
	smooth := statement[signPair]{
		family: a1.family + ", zero projections among them", each: neighborPairs(1), draw: drawPair,
		holds: func(s signPair) (bool, error) {
			// k signs at ε' each: the sum is at most kε' where every sign is at most ε'.
			s.k = 1
			r, err := signrp.NewSignRP(s.projection(), s.epsilon(), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1, Smoothing: true})
			if err != nil {
				return false, err
			}
			e, err := r.PairEpsilon(s.u, s.v)
			if err != nil {
				return false, err
			}
			_, hi := e.Bounds()
			return hi <= s.eps*(1+1e-12), nil
		},
		witness: func(s signPair) *Witness {
			return s.describe(fmt.Sprintf("dp_signrp(%%s, %g, smoothing=True)", s.eps), "smallest_epsilon(%s, %s)")
		},
	}
	return []Claim{{
		ID: "signrp.theoremA1", Paper: signrpPaper, Place: "Theorem A.1",
		Statement:  "iDP-SignRP-G is (ε, δ)-iDP for u",
		Hypotheses: "Definition A.1; Rademacher W; δ = 1e-6",
		Recorded:   evidence.Refuted, check: a1.check,
	}, {
		ID: "signrp.theoremA2", Paper: signrpPaper, Place: "Theorem A.2",
		Statement:  "iDP-SignRP-RR is ε-iDP for u",
		Hypotheses: "Definition A.1; Rademacher W",
		Recorded:   evidence.Refuted, check: a2.check,
	}, {
		ID: "signrp.theorem4.6", Paper: signrpPaper, Place: "Theorem 4.6",
		Statement:  "flipping with probability 1/(e^{L ε/k}+1), L = ⌈|wᵀu|/(β max|w_i|)⌉, is ε/k-DP for each sign",
		Hypotheses: "β-neighbors, wᵀu = 0 included",
		Recorded:   evidence.Confirmed, check: smooth.check,
	}, {
		ID: "signrp.rr", Paper: signrpPaper, Place: "Algorithm 3 and Proposition 4.4",
		Statement:  "flipping at ε' = ε/N with N < k keeps ε-differential privacy",
		Hypotheses: "public Rademacher W, all pairs of neighbors",
		Corrected:  "the same at N = k",
		Recorded:   evidence.Refuted,
		check:      withCorrection(signsSharing(func(k int) int { return k - 1 }).check, signsSharing(func(k int) int { return k }).check),
	}}
}

// shared is a release of k signs that flip at ε/n each.
type shared struct{ p, k, n int }

func signsSharing(count func(k int) int) statement[shared] {
	public := func(s shared) (evidence.Number, error) {
		w, err := signrp.New(signrp.Rademacher, s.p, s.k, 0, 1)
		if err != nil {
			return nil, err
		}
		one, err := evidence.NewEpsilon("eps", 1)
		if err != nil {
			return nil, err
		}
		// ε' = 1/n is that of a release with ε = k/n.
		r, err := signrp.NewSignRP(w, one.Ratio(int64(s.k), int64(s.n)), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1})
		if err != nil {
			return nil, err
		}
		return r.PublicEpsilon()
	}
	return statement[shared]{
		family: "p ≤ 3, 2 ≤ k ≤ 32",
		each: func(yield func(shared) bool) {
			for p := 1; p <= 3; p++ {
				for k := 2; k <= 32; k++ {
					if !yield(shared{p, k, count(k)}) {
						return
					}
				}
			}
		},
		holds: func(s shared) (bool, error) {
			e, err := public(s)
			if err != nil {
				return false, err
			}
			_, hi := e.Bounds()
			return hi <= 1+1e-12, nil
		},
		witness: func(s shared) *Witness {
			return &Witness{
				Fields: []Field{{"p", fmt.Sprint(s.p)}, {"k", fmt.Sprint(s.k)}, {"N", fmt.Sprint(s.n)}, {"u", "−e_1/2"}, {"u'", "e_1/2"}, {"eps", "1"}},
				Script: fmt.Sprintf("print(dp_signrp(projection(%d, %d), %d / %d).public_epsilon)", s.p, s.k, s.k, s.n),
			}
		},
		measure: func(s shared) []Item {
			e, err := public(s)
			if err != nil {
				return nil
			}
			return []Item{{"smallest ε over all pairs, claimed 1", e}}
		},
	}
}

// reach is a vector of p equal numbers and the ratio β/‖u‖.
type reach struct {
	p     int
	ratio float64
}

func (r reach) vector() (u []float64, beta float64) {
	u = make([]float64, r.p)
	for i := range u {
		u[i] = 0.5
	}
	return u, r.ratio * 0.5 * math.Sqrt(float64(r.p))
}

// reachClaims holds Lemma 4.2 and the normal approximation (10).
func reachClaims() []Claim {
	lemma := statement[reach]{
		family: "equal coordinates, p ≤ 3, β/‖u‖ in {0.5, 0.7, 0.9}",
		each: func(yield func(reach) bool) {
			for p := 1; p <= 3; p++ {
				for _, ratio := range []float64{0.5, 0.7, 0.9} {
					if !yield(reach{p, ratio}) {
						return
					}
				}
			}
		},
		holds: func(r reach) (bool, error) {
			u, beta := r.vector()
			p, err := signrp.GaussianPPlus(context.Background(), u, beta)
			if err != nil {
				return false, err
			}
			printed, err := signrp.PrintedGaussian(r.ratio, r.p)
			if err != nil {
				return false, err
			}
			lo, _ := p.Bounds()
			return lo <= printed.Value+1e-9, nil
		},
		witness: func(r reach) *Witness {
			u, beta := r.vector()
			return &Witness{
				Fields: []Field{{"p", fmt.Sprint(r.p)}, {"u", fmt.Sprint(u)}, {"beta/norm(u)", fmt.Sprint(r.ratio)}},
				Script: fmt.Sprintf("print(p_plus([0.5] * %d, beta=%v, kind=\"gaussian\"), p_plus_printed(%g, %d))", r.p, beta, r.ratio, r.p),
			}
		},
		measure: func(r reach) []Item {
			u, beta := r.vector()
			p, err := signrp.GaussianPPlus(context.Background(), u, beta)
			if err != nil {
				return nil
			}
			printed, err := signrp.PrintedGaussian(r.ratio, r.p)
			if err != nil {
				return nil
			}
			return []Item{{"P₊", p}, {"the bound (5)", printed}}
		},
	}
	normal := statement[int]{
		family: "u = (1, …, 1), β = 1, p in {1000, 1001, 9999}",
		each:   slices.Values([]int{1000, 1001, 9999}),
		holds: func(p int) (bool, error) {
			u := make([]float64, p)
			for i := range u {
				u[i] = 1
			}
			n, err := signrp.RademacherPPlus(context.Background(), u, 1)
			if err != nil {
				return false, err
			}
			printed, err := signrp.PrintedRademacher(1/math.Sqrt(float64(p)), p)
			return math.Abs(n.Float()/printed.Value-1) <= 0.1, err
		},
		witness: func(p int) *Witness {
			return &Witness{
				Fields: []Field{{"p", fmt.Sprint(p)}, {"u", "(1, …, 1)"}, {"beta", "1"}},
				Script: fmt.Sprintf("print(p_plus([1] * %d), p_plus_printed(1 / math.sqrt(%d), %d, kind=\"rademacher\"))", p, p, p),
			}
		},
	}
	return []Claim{{
		ID: "signrp.lemma4.2", Paper: signrpPaper, Place: "Lemma 4.2, (5), (11), (21)",
		Statement:  "Pr(β max|w_i| ≥ |wᵀu|) ≤ ∫ 2p (2Φ(t)−1)^{p−1} (2Φ(βt/‖u‖)−1) φ(t) dt",
		Hypotheses: "Gaussian w, β ≤ ‖u‖",
		Recorded:   evidence.Refuted, check: lemma.check,
	}, {
		ID: "signrp.equation10", Paper: signrpPaper, Place: "(10)",
		Statement:  "Pr(β ≥ |wᵀu|) ≈ 2Φ(β/‖u‖) − 1, within a tenth, unless p is very small",
		Hypotheses: "Rademacher w; p ≥ 1000",
		Recorded:   evidence.Refuted, check: normal.check,
	}}
}
