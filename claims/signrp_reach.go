package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

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
	return []Claim{{
		ID: "signrp.lemma4.2", Paper: signrpPaper, Place: "Lemma 4.2, (5), (11), (21)", Covers: []string{"Lemma 4.2", "(11)"},
		Statement:  "Pr(β max|w_i| ≥ |wᵀu|) ≤ ∫ 2p (2Φ(t)−1)^{p−1} (2Φ(βt/‖u‖)−1) φ(t) dt",
		Hypotheses: "Gaussian w, β ≤ ‖u‖",
		Corrected:  "Pr(β max|w_i| ≥ |wᵀu|) ≤ Σ_i Pr(β|w_i| ≥ |wᵀu|), each by Lemma E.1",
		Recorded:   evidence.Refuted,
		check:      withCorrection(reachBound(printedReach, "p_plus_printed(%g, %d).value").check, reachBound(unionReach, "min(1, %[2]d * exceeds(%[1]g * math.sqrt(%[2]d), 1 / math.sqrt(%[2]d)))").check),
	}, {
		ID: "signrp.equation10", Paper: signrpPaper, Place: "(10)",
		Statement:  "Pr(β ≥ |wᵀu|) ≈ 2Φ(β/‖u‖) − 1 unless p is very small",
		Hypotheses: "Rademacher w; p ≥ 1000; read as an absolute error of at most .1, the paper gives none",
		Corrected:  "for u of n ≥ 1000 ones, where wᵀu takes every second whole number: 2φ(0)/√n for each of its values in [−β, β], within a hundredth of itself",
		Recorded:   evidence.Refuted,
		check: withCorrection(rademacherReach(printedNormal, func(t, f float64) bool { return math.Abs(t-f) <= 0.1 }, "abs(t - f) <= 0.1", 1).check,
			rademacherReach(latticeNormal(2), func(t, f float64) bool { return math.Abs(t-f) <= 0.01*t }, "abs(t - f) <= 0.01 * t", 1000).check),
	}}
}

func printedReach(r reach) (float64, error) {
	f, err := signrp.PrintedGaussian(r.ratio, r.p)
	return f.Value, err
}

// unionReach adds Pr(β|w_i| ≥ |wᵀu|) over i: β w_i and wᵀu have the ratio
// β/‖u‖ of deviations and the correlation u_i/‖u‖ = 1/√p.
func unionReach(r reach) (float64, error) {
	rho := 1 / math.Sqrt(float64(r.p))
	if r.p == 1 {
		return 0, nil // |w₁u₁| > β|w₁| where β < ‖u‖
	}
	one, err := signrp.Normals{Ratio: r.ratio, Rho: rho}.Exceeds()
	return math.Min(1, float64(r.p)*one), err
}

// reachBound says that P₊ is at most bound; written is the bound in a script, of
// ratio and p.
func reachBound(bound func(r reach) (float64, error), written string) statement[reach] {
	return statement[reach]{
		family: "equal coordinates, p ≤ 4, β/‖u‖ in {.1, .3, .5, .7, .9}",
		each: func(yield func(reach) bool) {
			for p := 1; p <= 4; p++ {
				for _, ratio := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
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
			most, err := bound(r)
			lo, _ := p.Bounds()
			return lo <= most+1e-9, err
		},
		witness: func(r reach) *Witness {
			u, beta := r.vector()
			return &Witness{
				Fields: []Field{{"p", fmt.Sprint(r.p)}, {"u", vector(u)}, {"beta/norm(u)", fmt.Sprint(r.ratio)}},
				Script: fmt.Sprintf("p = p_plus(%s, beta=%v, kind=\"gaussian\"); f = %s; print(p.lo, f, p.lo <= f)", vector(u), beta, fmt.Sprintf(written, r.ratio, r.p)),
			}
		},
		measure: func(r reach) []Item {
			u, beta := r.vector()
			p, err := signrp.GaussianPPlus(context.Background(), u, beta)
			if err != nil {
				return nil
			}
			most, err := bound(r)
			if err != nil {
				return nil
			}
			return []Item{{"P₊", p}, {"the bound", evidence.Claimed{Value: most, Source: "Lemma 4.2"}}}
		},
	}
}

// onesCase is u with n ones and zeros else, in p = 1000 + n coordinates, and β in
// tenths.
type onesCase struct{ n, tenths int }

func (c onesCase) p() int        { return 1000 + c.n }
func (c onesCase) beta() float64 { return float64(c.tenths) / 10 }

func printedNormal(c onesCase) (float64, error) {
	f, err := signrp.PrintedRademacher(c.beta()/math.Sqrt(float64(c.n)), c.p())
	return f.Value, err
}

// latticeNormal counts the values of wᵀu, n, n − 2, …, in [−β, β], each with
// step·φ(0)/√n.
func latticeNormal(step float64) func(c onesCase) (float64, error) {
	return func(c onesCase) (float64, error) {
		values := 0
		for v := c.n % 2; v <= c.tenths/10; v += 2 {
			if values++; v > 0 {
				values++
			}
		}
		return float64(values) * step / math.Sqrt(2*math.Pi*float64(c.n)), nil
	}
}

// rademacherReach says that an approximation of P₊ for Rademacher w is close to
// it, for u of at least so many ones; written is that in a script, of t and f.
func rademacherReach(approximation func(c onesCase) (float64, error), close func(t, f float64) bool, written string, least int) statement[onesCase] {
	exact := func(c onesCase) (evidence.Number, error) {
		u := make([]float64, c.p())
		for i := range c.n {
			u[i] = 1
		}
		return signrp.RademacherPPlus(context.Background(), u, c.beta())
	}
	return statement[onesCase]{
		family: fmt.Sprintf("u of %d to %d ones in 1000 coordinates more, β = .5, 1, 1.5, 2", least, least+9),
		each: func(yield func(onesCase) bool) {
			for n := least; n < least+10; n++ {
				for tenths := 5; tenths <= 20; tenths += 5 {
					if !yield(onesCase{n, tenths}) {
						return
					}
				}
			}
		},
		draw: func(rng *rand.Rand) onesCase { return onesCase{least + rng.IntN(200), 1 + rng.IntN(30)} },
		holds: func(c onesCase) (bool, error) {
			n, err := exact(c)
			if err != nil {
				return false, err
			}
			near, err := approximation(c)
			lo, hi := n.Bounds()
			return close(lo, near) || close(hi, near), err
		},
		witness: func(c onesCase) *Witness {
			u := fmt.Sprintf("[1] * %d + [0] * 1000", c.n)
			return &Witness{
				Fields: []Field{{"p", fmt.Sprint(c.p())}, {"u", u}, {"beta", fmt.Sprint(c.beta())}},
				Script: fmt.Sprintf("t = p_plus(%s, beta=%v).value; f = p_plus_printed(%v / math.sqrt(%d), %d, kind=\"rademacher\").value; print(t, f, %s)", u, c.beta(), c.beta(), c.n, c.p(), written),
			}
		},
		measure: func(c onesCase) []Item {
			n, err := exact(c)
			if err != nil {
				return nil
			}
			near, err := approximation(c)
			if err != nil {
				return nil
			}
			return []Item{{"P₊", n}, {"the approximation", evidence.Claimed{Value: near, Source: "(10)"}}}
		},
	}
}
