package records

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Neighbors says which datasets are neighbors. Records have the relation Replace or AddRemove; under AddRemove every
// dataset has at least one record. Graphs have the relation Edge or Node; under Edge the nodes are public.
type Neighbors = query.Relation

// The relations of records and graphs.
const (
	Replace   = query.Replace
	AddRemove = query.AddRemove
	Edge      = query.Edge
	Node      = query.Node
)

// Options are the public parameters of records.
type Options struct {
	Lo, Hi    *big.Rat // every record of every dataset lies in [Lo, Hi]
	Grid      *big.Rat // and is Lo + k·Grid for an integer k; nil: any number in [Lo, Hi]
	Neighbors Neighbors
	Clip      bool // move numbers outside of the range, or off the grid, to the nearest value
}

// Records is a dataset of numbers. It is immutable.
type Records struct {
	opts   Options
	sorted []float64 // ascending; each stands for its shortest decimal
	index  []int64   // (record − Lo)/Grid, ascending, if there is a grid
	size   int64     // (Hi − Lo)/Grid
	lo, hi float64   // the float64s nearest to the ends
	shown  string

	sums sums
}

// mostRecords bounds the number of records of a dataset; tests lower it.
var mostRecords = 1 << 28

// New returns the dataset of the given numbers, each read as its shortest decimal. It returns an error wrapping
// evidence.ErrParameter if x is empty, Lo > Hi, Hi is not on the grid, or a number is not finite. Without Clip, numbers
// outside of [Lo, Hi] or off the grid are errors as well.
func New(x []float64, o Options) (*Records, error) {
	switch {
	case len(x) == 0:
		return nil, parameter.Errorf("x is empty, want at least one record")
	case len(x) > mostRecords:
		return nil, parameter.Errorf("x has %d records, want at most %d", len(x), mostRecords)
	case o.Lo == nil || o.Hi == nil:
		return nil, parameter.Errorf("lo and hi are missing, want the ends between which every record of every dataset lies")
	case o.Lo.Cmp(o.Hi) > 0:
		return nil, parameter.Bad("lo", o.Lo, "at most hi = %s", text(o.Hi))
	case o.Neighbors != Replace && o.Neighbors != AddRemove:
		return nil, parameter.Bad("neighbors", string(o.Neighbors), `"replace" or "add_remove"`)
	}
	if o.Lo.Cmp(o.Hi) == 0 && o.Grid == nil { // a range of one value counts as a lattice
		o.Grid = big.NewRat(1, 1)
	}
	r := &Records{opts: o, lo: float(o.Lo), hi: float(o.Hi)}
	if o.Grid != nil {
		if o.Grid.Sign() <= 0 {
			return nil, parameter.Bad("grid", o.Grid, "a positive number")
		}
		k := new(big.Rat).Sub(o.Hi, o.Lo)
		if k.Quo(k, o.Grid); !k.IsInt() {
			return nil, parameter.Bad("grid", o.Grid, "a divisor of hi − lo = %s, so that lo and hi are a whole number of steps apart", text(new(big.Rat).Sub(o.Hi, o.Lo)))
		}
		if k.Num().BitLen() > 53 {
			return nil, parameter.Bad("grid", o.Grid, "at most 2^53 steps from lo to hi")
		}
		r.size = k.Num().Int64()
	}
	if err := r.read(x); err != nil {
		return nil, err
	}
	grid := ""
	if o.Grid != nil {
		grid = ", grid " + text(o.Grid)
	}
	r.shown = fmt.Sprintf("%d records in [%s, %s]%s", len(x), text(o.Lo), text(o.Hi), grid)
	return r, nil
}

