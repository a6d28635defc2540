package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// DPSGDRow is what a method says of ε at a δ.
type DPSGDRow struct {
	Method  string
	Epsilon evidence.Number // nil where the method gives an estimate
	Value   float64         // the estimate
	Kind    string
}

// Compare returns ε at δ by the composition of the steps, by Rényi differential privacy with two conversions, and by the central limit theorem.
func (s *DPSGD) Compare(ctx context.Context, delta evidence.Delta) ([]DPSGDRow, error) {
	if err := delta.Positive("delta"); err != nil {
		return nil, err
	}
	composed, err := s.account.Epsilon(ctx, delta)
	if err != nil {
		return nil, err
	}
	rows := []DPSGDRow{{Method: "composition of the steps", Epsilon: composed, Kind: "lower and upper bound"}}
	for _, c := range []struct {
		name    string
		tighter bool
	}{{"RDP, Mironov 2017", false}, {"RDP, Canonne, Kamath and Steinke 2020", true}} {
		alpha := s.bestOrder(delta, c.tighter)
		hi := rdpEpsilon(s.renyiMoment(alpha), alpha, delta, c.tighter)
		_, most := hi.Bounds()
		number := evidence.Certified{Hi: max(most, 0), Side: evidence.Up, Provenance: evidence.From(c.name + "; " + s.renyiSource()).By("Rényi divergence in 256-bit intervals")}
		rows = append(rows, DPSGDRow{Method: fmt.Sprintf("%s, order %s", c.name, shortRat(alpha)), Epsilon: number, Kind: "upper bound"})
	}
	estimate := math.Inf(1)
	if mu := s.limitMu(); !math.IsInf(mu, 1) {
		e, err := gaussian.EpsilonAt(delta, interval.Float(mu))
		if err != nil {
			return nil, err
		}
		estimate = e.Float()
	}
	return append(rows, DPSGDRow{Method: "central limit theorem, Bu and others 2020", Value: estimate, Kind: "estimate, no bound"}), nil
}

// limitMu returns μ of the Gaussian differential privacy that many steps tend to: γ√(k(e^{1/σ²} − 1)) under Poisson sampling (Bu and others 2020), and
// γ√(2k(e^{1/σ²}Φ(3/(2σ)) + 3Φ(−1/(2σ)) − 2)) without replacement (Dong, Roth and Su 2022).
func (s *DPSGD) limitMu() float64 {
	x := 1 / ratFloat(s.NoiseMultiplier)
	variance := math.Expm1(x * x)
	if s.Sampling != Poisson {
		normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		variance = 2 * (math.Exp(x*x)*normal(1.5*x) + 3*normal(-x/2) - 2)
	}
	return ratFloat(s.Rate) * math.Sqrt(float64(s.Steps)*variance)
}

// shortRat writes a rational as a short decimal where it is one.
func shortRat(q *big.Rat) string {
	f := ratFloat(q)
	if text := strconv.FormatFloat(f, 'g', -1, 64); interval.Decimal(f).Cmp(q) == 0 {
		return text
	}
	return q.RatString()
}

// rdpOrders are the Rényi orders that are tried.
func (s *DPSGD) rdpOrders() []*big.Rat {
	var out []*big.Rat
	if s.Sampling == Poisson || s.Rate.Cmp(one) == 0 {
		for _, q := range []int64{5, 6, 7, 9, 10, 11, 13, 14, 15, 18, 22} { // quarters
			out = append(out, big.NewRat(q, 4))
		}
	}
	for a := int64(2); a <= 64; a++ {
		out = append(out, big.NewRat(a, 1))
	}
	for a := int64(80); a <= 512; a += a / 5 {
		out = append(out, big.NewRat(a, 1))
	}
	return out
}

