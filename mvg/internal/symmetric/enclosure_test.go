package symmetric_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// A box is a matrix of intervals mid ± rad. Both are multiples of ½.
type box struct {
	rows, cols int
	mid, rad   []float64
}

// drawBox draws a box with about a third of its entries exact. All middles have the same sign, so that the errors in a
// sum of products add up in one corner.
func drawBox(rows, cols int, rng *rand.Rand) box {
	b := box{rows, cols, make([]float64, rows*cols), make([]float64, rows*cols)}
	sign := float64(1 - 2*rng.IntN(2))
	for at := range b.mid {
		b.mid[at] = sign * float64(rng.IntN(21)) / 2
		if rng.IntN(3) > 0 {
			b.rad[at] = float64(rng.IntN(20)) / 2
		}
	}
	return b
}

func (b box) enclosure() *symmetric.Enclosure {
	e := symmetric.Exactly(mat.NewDense(b.rows, b.cols, b.mid))
	for at, r := range b.rad {
		if r != 0 {
			e.Set(at/b.cols, at%b.cols, interval.Between(b.mid[at]-r, b.mid[at]+r))
		}
	}
	return e
}

// corners calls do with every corner of the box.
func (b box) corners(do func(m [][]*big.Rat)) {
	var wide []int
	for at, r := range b.rad {
		if r != 0 {
			wide = append(wide, at)
		}
	}
	for set := range 1 << len(wide) {
		m := mat.NewDense(b.rows, b.cols, nil)
		m.Apply(func(i, j int, _ float64) float64 { return b.mid[i*b.cols+j] }, m)
		for k, at := range wide {
			m.Set(at/b.cols, at%b.cols, b.mid[at]+b.rad[at]*float64(1-2*(set>>k&1)))
		}
		do(rational(m))
	}
}

// A hull is the smallest interval matrix that contains the corners of a result.
type hull map[[2]int][2]*big.Rat

func (h hull) add(m [][]*big.Rat) {
	for i := range m {
		for j, v := range m[i] {
			ends, ok := h[[2]int{i, j}]
			if !ok {
				ends = [2]*big.Rat{v, v}
			}
			if v.Cmp(ends[0]) < 0 {
				ends[0] = v
			}
			if v.Cmp(ends[1]) > 0 {
				ends[1] = v
			}
			h[[2]int{i, j}] = ends
		}
	}
}

// checkEntries fails unless every entry of the enclosure contains the hull. The entry's radius must be at most slack
// times the distance from the middle to the farther end of the hull.
func (h hull) checkEntries(t *testing.T, what string, e *symmetric.Enclosure, middle [][]*big.Rat, slack float64) {
	t.Helper()
	for at, ends := range h {
		v, ok := e.At(at[0], at[1])
		if !ok {
			t.Fatalf("%s%v is unknown", what, at)
		}
		lo, hi := interval.Rat(ends[0]), interval.Rat(ends[1])
		if v.CmpLo(lo) > 0 || v.CmpHi(hi) < 0 {
			t.Fatalf("%s%v = %v misses some of %v to %v", what, at, v, lo, hi)
		}
		mid := interval.Rat(middle[at[0]][at[1]])
		lowest, highest := v.Sub(mid).Bounds()
		down, up := lo.Sub(mid).Bounds()
		_, above := hi.Sub(mid).Bounds()
		if far := math.Max(-down, math.Max(above, up))*slack + 1e-60; math.Max(-lowest, highest) > far {
			t.Fatalf("%s%v = %v is wider than from %v to %v", what, at, v, lo, hi)
		}
	}
}

func product(a, b [][]*big.Rat) [][]*big.Rat {
	out := make([][]*big.Rat, len(a))
	for i := range out {
		out[i] = make([]*big.Rat, len(b[0]))
		for j := range out[i] {
			out[i][j] = new(big.Rat)
			for k := range b {
				out[i][j].Add(out[i][j], new(big.Rat).Mul(a[i][k], b[k][j]))
			}
		}
	}
	return out
}

func transposed(a [][]*big.Rat) [][]*big.Rat {
	out := make([][]*big.Rat, len(a[0]))
	for j := range out {
		for i := range a {
			out[j] = append(out[j], a[i][j])
		}
	}
	return out
}

// entries returns the matrix of the results of do for all entries.
func entries(a [][]*big.Rat, do func(i, j int, v *big.Rat) *big.Rat) [][]*big.Rat {
	out := make([][]*big.Rat, len(a))
	for i := range a {
		for j, v := range a[i] {
			out[i] = append(out[i], do(i, j, v))
		}
	}
	return out
}

