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
		Statement:  "Pr(β ≥ |wᵀu|) ≈ 2Φ(β/‖u‖) − 1, within a tenth, unless p is very small",
		Hypotheses: "Rademacher w; p ≥ 1000",
		Corrected:  "for u = (1, …, 1), where wᵀu takes every second whole number: 2φ(0)/√p for each of its values in [−β, β], within a hundredth",
		Recorded:   evidence.Refuted,
		check:      withCorrection(rademacherReach(printedNormal, 0.1).check, rademacherReach(latticeNormal(2), 0.01).check),
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

// onesCase is u = (1, …, 1) in p coordinates and a whole β.
type onesCase struct{ p, beta int }

func printedNormal(c onesCase) (float64, error) {
	f, err := signrp.PrintedRademacher(float64(c.beta)/math.Sqrt(float64(c.p)), c.p)
	return f.Value, err
}

// latticeNormal counts the values of wᵀu, p, p − 2, …, in [−β, β], each with
// step·φ(0)/√p.
func latticeNormal(step float64) func(c onesCase) (float64, error) {
	return func(c onesCase) (float64, error) {
		values := c.beta // odd or even numbers in [−β, β], by parity of p
		if (c.p-c.beta)%2 == 0 {
			values++
		}
		return float64(values) * step / math.Sqrt(2*math.Pi*float64(c.p)), nil
	}
}

// rademacherReach says that P₊ for Rademacher w is approximated to within the
// given part of itself.
func rademacherReach(approximation func(c onesCase) (float64, error), within float64) statement[onesCase] {
	exact := func(c onesCase) (evidence.Number, error) {
		u := make([]float64, c.p)
		for i := range u {
			u[i] = 1
		}
		return signrp.RademacherPPlus(context.Background(), u, float64(c.beta))
	}
	return statement[onesCase]{
		family: "u = (1, …, 1), p = 1000, …, 1009, β in {1, 2}",
		each: func(yield func(onesCase) bool) {
			for p := 1000; p < 1010; p++ {
				for beta := 1; beta <= 2; beta++ {
					if !yield(onesCase{p, beta}) {
						return
					}
				}
			}
		},
		draw: func(rng *rand.Rand) onesCase { return onesCase{1000 + rng.IntN(200), 1 + rng.IntN(3)} },
		holds: func(c onesCase) (bool, error) {
			n, err := exact(c)
			if err != nil {
				return false, err
			}
			near, err := approximation(c)
			lo, hi := n.Bounds()
			return near >= lo*(1-within) && near <= hi*(1+within), err
		},
		witness: func(c onesCase) *Witness {
			return &Witness{
				Fields: []Field{{"p", fmt.Sprint(c.p)}, {"u", "(1, …, 1)"}, {"beta", fmt.Sprint(c.beta)}},
				Script: fmt.Sprintf("t = p_plus([1] * %d, beta=%d).value; f = p_plus_printed(%d / math.sqrt(%d), %d, kind=\"rademacher\").value; print(t, f, abs(f / t - 1) <= %g)", c.p, c.beta, c.beta, c.p, c.p, within),
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
