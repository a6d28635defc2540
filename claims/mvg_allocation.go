package claims

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/mvg"
)

func mvgAllocationClaims() []Claim {
	return []Claim{{
		ID: "mvg.theorem7", Paper: mvgPaper, Place: "Theorem 7, (25)",
		Statement:  "precisions c − 1/λ_i with c = (d + Σ1/λ_i)/mn solve Problem 2; they are positive",
		Hypotheses: "λ_i > 0 are the eigenvalues of K_f and d > 0 the budget",
		Corrected:  "(c − 1/λ_i)⁺ with c such that they sum to d is optimal for one mode",
		Recorded:   evidence.Refuted,
		check:      withCorrection(positivePrecisions().check, positivePart().check),
	}, {
		ID: "mvg.theorem7.kronecker", Paper: mvgPaper, Place: "Theorem 7, (26)",
		Statement:  "QᵀΛ_Z Q is a Kronecker product Ψ⊗Σ",
		Hypotheses: "K_f = Ψ_f⊗Σ_f; with QΛ_Z Qᵀ read for QᵀΛ_Z Q, and (·)⁺",
		Corrected:  "it is one where m = 1, n = 1 or Ψ_f ∝ I",
		Recorded:   evidence.Refuted,
		check:      withCorrection(rankOnePrecisions(false).check, rankOnePrecisions(true).check),
	}, {
		ID: "mvg.problem2", Paper: mvgPaper, Place: "Problem 2",
		Statement:  "replacing the l2 norms of Problem 1 by l1 norms relaxes it, so the optimum does not fall",
		Hypotheses: "one mode: Σ p_i ≤ d against Σ p_i² ≤ d²",
		Corrected:  "it restricts it (‖p‖₂ ≤ ‖p‖₁), so the optimum does not rise",
		Recorded:   evidence.Refuted,
		check:      withCorrection(relaxation(true).check, relaxation(false).check),
	}, {
		ID: "mvg.section7.proportional", Paper: mvgPaper, Place: "Section 7.2, step 2",
		Statement:  "the optimal noise variances are inversely proportional to the signal's: σ_i(Z) ∝ 1/σ_i(K_f)",
		Hypotheses: "precisions c − 1/λ_i, all positive",
		Corrected:  "a direction with more signal has less noise",
		Recorded:   evidence.Refuted,
		check:      withCorrection(proportional(true).check, proportional(false).check),
	}, {
		ID: "mvg.directional", Paper: mvgPaper, Place: "Section 5.3",
		Statement:  "at equal privacy, more precision for a direction means less noise there",
		Hypotheses: "the sensitivity is known in L2 only; exact (ε, δ)",
		Corrected:  "so it does where one record moves within a box and the directions are its axes",
		Recorded:   evidence.Refuted,
		check:      withCorrection(directional(false).check, directional(true).check),
	}}
}

// spectrumCase is a list of eigenvalues, as powers of ten, and a budget.
type spectrumCase struct {
	powers []int
	budget int64
}

func (c spectrumCase) rationals() []*big.Rat {
	out := make([]*big.Rat, len(c.powers))
	for i, p := range c.powers {
		out[i] = new(big.Rat).SetFrac(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(p, 0))), nil), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(-p, 0))), nil))
	}
	return out
}

func (c spectrumCase) floats() []float64 {
	out := make([]float64, len(c.powers))
	for i, p := range c.powers {
		out[i] = math.Pow(10, float64(p))
	}
	return out
}

func spectra(yield func(spectrumCase) bool) {
	for n := 1; n <= 2; n++ {
		for a := 0; a >= -6; a-- {
			for b := 0; b >= -6; b-- {
				if n == 1 && b < 0 {
					break
				}
				c := spectrumCase{[]int{a, b}[:n], 1}
				if !yield(c) {
					return
				}
			}
		}
	}
}

func drawSpectrum(rng *rand.Rand) spectrumCase {
	c := spectrumCase{budget: 1 + rng.Int64N(20)}
	for range 1 + rng.IntN(6) {
		c.powers = append(c.powers, rng.IntN(9)-6)
	}
	return c
}

