package mvg

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Norm tells how a budget counts the precisions p_i.
type Norm int

// L1 is Σ w_i p_i ≤ budget (Problem 2 for one mode), L2 is Σ p_i² ≤ budget
// (Problem 1 for one mode).
const (
	L1 Norm = iota
	L2
)

// Waterfilling is a solution of: maximise Σ ln(1 + λ_i p_i) subject to a budget
// on the precisions p_i ≥ 0.
type Waterfilling struct {
	Precisions []float64
	// Level is c in p_i = (c/w_i − 1/λ_i)⁺ for L1, and the multiplier ν in λ_i/(1 + λ_i p_i) = 2νp_i for L2. The
	// method Level of the filling encloses it.
	Level      float64
	KnownLevel evidence.Certified
	Active     []int // the directions with p_i > 0, in order
	// Value encloses the optimum Σ ln(1 + λ_i p_i), which is ln PNR.
	Value evidence.Certified
	// Residual bounds the largest relative violation of the KKT conditions (stationarity, feasibility and
	// complementary slackness) by the float64 values of Precisions and Level. Its lower end is 0.
	Residual evidence.Certified

	level interval.Interval // c above the lowest floor, or ν
}

// MutualInformation encloses half of the optimum, in nats: the mutual information
// between a Gaussian signal and its release.
func (w *Waterfilling) MutualInformation() evidence.Certified {
	half := w.Value
	half.Lo, half.Hi = half.Lo/2, half.Hi/2
	half.Statement = nil
	if s, ok := w.Value.Statement.(*FillingStatement); ok {
		half.Statement = &FillingStatement{s.Filling, FillingInformation}
	}
	return half
}

// residual returns the KKT residual with upper bound hi.
func residual(hi float64) evidence.Certified {
	return evidence.Certified{Lo: 0, Hi: hi, Side: evidence.Up, Provenance: evidence.From("KKT conditions").By(inIntervals)}
}

// Waterfill maximises Σ ln(1 + λ_i p_i) over p ≥ 0 with Σ p_i ≤ budget (L1) or Σ p_i² ≤ budget (L2), exactly up to
// rounding. Each eigenvalue λ must be 0 or between 1e-100 and 1e100, at least one must be positive, and the budget must
// be between 1e-100 and 1e100, so that precisions are floats. Otherwise it returns an error wrapping
// evidence.ErrParameter.
func Waterfill(eigenvalues []float64, budget float64, norm Norm) (*Waterfilling, error) {
	weights := uniform(len(eigenvalues), 1)
	switch norm {
	case L1:
		return WaterfillWeighted(eigenvalues, weights, budget)
	case L2:
	default:
		return nil, parameter.Errorf("norm %d, want %d or %d", norm, L1, L2)
	}
	if err := checkSpectrum(eigenvalues, weights, budget); err != nil {
		return nil, err
	}
	return fillSquares(exactly(eigenvalues), interval.Float(budget)).stating(Filling{Eigenvalues: eigenvalues, Budget: budget, Norm: L2}), nil
}

// WaterfillWeighted maximises Σ ln(1 + λ_i p_i) over p ≥ 0 with Σ w_i p_i ≤ budget: p_i = (c/w_i − 1/λ_i)⁺, which
// water-fills λ_i/w_i. Under the box sensitivity with half-widths h_i and Ψ = I, the exact privacy condition is
// this budget with w_i = (2h_i)² and budget μ(ε, δ)². Errors are those of Waterfill; in addition each eigenvalue
// needs a weight between 1e-100 and 1e100.
func WaterfillWeighted(eigenvalues, weights []float64, budget float64) (*Waterfilling, error) {
	if err := checkSpectrum(eigenvalues, weights, budget); err != nil {
		return nil, err
	}
	w := fillLinear(exactly(eigenvalues), exactly(weights), interval.Float(budget))
	return w.stating(Filling{Eigenvalues: eigenvalues, Weights: weights, Budget: budget, Norm: L1}), nil
}

func exactly(v []float64) []interval.Interval { return lists.Each(v, interval.Float) }

// inverseOf and rootInverse return 1/a and 1/√a.
func inverseOf(a interval.Interval) interval.Interval   { return interval.Int(1).Quo(a) }
func rootInverse(a interval.Interval) interval.Interval { return inverseOf(a.Sqrt()) }

// summed returns Σv.
func summed(v []interval.Interval) interval.Interval {
	sum := interval.Int(0)
	for _, x := range v {
		sum = sum.Add(x)
	}
	return sum
}

const (
	kkt       = "KKT conditions, solved in 256-bit intervals"
	fillingL1 = "(25) with (·)⁺"
	fillingL2 = "Problem 1 for one mode"
)

