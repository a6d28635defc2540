package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func exactRat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// wideBounds are points and bounds of every sign, with 0 within them and at an end.
func wideBounds() []bound {
	at := []float64{-7.3, -1, -1e-300, 0, 1e-300, 0.1, 3}
	var all []bound
	for i, lo := range at {
		for _, hi := range at[i:] {
			all = append(all, bound{lo, hi})
		}
	}
	return all
}

// Of bounds of any width and sign, results are the range of what rational numbers within give, moved
// outward by a unit or two.
func TestBoundsAreTheRangeOfRationals(t *testing.T) {
	// in holds a result to the least and the largest of four at the ends, which those within lie between.
	in := func(name string, a, b, got bound, of func(z, x, y *big.Rat) *big.Rat) {
		t.Helper()
		var least, most *big.Rat
		for _, x := range []float64{a.lo, a.hi} {
			for _, y := range []float64{b.lo, b.hi} {
				v := of(new(big.Rat), exactRat(x), exactRat(y))
				if least == nil || v.Cmp(least) < 0 {
					least = v
				}
				if most == nil || v.Cmp(most) > 0 {
					most = v
				}
			}
		}
		if exactRat(got.lo).Cmp(least) > 0 || exactRat(got.hi).Cmp(most) < 0 || exactRat(up(up(got.lo))).Cmp(least) < 0 || exactRat(down(down(got.hi))).Cmp(most) > 0 {
			t.Errorf("%v %s %v: %v, is from %s to %s", a, name, b, got, least.FloatString(5), most.FloatString(5))
		}
	}
	for _, a := range wideBounds() {
		for _, b := range wideBounds() {
			in("plus", a, b, a.plus(b), (*big.Rat).Add)
			in("minus", a, b, a.minus(b), (*big.Rat).Sub)
			in("times", a, b, a.times(b), (*big.Rat).Mul)
			if v := a.over(b); b.lo > 0 {
				in("over", a, b, v, (*big.Rat).Quo)
			} else if v != (bound{math.Inf(-1), math.Inf(1)}) {
				t.Errorf("%v over %v: %v", a, b, v)
			}
			if got, want := a.larger(b), (bound{math.Max(a.lo, b.lo), math.Max(a.hi, b.hi)}); got != want {
				t.Errorf("the larger of %v and %v: %v", a, b, got)
			}
			if got, want := a.smaller(b), (bound{math.Min(a.lo, b.lo), math.Min(a.hi, b.hi)}); got != want {
				t.Errorf("the smaller of %v and %v: %v", a, b, got)
			}
		}
		if got := a.nothing(); got != (a == bound{}) {
			t.Errorf("%v is nothing: %v", a, got)
		}
	}
}

// A logarithm is known of numbers that are surely positive, ordinary and finite.
func TestLogarithmsOfBounds(t *testing.T) {
	for _, c := range []struct {
		a     bound
		known bool
	}{
		{bound{0x1p-1000, math.MaxFloat64}, true}, {bound{0.1, 7}, true}, {bound{0x1p-1001, 1}, false}, {bound{0, 1}, false},
		{bound{-1, 1}, false}, {bound{1, math.Inf(1)}, false}, {bound{1, math.NaN()}, false}, {bound{math.NaN(), 1}, false},
	} {
		v := c.a.log()
		if !c.known {
			if !math.IsNaN(v.lo) || !math.IsNaN(v.hi) {
				t.Errorf("ln %v: %v", c.a, v)
			}
			continue
		}
		for k, pair := range [][2]float64{{v.lo, math.Log(c.a.lo)}, {v.hi, math.Log(c.a.hi)}} {
			if math.Abs(pair[0]-pair[1]) > 1e-14*math.Abs(pair[1]) {
				t.Errorf("end %d of ln %v: %v, want %v", k, c.a, pair[0], pair[1])
			}
		}
	}
	for _, a := range []bound{{0, 0.5}, {0.2, 5}, {0, 3}, {2, 40}} {
		v := a.log1p()
		if math.Abs(v.lo-math.Log1p(a.lo)) > 1e-14 || math.Abs(v.hi-math.Log1p(a.hi)) > 1e-14 {
			t.Errorf("ln(1 + %v): %v", a, v)
		}
	}
	for v, want := range map[float64]bool{5e-324: true, math.MaxFloat64: true, 0: false, -1: false, math.Inf(1): false, math.Inf(-1): false, math.NaN(): false} {
		if got := positiveNumber(v); got != want {
			t.Errorf("%v is a positive number: %v", v, got)
		}
	}
}

// Diagonals that may be negative are not surely positive, whatever else they may be.
func TestSurelyPositiveDiagonals(t *testing.T) {
	for _, c := range []struct {
		a    bound
		want bool
	}{{bound{-1, 4}, false}, {bound{0, 4}, false}, {bound{1, 4}, true}, {bound{1, math.NaN()}, true}, {bound{math.NaN(), 1}, false}} {
		if got := surelyPositive([][]bound{{c.a}}); got != c.want {
			t.Errorf("%v: %v", c.a, got)
		}
	}
}

