package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/signrp"
)

// signrpFormulas holds the variances, the ratio (16), Figure 12 and Lemma E.1.
func signrpFormulas() []Claim {
	return []Claim{{
		ID: "signrp.theorem4.5", Paper: signrpPaper, Place: "Theorem 4.5",
		Statement:  "the angle estimator from flipped signs has variance V_RR/k",
		Hypotheses: "Gaussian W; two releases with independent flips",
		Recorded:   evidence.Confirmed, check: angleVariance().check,
	}, {
		ID: "signrp.theoremC1", Paper: signrpPaper, Place: "Theorem C.1",
		Statement:  "the inner product of noisy raw data has variance σ²(‖u‖² + ‖v‖²) + pσ⁴",
		Hypotheses: "independent noise of variance σ²",
		Recorded:   evidence.Confirmed, check: innerVariance("raw").check,
	}, {
		ID: "signrp.theoremC2", Paper: signrpPaper, Place: "Theorem C.2",
		Statement:  "DP-RP-G-OPT-B adds (‖u‖²‖v‖² + ⟨u,v⟩² − 2Σu_i²v_i²)/k to σ²(‖u‖² + ‖v‖²) + kσ⁴",
		Hypotheses: "Rademacher W",
		Recorded:   evidence.Confirmed, check: innerVariance("rademacher").check,
	}, {
		ID: "signrp.theoremC3", Paper: signrpPaper, Place: "Theorem C.3",
		Statement:  "DP-OPORP adds the same, times (p−k)/(p−1)",
		Hypotheses: "k divides p, or p padded to a multiple of k in the formula",
		Recorded:   evidence.Confirmed, check: innerVariance("oporp").check,
	}, {
		ID: "signrp.equation16", Paper: signrpPaper, Place: "(16)",
		Statement:  "R = (2σ² + pσ⁴)/(2σ² + kσ⁴ + 1/k) tends to p/k as p grows",
		Hypotheses: "σ and k fixed",
		Corrected:  "R/(p/k) tends to kσ⁴/(2σ² + kσ⁴ + 1/k)",
		Recorded:   evidence.Refuted,
		check:      withCorrection(largeRatio(false).check, largeRatio(true).check),
	}, {
		ID: "signrp.figure12", Paper: signrpPaper, Place: "Appendix C, Figure 12",
		Statement:  "σ < 0.1 needs ε > 100",
		Hypotheses: "Δ₂ = 1, δ = 1e-6, the analytic Gaussian mechanism",
		Recorded:   evidence.Refuted, check: smallNoise().check,
	}, {
		ID: "signrp.lemmaE1", Paper: signrpPaper, Place: "Lemma E.1",
		Statement:  "Pr(|X| > |Y|), its maximum at ρ = 0 for r ≤ 1, and the tail bound e^{−t²/2} given |X| > |Y|",
		Hypotheses: "centred normals, σ_x = rσ_y, |ρ| < 1; the printed maximum of Pr(|X| < |Y|) is read as that of Pr(|X| > |Y|)",
		Recorded:   evidence.Confirmed, check: normalPair().check,
	}}
}

type anglePoint struct{ theta, eps float64 }

// angleVariance compares V_RR with the variance of an affine function of k
// independent agreements: each has probability P̃ = P(1−2f)² + 2f(1−f), P = 1−θ/π,
// f = 1/(e^ε+1), and θ̂ = π(1 − (mean − 2f(1−f))/(1−2f)²).
func angleVariance() statement[anglePoint] {
	return statement[anglePoint]{
		draw: func(rng *rand.Rand) anglePoint {
			return anglePoint{math.Pi * rng.Float64(), 0.01 + 5*rng.Float64()}
		},
		holds: func(a anglePoint) (bool, error) {
			f := 1 / (math.Exp(a.eps) + 1)
			slope := (1 - 2*f) * (1 - 2*f)
			agree := (1-a.theta/math.Pi)*slope + 2*f*(1-f)
			want := math.Pi * math.Pi * agree * (1 - agree) / (slope * slope)
			got, err := signrp.AngleVariance(a.theta, a.eps, 1)
			return math.Abs(got.Value-want) <= 1e-9*want, err
		},
		witness: func(a anglePoint) *Witness {
			return &Witness{Fields: []Field{{"theta", fmt.Sprint(a.theta)}, {"eps", fmt.Sprint(a.eps)}}, Script: fmt.Sprintf("print(angle_variance(%v, %v, 1))", a.theta, a.eps)}
		},
	}
}

