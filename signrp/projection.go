package signrp

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Kind is the law of a projection's entries. All have mean 0, and variance 1 except for OPORP.
type Kind string

// The laws of Appendix B, and OPORP (one permutation, one random projection).
const (
	Rademacher Kind = "rademacher" // ±1, (8) with s = 1
	Gaussian   Kind = "gaussian"   // N(0, 1)
	Uniform    Kind = "uniform"    // √3·U[−1, 1]
	Sparse     Kind = "sparse"     // √s·{−1, 0, 1} with probabilities 1/2s, 1−1/s, 1/2s, (8)
	OPORP      Kind = "oporp"      // one ±1 a row, k bins of equal size
)

// blockRows is the number of rows of W that one stream of random numbers generates.
const blockRows = 64

// storeLimit is the largest number of entries of W that is stored. Larger matrices are generated again at each use.
const storeLimit = 1 << 21

// Projection is a random p×k matrix W, generated from its seed, 64 rows at a time, whenever it is needed. Only a small
// matrix is stored. A Projection is immutable and safe for concurrent use.
type Projection struct {
	kind Kind
	p, k int
	s    float64 // of Sparse
	seed uint64

	place []int32      // OPORP: twice the bin of coordinate i, plus 1 if its sign is −1
	bins  func() *bins // the coordinates of place, grouped by bin

	stored func() [][]float64 // blocks, nil if too large
	packed func() [][]uint64  // Rademacher: sign words by block

	guard    sync.Mutex
	measured *measures // nil until needed
}

// ProjectionOptions are the choices of NewProjection.
type ProjectionOptions struct {
	Sparsity float64 // s of Sparse, ignored elsewhere
	Seed     uint64  // determines the matrix
}

// NewProjection returns the projection W ∈ R^{p×k} of the given kind (not OPORP). It returns an error wrapping
// evidence.ErrParameter if p or k is not positive, the kind is unknown, or the sparsity is below 1.
func NewProjection(kind Kind, p, k int, o ProjectionOptions) (*Projection, error) {
	s := o.Sparsity
	if err := checkShape(p, k); err != nil {
		return nil, err
	}
	switch kind {
	case Rademacher, Gaussian, Uniform:
		s = 0
	case Sparse:
		if !(s >= 1) || math.IsInf(s, 1) {
			return nil, parameter.Bad("s", s, "a finite number, at least 1")
		}
	default:
		return nil, parameter.Bad("kind", kind, `"rademacher", "gaussian", "uniform" or "sparse"`)
	}
	w := &Projection{kind: kind, p: p, k: k, s: s, seed: o.Seed}
	w.lazily()
	return w, nil
}

func checkShape(p, k int) error {
	if err := cmp.Or(parameter.AtLeast("p", p, 1), parameter.AtLeast("k", k, 1)); err != nil {
		return err
	}
	if p > 1<<28 || k > 1<<20 {
		return parameter.Errorf("p = %d, k = %d, want p at most 2^28 and k at most 2^20", p, k)
	}
	return nil
}

func (w *Projection) lazily() {
	w.stored = sync.OnceValue(func() [][]float64 {
		if w.p*w.k > storeLimit {
			return nil
		}
		return lists.Of((w.p+blockRows-1)/blockRows, w.generate)
	})
	w.packed = sync.OnceValue(func() [][]uint64 {
		if w.kind != Rademacher || w.p*w.k > 64*storeLimit {
			return nil
		}
		return lists.Of((w.p+blockRows-1)/blockRows, w.generateSigns)
	})
}

// Kind returns the law of the entries.
func (w *Projection) Kind() Kind { return w.kind }

// P returns the number of rows, the dimension of the data.
func (w *Projection) P() int { return w.p }

// K returns the number of columns, the dimension of the projection.
func (w *Projection) K() int { return w.k }

// S returns the sparsity of a Sparse projection, 0 for others.
func (w *Projection) S() float64 { return w.s }

// Seed returns the seed that determines the matrix.
func (w *Projection) Seed() uint64 { return w.seed }

// Padded returns the dimension that OPORP works in, p rounded up to a multiple
// of k; p for other kinds.
func (w *Projection) Padded() int {
	if w.kind == OPORP {
		return (w.p + w.k - 1) / w.k * w.k
	}
	return w.p
}

// scale is the divisor of Wᵀu: √k, or 1 for OPORP.
func (w *Projection) scale() float64 {
	if w.kind == OPORP {
		return 1
	}
	return math.Sqrt(float64(w.k))
}

// stream returns the random numbers of a block of rows.
func (w *Projection) stream(block int) *rand.ChaCha8 {
	var key draw.Key
	copy(key[:8], w.kind)
	binary.LittleEndian.PutUint64(key[8:], w.seed)
	binary.LittleEndian.PutUint64(key[16:], uint64(block))
	binary.LittleEndian.PutUint64(key[24:], math.Float64bits(w.s))
	return key.Source()
}

// generateSigns returns the signs of a block of a Rademacher matrix. Bit i of word j is set if W_{64·block+i, j} =
// +1, and clear beyond row p.
func (w *Projection) generateSigns(block int) []uint64 {
	src := w.stream(block)
	mask := ^uint64(0)
	if rest := w.p - block*blockRows; rest < blockRows {
		mask = 1<<rest - 1
	}
	return lists.Of(w.k, func(int) uint64 { return src.Uint64() & mask })
}

// signs returns the sign words of a block, stored or generated.
func (w *Projection) signs(block int) []uint64 {
	if kept := w.packed(); kept != nil {
		return kept[block]
	}
	return w.generateSigns(block)
}

