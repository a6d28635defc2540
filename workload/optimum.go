package workload

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// Objective is the error to be minimised.
type Objective int

const (
	// Max is the largest standard deviation of an answer.
	Max Objective = iota
	// Mean is the root of the mean variance of the answers.
	Mean
)

// String returns "max" or "mean".
func (o Objective) String() string {
	if o == Max {
		return "max"
	}
	return "mean"
}

// Options are the options of LeastError.
type Options struct {
	// Gap is the relative gap between the ends at which the search stops. 0 means 1e-7, with two exceptions. It means
	// 1e-3 with one participation and more than 512 columns, unless W is a Toeplitz matrix with a banded inverse. It
	// means 1e-6 for more than 2,000 patterns and pairs of their steps.
	Gap float64
}

const (
	// The certified ends are rounded outward, so the gap must be somewhat below 1e-6.
	defaultGap, defaultLongGap, defaultDenseGap = 1e-7, 9.9e-7, 1e-3
	mostDense                                   = 512 // columns for the smaller gap
)

// Optimum is the least error of any strategy at sensitivity 1 and noise of standard deviation 1.
type Optimum struct {
	Error evidence.Certified
	// B and C are a factorisation of W in which C has sensitivity at most 1 and the error is at most the upper end. BC
	// equals W up to rounding, which the upper end includes. If W is lower triangular, both are too, unless another
	// factorisation is better. For a Kronecker product they are nil, and Factors holds the optima of its factors, whose
	// B and C multiply.
	B, C    *mat.Dense
	Factors []Optimum
}

// MostVariables bounds the number of weights in the Newton steps of LeastError: one for each column, and for Max also
// one for each row. With one participation, at most 512 columns and at least four times as many rows, Max uses another
// method, whose limit is MaxEntries.
const MostVariables = 4096

// LeastError encloses the least error of w over all strategies.
//
// For Once and Max it is γ₂(W) = max over probability vectors p, q of ‖D_p^½ W D_q^½‖_* (Linial, Mendelson, Schechtman
// and Shraibman, Combinatorica 27(4), 2007); for Mean p = 1/m. Any p and q give a lower bound and a factorisation. It
// returns an error wrapping evidence.ErrParameter if w is too large or cannot have the pattern, or the context's
// error.
func LeastError(ctx context.Context, w Workload, o Objective, p Participation, opts Options) (Optimum, error) {
	if w == nil {
		return Optimum{}, parameter.Errorf("the workload is nil")
	}
	if o != Max && o != Mean {
		return Optimum{}, parameter.Bad("objective", int(o), "Max or Mean")
	}
	if opts.Gap != 0 {
		if err := parameter.OpenUnit("gap", opts.Gap); err != nil {
			return Optimum{}, err
		}
	}
	_, columns := w.Dims()
	if err := p.Check(columns); err != nil {
		return Optimum{}, err
	}
	if k, ok := w.(*Kronecker); ok && p.once() {
		return kroneckerOptimum(ctx, k, o, p, opts)
	}
	s, err := newSearch(w, o, p, opts)
	if err != nil {
		return Optimum{}, err
	}
	// The dense decompositions of gonum do not check the context.
	return parallel.Interruptible(ctx, func() (Optimum, error) { return s.run(ctx) })
}

// kroneckerOptimum returns the product of the factors' optima: ⟨Q, M⟩, ‖Q‖₂, the row norms of B and the column norms of
// C are multiplicative for Kronecker products.
func kroneckerOptimum(ctx context.Context, w *Kronecker, o Objective, p Participation, opts Options) (Optimum, error) {
	var all Optimum
	lo, hi := 1.0, 1.0
	for _, factor := range []Workload{w.A, w.B} {
		part, err := LeastError(ctx, factor, o, p, opts)
		if err != nil {
			return Optimum{}, err
		}
		if part.Factors == nil {
			all.Factors = append(all.Factors, part)
		}
		all.Factors = append(all.Factors, part.Factors...)
		lo, hi = interval.Down(lo*part.Error.Lo), interval.Up(hi*part.Error.Hi)
	}
	all.Error = certified(w, o, p, lo, hi)
	return all, nil
}

func certified(w Workload, o Objective, p Participation, lo, hi float64) evidence.Certified {
	source := "least " + o.String() + " error of " + w.Name() + ", " + p.String()
	return evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.From(source).By("nuclear norm and factorisation")}
}

// search is a search for the least error of a workload.
type search struct {
	w     Workload
	o     Objective
	p     Participation
	gap   float64
	given *mat.Dense
	// kept is W without its zero rows and columns, times 2^−shift, so that its largest entry is in [1, 2).
	kept          *mat.Dense
	rows, columns []int
	shift         int
}

