package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/definite"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func ratOf(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// ratForm returns sᵀQs.
func ratForm(q mat.Matrix, s []float64) *big.Rat {
	sum := new(big.Rat)
	for i := range s {
		for j := range s {
			sum.Add(sum, new(big.Rat).Mul(ratOf(q.At(i, j)), ratOf(s[i]*s[j])))
		}
	}
	return sum
}

// signPatterns calls f for all of them.
func signPatterns(m int, f func(s []float64)) {
	s := make([]float64, m)
	for k := range 1 << m {
		for i := range s {
			s[i] = float64(1 - 2*(k>>i&1))
		}
		f(s)
	}
}

// inside says whether a rational number is between the ends, and these no further apart than a
// share of it.
func inside(v *big.Rat, lo, hi, width float64) bool {
	f, _ := v.Float64()
	return ratOf(lo).Cmp(v) <= 0 && v.Cmp(ratOf(hi)) <= 0 && hi-lo <= width*math.Abs(f)
}

// The best vertex of a box among all, in rationals: found, enclosed and bounded from above.
func TestVerticesInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 1))
	for k := range 60 {
		m := 1 + k%6
		p, scale := normalMatrix(m, m, rng), make([]float64, m)
		for i := range scale {
			scale[i] = math.Exp(2 * rng.NormFloat64())
			for j := range m {
				p.Set(i, j, p.At(i, j)*scale[i])
			}
		}
		q := gramOf(p)
		best, sizes := new(big.Rat), 0.0
		signPatterns(m, func(s []float64) {
			if v := ratForm(q, s); v.Cmp(best) > 0 {
				best = v
			}
		})
		for i := range m {
			for j := range m {
				sizes += math.Abs(q.At(i, j))
			}
		}
		signs, short, err := grayVertex(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if v := ratForm(q, signs); new(big.Rat).Add(v, ratOf(short)).Cmp(best) < 0 || v.Cmp(best) > 0 || signs[m-1] != 1 || short > sizes*float64(m*m)*0x1p-59 || short < sizes*float64(m*m)*0x1p-61 {
			t.Errorf("order %d: vertex %v of %v, short by %v, the best is %v", m, signs, v, short, best)
		}
		value, _ := best.Float64()
		correlations, trace := mat.NewSymDense(m, nil), 0.0
		for i := range m {
			trace += q.At(i, i)
			for j := range i + 1 {
				correlations.SetSym(i, j, q.At(i, j)/math.Sqrt(q.At(i, i)*q.At(j, j)))
			}
		}
		top := func(a *mat.SymDense) float64 {
			var e mat.EigenSym
			if !e.Factorize(a, false) {
				t.Fatal("no eigenvalues")
			}
			return floats.Max(e.Values(nil))
		}
		want := min(sizes, float64(m)*top(q), trace*top(correlations))
		if v := diagonalBound(q); ratOf(v).Cmp(best) < 0 || v > want*(1+1e-13) || v < want*(1-1e-15) {
			t.Errorf("order %d: bound %v on vertices up to %v, want %v", m, v, value, want)
		}
		// Local maxima: none twice, the best first, no flip gains.
		last := math.Inf(1)
		all := localMaxima(q)
		for at, s := range all {
			v := form(q, s)
			if v > last || s[m-1] != 1 || slices.ContainsFunc(all[:at], func(r []float64) bool { return slices.Equal(r, s) }) {
				t.Errorf("order %d: local maxima %v", m, all)
			}
			last = v
			for i := range s {
				flipped := slices.Clone(s)
				if flipped[i] = -s[i]; form(q, flipped) > v*(1+1e-11) {
					t.Errorf("order %d: %v is no local maximum", m, s)
				}
			}
		}
		widths := make([]float64, m)
		for i := range widths {
			widths[i] = math.Exp(rng.NormFloat64())
		}
		box, weighted := ok(NewBox(1, widths)), mat.NewSymDense(m, nil)
		for i := range m {
			for j := range i + 1 {
				weighted.SetSym(i, j, 4*widths[i]*widths[j]*q.At(i, j))
			}
		}
		found := ok(box.worstSigns(t.Context(), q))
		most := 0.0
		signPatterns(m, func(s []float64) { most = math.Max(most, form(weighted, s)) })
		if v := form(weighted, found[0]); v < most*(1-1e-14) || len(found) > len(localMaxima(weighted))+1 {
			t.Errorf("order %d: the worst signs reach %v of %v", m, v, most)
		}
		// sᵀQs where Q is known to lie about these numbers.
		o := &optimizer{ctx: t.Context()}
		if v, err := o.signMaximum(symmetric.Exactly(q)); err != nil {
			t.Error(err)
		} else if _, hi := v.Bounds(); !inside(best, value*(1-1e-15), hi, 1e-12) {
			t.Errorf("order %d: at most %v at vertices, want %v", m, hi, value)
		}
		wide := symmetric.Exactly(q)
		most = 0
		for i := range m {
			q.SetSym(i, i, q.At(i, i)+1)
			for j := range m {
				wide.Set(i, j, interval.Between(q.At(i, j)-0.5, q.At(i, j)+0.25))
			}
		}
		signPatterns(m, func(s []float64) {
			v := form(q, s)
			for i := range m {
				for j := range m {
					v += 0.375 - 0.125*s[i]*s[j]
				}
			}
			most = math.Max(most, v)
		})
		if v, err := o.signMaximum(wide); err != nil {
			t.Error(err)
		} else if _, hi := v.Bounds(); hi < most*(1-1e-14) || hi > most*(1+1e-12) {
			t.Errorf("order %d: at most %v at vertices, want %v", m, hi, most)
		}
	}
}

