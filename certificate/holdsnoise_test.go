package certificate_test

import (
	"context"
	"errors"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

type statedGaussian struct {
	Eps                       statedEpsilon
	Delta, Sigma, Sensitivity string
	Is                        statedNumber
}

func (s statedGaussian) mu() interval.Interval {
	return interval.Rat(rat(s.Sensitivity)).Quo(interval.Rat(rat(s.Sigma)))
}

// largestEpsilon is about where float64s end, and with them the ε that δ of Gaussian noise is computed at.
const largestEpsilon = 1e308

// deltaOfNormal is δ(ε) of Gaussian noise, which falls in ε.
func deltaOfNormal(eps statedEpsilon, mu interval.Interval) interval.Interval {
	if eps.Rational != "" && rat(eps.Rational).Cmp(new(big.Rat).SetFloat64(largestEpsilon)) > 0 {
		return interval.Hull(interval.Int(0), evidence.Enclosure(gaussian.DeltaAt(must.Be(evidence.NewEpsilon("eps", largestEpsilon)), mu)))
	}
	return evidence.Enclosure(gaussian.DeltaAt(eps.epsilon(), mu))
}

// epsilonOfNormal is ε(δ) of Gaussian noise.
func epsilonOfNormal(delta string, mu interval.Interval) interval.Interval {
	return fallingInDelta(delta, infinite(), func(v evidence.Delta) interval.Interval { return enclosed(gaussian.EpsilonAt(v, mu)) })
}

func sigmaHolds(s statedGaussian) error {
	below, above := around(rat(s.Sensitivity))
	return s.Is.meets(fallingInDelta(s.Delta, infinite(), func(delta evidence.Delta) interval.Interval {
		return interval.Hull(enclosed(gaussian.Sigma(s.Eps.epsilon(), delta, below)), enclosed(gaussian.Sigma(s.Eps.epsilon(), delta, above)))
	}))
}

func muHolds(s statedGaussian) error {
	return s.Is.meets(fallingInDelta(s.Delta, interval.Int(0), func(delta evidence.Delta) interval.Interval {
		return enclosed(gaussian.Mu(s.Eps.epsilon(), delta))
	}))
}

// floats reads numbers as float64s, and remembers whether one is none.
type floats struct{ rounded bool }

func (f *floats) of(text string) float64 {
	v, exact := rat(text).Float64()
	f.rounded = f.rounded || !exact
	return v
}

func (f *floats) row(texts []string) []float64 {
	out := make([]float64, len(texts))
	for i, text := range texts {
		out[i] = f.of(text)
	}
	return out
}

func (f *floats) dense(rows [][]string) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		out.SetRow(i, f.row(row))
	}
	return out
}

// widened returns what is known of a number whose makings are rounded, where they were.
func (f *floats) widened(known interval.Interval, relative float64) interval.Interval {
	if !f.rounded {
		return known
	}
	return known.Mul(interval.Between(1-relative, 1+relative))
}

type statedCovariance struct {
	Matrix   [][]string
	Diagonal []string
	Order    int
	Variance string
}

// covariance returns it, and about its condition number.
func (f *floats) covariance(c statedCovariance) (mvg.Covariance, float64) {
	switch {
	case c.Matrix != nil:
		a := f.dense(c.Matrix)
		return must.Be(mvg.NewDense(a)), mat.Cond(a, 2)
	case c.Diagonal != nil:
		return must.Be(mvg.NewDirectional(f.row(c.Diagonal), nil)), 1
	}
	return must.Be(mvg.NewIsotropic(c.Order, f.of(c.Variance))), 1
}

type statedDesign struct {
	Differences struct {
		Ball string
		List [][][]string
		Box  []string
		Gram *struct {
			RowNorm   string `json:"row_norm"`
			Scale     string
			Neighbors string
		}
	}
	Sigma, Psi statedCovariance
	Eps        statedEpsilon
	Delta      string
	Is         statedNumber
}

// mu encloses the largest whitened difference.
func (s statedDesign) mu() interval.Interval {
	var f floats
	sigma, first := f.covariance(s.Sigma)
	psi, second := f.covariance(s.Psi)
	m, n := sigma.Order(), psi.Order()
	var of mvg.Sensitivity
	switch d := s.Differences; {
	case d.Ball != "":
		radius := f.of(d.Ball)
		of = must.Be(mvg.NewBall(m, n, mvg.BallOptions{S2: radius, Gamma: radius}))
	case d.List != nil:
		var list []*mat.Dense
		for _, rows := range d.List {
			list = append(list, f.dense(rows))
		}
		of = must.Be(mvg.NewDifferences(list))
	case d.Box != nil:
		of = must.Be(mvg.NewBox(n, f.row(d.Box)))
	case d.Gram != nil:
		of = must.Be(mvg.NewGram(m, f.of(d.Gram.RowNorm), must.Be(query.ParseRelation(d.Gram.Neighbors)), f.of(d.Gram.Scale)))
	default:
		panic(failed{errors.New("there are no differences")})
	}
	known := evidence.Enclosure(must.Be(mvg.NewDesign(context.Background(), of, sigma, psi)).WhitenedSensitivity())
	return f.widened(known, min(1, 1e-13*(first+second)))
}

type statedFilling struct {
	Number, Budget, Norm string
	Eigenvalues, Weights []string
	Is                   statedNumber
}

func fillingHolds(s statedFilling) error {
	var f floats
	var w *mvg.Waterfilling
	eigenvalues, budget := f.row(s.Eigenvalues), f.of(s.Budget)
	if budget < 1e-100 || budget > 1e100 { // which the workbench does not take
		return nil
	}
	if s.Weights != nil {
		w = must.Be(mvg.WaterfillWeighted(eigenvalues, f.row(s.Weights), budget))
	} else {
		w = must.Be(mvg.Waterfill(eigenvalues, budget, map[string]mvg.Norm{"l1": mvg.L1, "l2": mvg.L2}[s.Norm]))
	}
	known := w.Value
	switch s.Number {
	case "level":
		known = w.KnownLevel
	case "information":
		known = w.MutualInformation()
	}
	return s.Is.meets(f.widened(evidence.Enclosure(known), 1e-12))
}

// exactFloats returns numbers as float64s that are they, or whose shortest decimals are.
func exactFloats(of []*big.Rat) (values []float64, decimals, exact bool) {
	binary, decimals := true, true
	for _, q := range of {
		v, same := q.Float64()
		binary = binary && same
		decimals = decimals && !math.IsInf(v, 0) && interval.Decimal(v).Cmp(q) == 0
		values = append(values, v)
	}
	return values, decimals, binary || decimals
}
