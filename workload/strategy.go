package workload

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// Names lists the strategies that NewStrategy makes.
var Names = []string{"square_root", "toeplitz", "banded", "blt", "tree", "identity", "optimal"}

// given is the name of strategies made by FromEncoder.
const given, optimal = "given", "optimal"

// StrategyParams are the parameters of a strategy. Zero numbers stand for the defaults.
type StrategyParams struct {
	Objective     Objective
	Participation Participation
	Bands         int // for "banded": nonzero diagonals; 32, or fewer so that columns of one person do not overlap
	Degree        int // for "blt": buffers; 4
	Arity         int // for "tree": children of a node; 2
}

// A Strategy answers a workload W = BC: noise goes on Cx, and the decoder B = WC⁺ gives the answers with the least
// variance.
type Strategy struct {
	Name     string
	Workload Workload
	Params   StrategyParams
	// Sensitivity is the largest change of Cx in Euclidean norm under the participation pattern.
	// Sharp reports whether its ends differ by rounding alone.
	Sensitivity evidence.Certified
	Sharp       bool
	// MaxError and RMSError are the largest standard deviation of an answer, and the root of the mean variance, at
	// equal privacy: with noise of standard deviation Sensitivity on Cx. MaxError is the largest row norm of B times
	// Sensitivity. At (ε, δ) both are multiplied by 1/μ of the analytic Gaussian mechanism.
	MaxError, RMSError evidence.Certified
	// Memory is the number of numbers that a stream keeps to compute C⁻¹z, where the noise of the answers is WC⁻¹z.
	// Steps is the number of multiplications in its last step. Both are −1 if an answer needs measurements of later
	// steps.
	Memory, Steps int

	column, quotient series      // first columns of Toeplitz encoders and their decoders
	c, b             *mat.Dense  // of others
	factors          []*Strategy // for Kronecker products
	limit            ends        // largest row norm of B
	off              float64     // bound on the row norms of W − BC, for decoders evaluated as computed
}

// NewStrategy returns the strategy for w with one of the Names. For a Kronecker product it is the product of the
// factors' strategies. Errors wrap evidence.ErrParameter, or are the context's.
func NewStrategy(ctx context.Context, w Workload, name string, r StrategyParams) (*Strategy, error) {
	if !slices.Contains(Names, name) {
		return nil, parameter.Bad("strategy", name, "one of %s, or a matrix", strings.Join(Names, ", "))
	}
	if err := r.Check(w, name); err != nil {
		return nil, err
	}
	if name == optimal {
		o, err := LeastError(ctx, w, r.Objective, r.Participation, Options{})
		if err != nil {
			return nil, err
		}
		return FromOptimum(ctx, w, o, r)
	}
	if k, ok := w.(*Kronecker); ok && r.Participation.Kind == Once {
		return newProduct(k, name, r, func(f Workload) (*Strategy, error) { return NewStrategy(ctx, f, name, r) })
	}
	_, n := w.Dims()
	s := &Strategy{Name: name, Workload: w, Params: r, Memory: -1, Steps: -1}
	switch name {
	case "identity":
		if t, ok := w.(*Toeplitz); ok {
			one := make(series, len(t.Coefficients()))
			one[0] = 1
			s.Memory, s.Steps = 0, 0
			return s.ofColumn(ctx, t, one)
		}
		return s.ofMatrix(ctx, identity(n))
	case "tree":
		return s.ofMatrix(ctx, tree(n, cmp.Or(r.Arity, 2)))
	}
	t, ok := w.(*Toeplitz)
	if !ok {
		return nil, parameter.Errorf("%s is not Toeplitz, "+
			"want prefix_sums, toeplitz or a Kronecker product of them for the strategy %q", w.Name(), name)
	}
	var best *Strategy
	for _, fit := range s.fits() {
		next := *s
		c, err := fit(ctx, &next, t.Coefficients())
		if err != nil {
			return nil, err
		}
		found, err := next.ofColumn(ctx, t, c)
		if err != nil {
			return nil, err
		}
		if best == nil || found.Error().Hi < best.Error().Hi {
			best = found
		}
	}
	if name == "banded" {
		return s.refined(ctx, best)
	}
	return best, nil
}

