package symmetric

import (
	"math"
	"math/big"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// An Enclosure is a set of matrices: entry (i, j) lies within the radius of its middle. Middles have interval.Prec
// bits and a 32-bit exponent, so cancellation and differences in scale lose no digit that a float64 can hold. Radii
// are float64, rounded up.
//
// An infinite radius means that nothing is known of the entry. It also stands for entries that overflow float64.
type Enclosure struct {
	rows, cols int
	mid        []big.Float
	rad        []float64
}

// A float64 sum of up to 2²⁰ nonnegative products, multiplied by roundUp, bounds the exact sum, because its relative
// error is below 2²¹ units. tiny covers that many underflows of at most 2^−1074 each.
const (
	roundUp = 1 + 0x1p-31
	tiny    = 0x1p-1050
)

// ulp is twice the relative rounding error of a middle.
const ulp = 0x1p-255

func newEnclosure(rows, cols int) *Enclosure {
	return &Enclosure{rows, cols, make([]big.Float, rows*cols), make([]float64, rows*cols)}
}

// Exactly returns the enclosure of a with radii 0. Nothing is known of an entry that is not finite.
func Exactly(a mat.Matrix) *Enclosure {
	rows, cols := a.Dims()
	out := newEnclosure(rows, cols)
	for i := range rows {
		for j := range cols {
			v := out.mid[i*cols+j].SetPrec(interval.Prec)
			if x := a.At(i, j); math.IsNaN(x) || math.IsInf(x, 0) {
				out.rad[i*cols+j] = math.Inf(1)
			} else {
				v.SetFloat64(x)
			}
		}
	}
	return out
}

// Diagonal returns the diagonal matrix with the given entries.
func Diagonal(v []interval.Interval) *Enclosure {
	n := len(v)
	out := newEnclosure(n, n)
	for i, x := range v {
		out.Set(i, i, x)
	}
	return out
}

// Dims returns the numbers of rows and columns.
func (e *Enclosure) Dims() (rows, cols int) { return e.rows, e.cols }

// At returns an entry; ok is false if nothing is known of it.
func (e *Enclosure) At(i, j int) (v interval.Interval, ok bool) {
	at := i*e.cols + j
	rad := e.rad[at]
	if !(rad < math.Inf(1)) {
		return interval.Interval{}, false
	}
	mid := interval.Big(&e.mid[at])
	if rad == 0 {
		return mid, true
	}
	return mid.Add(interval.Between(-rad, rad)), true
}

// Set sets an entry.
func (e *Enclosure) Set(i, j int, v interval.Interval) {
	at := i*e.cols + j
	e.mid[at].Set(v.MidFloat(interval.Prec))
	lo, hi := v.Sub(interval.Big(&e.mid[at])).Bounds()
	e.rad[at] = math.Max(-lo, hi)
}

// Middle returns the middles, rounded to float64.
func (e *Enclosure) Middle() *mat.Dense {
	out := mat.NewDense(e.rows, e.cols, nil)
	for i := range e.rows {
		for j := range e.cols {
			v, _ := e.mid[i*e.cols+j].Float64()
			out.Set(i, j, v)
		}
	}
	return out
}

// size bounds the modulus of an entry's middle.
func size(v *big.Float) float64 {
	if v.Sign() == 0 {
		return 0
	}
	f, _ := v.Float64()
	return interval.Up(math.Abs(f))
}

// sizes bounds the moduli of the middles.
func (e *Enclosure) sizes() *mat.Dense {
	out := mat.NewDense(e.rows, e.cols, nil)
	for i := range e.rows {
		for j := range e.cols {
			out.Set(i, j, size(&e.mid[i*e.cols+j]))
		}
	}
	return out
}

// known returns a radius rounded up, +Inf if it is NaN.
func known(rad float64) float64 {
	if rad = rad*roundUp + tiny; rad >= 0 {
		return rad
	}
	return math.Inf(1)
}

// T returns the transpose.
func (e *Enclosure) T() *Enclosure {
	out := newEnclosure(e.cols, e.rows)
	for i := range e.rows {
		for j := range e.cols {
			out.mid[j*e.rows+i].Set(&e.mid[i*e.cols+j])
			out.rad[j*e.rows+i] = e.rad[i*e.cols+j]
		}
	}
	return out
}

// Mul returns e·f.
func (e *Enclosure) Mul(f *Enclosure) *Enclosure {
	if e.cols != f.rows {
		panic("symmetric: orders of a product differ")
	}
	out := newEnclosure(e.rows, f.cols)
	var dot dotProduct
	for i := range e.rows {
		for j := range f.cols {
			dot.set(&out.mid[i*f.cols+j], e.mid[i*e.cols:], f.mid[j:], e.cols, f.cols)
		}
	}
	e.multiplied(f, out)
	return out
}

// Gram returns e·eᵀ.
func (e *Enclosure) Gram() *Enclosure {
	out := newEnclosure(e.rows, e.rows)
	var dot dotProduct
	for i := range e.rows {
		for j := range i + 1 {
			dot.set(&out.mid[i*e.rows+j], e.mid[i*e.cols:], e.mid[j*e.cols:], e.cols, 1)
			if i != j {
				out.mid[j*e.rows+i].Set(&out.mid[i*e.rows+j])
			}
		}
	}
	e.multiplied(e.T(), out)
	return out
}

// dotProduct is scratch memory for sums of products: big.Float allocates if a sum is also its own operand.
type dotProduct struct{ sum, next, term big.Float }

// set sets z to the sum of a[k]·b[k·stride] over k < n.
func (d *dotProduct) set(z *big.Float, a, b []big.Float, n, stride int) {
	sum, next := &d.sum, &d.next
	sum.SetPrec(interval.Prec).SetInt64(0) // next takes this precision from sum
	for k := range n {
		if x, y := &a[k], &b[k*stride]; x.Sign() != 0 && y.Sign() != 0 {
			next.Add(sum, d.term.Mul(x, y))
			sum, next = next, sum
		}
	}
	z.Set(sum)
}

// multiplied sets the radii of out, whose middles are already those of the product e·f.
func (e *Enclosure) multiplied(f, out *Enclosure) {
	// |ab − a'b'| ≤ |a|r_b + r_a(|b| + r_b), and the sum of n rounded products has an error of at most n units of
	// Σ|ab|.
	a, b := e.sizes(), f.sizes()
	ra, rb := mat.NewDense(e.rows, e.cols, e.rad), mat.NewDense(f.rows, f.cols, f.rad)
	var rad, second, both mat.Dense
	both.Add(b, rb)
	rad.Mul(a, rb)
	second.Mul(ra, &both)
	rad.Add(&rad, &second)
	second.Mul(a, b)
	second.Scale(float64(e.cols+1)*ulp, &second)
	rad.Add(&rad, &second)
	for at, v := range rad.RawMatrix().Data {
		out.rad[at] = known(v)
	}
}

// Times returns w·e.
func (e *Enclosure) Times(w interval.Interval) *Enclosure {
	out := newEnclosure(e.rows, e.cols)
	mid := w.MidFloat(interval.Prec)
	lo, hi := interval.Big(mid).Sub(w).Quo(interval.TwoTo(mid.MantExp(nil))).Bounds()
	shift, ra := mid.MantExp(nil), math.Max(-lo, hi)
	for at := range e.mid {
		// |ab − a'b'| ≤ |a|r_b + r_a(|b| + r_b), as in multiplied. Here a is the middle of w divided by 2^shift, so |a|
		// ≤ 1.
		out.mid[at].SetPrec(interval.Prec).Mul(&e.mid[at], mid)
		b, rb := size(&e.mid[at]), e.rad[at]
		out.rad[at] = known(math.Ldexp(known(rb+ra*(b+rb)+ulp*b), shift))
	}
	return out
}

// Scaled returns e with entry (i, j) multiplied by rows[i]·cols[j]; a nil slice stands for factors 1.
func (e *Enclosure) Scaled(rows, cols []interval.Interval) *Enclosure {
	out := newEnclosure(e.rows, e.cols)
	for i := range e.rows {
		for j := range e.cols {
			v, ok := e.At(i, j)
			if !ok {
				out.rad[i*e.cols+j] = math.Inf(1)
				continue
			}
			if rows != nil {
				v = v.Mul(rows[i])
			}
			if cols != nil {
				v = v.Mul(cols[j])
			}
			out.Set(i, j, v)
		}
	}
	return out
}

// Plus returns e + f.
func (e *Enclosure) Plus(f *Enclosure) *Enclosure { return e.entrywise(f, (*big.Float).Add) }

// Minus returns e − f.
func (e *Enclosure) Minus(f *Enclosure) *Enclosure { return e.entrywise(f, (*big.Float).Sub) }

func (e *Enclosure) entrywise(f *Enclosure, do func(z, x, y *big.Float) *big.Float) *Enclosure {
	if e.rows != f.rows || e.cols != f.cols {
		panic("symmetric: orders of a sum differ")
	}
	out := newEnclosure(e.rows, e.cols)
	for at := range out.mid {
		v := do(out.mid[at].SetPrec(interval.Prec), &e.mid[at], &f.mid[at])
		if out.rad[at] = e.rad[at] + f.rad[at]; v.Acc() != big.Exact || out.rad[at] != 0 {
			out.rad[at] = known(out.rad[at] + size(v)*ulp)
		}
	}
	return out
}

// Square returns the squared Frobenius norm; ok is false if an entry is unknown.
func (e *Enclosure) Square() (sum interval.Interval, ok bool) {
	total := new(big.Float).SetPrec(interval.Prec)
	term := new(big.Float).SetPrec(interval.Prec)
	var rad, mass float64
	for at := range e.mid {
		total.Add(total, term.Mul(&e.mid[at], &e.mid[at]))
		x, r := size(&e.mid[at]), e.rad[at]
		rad += r * (2*x + r)
		mass += x * x
	}
	if rad = known(rad + float64(len(e.mid)+1)*ulp*mass); math.IsInf(rad, 1) {
		return interval.Interval{}, false
	}
	return interval.Max(interval.Big(total).Add(interval.Between(-rad, rad)), interval.Int(0)), true
}

// Widened returns the enclosure with rad ≥ 0 added to every radius.
func (e *Enclosure) Widened(rad float64) *Enclosure {
	out := newEnclosure(e.rows, e.cols)
	for at := range e.mid {
		out.mid[at].Set(&e.mid[at])
		out.rad[at] = known(e.rad[at] + rad)
	}
	return out
}

// Row returns a row, as a 1×n matrix.
func (e *Enclosure) Row(i int) *Enclosure {
	out := newEnclosure(1, e.cols)
	for j := range e.cols {
		out.mid[j].Set(&e.mid[i*e.cols+j])
		out.rad[j] = e.rad[i*e.cols+j]
	}
	return out
}
