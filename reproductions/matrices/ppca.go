package matrices

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"

	"gonum.org/v1/gonum/mat"
)

// PPCA is the first principal component by the exponential mechanism (Chaudhuri, Sarwate and Sinha 2013, Algorithm
// PPCA, of which only the abstract was available). For n records of Euclidean norm at most RowNorm, the columns of X,
// it releases a unit vector v with density proportional to
//
//	exp(η/2 · vᵀXXᵀv/RowNorm²).
//
// Neighbors replace one record, or if Adds is true add or remove one.
type PPCA struct {
	Parameter evidence.Epsilon // η
	RowNorm   float64
	Adds      bool

	claimed bool
}

const ppcaSource = "Chaudhuri, Sarwate and Sinha 2013, Theorem 6 as it is cited"

// NewPPCA returns the mechanism with the parameter η, for which its paper claims η-privacy if a record is replaced. It
// returns an error wrapping evidence.ErrParameter unless η and the norm are positive and finite.
func NewPPCA(eta evidence.Epsilon, rowNorm float64, adds bool) (PPCA, error) {
	if err := eta.Positive("eps"); err != nil {
		return PPCA{}, err
	}
	if err := parameter.Positive("row_norm", rowNorm); err != nil {
		return PPCA{}, err
	}
	return PPCA{eta, rowNorm, adds, true}, nil
}

// ExactPPCA returns the mechanism with about the largest η whose upper bound on δ(ε) is at most δ. At δ = 0 this η is
// ε, or 2ε if records are added or removed. Errors wrap evidence.ErrParameter.
func ExactPPCA(eps evidence.Epsilon, delta evidence.Delta, rowNorm float64, adds bool) (PPCA, error) {
	if err := eps.Positive("eps"); err != nil {
		return PPCA{}, err
	}
	eta := eps
	if !delta.IsZero() {
		var err error
		if eta, err = rangedParameter(eps, delta); err != nil {
			return PPCA{}, err
		}
	}
	if adds {
		eta = eta.Times(2)
	}
	p, err := NewPPCA(eta, rowNorm, adds)
	p.claimed = false
	return p, err
}

// Claimed returns the ε that the paper claims. ok is false if η was chosen from the exact privacy, or if the neighbors
// are not the paper's.
func (p PPCA) Claimed() (eps evidence.Claimed, ok bool) {
	return evidence.Claimed{Value: p.Parameter.Value(), Epsilon: p.Parameter, Provenance: evidence.From(ppcaSource)}, p.claimed && !p.Adds
}

// Privacy returns the known privacy of the mechanism over all data sets of any size. The score vᵀXXᵀv/RowNorm² changes
// by a number in [−1, 1] if a record is replaced. If one is added or removed, the change is in [0, 1], with the same
// sign for all v. So the range of the loss is η, or η/2. From two dimensions on, that is the smallest ε. Take n − 1
// copies of a record y and one x ⟂ y, against n copies of y. Their loss at v = x is η/2 + ln E e^{η/2·((yᵀv)² −
// (xᵀv)²)}, and v concentrates at ±y as n grows. [PPCA.Witness] computes it for a given n. In one dimension v is ±1 and
// reveals nothing. The upper bound of δ(ε) uses only the range.
func (p PPCA) Privacy() privacy.Profile {
	pure := p.Parameter
	if p.Adds {
		pure = pure.Ratio(1, 2)
	}
	return ranged{pure.Enclosure(), evidence.EnclosedLoss(pure.Enclosure(), "range of the loss, approached by many equal records", ppcaSource)}
}

// Witness encloses the loss of two neighbors of n records in dimension d ≥ 2, a lower bound of the smallest ε for data
// sets of that size. In the first data set all records are y except one, x ⟂ y. In the second all records are y or, if
// Adds is true, x is missing. The output is v = x. It returns an error wrapping evidence.ErrParameter unless 2 ≤ d ≤
// 4096, n ≥ 2 and nη/2 ≤ 5e4, or the context's error.
func (p PPCA) Witness(ctx context.Context, d, n int) (evidence.Certified, error) {
	if d < 2 || d > mostOrder {
		return evidence.Certified{}, parameter.Bad("d", d, "2 <= d <= %d", mostOrder)
	}
	if n < 2 {
		return evidence.Certified{}, parameter.Bad("n", n, "at least 2")
	}
	half := p.Parameter.Value() / 2
	constant := func(y, x float64) (evidence.Certified, error) {
		values := make([]float64, d)
		values[0], values[1] = y*half, x*half
		return (&Bingham{values: values}).LogConstant(ctx)
	}
	with, err := constant(float64(n-1), 1)
	if err != nil {
		return evidence.Certified{}, err
	}
	last := float64(n)
	if p.Adds {
		last--
	}
	without, err := constant(last, 0)
	if err != nil {
		return evidence.Certified{}, err
	}
	loss := interval.Float(half).Add(interval.Between(without.Bounds())).Sub(interval.Between(with.Bounds()))
	return evidence.EnclosedLoss(loss, "two data sets, at one output", ppcaSource), nil
}

// Law returns the law of the released vector. It returns an error wrapping evidence.ErrParameter if a record is longer
// than RowNorm or an entry is not finite.
func (p PPCA) Law(x mat.Matrix) (*Bingham, error) {
	if err := checkRecords(x); err != nil {
		return nil, err
	}
	m, n := x.Dims()
	if m > mostOrder {
		return nil, parameter.Errorf("x has %d rows, want at most %d", m, mostOrder)
	}
	for k := range n {
		norm := 0.0
		for i := range m {
			norm = math.Hypot(norm, x.At(i, k))
		}
		if norm > p.RowNorm*(1+1e-9) {
			return nil, parameter.Errorf("record %d of x has norm %.6g, want at most row_norm = %.6g", k, norm, p.RowNorm)
		}
	}
	s := gram(x)
	s.ScaleSym(p.Parameter.Value()/2/p.RowNorm/p.RowNorm, s)
	return NewBingham(s)
}

// Simulate returns the released vector, drawn in float64. Errors are those of Law.
func (p PPCA) Simulate(x mat.Matrix, src rand.Source) ([]float64, error) {
	law, err := p.Law(x)
	if err != nil {
		return nil, err
	}
	v, _, err := law.Simulate(1, src)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, v), nil
}

// Captured encloses E vᵀ(XXᵀ/n)v, the mean variance that the released vector captures, without sampling. Errors are
// those of Law and of [Bingham.Moment].
func (p PPCA) Captured(ctx context.Context, x mat.Matrix) (evidence.Certified, error) {
	law, err := p.Law(x)
	if err != nil {
		return evidence.Certified{}, err
	}
	moment, err := law.Moment(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	_, n := x.Dims()
	unit := interval.Float(p.RowNorm).Pow(2).Mul(interval.Int(2)).Quo(p.Parameter.Enclosure()).Quo(interval.Int(int64(n)))
	return evidence.Enclosed(interval.Between(moment.Bounds()).Mul(unit), moment.Method+"; the eigenvalues as computed", moment.Source), nil
}

// String describes the mechanism.
func (p PPCA) String() string {
	change := "replaced"
	if p.Adds {
		change = "added or removed"
	}
	return fmt.Sprintf("PPCA with parameter %s, one record of norm at most %s %s", p.Parameter, evidence.FormatFloat(p.RowNorm, 6), change)
}