// refined returns the banded strategy without Toeplitz structure that descent finds from the Toeplitz strategy best. It
// returns best if that has the smaller error, if columns of one person may overlap, or if the descent would take too
// long.
func (s *Strategy) refined(ctx context.Context, best *Strategy) (*Strategy, error) {
	n, bands, p := len(best.column), best.Memory+1, s.Params.Participation
	if bands == 1 || p.Kind != Once && bands > p.Separation || n > mostBandWork/bands/n {
		return best, nil
	}
	w := s.Workload.(*Toeplitz)
	c, err := fitBanded(ctx, w.Coefficients(), best.column, bands, s.Params.Objective)
	if err != nil {
		return nil, err
	}
	found, err := s.ofMatrix(ctx, c)
	if err != nil || best.Error().Hi <= found.Error().Hi {
		return best, err
	}
	found.Memory, found.Steps = best.Memory, best.Steps
	return found, nil
}

// Shortened returns the strategy with the same name and parameters for w, the first steps of the stream. If the encoder
// was given as a matrix, the new one consists of its leading columns.
func (s *Strategy) Shortened(ctx context.Context, w *Toeplitz) (*Strategy, error) {
	_, n := w.Dims()
	if s.Name != given {
		r := s.Params
		r.Bands, r.Arity = min(r.Bands, n), min(r.Arity, max(2, n))
		return NewStrategy(ctx, w, s.Name, r)
	}
	rows, _ := s.c.Dims()
	return FromEncoder(ctx, w, mat.DenseCopyOf(s.c.Slice(0, rows, 0, n)), s.Params)
}

// FromEncoder returns the strategy of an encoder C. It returns an error wrapping evidence.ErrParameter if an entry is
// not finite, or a row of W is not a combination of rows of C.
func FromEncoder(ctx context.Context, w Workload, c *mat.Dense, r StrategyParams) (*Strategy, error) {
	m, err := NewMatrix("encoder", c)
	if err != nil {
		return nil, err
	}
	if err := r.Check(w, given); err != nil {
		return nil, err
	}
	s := &Strategy{Name: given, Workload: w, Params: r, Memory: -1, Steps: -1}
	return s.ofMatrix(ctx, m.dense)
}

// Check returns an error wrapping evidence.ErrParameter unless the parameters suit the strategy of that name for w.
func (r StrategyParams) Check(w Workload, name string) error {
	if w == nil {
		return parameter.Errorf("the workload is nil")
	}
	_, n := w.Dims()
	if r.Objective != Max && r.Objective != Mean {
		return parameter.Bad("objective", int(r.Objective), "Max or Mean")
	}
	if err := r.Participation.Check(n); err != nil {
		return err
	}
	for _, p := range []struct {
		name, of          string
		value, least, top int
	}{{"bands", "banded", r.Bands, 1, n}, {"degree", "blt", r.Degree, 1, 20}, {"arity", "tree", r.Arity, 2, max(2, n)}} {
		switch {
		case p.value == 0:
		case name != p.of:
			return parameter.Bad(p.name, p.value, "none: it belongs to the strategy %q, not to %q", p.of, name)
		case p.value < p.least || p.value > p.top:
			return parameter.Bad(p.name, p.value, "%d to %d", p.least, p.top)
		}
	}
	return nil
}