// innerPoint is a pair of vectors with whole multiples of 1/4, p and k.
type innerPoint struct {
	u, v  []float64
	k     int
	sigma float64
}

// innerVariance compares a formula with the mean over every W (and, for raw
// data, every noise of ±σ, whose first two moments are all that counts).
func innerVariance(kind string) statement[innerPoint] {
	return statement[innerPoint]{
		draw: func(rng *rand.Rand) innerPoint {
			shape := [][2]int{{1, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 2}, {4, 1}, {3, 3}}[rng.IntN(7)]
			if kind == "raw" {
				shape = [2]int{1 + rng.IntN(4), 1}
			}
			c := innerPoint{u: make([]float64, shape[0]), v: make([]float64, shape[0]), k: shape[1], sigma: float64(rng.IntN(9)) / 4}
			for i := range c.u {
				c.u[i], c.v[i] = float64(rng.IntN(9)-4)/4, float64(rng.IntN(9)-4)/4
			}
			return c
		},
		holds: func(c innerPoint) (bool, error) {
			var w *signrp.Projection
			var err error
			var want float64
			switch kind {
			case "raw":
				want = rawSpread(c)
			case "rademacher":
				w, err = signrp.New(signrp.Rademacher, len(c.u), c.k, 0, 0)
				want = rademacherSpread(c)
				c.sigma = 0
			default:
				w, err = signrp.NewOPORP(len(c.u), c.k, 0)
				want = oporpSpread(c)
				c.sigma = 0
			}
			if err != nil {
				return false, err
			}
			got, err := signrp.InnerVariance(w, c.u, c.v, c.sigma)
			return got.Lo <= want+1e-12 && got.Hi >= want-1e-12, err
		},
		witness: func(c innerPoint) *Witness {
			return &Witness{Fields: []Field{{"u", fmt.Sprint(c.u)}, {"v", fmt.Sprint(c.v)}, {"k", fmt.Sprint(c.k)}}, Script: fmt.Sprintf("print(%q)", fmt.Sprint(c.u, c.v, c.k))}
		},
	}
}

func rawSpread(c innerPoint) float64 {
	p := len(c.u)
	sum, square := 0.0, 0.0
	for noise := range 1 << (2 * p) {
		e := 0.0
		for i := range p {
			a := float64(2*(noise>>i&1)-1) * c.sigma
			b := float64(2*(noise>>(p+i)&1)-1) * c.sigma
			e += (c.u[i] + a) * (c.v[i] + b)
		}
		sum, square = sum+e, square+e*e
	}
	n := float64(int(1) << (2 * p))
	return square/n - sum/n*sum/n
}

func rademacherSpread(c innerPoint) float64 {
	p, k := len(c.u), c.k
	sum, square := 0.0, 0.0
	for signs := range 1 << (p * k) {
		e := 0.0
		for j := range k {
			x, y := 0.0, 0.0
			for i := range p {
				s := float64(2*(signs>>(i*k+j)&1) - 1)
				x, y = x+s*c.u[i], y+s*c.v[i]
			}
			e += x * y
		}
		e /= float64(k)
		sum, square = sum+e, square+e*e
	}
	n := float64(int(1) << (p * k))
	return square/n - sum/n*sum/n
}

// oporpSpread visits every way to deal the padded coordinates to the bins, and
// every sign.
func oporpSpread(c innerPoint) float64 {
	size := (len(c.u) + c.k - 1) / c.k
	padded := size * c.k
	sum, square, count := 0.0, 0.0, 0.0
	bin, room := make([]int, padded), make([]int, c.k)
	for j := range room {
		room[j] = size
	}
	var deal func(i int)
	deal = func(i int) {
		if i < padded {
			for j := range room {
				if room[j] > 0 {
					room[j]--
					bin[i] = j
					deal(i + 1)
					room[j]++
				}
			}
			return
		}
		for signs := range 1 << len(c.u) {
			x, y := make([]float64, c.k), make([]float64, c.k)
			for i := range c.u {
				s := float64(2*(signs>>i&1) - 1)
				x[bin[i]] += s * c.u[i]
				y[bin[i]] += s * c.v[i]
			}
			e := 0.0
			for j := range x {
				e += x[j] * y[j]
			}
			sum, square, count = sum+e, square+e*e, count+1
		}
	}
	deal(0)
	return square/count - sum/count*sum/count
}