// block returns up to 64 rows of W, row after row; the caller must not change
// them.
func (w *Projection) block(b int) []float64 {
	if kept := w.stored(); kept != nil {
		return kept[b]
	}
	return w.generate(b)
}

func (w *Projection) generate(b int) []float64 {
	first := b * blockRows
	rows := min(blockRows, w.p-first)
	out := make([]float64, rows*w.k)
	switch w.kind {
	case Rademacher:
		for j, word := range w.signs(b) {
			for i := range rows {
				out[i*w.k+j] = float64(int(word>>i&1)*2 - 1)
			}
		}
		return out
	case OPORP:
		for i := range rows {
			place := w.place[first+i]
			out[i*w.k+int(place>>1)] = float64(1 - 2*(place&1))
		}
		return out
	}
	rng := rand.New(w.stream(b))
	for n := range out {
		out[n] = w.entry(rng)
	}
	return out
}

// row returns row i of W.
func (w *Projection) row(i int) []float64 {
	at := i % blockRows * w.k
	return append([]float64(nil), w.block(i / blockRows)[at:at+w.k]...)
}

// Matrix returns the p rows of W. It returns an error wrapping
// evidence.ErrParameter where W has more than 2²⁴ entries.
func (w *Projection) Matrix() ([][]float64, error) {
	if w.p*w.k > 1<<24 {
		return nil, parameter.Errorf("p·k = %d, want at most 2^24 to write the matrix out", w.p*w.k)
	}
	return lists.Of(w.p, w.row), nil
}

// measures holds the statistics of the whole of W.
type measures struct {
	norm     float64   // max_i ‖W_i‖
	nonzero  int       // max_i #{j : W_ij ≠ 0}
	widest   int       // an i that attains nonzero
	largests []float64 // max_i |W_ij| per column
}

// prepare computes the measures of W, which can take long for a large W, so that measures returns at once. It
// returns ctx's error.
func (w *Projection) prepare(ctx context.Context) error {
	_, err := w.measure(ctx)
	return err
}

func (w *Projection) measure(ctx context.Context) (*measures, error) {
	w.guard.Lock()
	defer w.guard.Unlock()
	if w.measured != nil {
		return w.measured, nil
	}
	m := &measures{largests: make([]float64, w.k)}
	if w.kind == Rademacher || w.kind == OPORP {
		m.largests = slices.Repeat([]float64{1}, w.k)
		m.norm, m.nonzero = 1, 1
		if w.kind == Rademacher {
			m.norm, m.nonzero = math.Sqrt(float64(w.k)), w.k
		}
		w.measured = m
		return m, nil
	}
	square := 0.0
	if err := w.eachRow(ctx, func(i int, row []float64) {
		sum, count := 0.0, 0
		for j, v := range row {
			sum += float64(v * v)
			if v != 0 {
				count++
			}
			m.largests[j] = math.Max(m.largests[j], math.Abs(v))
		}
		square = math.Max(square, sum)
		if count > m.nonzero {
			m.nonzero, m.widest = count, i
		}
	}); err != nil {
		return nil, err
	}
	m.norm = math.Sqrt(square)
	w.measured = m
	return m, nil
}

// eachBlock calls visit with the rows of W, up to 64 at a time, and the index of the first of them. It returns ctx's
// error.
func (w *Projection) eachBlock(ctx context.Context, visit func(first int, rows []float64)) error {
	for b := 0; b*blockRows < w.p; b++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		visit(b*blockRows, w.block(b))
	}
	return nil
}

// eachRow calls visit with every row of W. It returns ctx's error.
func (w *Projection) eachRow(ctx context.Context, visit func(i int, row []float64)) error {
	return w.eachBlock(ctx, func(i int, rows []float64) {
		for row := range slices.Chunk(rows, w.k) {
			visit(i, row)
			i++
		}
	})
}

// measures returns the statistics of W. The first call computes them.
func (w *Projection) measures() *measures {
	m, _ := w.measure(context.Background())
	return m
}

func (w *Projection) largests() []float64 { return w.measures().largests }

// nonZero returns max_i #{j : W_ij ≠ 0}: the largest number of signs that one coordinate can change.
func (w *Projection) nonZero() int { return w.measures().nonzero }

// Sensitivity returns the L2 sensitivity of x for β-neighbors, in data units (Sign projections, (3)): β·max_i
// ‖W_i‖/√k, which is β for Rademacher and OPORP. Changes of ℓ1 norm at most β move x no further. Use its upper end.
//
// It returns an error wrapping evidence.ErrParameter unless β is positive and finite, or ctx's error if it ends
// before W is measured.
func (w *Projection) Sensitivity(ctx context.Context, beta float64) (evidence.Number, error) {
	if err := parameter.Positive("beta", beta); err != nil {
		return nil, err
	}
	source := Paper + ", (3)"
	if w.kind == Rademacher || w.kind == OPORP {
		return asWritten(beta, source), nil
	}
	m, err := w.measure(ctx)
	if err != nil {
		return nil, err
	}
	v := interval.Readings(beta).Mul(w.rowNorm(m.norm))
	return evidence.EnclosedLoss(v, "float64 with its rounding bound", source), nil
}

// rowNorm encloses ‖W_i‖/√k, or 1 for OPORP, given ‖W_i‖ in float64.
func (w *Projection) rowNorm(norm float64) interval.Interval {
	if w.kind == Rademacher || w.kind == OPORP {
		return interval.Int(1)
	}
	slack := norm * float64(w.k+9) * ulp // rounding of k squares and sums, and of a root
	return interval.Between(math.Max(0, norm-slack), norm+slack).Quo(interval.Int(int64(w.k)).Sqrt())
}