func (c spectrumCase) fields() []Field {
	return []Field{{"eigenvalues", fmt.Sprint(c.floats())}, {"budget", fmt.Sprint(c.budget)}}
}

// positivePrecisions is (25) as printed, in rationals.
func positivePrecisions() statement[spectrumCase] {
	level := func(c spectrumCase) *big.Rat {
		sum := big.NewRat(c.budget, 1)
		for _, l := range c.rationals() {
			sum.Add(sum, new(big.Rat).Inv(l))
		}
		return sum.Quo(sum, big.NewRat(int64(len(c.powers)), 1))
	}
	return statement[spectrumCase]{
		family: "one or two eigenvalues 10⁰…10⁻⁶, d = 1", each: spectra, draw: drawSpectrum,
		holds: func(c spectrumCase) (bool, error) {
			for _, l := range c.rationals() {
				if level(c).Cmp(new(big.Rat).Inv(l)) <= 0 {
					return false, nil
				}
			}
			return true, nil
		},
		witness: func(c spectrumCase) *Witness {
			l, _ := level(c).Float64()
			return &Witness{
				Fields: append(c.fields(), Field{"c", fmt.Sprint(l)}),
				Script: fmt.Sprintf("ls = %s; c = (%d + sum([1 / l for l in ls])) / len(ls); print([c - 1 / l for l in ls], waterfill(ls, %d).precisions)", list(c.floats()), c.budget, c.budget),
			}
		},
	}
}

// positivePart: the water-filling reaches its Lagrange dual.
func positivePart() statement[spectrumCase] {
	return statement[spectrumCase]{
		family: "one or two eigenvalues 10⁰…10⁻⁶, d = 1", each: spectra, draw: drawSpectrum,
		holds: func(c spectrumCase) (bool, error) {
			w, err := mvg.Waterfill(c.floats(), float64(c.budget), mvg.L1)
			if err != nil {
				return false, err
			}
			return w.Residual < 1e-9 && w.Value.Hi-w.Value.Lo < 1e-9*math.Max(1, w.Value.Hi), nil
		},
		witness: func(c spectrumCase) *Witness {
			return &Witness{Fields: c.fields(), Script: fmt.Sprintf("w = waterfill(%s, %d); print(w.residual, w.log_pnr)", list(c.floats()), c.budget)}
		},
	}
}

// relaxation compares the optima of the l1 and the l2 budget.
func relaxation(relaxes bool) statement[spectrumCase] {
	both := func(c spectrumCase) (l1, l2 *mvg.Waterfilling, err error) {
		d := float64(c.budget)
		if l1, err = mvg.Waterfill(c.floats(), d, mvg.L1); err != nil {
			return nil, nil, err
		}
		l2, err = mvg.Waterfill(c.floats(), d*d, mvg.L2)
		return l1, l2, err
	}
	return statement[spectrumCase]{
		family: "one or two eigenvalues 10⁰…10⁻⁶, d = 1", each: spectra, draw: drawSpectrum,
		holds: func(c spectrumCase) (bool, error) {
			l1, l2, err := both(c)
			if err != nil {
				return false, err
			}
			if relaxes {
				return l1.Value.Hi >= l2.Value.Lo*(1-1e-9), nil
			}
			return l1.Value.Lo <= l2.Value.Hi*(1+1e-9), nil
		},
		simpler: func(c spectrumCase) iter.Seq[spectrumCase] {
			return func(yield func(spectrumCase) bool) {
				for i := range c.powers {
					if len(c.powers) > 1 && !yield(spectrumCase{append(append([]int(nil), c.powers[:i]...), c.powers[i+1:]...), c.budget}) {
						return
					}
				}
			}
		},
		witness: func(c spectrumCase) *Witness {
			l1, l2, err := both(c)
			if err != nil {
				return nil
			}
			return &Witness{
				Fields: append(c.fields(), Field{"optimum with l1", fmt.Sprint(l1.Value.Float())}, Field{"optimum with l2", fmt.Sprint(l2.Value.Float())}),
				Script: fmt.Sprintf("print(waterfill(%s, %d).log_pnr, waterfill(%s, %d, norm=\"l2\").log_pnr)", list(c.floats()), c.budget, list(c.floats()), c.budget*c.budget),
			}
		},
	}
}