// ratInverse returns the inverse of a matrix of order 2.
func ratInverse(a *mat.SymDense) [2][2]*big.Rat {
	x, y, z := ratOf(a.At(0, 0)), ratOf(a.At(0, 1)), ratOf(a.At(1, 1))
	det := new(big.Rat).Sub(new(big.Rat).Mul(x, z), new(big.Rat).Mul(y, y))
	of := func(v *big.Rat) *big.Rat { return new(big.Rat).Quo(v, det) }
	return [2][2]*big.Rat{{of(z), of(new(big.Rat).Neg(y))}, {of(new(big.Rat).Neg(y)), of(x)}}
}

// What is said of the inverse of a covariance, and of a box's vertices by it, holds in
// rationals.
func TestPrecisionsInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 2))
	for k := range 60 {
		a := gramOf(normalMatrix(2, 2, rng))
		if k%3 == 0 {
			a.SetSym(0, 1, 0)
		}
		for i := range 2 {
			a.SetSym(i, i, a.At(i, i)+0.1)
		}
		a.ScaleSym(math.Ldexp(1, rng.IntN(200)-100), a)
		c := ok(NewDense(a))
		p := ratInverse(a)
		mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
		add := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
		sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
		const width = 1e-13
		entry := p[0][0]
		if p[1][1].Cmp(entry) > 0 {
			entry = p[1][1]
		}
		if lo, hi := c.largestEntry().Bounds(); !inside(entry, lo, hi, width) {
			t.Errorf("%v: the largest entry of the inverse in [%v, %v], want %v", a, lo, hi, entry)
		}
		squares := add(add(mul(p[0][0], p[0][0]), mul(p[1][1], p[1][1])), mul(big.NewRat(2, 1), mul(p[0][1], p[0][1])))
		if lo, hi := c.precisionSquares().Bounds(); !inside(squares, lo, hi, width) {
			t.Errorf("%v: squares of the inverse in [%v, %v], want %v", a, lo, hi, squares)
		}
		trace := add(ratOf(a.At(0, 0)), ratOf(a.At(1, 1)))
		if lo, hi := c.trace().Bounds(); !inside(trace, lo, hi, 0x1p-52) {
			t.Errorf("trace in [%v, %v], want %v", lo, hi, trace)
		}
		// The characteristic polynomial has another sign at the two ends of a root, the larger first.
		trace, det := add(p[0][0], p[1][1]), sub(mul(p[0][0], p[1][1]), mul(p[0][1], p[0][1]))
		at := func(x float64) int { return add(sub(mul(ratOf(x), ratOf(x)), mul(trace, ratOf(x))), det).Sign() }
		values := c.top(5)
		if len(values) != 2 || len(c.top(1)) != 1 {
			t.Fatalf("%d eigenvalues of order 2", len(values))
		}
		size, _ := trace.Float64()
		if v := values[0].Mid() + values[1].Mid(); values[0].Mid() < values[1].Mid() || math.Abs(v-size) > width*size {
			t.Errorf("%v: eigenvalues %v of the inverse", a, values)
		}
		for i, v := range values {
			lo, hi := v.Bounds()
			if sign := 1 - 2*i; at(hi)*sign < 0 || at(lo)*sign > 0 || hi-lo > width*size {
				t.Errorf("%v: eigenvalue %d of the inverse in [%v, %v]", a, i, lo, hi)
			}
		}
		// ‖P/s − p‖ ≤ off, by the minors of off·I ± the difference, and p is nearly normal.
		near, s, off := c.normalized()
		_, top := s.Bounds()
		for _, sign := range []float64{1, -1} {
			var d [2][2]*big.Rat
			for i := range 2 {
				for j := range 2 {
					d[i][j] = mul(ratOf(sign), sub(new(big.Rat).Quo(p[i][j], ratOf(s.Mid())), ratOf(near.At(i, j))))
				}
				d[i][i].Add(d[i][i], ratOf(off))
			}
			if d[0][0].Sign() < 0 || d[1][1].Sign() < 0 || sub(mul(d[0][0], d[1][1]), mul(d[0][1], d[0][1])).Sign() < 0 {
				t.Errorf("%v: the inverse is further than %v from %v", a, off, mat.Formatted(near))
			}
		}
		if off > 1e-13 || math.Abs(symmetric.EigenCeiling(near)-1) > 1e-13 || math.IsInf(top, 0) {
			t.Errorf("%v: normalized to %v, off by %v", a, mat.Formatted(near), off)
		}
		// 4·max(h₀²P₀₀ + h₁²P₁₁ + 2h₀h₁|P₀₁|).
		h := []float64{math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64())}
		want := add(add(mul(mul(ratOf(h[0]), ratOf(h[0])), p[0][0]), mul(mul(ratOf(h[1]), ratOf(h[1])), p[1][1])),
			mul(mul(ratOf(2*h[0]), ratOf(h[1])), new(big.Rat).Abs(p[0][1])))
		want.Mul(want, big.NewRat(4, 1))
		if lo, hi := ok(ok(NewBox(1, h)).vertexMaximum(t.Context(), c)).Bounds(); !inside(want, lo, hi, 2e-13) {
			t.Errorf("%v: the vertices reach [%v, %v], want %v", a, lo, hi, want)
		}
		// One record comes or goes, of covariances with the same axes: a product of two numbers that
		// are linear in the squares of the coordinates, at best on a side of the simplex.
		e := []float64{1, 2 + rng.Float64(), 5}
		f := []float64{3, rng.Float64(), 1 + rng.Float64()}
		w := symmetric.RandomBasis(3, rng)
		x, y := ok(NewDirectional(e, w)), ok(NewDirectional(f, w))
		most := 0.0
		for i := range 3 {
			for j := range 3 {
				// (a + ut)(b + vt) for t from 0 to 1
				a, b := 1/e[i], 1/f[i]
				u, v := 1/e[j]-a, 1/f[j]-b
				most = math.Max(most, a*b)
				if t := -(a*v + b*u) / (2 * u * v); t > 0 && t < 1 {
					most = math.Max(most, (a+u*t)*(b+v*t))
				}
			}
		}
		v := ok(crossedModes(t.Context(), x, y))
		if lo, hi := v.Bounds(); lo > most*(1+1e-14) || hi < most*(1-1e-14) || hi > lo*(1+1e-7) {
			t.Errorf("variances %v and %v: a record reaches [%v, %v], want %v", e, f, lo, hi, most)
		}
	}
}