func newSearch(w Workload, o Objective, p Participation, opts Options) (*search, error) {
	d, err := w.Dense()
	if err != nil {
		return nil, err
	}
	s := &search{w: w, o: o, p: p, gap: opts.Gap, given: d}
	m, n := d.Dims()
	used, most := make([]bool, n), 0.0
	for i := range m {
		zero := true
		for j, v := range d.RawRowView(i) {
			if v != 0 {
				used[j], zero, most = true, false, max(most, math.Abs(v))
			}
		}
		if !zero {
			s.rows = append(s.rows, i)
		}
	}
	for j, u := range used {
		if u || !p.once() {
			s.columns = append(s.columns, j)
		}
	}
	if math.IsInf(most, 0) {
		return nil, parameter.Errorf("%s has an infinite entry, want entries of at most 1.8e308 in magnitude", w.Name())
	}
	s.shift = math.Ilogb(most)
	s.kept = mat.NewDense(len(s.rows), len(s.columns), nil)
	for i, from := range s.rows {
		for j, column := range s.columns {
			s.kept.Set(i, j, math.Ldexp(d.At(from, column), -s.shift))
		}
	}
	variables := len(s.columns)
	if o == Max {
		variables += len(s.rows)
	}
	if variables > MostVariables && !s.hasManyRows() {
		return nil, parameter.Errorf("%s has %d variables in its optimisation, want at most %d",
			w.Name(), variables, MostVariables)
	}
	return s, nil
}

// hasManyRows reports whether the multiplicative steps of manyRows are faster than Newton steps.
func (s *search) hasManyRows() bool {
	return s.o == Max && s.p.once() && len(s.columns) <= mostDense && len(s.rows) >= max(4*len(s.columns), 512)
}

func (s *search) run(ctx context.Context) (Optimum, error) {
	if !s.p.once() {
		return s.runEpochs(ctx)
	}
	if t, ok := s.w.(*Toeplitz); ok {
		return s.runToeplitz(ctx, t)
	}
	if s.o == Mean && len(s.rows) > len(s.columns) {
		d, decompose := tallDual(s.kept)
		return s.runDense(ctx, d, uniform(d.columns), decompose)
	}
	if s.hasManyRows() {
		found, gap, err := s.runRows(ctx)
		if err != nil || gap <= s.gap || len(s.rows)+len(s.columns) > MostVariables {
			return found, err
		}
	}
	d := denseDual(s.kept, s.o, false)
	x := uniform(d.columns)
	if s.o == Max {
		x = append(uniform(d.rows), x...)
	}
	return s.runDense(ctx, d, x, d.decompose)
}

// runDense maximises the dual from x on. decompose returns the singular value decomposition of D_p^½WD_q^½, or is nil.
func (s *search) runDense(
	ctx context.Context, d *dual, x []float64, decompose func(p, q []float64) (spectrum, error),
) (Optimum, error) {
	if s.gap == 0 {
		s.gap = defaultGap
		if len(s.columns) > mostDense {
			s.gap = defaultDenseGap
		}
	}
	x, err := d.maximise(ctx, x, s.gap)
	if err != nil {
		return Optimum{}, err
	}
	p, q := d.split(x)
	f, err := factorDense(s.kept, p, q, decompose)
	if err != nil {
		return Optimum{}, err
	}
	r, reach := diagonal(q)
	return s.certify(ctx, f, p, r, reach)
}

// runToeplitz uses the bands of W^{−1}, if there are few. Otherwise the search starts from the optimum for half as many
// steps.
func (s *search) runToeplitz(ctx context.Context, w *Toeplitz) (Optimum, error) {
	first := make([]float64, len(w.coefficients))
	for i := range first {
		first[i] = s.kept.At(i, 0)
	}
	inverse, ok := inverseBands(first)
	if !ok {
		x, err := toeplitzStart(ctx, first, s.o)
		if err != nil {
			return Optimum{}, err
		}
		d := toeplitzDual(s.kept, s.o)
		return s.runDense(ctx, d, x, d.decompose)
	}
	structure := &bandInverse{s.kept, inverse}
	d := structure.dual(s.o)
	if s.gap == 0 {
		s.gap = defaultGap
	}
	x, err := d.maximise(ctx, uniform(len(first)), s.gap)
	if err != nil {
		return Optimum{}, err
	}
	p, q := d.split(x)
	f, ok, err := structure.factor(ctx, p, q)
	if err == nil && !ok {
		f, err = factorDense(s.kept, p, q, nil)
	}
	if err != nil {
		return Optimum{}, err
	}
	r, reach := diagonal(q)
	return s.certify(ctx, f, p, r, reach)
}

