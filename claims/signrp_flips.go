package claims

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

// flipClaims holds Algorithms 3 and 4: randomised response and smooth flipping.
func flipClaims() []Claim {
	return []Claim{{
		ID: "signrp.theorem4.6", Paper: signrpPaper, Place: "Theorem 4.6, Algorithm 4", Covers: []string{"Theorem 4.6", "Algorithm 4"},
		Statement:  "flipping with probability 1/(e^{L ε/k}+1), L = ⌈|wᵀu|/(β max|w_i|)⌉, is ε/k-DP for each sign, so ε-DP for k signs",
		Hypotheses: "wᵀu and wᵀu' within β max|w_i| of each other, 0 included: all that β-neighbors can reach",
		Recorded:   evidence.Confirmed, check: smoothFlips(levelUp, 1).check,
	}, {
		ID: "signrp.rr", Paper: signrpPaper, Place: "Algorithm 3", Covers: []string{"Algorithm 3"},
		Statement:  "flipping at ε' = ε/N₊, N₊ of Proposition 4.4 at ‖u‖ and δ, is ε-differentially private",
		Hypotheses: "Algorithm 3 is not in the text at hand and is inferred from its proofs; Rademacher W, public, with F by (10), N₊ rounded up; neighbors u, u' of one norm, β ≤ ‖u‖. Over the draw of W the proof bounds the differing signs of one u with probability 1 − δ",
		Corrected:  "for public W, ε' = ε/k is enough, and no less: some u and u' differ in all k signs",
		Recorded:   evidence.Refuted,
		check:      withCorrection(signsAmong(countedSigns).check, signsSharing(func(k int) int { return k }).check),
	}}
}

// smoothCase is one projection before and after a step, in quarters of β max|w|,
// and e^{ε/k}.
type smoothCase struct {
	z, y int
	base *big.Rat
}

// levelUp is ⌈|z|⌉ for z in quarters.
func levelUp(z int) int { return (abs(z) + 3) / 4 }

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// smoothFlips says that the law of the flipped sign changes by at most
// e^{share·ε/k}, with the given level.
func smoothFlips(level func(z int) int, share int64) statement[smoothCase] {
	// plus is the probability that the released sign is +.
	plus := func(z int, base *big.Rat) *big.Rat {
		a := power(base, level(z))
		p := new(big.Rat).Quo(a, new(big.Rat).Add(a, big.NewRat(1, 1)))
		if z < 0 {
			p.Sub(big.NewRat(1, 1), p)
		}
		return p
	}
	ratio := func(c smoothCase) *big.Rat {
		worst, one := new(big.Rat), big.NewRat(1, 1)
		p, q := plus(c.z, c.base), plus(c.y, c.base)
		for range 2 {
			for _, r := range []*big.Rat{new(big.Rat).Quo(p, q), new(big.Rat).Quo(q, p)} {
				if r.Cmp(worst) > 0 {
					worst = r
				}
			}
			p, q = new(big.Rat).Sub(one, p), new(big.Rat).Sub(one, q)
		}
		return worst
	}
	return statement[smoothCase]{
		family: "|wᵀu| ≤ 4β max|w_i| in quarters, e^{ε/k} in {11/10, 2, 10}",
		each: func(yield func(smoothCase) bool) {
			for _, base := range []*big.Rat{big.NewRat(2, 1), big.NewRat(11, 10), big.NewRat(10, 1)} {
				for z := range 17 {
					for step := -4; step <= 4; step++ {
						if !yield(smoothCase{z, z + step, base}) {
							return
						}
					}
				}
			}
		},
		draw: func(rng *rand.Rand) smoothCase {
			z := rng.IntN(400) - 200
			return smoothCase{z, z + rng.IntN(9) - 4, big.NewRat(101+rng.Int64N(900), 100)}
		},
		holds: func(c smoothCase) (bool, error) {
			bound := big.NewRat(1, 1)
			for range share {
				bound.Mul(bound, c.base)
			}
			return ratio(c).Cmp(bound) <= 0, nil
		},
		simpler: func(c smoothCase) iter.Seq[smoothCase] {
			return func(yield func(smoothCase) bool) {
				if c.z != 0 {
					yield(smoothCase{c.z - c.z/abs(c.z), c.y - c.z/abs(c.z), c.base})
				}
			}
		},
		witness: func(c smoothCase) *Witness {
			return &Witness{
				Fields: []Field{
					{"wᵀu in quarters of β max|w_i|", fmt.Sprint(c.z)}, {"wᵀu'", fmt.Sprint(c.y)}, {"e^{eps/k}", c.base.RatString()},
					{"largest ratio", ratio(c).RatString()},
				},
				Script: fmt.Sprintf("print(%s, %s, %s <= %s)", ratio(c).RatString(), c.base.RatString(), ratio(c).RatString(), c.base.RatString()),
			}
		},
	}
}

// pairedCase is a Rademacher W of a seed and δ, with u and u' as pairedVectors has
// them.
type pairedCase struct {
	p, k  int
	seed  uint64
	delta float64
}