// A price that is known between two ends costs what the lower does: the bound is on all.
func TestSurplusOfAPriceInBetween(t *testing.T) {
	for _, c := range []struct{ w, lo, hi, want float64 }{
		{4, 1, 2, math.Log(4) - 0.75},
		{4, 1, 8, math.Log(4) - 0.75},
		{1, 1, 1, 0},
		{1, 2, 3, 0},
		{0, 1, 2, 0},
		{1, 0.5, 0.5, math.Ln2 - 0.5},
	} {
		v := ok(surplus(exactly([]float64{c.w}), []interval.Interval{interval.Between(c.lo, c.hi)}))
		if lo, hi := v.Bounds(); math.Abs(lo-c.want) > 1e-15 || math.Abs(hi-c.want) > 1e-15 {
			t.Errorf("gain %v at a price in [%v, %v]: surplus in [%v, %v], want %v", c.w, c.lo, c.hi, lo, hi, c.want)
		}
	}
}

// Jacobi's axes make rows orthogonal however their lengths differ, and a matrix's exponential is
// that of its closed form at order 2, with an inverse.
func TestAxesAndExponentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 3))
	for range 50 {
		a := normalMatrix(4, 5, rng)
		for i := range 4 {
			floats.Scale(math.Exp(20*rng.NormFloat64()), a.RawRowView(i))
		}
		_, u := definite.RowAxes(a)
		one, rows := product(u.T(), u), product(u.T(), a)
		for i := range 4 {
			for j := range 4 {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(one.At(i, j)-want) > 1e-14 {
					t.Fatalf("UᵀU = %v", mat.Formatted(one))
				}
				x, y := rows.RawRowView(i), rows.RawRowView(j)
				if v := floats.Dot(x, y) / floats.Norm(x, 2) / floats.Norm(y, 2); i != j && math.Abs(v) > 1e-13 {
					t.Fatalf("rows %d and %d have a cosine of %v", i, j, v)
				}
			}
		}
		x, y, z, s := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), 3*rng.NormFloat64()
		h := mat.NewSymDense(2, []float64{x, y, y, z})
		up, down := exponential(h, s)
		for sign, e := range map[float64]*mat.Dense{1: up, -1: down} {
			// e^{m}(cosh r·I + sinh r/r·(H − mI)) with r² = ((x − z)/2)² + y², times s.
			m, r := sign*s*(x+z)/2, math.Abs(s)*math.Hypot((x-z)/2, y)
			for i := range 2 {
				for j := range 2 {
					want := math.Sinh(r) / r * sign * s * h.At(i, j)
					if i == j {
						want += math.Cosh(r) - math.Sinh(r)/r*m
					}
					if want *= math.Exp(m); math.Abs(e.At(i, j)-want) > 1e-13*math.Exp(m+r) {
						t.Errorf("e^(%v·%v) has %v at (%d, %d), want %v", sign*s, mat.Formatted(h), e.At(i, j), i, j, want)
					}
				}
			}
		}
	}
	if _, u := definite.RowAxes(mat.NewDense(2, 2, []float64{0, 0, 1, 1})); u.At(0, 0) != 1 {
		t.Error("a row of 0 is turned")
	}
}

