package signrp

import (
	"context"
	"math"
	"math/big"
	"sync"
)

// exactBits is a precision at which sums of products of a number in [−1, 1], an entry of W and small integers, and
// β times an entry, are exact after scaling to integers. Their sizes are at most 10³⁴⁰ and 10⁶⁵⁰.
const exactBits = 3600

// dotter computes the numbers d_j = Wᵀ_j u in float64 and, if that does not decide a comparison, exactly.
type dotter interface {
	near(j int) (v, bound float64)                     // |v − d_j| ≤ bound
	exact(j int) *big.Float                            // d_j·10^places; the caller must not change it
	threshold(beta, largest float64, n int) *big.Float // nβ·largest·10^places
}

// point is Wᵀu at one u.
type point struct {
	w     *Projection
	u     []float64
	beta  float64 // the β of later moves and levels
	d     []float64
	bound []float64

	guard  sync.Mutex
	known  []*big.Float
	places int          // of the decimals of u and β
	whole  []*big.Float // u_i·10^places, nil until needed
}

// at returns Wᵀu. It returns ctx's error.
func (w *Projection) at(ctx context.Context, u []float64, beta float64) (*point, error) {
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	p := &point{w: w, u: u, beta: beta, d: make([]float64, w.k), bound: make([]float64, w.k), known: make([]*big.Float, w.k)}
	if err := w.dots(ctx, p.d, u, new(tables)); err != nil {
		return nil, err
	}
	norm1 := 0.0
	for _, v := range u {
		norm1 += math.Abs(v)
	}
	for j := range p.bound {
		p.bound[j] = w.dotsError(norm1, j)
	}
	if w.kind == OPORP { // the error bound is per bin: the sum of an empty bin is exactly 0
		clear(p.bound)
		for i, place := range w.place {
			p.bound[place>>1] += math.Abs(u[i])
		}
		for j, norm1 := range p.bound {
			p.bound[j] = w.dotsError(norm1, j)
		}
	}
	return p, nil
}

func (p *point) near(j int) (v, bound float64) { return p.d[j], p.bound[j] }

// scale sets whole and places, which scale the decimals to integers. The caller holds guard.
func (p *point) scale() {
	if p.whole != nil {
		return
	}
	parts := make([]decimal, len(p.u))
	p.places = decimalOf(p.beta).places()
	for i, v := range p.u {
		parts[i] = decimalOf(v)
		p.places = max(p.places, parts[i].places())
	}
	p.whole = make([]*big.Float, len(p.u))
	for i, d := range parts {
		p.whole[i] = wholeFloat(d.scaled(p.places))
	}
}

func wholeFloat(n *big.Int) *big.Float { return new(big.Float).SetPrec(exactBits).SetInt(n) }

func (p *point) exact(j int) *big.Float {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.scale()
	if p.known[j] == nil {
		sum := new(big.Float).SetPrec(exactBits)
		for i, place := range p.w.place {
			if int(place>>1) == j {
				addProduct(sum, p.whole[i], float64(1-2*(place&1)))
			}
		}
		for b := 0; p.w.kind != OPORP && b*blockRows < p.w.p; b++ {
			whole := p.whole[b*blockRows : min((b+1)*blockRows, p.w.p)]
			if p.w.kind == Rademacher {
				for word, i := p.w.signs(b)[j], 0; i < len(whole); i++ {
					addProduct(sum, whole[i], float64(int(word>>i&1)*2-1))
				}
				continue
			}
			rows := p.w.block(b)
			for i, v := range whole {
				addProduct(sum, v, rows[i*p.w.k+j])
			}
		}
		p.known[j] = sum
	}
	return p.known[j]
}

// room returns how far the move m changes coordinate i, times 10^places.
func (p *point) room(i int, m move) *big.Float {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.scale()
	out := wholeFloat(powerOfTen(p.places))
	switch {
	case m.kind == stays:
		return out.SetInt64(0)
	case m.kind == byBeta:
		return wholeFloat(decimalOf(p.beta).scaled(p.places))
	case m.hi > 0:
		return out.Sub(out, p.whole[i])
	}
	return out.Add(out, p.whole[i])
}

func (p *point) threshold(beta, largest float64, n int) *big.Float {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.scale()
	x := wholeFloat(decimalOf(beta).scaled(p.places))
	x.Mul(x, big.NewFloat(largest))
	return x.Mul(x, new(big.Float).SetInt64(int64(n)))
}

// addProduct adds a·b to sum.
func addProduct(sum, a *big.Float, b float64) {
	if b == 0 || a.Sign() == 0 {
		return
	}
	x := new(big.Float).SetPrec(exactBits)
	sum.Add(sum, x.Mul(a, big.NewFloat(b)))
}

// shifted is Wᵀu after coordinate i has moved by m.
type shifted struct {
	*point
	i   int
	row []float64 // row i of W
	m   move
	by  *big.Float // change of coordinate i, times 10^places, nil until needed
}

func (s *shifted) near(j int) (v, bound float64) {
	step := s.m.hi * s.row[j]
	v = s.d[j] + step
	return v, s.bound[j] + 2*ulp*(math.Abs(step)+math.Abs(v)) + s.m.err*math.Abs(s.row[j]) + tiny
}

func (s *shifted) exact(j int) *big.Float {
	sum := new(big.Float).SetPrec(exactBits).Set(s.point.exact(j))
	if s.by == nil {
		if s.by = s.room(s.i, s.m); s.m.hi < 0 {
			s.by.Neg(s.by)
		}
	}
	addProduct(sum, s.by, s.row[j])
	return sum
}

// sign returns the sign of d_j, +1 for zero.
func sign(d dotter, j int) int {
	v, bound := d.near(j)
	switch {
	case v > bound:
		return 1
	case v < -bound:
		return -1
	case bound == 0:
		return 1
	}
	if d.exact(j).Sign() < 0 {
		return -1
	}
	return 1
}

// within reports whether |d_j| ≤ β·largest.
func within(d dotter, j int, beta, largest float64) bool {
	v, bound := d.near(j)
	threshold := beta * largest
	slack := bound + threshold*4*ulp + tiny // the errors of reading β, of the product and of the sums
	switch v = math.Abs(v); {
	case v <= threshold-slack:
		return true
	case v > threshold+slack:
		return false
	}
	return new(big.Float).Abs(d.exact(j)).Cmp(d.threshold(beta, largest, 1)) <= 0
}

// level returns the signed level of d_j: sign(d_j)·⌈|d_j|/(β·largest)⌉, which is 0 if d_j = 0.
func level(d dotter, j int, beta, largest float64) int {
	if largest == 0 { // a column of zeros
		return 0
	}
	v, bound := d.near(j)
	if v == 0 && bound == 0 {
		return 0
	}
	unit := beta * largest
	q := math.Abs(v) / unit
	slack := bound/unit*(1+4*ulp) + q*6*ulp + tiny // the errors of reading β, of the product and of the quotient
	if n := math.Ceil(q - slack); q > slack && n == math.Ceil(q+slack) {
		return int(math.Copysign(n, v))
	}
	exact := d.exact(j)
	if exact.Sign() == 0 {
		return 0
	}
	// The level is the least n with |d| ≤ nβ·largest.
	step := d.threshold(beta, largest, 1)
	ratio := new(big.Float).SetPrec(exactBits).Quo(new(big.Float).Abs(exact), step)
	n, _ := ratio.Int64()
	for n = max(1, n-1); new(big.Float).Abs(exact).Cmp(d.threshold(beta, largest, int(n))) > 0; n++ {
	}
	return int(n) * exact.Sign()
}