// vectors returns u = (−½, v) and u' = (½, v) with Wᵀv = 0: v pairs rows of W
// that are equal, as 1 and −1, or opposite, as 1 and 1. All k signs differ.
func (c pairedCase) vectors() (u, v []float64) {
	w, err := signrp.New(signrp.Rademacher, c.p, c.k, 0, c.seed)
	if err != nil {
		panic(err) // the shapes are our own
	}
	rows, err := w.Matrix()
	if err != nil {
		panic(err)
	}
	u = make([]float64, c.p)
	u[0] = -0.5
	open := make(map[string]int) // a row without a partner, by its signs up to one
	for i := 1; i < c.p; i++ {
		first := rows[i][0]
		key := make([]byte, c.k)
		for j, x := range rows[i] {
			if x == first {
				key[j] = 1
			}
		}
		if other, ok := open[string(key)]; ok {
			u[other], u[i] = 1, -rows[other][0]*first
			delete(open, string(key))
			continue
		}
		open[string(key)] = i
	}
	v = slices.Clone(u)
	v[0] = 0.5
	return u, v
}

func norm(u []float64) float64 {
	sum := 0.0
	for _, x := range u {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// countedSigns is N₊ of Proposition 4.4 with F by (10), rounded up.
func countedSigns(c pairedCase) float64 {
	u, _ := c.vectors()
	f, err := signrp.PrintedRademacher(1/norm(u), c.p)
	if err != nil {
		return float64(c.k)
	}
	mean, l := f.Value*float64(c.k), -math.Log(c.delta)
	return math.Min(float64(c.k), math.Ceil(mean+(l+math.Sqrt(l*l+8*mean*l))/2))
}

// signsAmong says that k signs that flip at 1/count each lose at most 1 on the
// pair.
func signsAmong(count func(pairedCase) float64) statement[pairedCase] {
	loss := func(c pairedCase) (evidence.Number, error) {
		w, err := signrp.New(signrp.Rademacher, c.p, c.k, 0, c.seed)
		if err != nil {
			return nil, err
		}
		r, err := signrp.NewSignRP(w, budgetOf(float64(c.k)/count(c)), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1})
		if err != nil {
			return nil, err
		}
		u, v := c.vectors()
		return r.PairEpsilon(u, v)
	}
	return statement[pairedCase]{
		family: "k ≤ 8, p = 10, 20, …, 640, δ in {.1, .01, 1e-6}, ε = 1",
		each: func(yield func(pairedCase) bool) {
			for k := 1; k <= 8; k++ {
				for p := 10; p <= 640; p *= 2 {
					for _, delta := range []float64{0.1, 0.01, 1e-6} {
						if !yield(pairedCase{p, k, 0, delta}) {
							return
						}
					}
				}
			}
		},
		draw: func(rng *rand.Rand) pairedCase {
			return pairedCase{10 + rng.IntN(200), 1 + rng.IntN(8), rng.Uint64N(1000), []float64{0.1, 0.01, 1e-6}[rng.IntN(3)]}
		},
		holds: func(c pairedCase) (bool, error) {
			if u, _ := c.vectors(); norm(u) < 1 {
				return true, nil
			}
			e, err := loss(c)
			if err != nil {
				return false, err
			}
			lo, _ := e.Bounds()
			return lo <= 1+1e-12, nil
		},
		simpler: func(c pairedCase) iter.Seq[pairedCase] {
			return func(yield func(pairedCase) bool) {
				for _, less := range []int{10, 1} {
					if d := c; c.p > less+1 {
						if d.p -= less; !yield(d) {
							return
						}
					}
				}
			}
		},
		witness: func(c pairedCase) *Witness {
			u, _ := c.vectors()
			return &Witness{
				Fields: []Field{
					{"p", fmt.Sprint(c.p)}, {"k", fmt.Sprint(c.k)}, {"beta", "1"}, {"delta", fmt.Sprint(c.delta)}, {"eps", "1"},
					{"u", vector(u)}, {"u'", "the same with 0.5 first"}, {"norm of u", fmt.Sprintf("%.4f", norm(u))}, {"N₊", fmt.Sprint(count(c))},
				},
				Script: fmt.Sprintf("k, u = %d, %s; v = [0.5] + u[1:]; f = k * p_plus_printed(1 / math.sqrt(sum([x * x for x in u])), %d, kind=\"rademacher\").value; l = math.log(1 / %g); n = math.ceil(f + (l + math.sqrt(l * l + 8 * f * l)) / 2); e = dp_signrp(projection(%d, k, seed=%d), k / n).smallest_epsilon(u, v); print(e.lo, 1, e.lo <= 1)",
					c.k, vector(u), c.p, c.delta, c.p, c.seed),
			}
		},
		measure: func(c pairedCase) []Item {
			e, err := loss(c)
			if err != nil {
				return nil
			}
			return []Item{{"smallest ε of the pair, claimed 1", e}}
		},
	}
}

// shared is a release of k signs that flip at ε/n each.
type shared struct{ p, k, n int }

func signsSharing(count func(k int) int) statement[shared] {
	public := func(s shared) (evidence.Number, error) {
		w, err := signrp.New(signrp.Rademacher, s.p, s.k, 0, 1)
		if err != nil {
			return nil, err
		}
		// ε' = 1/n is that of a release with ε = k/n.
		r, err := signrp.NewSignRP(w, budgetOf(1).Ratio(int64(s.k), int64(s.n)), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1})
		if err != nil {
			return nil, err
		}
		return r.PublicEpsilon()
	}
	return statement[shared]{
		family: "p ≤ 3, 2 ≤ k ≤ 32, ε = 1",
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
				Script: fmt.Sprintf("e = dp_signrp(projection(%d, %d), %d / %d).public_epsilon; print(e.lo, 1, e.lo <= 1)", s.p, s.k, s.k, s.n),
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