// ofColumn completes a strategy with a Toeplitz encoder.
func (s *Strategy) ofColumn(ctx context.Context, w *Toeplitz, c series) (*Strategy, error) {
	b, most, mean, ok := decodeSeries(w.Coefficients(), c)
	if !ok {
		return nil, parameter.Errorf("the strategy %q of %s is too close to singular: "+
			"rounding errors hide its inverse", s.Name, w.Name())
	}
	s.column, s.quotient = c, b
	if s.Params.Participation.Kind == Once {
		e := norm(c)
		s.Sharp = true
		s.Sensitivity = evidence.Enclosed(e.interval(), "norm of the first column, the largest of a Toeplitz matrix", "")
	} else {
		dense, err := s.Encoder()
		if err != nil {
			return nil, err
		}
		if s.Sensitivity, s.Sharp, err = Sensitivity(ctx, dense, s.Params.Participation); err != nil {
			return nil, err
		}
	}
	s.judge(most, mean, "row norms of the Toeplitz decoder, by its residual and a bound on the inverse of the encoder")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// ofMatrix completes a strategy with an encoder without structure.
func (s *Strategy) ofMatrix(ctx context.Context, c *mat.Dense) (*Strategy, error) {
	w, err := s.Workload.Dense()
	if err != nil {
		return nil, err
	}
	d, err := parallel.Interruptible(ctx, func() (*decoding, error) { return decode(ctx, w, c) })
	if err != nil {
		return nil, err
	}
	if s.Sensitivity, s.Sharp, err = Sensitivity(ctx, c, s.Params.Participation); err != nil {
		return nil, err
	}
	s.c, s.b = c, d.matrix
	if !d.exact {
		s.off = d.off
	}
	if r, n := w.Dims(); r == n && isLowerTriangular(c) && isLowerTriangular(w) {
		keepLower(s.b)
		s.Memory, s.Steps = n-1, n-1
	}
	most, mean := d.errors()
	s.judge(most, mean, d.method())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// judge sets the errors of the answers from the sensitivity and from norms of B: most is the largest row norm, and mean
// the root of the mean squared row norm.
func (s *Strategy) judge(most, mean ends, method string) {
	s.limit = most
	moved := evidence.Enclosure(s.Sensitivity)
	s.MaxError = evidence.Enclosed(most.interval().Mul(moved), method, "")
	s.RMSError = evidence.Enclosed(mean.interval().Mul(moved), method, "")
}

// Error returns MaxError or RMSError, depending on the objective.
func (s *Strategy) Error() evidence.Certified {
	if s.Params.Objective == Mean {
		return s.RMSError
	}
	return s.MaxError
}

// OverOptimum encloses the excess, in per cent, of the error of s over the least error for its workload, objective and
// participation, which o bounds.
func (s *Strategy) OverOptimum(o Optimum) evidence.Certified {
	over := evidence.Enclosure(s.Error()).Quo(evidence.Enclosure(o.Error)).Sub(interval.Int(1)).Mul(interval.Int(100))
	method := "error over the bounds of the optimum, in per cent"
	if s.off > 0 {
		return evidence.Enclosed(over, fmt.Sprintf("%s; rows of W − BC have norm at most %.2g", method, s.off), "")
	}
	return evidence.Enclosed(interval.Max(over, interval.Int(0)), method+": no strategy is below 0", "")
}

// Encoder returns C, which the caller may not change. It returns an error wrapping evidence.ErrParameter if it has
// more than MaxEntries entries.
func (s *Strategy) Encoder() (*mat.Dense, error) {
	return s.whole(s.c, s.column, (*Strategy).Encoder)
}

// Decoder returns B, as Encoder does.
func (s *Strategy) Decoder() (*mat.Dense, error) {
	return s.whole(s.b, s.quotient, (*Strategy).Decoder)
}

func (s *Strategy) whole(dense *mat.Dense, column series, of func(*Strategy) (*mat.Dense, error)) (*mat.Dense, error) {
	switch {
	case dense != nil:
		return dense, nil
	case column != nil:
		return (&Toeplitz{s.Name, column}).Dense()
	}
	a, err := of(s.factors[0])
	if err != nil {
		return nil, err
	}
	b, err := of(s.factors[1])
	if err != nil {
		return nil, err
	}
	ar, ac := a.Dims()
	br, bc := b.Dims()
	if ar*br > MaxEntries/(ac*bc) {
		return nil, parameter.Errorf("the matrix has %d × %d entries, want at most %d", ar*br, ac*bc, MaxEntries)
	}
	var out mat.Dense
	out.Kronecker(a, b)
	return &out, nil
}

// newProduct returns the product of the factors' strategies. Sensitivities and errors multiply.
func newProduct(w *Kronecker, name string, r StrategyParams, of func(Workload) (*Strategy, error)) (*Strategy, error) {
	s := &Strategy{Name: name, Workload: w, Params: r, Memory: -1, Steps: -1}
	product := [3]interval.Interval{interval.Int(1), interval.Int(1), interval.Int(1)}
	for _, f := range []Workload{w.A, w.B} {
		part, err := of(f)
		if err != nil {
			return nil, err
		}
		s.factors = append(s.factors, part)
		s.off += part.off
		for i, e := range []evidence.Certified{part.Sensitivity, part.MaxError, part.RMSError} {
			product[i] = product[i].Mul(evidence.Enclosure(e))
		}
	}
	const method = "product of those of the factors"
	s.Sharp = s.factors[0].Sharp && s.factors[1].Sharp
	s.Sensitivity = evidence.Enclosed(product[0], method, "")
	s.MaxError, s.RMSError = evidence.Enclosed(product[1], method, ""), evidence.Enclosed(product[2], method, "")
	return s, nil
}
