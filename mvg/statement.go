package mvg

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// WhitenedStatement states the largest whitened difference of a design.
type WhitenedStatement struct{ Of *Design }

// DeltaStatement states δ(ε) of a design.
type DeltaStatement struct {
	Of *Design
	At evidence.Epsilon
}

// EpsilonStatement states ε(δ) of a design.
type EpsilonStatement struct {
	Of *Design
	At evidence.Delta
}

// Says implements evidence.Statement.
func (s *WhitenedStatement) Says() string {
	return "the largest whitened difference of " + s.Of.describe()
}

// Says implements evidence.Statement.
func (s *DeltaStatement) Says() string {
	return fmt.Sprintf("δ at ε = %s of %s", s.At, s.Of.describe())
}

// Says implements evidence.Statement.
func (s *EpsilonStatement) Says() string {
	return fmt.Sprintf("ε at δ = %s of %s", s.At, s.Of.describe())
}

func (d *Design) describe() string {
	return "matrix-variate Gaussian noise for " + d.sensitivity.Describe()
}

// Proof is the evidence for the largest whitened difference of a design. All fields are nil if the covariances and
// the set determine it directly.
type Proof struct {
	// Sigma and Psi enclose the largest eigenvalues of the inverses of covariances that are not diagonal, in
	// descending order. There is one for a ball, and as many as the rank of the difference for a Gram matrix.
	Sigma, Psi [][2]*big.Rat
	// Signs are those of a box's vertex, for the lower bound. Dominating is the diagonal of a matrix D ⪰ 4HΣ⁻¹H, H
	// being the half-widths, for the upper bound.
	Signs      []int
	Dominating []*big.Rat
}

// Proof returns the evidence for the design's whitened sensitivity. It returns an error wrapping
// evidence.ErrParameter if that evidence was not kept.
func (d *Design) Proof() (*Proof, error) {
	switch s := d.sensitivity.(type) {
	case Ball:
		return &Proof{Sigma: d.sigma.ends(1), Psi: d.psi.ends(1)}, nil
	case Gram:
		if !s.aligned(d.sigma, d.psi) {
			return nil, parameter.Errorf("the noise of a Gram matrix has no certificate if its covariances differ and neither is a multiple of I")
		}
		return &Proof{Sigma: d.sigma.ends(s.rank()), Psi: d.psi.ends(s.rank())}, nil
	case Box:
		if d.sigma.dense != nil && d.sigma.Order()-1 > maxVertexBits {
			return s.dominated(d.sigma)
		}
	}
	return &Proof{}, nil
}

// ends returns the lower and upper bounds of the largest eigenvalues of the inverse, or nil for a diagonal covariance.
func (c Covariance) ends(count int) [][2]*big.Rat {
	if c.dense == nil {
		return nil
	}
	out := make([][2]*big.Rat, count)
	for i, v := range c.top(count) {
		out[i] = [2]*big.Rat{pointValue(v.Lower()), pointValue(v.Upper())}
	}
	return out
}

// pointValue returns the value of a point interval.
func pointValue(a interval.Interval) *big.Rat {
	q, _ := a.MidFloat(512).Rat(nil)
	return q
}

// dominated returns the proof for a box with too many vertices to enumerate, computed as in vertexMaximum.
func (b Box) dominated(sigma Covariance) (*Proof, error) {
	inverse := sigma.dense.factor.Inverse(b.halfWidths)
	diagonal, bound := dominating(inverse.Near)
	if sum := floats.Sum(diagonal); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, parameter.Errorf("the diagonal matrix that bounds the sensitivity box is not finite")
	}
	bound += inverse.Entry*float64(len(diagonal))*mat.Trace(inverse.Near)*(1+1e-9) + b.formError(inverse.Near)
	_, bound = spread(inverse, 0, bound)
	out := &Proof{Signs: lists.Each(localMaxima(inverse.Near)[0], func(s float64) int { return int(s) })}
	// Distribute the excess of the bound over the diagonal in proportion.
	share := pointValue(nonNegative(bound, bound, inverse.Exp).Mul(interval.Int(4)))
	total := new(big.Rat)
	exact := make([]*big.Rat, len(diagonal))
	for i, v := range diagonal {
		exact[i] = new(big.Rat).SetFloat64(v)
		total.Add(total, exact[i])
	}
	share.Quo(share, total)
	for _, v := range exact {
		v.Mul(v, share)
		down := new(big.Float).SetPrec(128).SetMode(big.ToZero).SetRat(v)
		q, _ := down.Rat(nil)
		out.Dominating = append(out.Dominating, q)
	}
	return out, nil
}

// Filling is a water-filling problem.
type Filling struct {
	Eigenvalues []float64
	Weights     []float64 // of norm L1
	Budget      float64
	Norm        Norm

	level [2]*big.Rat
}

// FillingNumber selects a number of a water-filling.
type FillingNumber int

// The numbers are the optimum, half of the optimum, and the level.
const (
	FillingOptimum FillingNumber = iota
	FillingInformation
	FillingLevel
)

// FillingStatement states a number of a water-filling.
type FillingStatement struct {
	Filling *Filling
	Number  FillingNumber
}

// Says implements evidence.Statement.
func (s *FillingStatement) Says() string {
	name := [...]string{"the optimum", "the mutual information", "the level"}[s.Number]
	return fmt.Sprintf("%s of water-filling %d eigenvalues", name, len(s.Filling.Eigenvalues))
}

// Level returns an enclosure of c − min w_i/λ_i for norm L1, and of ν for L2.
func (f *Filling) Level() (low, high *big.Rat) { return f.level[0], f.level[1] }

// stating attaches the problem to the numbers of a filling.
func (w *Waterfilling) stating(f Filling) *Waterfilling {
	f.Eigenvalues, f.Weights = slices.Clone(f.Eigenvalues), slices.Clone(f.Weights)
	f.level = [2]*big.Rat{pointValue(w.level.Lower()), pointValue(w.level.Upper())}
	w.Value.Statement = &FillingStatement{&f, FillingOptimum}
	w.KnownLevel.Statement = &FillingStatement{&f, FillingLevel}
	return w
}