// read checks and sorts the records.
func (r *Records) read(x []float64) error {
	o := r.opts
	r.sorted = slices.Clone(x)
	for i, v := range r.sorted {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return parameter.Errorf("x[%d] = %g, want a finite number", i, v)
		}
		// Rounding is monotone: if v is beyond the float64 of an end, its decimal is beyond the end.
		under := v < r.lo || v == r.lo && decimal(v).Cmp(o.Lo) < 0
		over := v > r.hi || v == r.hi && decimal(v).Cmp(o.Hi) > 0
		if (under || over) && !o.Clip {
			return parameter.Errorf("x[%d] = %s, want a number between lo = %s and hi = %s, or clip=True", i, text(decimal(v)), text(o.Lo), text(o.Hi))
		}
	}
	if o.Grid == nil {
		if !slices.IsSorted(r.sorted) {
			slices.Sort(r.sorted)
		}
		return nil
	}
	r.index = make([]int64, len(x))
	start, whole := small(o.Lo)
	g, all := small(o.Grid)
	for i, v := range r.sorted {
		if whole && all && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			d := int64(v) - start
			if d >= 0 && d%g == 0 && d/g <= r.size {
				r.index[i] = d / g
				continue
			}
		}
		q := decimal(v)
		if q.Cmp(o.Lo) < 0 {
			q = o.Lo
		} else if q.Cmp(o.Hi) > 0 {
			q = o.Hi
		}
		k := new(big.Rat).Sub(q, o.Lo)
		k.Quo(k, o.Grid)
		if !k.IsInt() {
			if !o.Clip {
				return parameter.Errorf("x[%d] = %s, want a number lo + k·grid with lo = %s and grid = %s, or clip=True", i, text(q), text(o.Lo), text(o.Grid))
			}
			k.Add(k, big.NewRat(1, 2))
			k.SetInt(interval.RationalFloor(k))
		}
		r.index[i] = k.Num().Int64()
	}
	slices.Sort(r.index)
	r.sorted = nil
	return nil
}

// small returns q as an integer, and whether it is an integer between −2⁵³ and 2⁵³.
func small(q *big.Rat) (v int64, ok bool) {
	return q.Num().Int64(), q.IsInt() && q.Num().BitLen() <= 53
}

// decimal returns the shortest decimal of v as a rational. Integers take a fast path.
func decimal(v float64) *big.Rat {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return new(big.Rat).SetInt64(int64(v))
	}
	return interval.Decimal(v)
}

// Len returns the number of records.
func (r *Records) Len() int { return max(len(r.sorted), len(r.index)) }

// Options returns the public parameters.
func (r *Records) Options() Options { return r.opts }

// String gives the number of records and the ends of the range.
func (r *Records) String() string { return r.shown }

// place returns the record of rank k, counted from 1, in steps above Lo. Ranks before the first record count as Lo,
// ranks after the last as Hi. There must be a grid.
func (r *Records) place(k int) int64 {
	switch {
	case k < 1:
		return 0
	case k > len(r.index):
		return r.size
	}
	return r.index[k-1]
}

// at returns the record of rank k, counted from 1, as a rational.
func (r *Records) at(k int) *big.Rat {
	if r.opts.Grid != nil {
		v := new(big.Rat).SetInt64(r.place(k))
		return v.Add(v.Mul(v, r.opts.Grid), r.opts.Lo)
	}
	switch {
	case k < 1:
		return r.opts.Lo
	case k > len(r.sorted):
		return r.opts.Hi
	}
	return r.clipped(decimal(r.sorted[k-1]))
}

func (r *Records) clipped(v *big.Rat) *big.Rat {
	if v.Cmp(r.opts.Lo) < 0 {
		return r.opts.Lo
	}
	if v.Cmp(r.opts.Hi) > 0 {
		return r.opts.Hi
	}
	return v
}

// near returns the float64 nearest to at(k), within an ulp.
func (r *Records) near(k int) float64 {
	if r.opts.Grid != nil {
		return float64(r.place(k))
	}
	return min(max(r.raw(k), r.lo), r.hi)
}

// raw returns the record of rank k as given, and ±infinity for ranks before the first and after the last. Two ranks
// with different raw values differ as records or ends, even if their nearest float64s agree. There must be no grid.
func (r *Records) raw(k int) float64 {
	switch {
	case k < 1 || k <= len(r.sorted) && r.sorted[k-1] < r.lo:
		return math.Inf(-1)
	case k > len(r.sorted) || r.sorted[k-1] > r.hi:
		return math.Inf(1)
	}
	return r.sorted[k-1]
}

// valueRange returns the range of a query whose values are records.
func (r *Records) valueRange() Range { return Range{r.opts.Lo, r.opts.Hi, r.opts.Grid} }

// text formats a rational, as a decimal if that is short.
func text(q *big.Rat) string {
	if v, _ := q.Float64(); !math.IsInf(v, 0) && interval.Decimal(v).Cmp(q) == 0 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if s := q.RatString(); len(s) <= 40 {
		return s
	}
	return new(big.Float).SetPrec(64).SetRat(q).Text('g', 10)
}