// fillLinear solves the l1 budget in intervals. With floors f_i = w_i/λ_i the level c solves Σ (c − f_i)⁺ = budget,
// and the optimum is Σ (ln c/f_i)⁺. For any k floors, budget ≥ Σ (c − f_i), so c ≤ c_k = (budget + Σ f_i)/k, with
// equality for the floors below c. So c is the least c_k over the k lowest floors. Floors are measured from the
// lowest, f₁, by f_i − f₁ = (w_iλ₁ − w₁λ_i)/(λ_iλ₁). Its numerator is exact, which matters because floors can be
// much larger than the budget.
func fillLinear(eigenvalues, weights []interval.Interval, budget interval.Interval) *Waterfilling {
	n := len(eigenvalues)
	var order []int
	floors := make([]interval.Interval, n)
	for i, l := range eigenvalues {
		if sign, _ := l.Sign(); sign > 0 {
			floors[i] = weights[i].Quo(l)
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return floors[i].CmpLo(floors[j]) })
	first := order[0]
	over := make([]interval.Interval, n)
	var level, sum interval.Interval // above f₁
	for k, i := range order {
		l, top := eigenvalues[i], eigenvalues[first]
		over[i] = weights[i].Mul(top).Sub(weights[first].Mul(l)).Quo(l.Mul(top))
		if k == 0 {
			over[i] = interval.Int(0)
			sum = budget
			level = sum
			continue
		}
		sum = sum.Add(over[i])
		level = interval.Min(level, sum.Quo(interval.Int(int64(k+1))))
	}
	c := floors[first].Add(level)
	w := &Waterfilling{Precisions: make([]float64, n), Level: c.Mid(), KnownLevel: evidence.Enclosed(c, kkt, fillingL1), level: level}
	total := newLogTotal()
	for i := range n {
		if sign, _ := eigenvalues[i].Sign(); sign == 0 {
			continue
		}
		depth := level.Sub(over[i])
		sign, _ := depth.Sign()
		if sign < 0 {
			continue
		}
		total.add(interval.Max(depth, interval.Int(0)).Quo(floors[i]))
		if sign > 0 {
			w.Precisions[i] = depth.Quo(weights[i]).Mid()
			w.Active = append(w.Active, i)
		}
	}
	w.Value = evidence.Enclosed(total.sum(), kkt, fillingL1)
	w.Residual = residual(w.linearResidual(eigenvalues, weights, budget))
	return w
}

// linearResidual bounds the largest of |λ/(1 + λp)·c/w − 1| where p > 0, λc/w − 1 where
// p = 0, and |Σ wp/budget − 1|.
func (w *Waterfilling) linearResidual(eigenvalues, weights []interval.Interval, budget interval.Interval) float64 {
	one := interval.Int(1)
	c, spent, largest := interval.Float(w.Level), interval.Int(0), 0.0
	for i, p := range w.Precisions {
		at := interval.Float(p)
		l := eigenvalues[i]
		slope := l.Quo(one.Add(l.Mul(at))).Mul(c).Quo(weights[i]).Sub(one)
		lo, hi := slope.Bounds()
		if largest = math.Max(largest, hi); p > 0 {
			largest = math.Max(largest, -lo)
		}
		spent = spent.Add(weights[i].Mul(at))
	}
	lo, hi := spent.Quo(budget).Sub(one).Bounds()
	return math.Max(largest, math.Max(-lo, hi))
}

// fillSquares solves the l2 budget. With multiplier ν, p solves 2νλp² + 2νp − λ = 0, so p = λ/(ν + √(ν² + 2νλ²)),
// which decreases in ν. It widens a float64 ν until intervals show that the budget is met between its ends, then
// takes the secant of these. That encloses every p, and so the optimum.
func fillSquares(eigenvalues []interval.Interval, budget interval.Interval) *Waterfilling {
	precision := func(l, nu interval.Interval) interval.Interval {
		if sign, _ := l.Sign(); sign == 0 {
			return interval.Int(0)
		}
		root := nu.Mul(nu).Add(interval.Int(2).Mul(nu).Mul(l.Mul(l))).Sqrt()
		return l.Quo(nu.Add(root))
	}
	spent := func(nu interval.Interval) interval.Interval {
		sum := interval.Int(0)
		for _, l := range eigenvalues {
			p := precision(l, nu)
			sum = sum.Add(p.Mul(p))
		}
		return sum
	}
	// between widens a start until the budget is met inside it, and returns the excess over the budget at its ends.
	between := func(start interval.Interval, step float64) (low, high, over, under interval.Interval) {
		end := func(factor float64, want int) (nu, excess interval.Interval) {
			nu = start
			for step := step; ; step = math.Min(16*step, 0.5) {
				nu = nu.Mul(interval.Int(1).Add(interval.Float(factor * step)))
				excess = spent(nu).Sub(budget)
				if sign, _ := excess.Sign(); sign == want {
					return nu, excess
				}
			}
		}
		low, over = end(-1, 1)
		high, under = end(1, -1)
		return low, high, over, under
	}
	low, high, over, under := between(squaresLevel(eigenvalues, budget.Mid()), 4*unit)
	// The secant's error is of the order of the square of the ends' errors.
	secant := low.Add(high.Sub(low).Mul(over.Quo(over.Sub(under))))
	low, high, _, _ = between(secant, 0x1p-80)
	nu := interval.Hull(low, high)
	w := &Waterfilling{Precisions: make([]float64, len(eigenvalues)), Level: nu.Mid(), KnownLevel: evidence.Enclosed(nu, kkt, fillingL2), level: nu}
	total := newLogTotal()
	for i, l := range eigenvalues {
		p := precision(l, nu)
		total.add(l.Mul(p))
		if v := p.Mid(); v > 0 {
			w.Precisions[i] = v
			w.Active = append(w.Active, i)
		}
	}
	w.Value = evidence.Enclosed(total.sum(), kkt, fillingL2)
	w.Residual = residual(w.squaresResidual(eigenvalues, budget))
	return w
}