// toeplitzDual is denseDual of a lower triangular Toeplitz matrix. Such a matrix equals its transpose with rows and
// columns in reverse order. So by concavity there is an optimum in which p is q in reverse.
func toeplitzDual(w *mat.Dense, o Objective) *dual {
	d := denseDual(w, o, o == Max)
	if _, n := w.Dims(); n > mostDense/2 { // toeplitzStart is then close to the optimum
		d.power = 2
		if d.mirrored { // p and q change together
			d.power = 1
		}
	}
	return d
}

// toeplitzStart returns initial weights of steps. For many steps it interpolates the optimal weights for half as many
// steps.
func toeplitzStart(ctx context.Context, first []float64, o Objective) ([]float64, error) {
	n := len(first)
	if n <= mostDense/2 {
		return uniform(n), nil
	}
	half := make([]float64, (n+1)/2)
	for i := range half {
		half[i] = first[2*i]
	}
	start, err := toeplitzStart(ctx, half, o)
	if err != nil {
		return nil, err
	}
	w, err := (&Toeplitz{"", half}).Dense()
	if err != nil {
		return nil, err
	}
	if start, err = toeplitzDual(w, o).maximise(ctx, start, defaultDenseGap); err != nil {
		return nil, err
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = start[i/2] / 2
	}
	return x, nil
}

func uniform(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 / float64(n)
	}
	return x
}

// certify bounds the least error. The upper end is from the factorisation f. The lower end is from weights p of the
// answers and weights R of the contributions, where ‖CR‖²_F ≤ reach for every C of sensitivity 1.
func (s *search) certify(
	ctx context.Context, f factorisation, p []float64, r *mat.Dense, reach float64,
) (Optimum, error) {
	m, _ := s.kept.Dims()
	a := make([]float64, m)
	for i := range a {
		a[i] = 1
		if s.o == Max {
			a[i] = math.Sqrt(p[i])
		}
	}
	all, _ := s.given.Dims()
	weight := normAbove(a)
	if s.o == Mean {
		// The mean is over all answers, including those of zero rows.
		weight = interval.Up(math.Sqrt(float64(all)))
	}
	lo := lowerEnd(s.kept, a, weight, r, interval.Up(math.Sqrt(reach)), f.q)

	// Scale C to a sensitivity of at most 1, and B inversely.
	_, sensitivity, err := newGram(f.c).moved(ctx, s.p)
	if err != nil {
		return Optimum{}, err
	}
	size := math.Sqrt(sensitivity) * (1 + 1e-12)
	f.c.Scale(1/size, f.c)
	f.b.Scale(size, f.b)
	if _, sensitivity, err = newGram(f.c).moved(ctx, s.p); err != nil {
		return Optimum{}, err
	}
	steps := 1
	if !s.p.once() {
		steps = s.p.Epochs
	}
	hi := upperEnd(s.kept, f.b, f.c, s.o, interval.Up(math.Sqrt(sensitivity)), steps)
	if s.o == Mean && m < all {
		hi = above(hi*math.Sqrt(float64(m)/float64(all)), 4*interval.Unit)
	}
	// The error of entries of W that became subnormal by scaling is less than tiny in all.
	lo, hi = max(0, interval.Down(lo-tiny)), interval.Up(hi+tiny)
	lo, hi = interval.Down(math.Ldexp(lo, s.shift)), interval.Up(math.Ldexp(hi, s.shift))
	return Optimum{Error: certified(s.w, s.o, s.p, lo, hi), B: s.spread(f.b, true), C: s.spread(f.c, false)}, nil
}

// diagonal returns R = D_q^½, and an upper bound of its squared norm.
func diagonal(q []float64) (*mat.Dense, float64) {
	r, b := mat.NewDense(len(q), len(q), nil), make([]float64, len(q))
	for j, v := range q {
		b[j] = math.Sqrt(v)
		r.Set(j, j, b[j])
	}
	norm := normAbove(b)
	return r, above(norm*norm, 0)
}

// spread returns B with zeros for the omitted rows, at the scale of W, or C with zeros for the omitted columns.
func (s *search) spread(f *mat.Dense, isB bool) *mat.Dense {
	m, n := s.given.Dims()
	r, c := f.Dims()
	if isB {
		out := mat.NewDense(m, c, nil)
		for i, to := range s.rows {
			for j, v := range f.RawRowView(i) {
				out.Set(to, j, math.Ldexp(v, s.shift))
			}
		}
		return out
	}
	out := mat.NewDense(r, n, nil)
	for i := range r {
		for j, to := range s.columns {
			out.Set(i, to, f.At(i, j))
		}
	}
	return out
}