// knownByPart returns constraints of which entries are known by part, those that are not 0 but positive.
func knownByPart(g *regions, rng *rand.Rand) *regions {
	out := *g
	out.ends = nil
	for _, f := range g.forms {
		m := int(math.Sqrt(float64(len(f))))
		ends := make([]bound, len(f))
		for i := range m {
			for j := range i + 1 {
				v := bound{f[i*m+j] * (1 - 0.2*rng.Float64()), f[i*m+j] * (1 + 0.2*rng.Float64())}
				if i != j && rng.IntN(3) == 0 {
					v.lo = 0
				}
				ends[i*m+j], ends[j*m+i] = v, v
			}
		}
		out.ends = append(out.ends, ends)
	}
	return &out
}

// within returns constraints whose entries are ends of those, or in the middle.
func within(g *regions, rng *rand.Rand) *regions {
	out := *g
	out.ends = nil
	for _, f := range g.ends {
		m := int(math.Sqrt(float64(len(f))))
		ends := make([]bound, len(f))
		for i := range m {
			for j := range i + 1 {
				v := f[i*m+j]
				x := point([]float64{v.lo, v.hi, (v.lo + v.hi) / 2}[rng.IntN(3)])
				ends[i*m+j], ends[j*m+i] = x, x
			}
		}
		out.ends = append(out.ends, ends)
	}
	return &out
}

// What is computed of constraints known in part holds what is computed of each that they may be.
func TestPlanesOfWideConstraints(t *testing.T) {
	rng := rand.New(rand.NewPCG(301, 1))
	meet := func(a, b bound) bool { return a.lo <= b.hi && b.lo <= a.hi }
	logarithms, quadratics := 0, 0
	for range 80 {
		m := 2 + rng.IntN(3)
		g, r := randomRegion(rng, m)
		for i := range r.u { // not too wide, for sums of many signs
			r.u[i] = math.Min(r.u[i], r.l[i]+1)
		}
		c := g.cutter(r)
		at, far, none := make([]float64, m), make([]float64, m), make([]float64, m)
		y := []weighted{{0, 0.2 + rng.Float64()}, {2, 0.2 + rng.Float64()}}
		form := c.sum(y)
		for i := range at {
			at[i] = r.l[i] + (r.u[i]-r.l[i])*(0.01+0.98*rng.Float64())
			for j := range m {
				far[i] += 1.5 * form.At(i, j)
			}
		}
		cuts := []*cut{c.quadratic(form, y, at, far, 1), c.quadratic(form, y, at, none, 0.1), c.logarithm(y, at)}
		wide := knownByPart(g, rng)
		if r.l[m-1] > 0 && rng.IntN(2) == 0 { // that there is something in the first row is not known
			for _, f := range wide.ends {
				for j := range m {
					f[j].lo, f[j*m].lo = 0, 0
				}
			}
		}
		p := &planesProof{l: r.l, u: r.u}
		e := wide.edges(p)
		for range 6 {
			inside := within(wide, rng)
			f := inside.edges(p)
			for _, k := range cuts {
				if k == nil {
					continue
				}
				a, b, proven := e.plane(k)
				x, y, also := f.plane(k)
				if !proven {
					continue
				}
				if !also || !meet(b, y) {
					t.Fatalf("%+v: b is %v, %v within, proven %v", k, b, y, also)
				}
				for i := range a {
					if !meet(a[i], x[i]) {
						t.Fatalf("%+v: a_%d is %v, %v within", k, i, a[i], x[i])
					}
				}
				whole := &planesProof{r.l, r.u, []*cut{k}, []float64{rng.Float64()}}
				if hi, v := wide.certified(whole), inside.certified(whole); !(v <= hi*(1+1e-12)+1e-12) {
					t.Fatalf("%+v bounds %v, and %v within", k, hi, v)
				}
				if k.logarithmic {
					logarithms++
				} else {
					quadratics++
				}
			}
		}
	}
	if logarithms < 150 || quadratics < 150 {
		t.Errorf("%d logarithmic planes, %d others", logarithms, quadratics)
	}
}

// A constraint of which nothing is known to be positive has no part in a logarithmic plane.
func TestLogarithmicPlanesOfWhatMayBeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(301, 2))
	g, _ := randomRegion(rng, 2)
	for i := range g.ends[1] {
		g.ends[1][i] = bound{-1, 2}
	}
	e := g.edges(&planesProof{l: []float64{0.1, 0.2}, u: []float64{1, 2}})
	at := []float64{0.5, 0.7}
	a, b := e.logarithm(&cut{logarithmic: true, y: []weighted{{0, 1}, {1, 3}}, at: at})
	x, y := e.logarithm(&cut{logarithmic: true, y: []weighted{{0, 1}}, at: at})
	if b != y || a[0] != x[0] || a[1] != x[1] || !(b.lo <= b.hi) {
		t.Errorf("%v and %v, want %v and %v", a, b, x, y)
	}
}

// A matrix of order two whose determinant is 0 or negative is not surely positive, were it by the last bit
// of an entry.
func TestSurelyPositiveToTheLastBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(301, 3))
	for range 200 {
		d, e := 0.5+rng.Float64(), 1+rng.Float64()
		det := new(big.Rat).Mul(exactRat(d), exactRat(e))
		b := down(down(math.Sqrt(d * e)))
		for new(big.Rat).Mul(exactRat(b), exactRat(b)).Cmp(det) < 0 {
			b = up(b)
		}
		if surelyPositive([][]bound{{point(d), point(b)}, {point(b), point(e)}}) {
			t.Errorf("%v, %v and %v between", d, e, b)
		}
	}
}