// The enclosure from an operation on wide entries contains the result at every corner. It is tight where the corners
// attain the bound.
func TestWideEntriesAgainstCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	const slack = 1 + 1e-8
	for range 150 {
		a, b, c := drawBox(1, 2, rng), drawBox(2, 2, rng), drawBox(1, 2, rng)
		b.rad[rng.IntN(4)] = 0
		e, f, g := a.enclosure(), b.enclosure(), c.enclosure()
		low, high := float64(rng.IntN(9)-4), float64(rng.IntN(5))
		high += low
		wLo, wHi := new(big.Rat).SetFloat64(low), new(big.Rat).SetFloat64(high)
		wMid := new(big.Rat).SetFloat64((low + high) / 2)
		w := interval.Between(low, high)
		third := big.NewRat(1, 3)
		add := func(k [][]*big.Rat) func(i, j int, v *big.Rat) *big.Rat {
			return func(i, j int, v *big.Rat) *big.Rat { return new(big.Rat).Add(v, k[i][j]) }
		}
		sub := func(k [][]*big.Rat) func(i, j int, v *big.Rat) *big.Rat {
			return func(i, j int, v *big.Rat) *big.Rat { return new(big.Rat).Sub(v, k[i][j]) }
		}
		times := func(x *big.Rat) func(i, j int, v *big.Rat) *big.Rat {
			return func(_, _ int, v *big.Rat) *big.Rat { return new(big.Rat).Mul(v, x) }
		}
		mul, plus, minus, multiple, scaled, gram := hull{}, hull{}, hull{}, hull{}, hull{}, hull{}
		same, square := hull{}, hull{}
		ma, mb, mc := rational(mat.NewDense(1, 2, a.mid)), rational(mat.NewDense(2, 2, b.mid)), rational(mat.NewDense(1, 2, c.mid))
		b.corners(func(y [][]*big.Rat) {
			a.corners(func(x [][]*big.Rat) { mul.add(product(x, y)) })
			same.add(y)
			gram.add(product(y, transposed(y)))
		})
		a.corners(func(x [][]*big.Rat) {
			c.corners(func(z [][]*big.Rat) {
				plus.add(entries(x, add(z)))
				minus.add(entries(x, sub(z)))
			})
			multiple.add(entries(x, times(wLo)))
			multiple.add(entries(x, times(wHi)))
			for _, end := range []*big.Rat{wLo, wHi} { // scaling rows by w, and columns by ⅓ and −1
				scaled.add(entries(x, func(_, j int, v *big.Rat) *big.Rat {
					v = new(big.Rat).Mul(v, end)
					if j == 0 {
						return v.Mul(v, third)
					}
					return v.Neg(v)
				}))
			}
			square.add(product(x, transposed(x)))
		})
		mul.checkEntries(t, "product", e.Mul(f), product(ma, mb), slack)
		plus.checkEntries(t, "sum", e.Plus(g), entries(ma, add(mc)), slack)
		minus.checkEntries(t, "difference", e.Minus(g), entries(ma, sub(mc)), slack)
		twice := 2 * slack // the error bound of Times replaces the middle of w by the next power of two
		if low+high == 0 {
			twice = math.Inf(1)
		}
		multiple.checkEntries(t, "multiple", e.Times(w), entries(ma, times(wMid)), twice)
		gram.checkEntries(t, "Gram matrix", f.Gram(), product(mb, transposed(mb)), slack)
		same.checkEntries(t, "itself", f, mb, slack)
		turned := hull{}
		for at, ends := range same {
			turned[[2]int{at[1], at[0]}] = ends
		}
		turned.checkEntries(t, "transpose", f.T(), transposed(mb), slack)
		row := hull{}
		for at, ends := range same {
			if at[0] == 1 {
				row[[2]int{0, at[1]}] = ends
			}
		}
		row.checkEntries(t, "row", f.Row(1), mb[1:], slack)
		ends := []interval.Interval{interval.Rat(third), interval.Int(-1)}
		for at, span := range scaled { // tight up to the rounding of the bounds
			got, ok := e.Scaled([]interval.Interval{w}, ends).At(at[0], at[1])
			lo, hi := interval.Rat(span[0]), interval.Rat(span[1])
			if below, _ := got.Sub(lo).Bounds(); !ok || got.CmpLo(lo) > 0 || got.CmpHi(hi) < 0 || below < -1e-60-1e-8*math.Abs(below) && got.Upper().Sub(got.Lower()).Mid() > slack*hi.Sub(lo).Mid()+1e-60 {
				t.Fatalf("scaled%v = %v, want %v to %v", at, got, lo, hi)
			}
		}
		sum, ok := e.Square()
		lo, hi := interval.Rat(square[[2]int{0, 0}][0]), interval.Rat(square[[2]int{0, 0}][1])
		top, _ := hi.Bounds()
		if _, above := sum.Bounds(); !ok || sum.CmpLo(lo) > 0 || sum.CmpHi(hi) < 0 || above > top*slack+1e-60 {
			t.Fatalf("squared norm %v, want %v to %v", sum, lo, hi)
		}
		mid := interval.Rat(product(ma, transposed(ma))[0][0])
		if below, _ := mid.Sub(interval.Rat(square[[2]int{0, 0}][1]).Sub(mid)).Bounds(); !(sum.Lower().Mid() >= math.Max(0, below*slack-1e-9)-1e-6*math.Abs(below)) {
			t.Fatalf("squared norm %v, want from %v on", sum, below)
		}
		for at, ends := range same {
			v, _ := f.Widened(0.25).At(at[0], at[1])
			quarter := big.NewRat(1, 4)
			l, h := interval.Rat(new(big.Rat).Sub(ends[0], quarter)), interval.Rat(new(big.Rat).Add(ends[1], quarter))
			if v.CmpLo(l) > 0 || v.CmpHi(h) < 0 || v.Upper().Sub(v.Lower()).Mid() > h.Sub(l).Mid()*slack {
				t.Fatalf("widened%v = %v, want %v to %v", at, v, l, h)
			}
		}
		if r, k := e.Dims(); r != 1 || k != 2 || !mat.Equal(f.Middle(), mat.NewDense(2, 2, b.mid)) {
			t.Fatalf("%d×%d, middle %v", r, k, f.Middle())
		}
	}
}