// bestOrder returns the order that gives the least ε, as far as float64 tells.
func (s *DPSGD) bestOrder(delta evidence.Delta, tighter bool) *big.Rat {
	var best *big.Rat
	least := math.Inf(1)
	for _, order := range s.rdpOrders() {
		alpha := ratFloat(order)
		log := -math.Log(delta.Value())
		if tighter {
			log += alpha*math.Log1p(-1/alpha) - math.Log(alpha-1) // (α−1)ln((α−1)/α) − ln α
		}
		if e := (float64(s.Steps)*s.fastMoment(alpha) + log) / (alpha - 1); best == nil || e < least {
			best, least = order, e
		}
	}
	return best
}

// rdpEpsilon encloses the ε that follows from the log-moment (α−1)D_α: ε = D_α + ln(1/δ)/(α−1) (Mironov 2017, Proposition 3), or
// D_α + ln((α−1)/α) − (ln δ + ln α)/(α−1) (Canonne, Kamath and Steinke 2020, Proposition 12).
func rdpEpsilon(moment interval.Interval, order *big.Rat, delta evidence.Delta, tighter bool) interval.Interval {
	alpha := interval.Rat(order)
	less := alpha.Sub(interval.Int(1))
	sum := moment.Sub(delta.Enclosure().Log())
	if !tighter {
		return sum.Quo(less)
	}
	return sum.Sub(alpha.Log()).Quo(less).Add(less.Quo(alpha).Log())
}

func (s *DPSGD) renyiSource() string {
	if s.Sampling == Poisson {
		return "Mironov, Talwar and Zhang 2019"
	}
	return "Wang, Balle and Kasiviswanathan 2019, Theorem 9"
}

// renyiMoment returns (α−1)D_α of all steps, or for sampling without replacement a bound of it.
func (s *DPSGD) renyiMoment(order *big.Rat) interval.Interval {
	steps := interval.Int(int64(s.Steps))
	inverse := new(big.Rat).Inv(new(big.Rat).Mul(s.NoiseMultiplier, s.NoiseMultiplier))
	switch {
	case s.Rate.Cmp(one) == 0:
		a := new(big.Rat).Mul(order, new(big.Rat).Sub(order, one))
		return interval.Rat(a.Mul(a, inverse)).Quo(interval.Int(2)).Mul(steps)
	case s.Sampling == Poisson:
		return s.poissonMoment(order).Mul(steps)
	}
	// 1 + γ²C(α, 2)min(4(e^{D₂} − 1), 2e^{D₂}) + Σ γ^j C(α, j) 2e^{(j−1)D_j}, with D_j = j/(2σ²).
	alpha := order.Num().Int64()
	rate, half := interval.Rat(s.Rate), interval.Rat(inverse).Quo(interval.Int(2))
	sum, term := interval.Int(1), interval.Int(1) // term is γ^j C(α, j)
	for j := int64(1); j <= alpha; j++ {
		term = term.Mul(rate).Mul(interval.Int(alpha - j + 1)).Quo(interval.Int(j))
		exponent := half.Mul(interval.Int(j * (j - 1)))
		factor := exponent.Exp().Mul(interval.Int(2))
		switch j {
		case 1:
			continue
		case 2:
			factor = interval.Min(factor, exponent.Expm1().Mul(interval.Int(4)))
		}
		sum = sum.Add(term.Mul(factor))
	}
	return sum.Log().Mul(steps)
}

// fastMoment is renyiMoment of one step in float64, roughly.
func (s *DPSGD) fastMoment(alpha float64) float64 {
	rate, sigma := ratFloat(s.Rate), ratFloat(s.NoiseMultiplier)
	half := 1 / (2 * sigma * sigma)
	if rate == 1 {
		return alpha * (alpha - 1) * half
	}
	if s.Sampling == Poisson {
		n := momentNodes(alpha, sigma, rate)
		return n.logSum(func(x float64) float64 { return alpha*math.Log1p(rate*math.Expm1(x/sigma-half)) - x*x/2 }) + math.Log(n.step/math.Sqrt(2*math.Pi))
	}
	sum := 0.0
	for j := 2.0; j <= alpha; j++ {
		a, _ := math.Lgamma(alpha + 1)
		b, _ := math.Lgamma(j + 1)
		c, _ := math.Lgamma(alpha - j + 1)
		log := math.Log(2) + j*(j-1)*half
		if j == 2 {
			log = min(log, math.Log(4*math.Expm1(2*half)))
		}
		sum += math.Exp(a - b - c + j*math.Log(rate) + log)
	}
	return math.Log1p(sum)
}