type ratioPoint struct {
	k     int
	sigma float64
}

// largeRatio checks the limit of R/(p/k) at p = 2²⁸, far beyond where R bends.
func largeRatio(corrected bool) statement[ratioPoint] {
	const p = 1 << 28
	relative := func(c ratioPoint) (float64, error) {
		r, err := signrp.VarianceRatio(p, c.k, c.sigma)
		return r * float64(c.k) / p, err
	}
	return statement[ratioPoint]{
		family: "k = 10, σ in {1, 0.1}",
		each:   slices.Values([]ratioPoint{{10, 1}, {10, 0.1}}),
		draw: func(rng *rand.Rand) ratioPoint {
			return ratioPoint{1 + rng.IntN(1000), math.Pow(10, 2*rng.Float64()-1)}
		},
		holds: func(c ratioPoint) (bool, error) {
			got, err := relative(c)
			want, s2 := 1.0, c.sigma*c.sigma
			if corrected {
				want = float64(c.k) * s2 * s2 / (2*s2 + float64(c.k)*s2*s2 + 1/float64(c.k))
			}
			return math.Abs(got/want-1) <= 0.01, err
		},
		witness: func(c ratioPoint) *Witness {
			return &Witness{
				Fields: []Field{{"k", fmt.Sprint(c.k)}, {"sigma", fmt.Sprint(c.sigma)}, {"p", fmt.Sprint(p)}},
				Script: fmt.Sprintf("print(variance_ratio(%d, %d, %v) / (%d / %d))", p, c.k, c.sigma, p, c.k),
			}
		},
		measure: func(c ratioPoint) []Item {
			got, err := relative(c)
			if err != nil {
				return nil
			}
			return []Item{{"R/(p/k), claimed 1", evidence.Certified{Lo: got * (1 - 1e-12), Hi: got * (1 + 1e-12), Method: "float64"}}}
		},
	}
}

// smallNoise looks for an ε ≤ 100 with σ < 0.1.
func smallNoise() statement[float64] {
	return statement[float64]{
		family: "ε in {50, 96, 96.72, 100}",
		each:   slices.Values([]float64{50, 96, 96.72, 100}),
		holds: func(eps float64) (bool, error) {
			e, err := evidence.NewEpsilon("eps", eps)
			if err != nil {
				return false, err
			}
			s, err := gaussian.Sigma(e, 1e-6, 1)
			return s.Hi >= 0.1, err
		},
		witness: func(eps float64) *Witness {
			return &Witness{Fields: []Field{{"eps", fmt.Sprint(eps)}, {"delta", "1e-6"}}, Script: fmt.Sprintf("print(gaussian_sigma(%v, 1e-6))", eps)}
		},
	}
}

// normalPair checks Lemma E.1: part 1 by X² > Y² ⇔ (X−Y)(X+Y) > 0 and the
// orthant probability of that pair, ½ + arcsin(c)/π with
// c = (r²−1)/√((1+r²)² − 4r²ρ²).
func normalPair() statement[signrp.Normals] {
	return statement[signrp.Normals]{
		draw: func(rng *rand.Rand) signrp.Normals {
			return signrp.Normals{Ratio: math.Pow(10, 2*rng.Float64()-1), Rho: 1.98*rng.Float64() - 0.99}
		},
		holds: func(n signrp.Normals) (bool, error) {
			got, err := n.Exceeds()
			if err != nil {
				return false, err
			}
			r2 := n.Ratio * n.Ratio
			want := 0.5 + math.Asin((r2-1)/math.Sqrt((1+r2)*(1+r2)-4*r2*n.Rho*n.Rho))/math.Pi
			centred, err := signrp.Normals{Ratio: n.Ratio}.Exceeds()
			if err != nil {
				return false, err
			}
			tail, bound, err := n.TailExceeding(0.1 + 3*math.Abs(n.Rho))
			if err != nil {
				return false, err
			}
			return math.Abs(got-want) < 1e-9 && (n.Ratio > 1 || got <= centred+1e-12) && tail <= bound, nil
		},
		witness: func(n signrp.Normals) *Witness {
			return &Witness{Fields: []Field{{"r", fmt.Sprint(n.Ratio)}, {"rho", fmt.Sprint(n.Rho)}}, Script: fmt.Sprintf("print(exceeds(%v, %v, t=1))", n.Ratio, n.Rho)}
		},
	}
}