// What precisions are to be divided by is the square of the largest whitened difference over
// that of μ, or the root of that where both sides have them: as a design with them has it.
func TestOverIsThatOfADesign(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 5))
	for _, m := range []int{1, 2, 3} {
		var list []*mat.Dense
		for range 4 {
			list = append(list, normalMatrix(m, m, rng))
		}
		for name, s := range map[string]Sensitivity{
			"ball": ok(NewBall(m, m, BallOptions{S2: 2, Gamma: 4, PSD: true})), "gram, added": ok(NewGram(m, 1.5, query.AddRemove, 0.5)), "gram, replaced": ok(NewGram(m, 1.5, query.Replace, 0.5)),
			"box": ok(NewBox(m, []float64{0.5, 2, 1}[:m])), "list": ok(NewDifferences(list)),
		} {
			for mode := Unimodal; mode <= Equimodal; mode++ {
				for _, w := range []*mat.Dense{nil, symmetric.RandomBasis(m, rng)} {
					var directions mat.Matrix
					if w != nil {
						directions = w
					}
					p, v := make([]float64, m), make([]float64, m)
					for i := range p {
						p[i] = math.Exp(rng.NormFloat64())
						v[i] = 1 / p[i]
					}
					o := &optimizer{ctx: t.Context(), s: s, goal: Goal{LeastError, uniform(m, 1)}, recipe: Recipe{Mode: mode, Directions: directions}, frame: ok(newFrame(directions, uniform(m, 1)))}
					o.mu.Lo, o.mu.Hi = 0.7, 0.9
					sigma := ok(NewDirectional(v, directions))
					psi := sigma
					if mode == Unimodal {
						psi = ok(NewIsotropic(m, 1))
					}
					norm := ok(NewDesign(t.Context(), s, sigma, psi)).norm.hi / 0.7
					want := norm * norm
					if mode == Equimodal {
						want = norm
					}
					over := ok(o.over(exactly(p)))
					if lo, hi := over.Bounds(); math.Abs(lo-want) > 1e-13*want || math.Abs(hi-want) > 1e-13*want || over.CmpLo(over.Upper()) != 0 {
						t.Errorf("%s of order %d, mode %d, directions %v: over by [%v, %v], want %v", name, m, mode, w != nil, lo, hi, want)
					}
				}
			}
		}
	}
}