// squaresResidual bounds the largest of |1 − 2νp(1 + λp)/λ| and |Σ p²/budget − 1|.
func (w *Waterfilling) squaresResidual(eigenvalues []interval.Interval, budget interval.Interval) float64 {
	one := interval.Int(1)
	nu, spent, largest := interval.Float(w.Level), interval.Int(0), 0.0
	for _, i := range w.Active {
		p, l := interval.Float(w.Precisions[i]), eigenvalues[i]
		lo, hi := one.Sub(interval.Int(2).Mul(nu).Mul(p).Mul(one.Add(l.Mul(p))).Quo(l)).Bounds()
		largest = math.Max(largest, math.Max(-lo, hi))
		spent = spent.Add(p.Mul(p))
	}
	lo, hi := spent.Quo(budget).Sub(one).Bounds()
	return math.Max(largest, math.Max(-lo, hi))
}

// squaresLevel returns ν near the root, by bisection of ln ν in float64.
func squaresLevel(eigenvalues []interval.Interval, budget float64) interval.Interval {
	l := lists.Each(eigenvalues, interval.Interval.Mid)
	excess := func(logNu float64) float64 {
		nu, sum := math.Exp(logNu), 0.0
		for _, l := range l {
			if l > 0 {
				p := l / (nu + math.Sqrt(nu)*math.Sqrt(nu+2*l*l))
				sum += p / budget * p
			}
		}
		return sum - 1
	}
	// The root is between at and 2·step above it.
	at, step := -1.0, 1.0
	for excess(at) < 0 {
		at *= 2
	}
	for excess(at+2*step) > 0 {
		step *= 2
	}
	for ; step > 0x1p-60; step /= 2 {
		if excess(at+step) > 0 {
			at += step
		}
	}
	return interval.Float(at).Exp()
}

func checkSpectrum(eigenvalues, weights []float64, budget float64) error {
	if err := checkEigenvalues("eigenvalues", eigenvalues, 100); err != nil {
		return err
	}
	if len(weights) != len(eigenvalues) {
		return parameter.Errorf("%d weights for %d eigenvalues, want one for each", len(weights), len(eigenvalues))
	}
	for i, w := range weights {
		if err := ordinary(fmt.Sprintf("weights[%d]", i), w, "", 100); err != nil {
			return err
		}
	}
	return ordinary("budget", budget, "", 100)
}

// checkEigenvalues returns an error unless there is a positive eigenvalue, and each is 0 or between 10^−decades and
// 10^decades.
func checkEigenvalues(name string, eigenvalues []float64, decades int) error {
	some := false
	for i, l := range eigenvalues {
		if l == 0 {
			continue
		}
		some = true
		if err := ordinary(fmt.Sprintf("%s[%d]", name, i), l, "0 or ", decades); err != nil {
			return err
		}
	}
	switch {
	case len(eigenvalues) == 0:
		return parameter.Errorf("%s is an empty list, want at least one number", name)
	case !some:
		return parameter.Errorf("every number of %s is 0, want a positive one", name)
	}
	return nil
}

// ordinary returns an error unless v is between 10^−decades and 10^decades, so that products with a few other such
// numbers neither overflow nor underflow.
func ordinary(name string, v float64, besides string, decades int) error {
	if end := math.Pow10(decades); !(v >= 1/end && v <= end) {
		return parameter.Errorf("%s = %g, want %sa number between 1e-%d and 1e%d", name, v, besides, decades, decades)
	}
	return nil
}