// nodes are the points of a trapezoidal sum.
type nodes struct {
	step, strip, reach float64 // reach: how far beyond both centers the nodes go
	first, last        int
}

// momentNodes chooses nodes for poissonMoment such that both errors are below e^{−60}.
func momentNodes(alpha, sigma, rate float64) nodes {
	const digits = 60
	strip := min(0.95*math.Pi*sigma, math.Sqrt(2*digits))
	step := 2 * math.Pi * strip / (digits + strip*strip/2)
	apart := alpha * (alpha - 1) / (2 * sigma * sigma)
	extra := max(0, math.Log(rate)+apart) - max(0, alpha*math.Log(rate)+apart)
	reach := math.Sqrt(2 * (digits + extra))
	return nodes{step, strip, reach, int(math.Floor(-reach / step)), int(math.Ceil((alpha/sigma + reach) / step))}
}

// logSum returns the logarithm of the sum of e^f over the nodes.
func (n nodes) logSum(f func(x float64) float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for k := n.first; k <= n.last; k++ {
		v := f(float64(k) * n.step)
		if v > top {
			sum, top = sum*math.Exp(top-v), v
		}
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// poissonMoment encloses ln I for I = ∫ φ(x)(1 − γ + γe^{w(x)})^α dx with w(x) = x/σ − 1/(2σ²): (α−1)D_α of the removal of a record from one step, which
// is at least that of its addition (Mironov, Talwar and Zhang 2019).
//
// The integrand f is analytic where |Im x| < πσ, as γe^w is no negative number there, and |f(x + iy)| ≤ e^{y²/2}f(x). So the sum T = hΣf(kh) over all whole
// k is off by at most 2Ie^{a²/2}/(e^{2πa/h} − 1) for every a < πσ (Trefethen and Weideman 2014, Theorem 5.1). As t ↦ t^α is convex,
// f(x) ≤ (1−γ)φ(x) + γe^{α(α−1)/(2σ²)}φ(x − α/σ), so that the terms beyond the nodes, which reach r beyond 0 and beyond α/σ, sum to at most
// (1 − γ + γe^{α(α−1)/(2σ²)})e^{−r²/2}.
func (s *DPSGD) poissonMoment(order *big.Rat) interval.Interval {
	n := momentNodes(ratFloat(order), ratFloat(s.NoiseMultiplier), ratFloat(s.Rate))
	unit, two := interval.Int(1), interval.Int(2)
	alpha, rate, step, strip := interval.Rat(order), interval.Rat(s.Rate), interval.Float(n.step), interval.Float(n.strip)
	slope := interval.Rat(new(big.Rat).Inv(s.NoiseMultiplier))
	shift := slope.Mul(slope).Quo(two)
	sum := interval.Int(0)
	for k := n.first; k <= n.last; k++ {
		x := step.Mul(interval.Int(int64(k)))
		w := x.Mul(slope).Sub(shift)
		sum = sum.Add(alpha.Mul(rate.Mul(w.Expm1()).Log1p()).Sub(x.Mul(x).Quo(two)).Exp())
	}
	sum = sum.Mul(step).Quo(interval.Pi().Mul(two).Sqrt())
	reach := interval.Float(n.reach)
	far := unit.Sub(rate).Add(rate.Mul(alpha.Mul(alpha.Sub(unit)).Mul(shift).Exp())).Mul(reach.Mul(reach).Quo(two).Neg().Exp())
	sum = interval.Hull(sum, sum.Add(far))
	off := two.Mul(strip.Mul(strip).Quo(two).Exp()).Quo(two.Mul(interval.Pi()).Mul(strip).Quo(step).Expm1())
	return sum.Quo(interval.Hull(unit.Sub(off), unit.Add(off))).Log()
}
