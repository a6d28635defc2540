package mvg

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
)

// Norm says how a budget counts the precisions p_i.
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
	// Level is c of p_i = (c/w_i − 1/λ_i)⁺ for L1, and the multiplier ν of
	// λ_i/(1 + λ_i p_i) = 2νp_i for L2.
	Level  float64
	Active []int // the directions with p_i > 0, in order
	// Value encloses the optimum Σ ln(1 + λ_i p_i), which is ln PNR: from below
	// by these precisions, from above by the dual function at this level.
	Value evidence.Certified
	// Residual is the largest relative violation of the KKT conditions:
	// stationarity, feasibility and complementary slackness.
	Residual float64
}

// Waterfill maximises Σ ln(1 + λ_i p_i) over p ≥ 0 with Σ p_i ≤ budget (L1) or
// Σ p_i² ≤ budget (L2), exactly up to rounding. It returns an error wrapping
// evidence.ErrParameter unless each eigenvalue λ is 0 or between 1e-100 and 1e100,
// one is positive, and the budget is between 1e-100 and 1e100 (products of three
// such numbers are floats).
func Waterfill(eigenvalues []float64, budget float64, norm Norm) (*Waterfilling, error) {
	weights := make([]float64, len(eigenvalues))
	for i := range weights {
		weights[i] = 1
	}
	if norm == L1 {
		return WaterfillWeighted(eigenvalues, weights, budget)
	}
	if err := checkSpectrum(eigenvalues, weights, budget); err != nil {
		return nil, err
	}
	return fillSquares(eigenvalues, budget), nil
}

// WaterfillWeighted maximises Σ ln(1 + λ_i p_i) over p ≥ 0 with Σ w_i p_i ≤ budget:
// p_i = (c/w_i − 1/λ_i)⁺, which water-fills λ_i/w_i. Under the box sensitivity
// with half-widths h_i and Ψ = I the exact privacy condition is this budget with
// w_i = (2h_i)² and budget μ(ε, δ)². Errors as Waterfill, and unless there is a
// weight between 1e-100 and 1e100 for each eigenvalue.
func WaterfillWeighted(eigenvalues, weights []float64, budget float64) (*Waterfilling, error) {
	if err := checkSpectrum(eigenvalues, weights, budget); err != nil {
		return nil, err
	}
	// In order of falling λ/w the active set is a prefix: the k best directions
	// share the level c = (budget + Σ w_i/λ_i)/k, valid while c > w_k/λ_k. Floors
	// w_i/λ_i are taken above the lowest, for they can dwarf the budget.
	order := descendingOrder(eigenvalues, weights)
	top := order[0]
	floor := func(i int) float64 {
		return (weights[i]*eigenvalues[top] - weights[top]*eigenvalues[i]) / (eigenvalues[i] * eigenvalues[top])
	}
	above, sum := 0.0, 0.0
	for k, i := range order {
		if eigenvalues[i] == 0 || (k > 0 && above <= floor(i)) {
			break
		}
		sum += floor(i)
		above = (budget + sum) / float64(k+1)
	}
	level := above + weights[top]/eigenvalues[top]
	w := &Waterfilling{Level: level, Precisions: make([]float64, len(eigenvalues))}
	spent, low, dual, size := 0.0, 0.0, 0.0, 0.0
	for i, l := range eigenvalues {
		if l == 0 || !(above > floor(i)) {
			continue
		}
		p := (above - floor(i)) / weights[i]
		w.Precisions[i] = p
		w.Active = append(w.Active, i)
		spent += weights[i] * p
		low += math.Log1p(l * p)
		w.Residual = math.Max(w.Residual, math.Abs(l/(1+l*p)*level/weights[i]-1))
		// max_p ln(1 + λp) − wp/c = ln(cλ/w) − 1 + w/(cλ)
		r := level * l / weights[i]
		term := math.Log(r) - 1 + 1/r
		dual, size = dual+term, size+math.Abs(math.Log(r))+2
	}
	w.Residual = math.Max(w.Residual, math.Abs(spent/budget-1))
	dual += budget / level
	w.Value = enclose(low, dual, size+budget/level, len(eigenvalues), "KKT and Lagrange dual of (25) with (·)⁺")
	return w, nil
}