// Skew returns the norm of ZᵀZ − I. Z has integer entries and is not square.
func TestSkew(t *testing.T) {
	z := mat.NewDense(3, 2, []float64{1, 2, 0, 2, 2, 0})
	norm, off := symmetric.Skew(z) // [[4, 2], [2, 7]]
	if want := math.Sqrt(16 + 4 + 4 + 49); math.Abs(norm-want) > 1e-14 || !(off >= 3*2*interval.Unit && off < 1e-14) {
		t.Errorf("skew %v ± %v, want %v", norm, off, want)
	}
	q := symmetric.RandomBasis(30, rand.NewPCG(1, 2))
	if norm, off := symmetric.Skew(q); norm > 1e-13 || norm > off {
		t.Errorf("an orthonormal basis has the skew %v ± %v", norm, off)
	}
}

// An unknown or wide entry affects only its own position, and the eigenvalue bound reads only the upper triangle.
func TestEntriesAreReadInPlace(t *testing.T) {
	const n = 3
	ones := []interval.Interval{interval.Int(1), interval.Int(1), interval.Int(1)}
	for i := range n {
		for j := range n {
			plain := mat.NewDense(n, n, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6})
			top := symmetric.Exactly(plain).EigenvalueUpperBound()
			const wide = 64
			e := symmetric.Exactly(plain)
			e.Set(i, j, interval.Between(plain.At(i, j)-wide, plain.At(i, j)+wide))
			// The wide entry adds a symmetric matrix with norm at least 64. Off the diagonal the entry counts twice, so
			// the norm is at most 128.
			least, most := top, top
			if i == j {
				least, most = wide, top+wide
			} else if i < j {
				least, most = wide, top+2*wide
			}
			if got := e.EigenvalueUpperBound(); !(got >= least*(1-1e-12) && got <= most*(1+1e-6)) {
				t.Errorf("wide at (%d, %d): upper bound %v, want %v to %v", i, j, got, least, most)
			}
			a := mat.DenseCopyOf(plain)
			a.Set(i, j, math.NaN())
			if got := symmetric.Exactly(a).EigenvalueUpperBound(); math.IsInf(got, 1) != (i <= j) {
				t.Errorf("unknown at (%d, %d): upper bound %v", i, j, got)
			}
			for name, m := range map[string]*symmetric.Enclosure{
				"scaled rows": symmetric.Exactly(a).Scaled(ones, nil), "scaled columns": symmetric.Exactly(a).Scaled(nil, ones), "transposed twice": symmetric.Exactly(a).T().T(),
				"widened": symmetric.Exactly(a).Widened(0.5), "added to": symmetric.Exactly(a).Plus(symmetric.Exactly(plain)), "multiplied": symmetric.Exactly(a).Times(interval.Int(1)),
			} {
				for r := range n {
					for c := range n {
						if _, ok := m.At(r, c); ok != (r != i || c != j) {
							t.Errorf("unknown at (%d, %d), %s: known at (%d, %d) is %v", i, j, name, r, c, ok)
						}
					}
				}
			}
		}
	}
}