// productCase is a pair of spectra of small whole numbers and a level.
type productCase struct {
	rows, columns []int64
	level         int64
}

// precisions returns the matrix (c − 1/(λ_a κ_b))⁺.
func (c productCase) precisions() [][]*big.Rat {
	out := make([][]*big.Rat, len(c.columns))
	for b, k := range c.columns {
		for _, l := range c.rows {
			p := new(big.Rat).Sub(big.NewRat(c.level, 1), big.NewRat(1, l*k))
			if p.Sign() < 0 {
				p.SetInt64(0)
			}
			out[b] = append(out[b], p)
		}
	}
	return out
}

// rankOnePrecisions: every 2×2 minor of the matrix of precisions vanishes.
func rankOnePrecisions(special bool) statement[productCase] {
	trivial := func(c productCase) bool {
		if len(c.rows) == 1 || len(c.columns) == 1 {
			return true
		}
		for _, k := range c.columns {
			if k != c.columns[0] {
				return false
			}
		}
		return true
	}
	rank := func(c productCase) bool {
		p := c.precisions()
		for b := range p {
			for a := range p[b] {
				x := new(big.Rat).Mul(p[0][0], p[b][a])
				if x.Cmp(new(big.Rat).Mul(p[0][a], p[b][0])) != 0 {
					return false
				}
			}
		}
		return true
	}
	return statement[productCase]{
		family: "eigenvalues 1, 2 and 1…3, c = 2",
		each: func(yield func(productCase) bool) {
			for _, c := range []productCase{
				{[]int64{1}, []int64{1, 2}, 2}, {[]int64{1, 3}, []int64{1}, 2}, {[]int64{1, 3}, []int64{2, 2}, 2},
				{[]int64{1, 3}, []int64{1, 2}, 2}, {[]int64{1, 2, 3}, []int64{1, 2}, 2},
			} {
				if !special || trivial(c) {
					if !yield(c) {
						return
					}
				}
			}
		},
		draw: func(rng *rand.Rand) productCase {
			draw := func() []int64 {
				out := make([]int64, 1+rng.IntN(3))
				for i := range out {
					out[i] = 1 + rng.Int64N(9)
				}
				return out
			}
			c := productCase{draw(), draw(), 2 + rng.Int64N(3)}
			if special && !trivial(c) {
				c.columns = []int64{2, 2}
			}
			return c
		},
		holds: func(c productCase) (bool, error) { return rank(c), nil },
		witness: func(c productCase) *Witness {
			rows := make([][]string, 0)
			for _, r := range c.precisions() {
				var row []string
				for _, p := range r {
					row = append(row, p.RatString())
				}
				rows = append(rows, row)
			}
			return &Witness{
				Fields: []Field{{"eigenvalues of Σ_f", fmt.Sprint(c.rows)}, {"eigenvalues of Ψ_f", fmt.Sprint(c.columns)}, {"c", fmt.Sprint(c.level)}, {"precisions", fmt.Sprint(rows)}},
				Script: fmt.Sprintf("print([[%d - 1 / (l * k) for l in %s] for k in %s])", c.level, list(c.rows), list(c.columns)),
			}
		},
	}
}

// signalCase is a level and two eigenvalues with positive precision.
type signalCase struct{ level, a, b int64 }