// enclose returns the enclosure of an optimum by a feasible and a dual value,
// both sums of n terms of total size, with their rounding added.
func enclose(low, dual, size float64, n int, source string) evidence.Certified {
	off := float64(n+10) * 4 * unit * size
	lo, hi := low-off, dual+off
	if hi < lo {
		lo, hi = math.Min(lo, hi), math.Max(lo, hi)
	}
	return evidence.Certified{Lo: math.Max(lo, 0), Hi: hi, Method: "feasible point below, Lagrange dual above", Source: source}
}

// fillSquares solves the l2 budget: with multiplier ν, p solves
// 2νλp² + 2νp − λ = 0, so p = λ/(ν + √(ν² + 2νλ²)), which falls in ν.
func fillSquares(eigenvalues []float64, budget float64) *Waterfilling {
	precision := func(l, nu float64) float64 {
		if l == 0 {
			return 0
		}
		return l / (nu + math.Sqrt(nu)*math.Sqrt(nu+2*l*l))
	}
	excess := func(logNu float64) float64 {
		nu, sum := math.Exp(logNu), 0.0
		for _, l := range eigenvalues {
			p := precision(l, nu)
			sum += p * p
		}
		return sum/budget - 1
	}
	lo, hi := -1.0, 1.0
	for excess(lo) < 0 {
		lo *= 2
	}
	for excess(hi) > 0 {
		hi *= 2
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if excess(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	nu := math.Exp(hi)
	w := &Waterfilling{Precisions: make([]float64, len(eigenvalues))}
	spent := 0.0
	for i, l := range eigenvalues {
		p := precision(l, nu)
		w.Precisions[i] = p
		spent += p * p
	}
	// The bisection leaves ν, hence p, off by the rounding of ln ν; scaling the
	// precisions onto the budget takes that out.
	k := math.Sqrt(budget / spent)
	low, dual, size := 0.0, nu*budget, nu*budget
	for i, l := range eigenvalues {
		p := w.Precisions[i] * k
		w.Precisions[i] = p
		if p == 0 {
			continue
		}
		w.Active = append(w.Active, i)
		gain := math.Log1p(l * p)
		slope := l/(1+l*p) - 2*nu*p
		w.Residual = math.Max(w.Residual, math.Abs(slope)*(1+l*p)/l)
		low += gain
		// ln(1 + λp) − νp² is concave with curvature at least 2ν, so its maximum
		// is at most slope²/4ν above its value at p.
		dual += gain - nu*p*p + slope*slope/(4*nu)
		size += gain + nu*p*p
	}
	w.Level = nu
	w.Residual = math.Max(w.Residual, math.Abs(k*k-1))
	w.Value = enclose(low, dual, size, len(eigenvalues), "KKT and Lagrange dual of Problem 1 for one mode")
	return w
}

func descendingOrder(eigenvalues, weights []float64) []int {
	order := make([]int, len(eigenvalues))
	for i := range order {
		order[i] = i
	}
	sortBy(order, func(a, b int) bool { return eigenvalues[a]*weights[b] > eigenvalues[b]*weights[a] })
	return order
}

func checkSpectrum(eigenvalues, weights []float64, budget float64) error {
	if err := checkEigenvalues("eigenvalues", eigenvalues, 100); err != nil {
		return err
	}
	if len(weights) != len(eigenvalues) {
		return fmt.Errorf("%w: %d weights for %d eigenvalues, want as many", evidence.ErrParameter, len(weights), len(eigenvalues))
	}
	for i, w := range weights {
		if err := ordinary(fmt.Sprintf("weights[%d]", i), w, "", 100); err != nil {
			return err
		}
	}
	return ordinary("budget", budget, "", 100)
}

// checkEigenvalues wants at least one eigenvalue, a positive one among them, and
// each 0 or between 10^−decades and 10^decades.
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
		return fmt.Errorf("%w: %s is an empty list, want at least one number", evidence.ErrParameter, name)
	case !some:
		return fmt.Errorf("%w: every number of %s is 0, want a positive one", evidence.ErrParameter, name)
	}
	return nil
}

// ordinary wants a number between 10^−decades and 10^decades: far enough from
// the ends of float64 for its products with a few other such numbers.
func ordinary(name string, v float64, besides string, decades int) error {
	if end := math.Pow10(decades); !(v >= 1/end && v <= end) {
		return fmt.Errorf("%w: %s = %g, want %sa number between 1e-%d and 1e%d", evidence.ErrParameter, name, v, besides, decades, decades)
	}
	return nil
}