// proportional: variances 1/(c − 1/λ) times λ agree (strict), or variances fall
// as λ grows.
func proportional(strict bool) statement[signalCase] {
	variance := func(level, l int64) *big.Rat {
		return new(big.Rat).Inv(new(big.Rat).Sub(big.NewRat(level, 1), big.NewRat(1, l)))
	}
	return statement[signalCase]{
		family: "c in 2…4, λ in 1…4",
		each: func(yield func(signalCase) bool) {
			for c := int64(2); c <= 4; c++ {
				for a := int64(1); a <= 4; a++ {
					for b := a + 1; b <= 4; b++ {
						if !yield(signalCase{c, a, b}) {
							return
						}
					}
				}
			}
		},
		holds: func(c signalCase) (bool, error) {
			x, y := variance(c.level, c.a), variance(c.level, c.b)
			if !strict {
				return x.Cmp(y) > 0, nil
			}
			return x.Mul(x, big.NewRat(c.a, 1)).Cmp(y.Mul(y, big.NewRat(c.b, 1))) == 0, nil
		},
		witness: func(c signalCase) *Witness {
			return &Witness{
				Fields: []Field{{"c", fmt.Sprint(c.level)}, {"eigenvalues", fmt.Sprint([]int64{c.a, c.b})}, {"variances", variance(c.level, c.a).RatString() + ", " + variance(c.level, c.b).RatString()}},
				Script: fmt.Sprintf("print([1 / (%d - 1 / l) for l in [%d, %d]])", c.level, c.a, c.b),
			}
		},
	}
}

// directionCase is a share of the precision for the first of two directions.
type directionCase struct {
	percent    int
	h0, h1     float64
	eps, delta float64
}

// directional: at exact (ε, δ), the first direction's variance is below that of
// the uniform allocation.
func directional(box bool) statement[directionCase] {
	sensitivity := func(c directionCase) (mvg.Sensitivity, error) {
		b, err := mvg.NewBox(5, []float64{c.h0, c.h1})
		if err != nil || box {
			return b, err
		}
		gamma, _ := b.Gamma()
		return mvg.NewBall(2, 5, b.Frobenius(), gamma, false)
	}
	variances := func(c directionCase) (shared, uniform []float64, err error) {
		s, err := sensitivity(c)
		if err != nil {
			return nil, nil, err
		}
		eps, err := evidence.NewEpsilon("eps", c.eps)
		if err != nil {
			return nil, nil, err
		}
		t := float64(c.percent) / 100
		a, err := mvg.NewTight(context.Background(), s, eps, mvg.Recipe{Delta: c.delta, Theta: []float64{t, 1 - t}})
		if err != nil {
			return nil, nil, err
		}
		b, err := mvg.NewTight(context.Background(), s, eps, mvg.Recipe{Delta: c.delta})
		if err != nil {
			return nil, nil, err
		}
		return a.Sigma().Variances(), b.Sigma().Variances(), nil
	}
	return statement[directionCase]{
		family: "55, 65, … 95 % for one of two directions at (1, 1e-5)",
		each: func(yield func(directionCase) bool) {
			for p := 55; p <= 95; p += 10 {
				if !yield(directionCase{p, 1, 1, 1, 1e-5}) {
					return
				}
			}
		},
		draw: func(rng *rand.Rand) directionCase {
			return directionCase{51 + rng.IntN(48), math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64()), math.Pow(10, -1-8*rng.Float64())}
		},
		holds: func(c directionCase) (bool, error) {
			shared, uniform, err := variances(c)
			if err != nil {
				return false, err
			}
			return shared[0] < uniform[0]*(1-1e-9), nil
		},
		witness: func(c directionCase) *Witness {
			shared, uniform, err := variances(c)
			if err != nil {
				return nil
			}
			s, err := sensitivity(c)
			if err != nil {
				return nil
			}
			gamma, _ := s.Gamma()
			t := float64(c.percent) / 100
			return &Witness{
				Fields: []Field{{"theta", fmt.Sprint([]float64{t, 1 - t})}, {"variances", fmt.Sprint(shared)}, {"variances of the uniform allocation", fmt.Sprint(uniform)}},
				Script: fmt.Sprintf("s = l2_sensitivity(2, 5, %v, %v); print(mvg(s, %v, %v, theta=%s, condition=\"tight\").row_variances, mvg(s, %v, %v, condition=\"tight\").row_variances)", s.Frobenius(), gamma, c.eps, c.delta, list([]float64{t, 1 - t}), c.eps, c.delta),
			}
		},
	}
}
