package mvg

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A tilt is an inequality 0 ≤ κ(V) that every plane V satisfies with all its
// reflections, κ being linear in the compressions w, s, t of its projection W and of
// two reflections S, T to a subspace U. Added to ℓ it takes from mixtures of planes what
// their covers exceed planes by: those satisfy the inequality for each plane in the
// mixture only on average.
//
// A tilt is proven by second moments as in lift.go, which compressions keep. With e the
// compression of the reflection of V that is orthogonal to S, f for T, ω that of the
// plane's bivector, every quadratic form N has N(s) + N(e) + ωᵀK(N)ω = N(w), and every
// symmetric G has Ĝ(s) = −ωᵀGω = −Ĝ(w). So with N, N', R, Z_w, Z_s, Z_t ⪰ 0 and any G, G',
//
//	0 ≤ Q_w(w) + Q_s(s) + Q_t(t) + N(e) + N'(f) + ωᵀRω + tr Z_w(w − w²) + tr Z_s(w − s²) + tr Z_t(w − t²)
//
// has no quadratic terms left where
//
//	Q_w = K̂(N + N') − N − N' − R̂ − Ĝ − Ĝ' + Z_w², Q_s = N − Ĝ + Z_s², Q_t = N' − Ĝ' + Z_t²,
//
// Z² being the form w ↦ tr Zw². Bordering Q_w, Q_s and Q_t with linear terms and
// constants while they stay positive semi-definite gives all tilts of this kind. With
// the multipliers of W ± S, W ± T and I − W on a larger subspace, those of a cover,
// they make one program, whose unknowns are all of these; its moments are those of
// planes in that subspace.
type tilting struct {
	*program
	m, k    int     // orders of the larger subspace and of U, its first directions
	base    float64 // what a bound has besides the program's
	entries [][2]int
	at      map[string]int // the first unknown of each name
}

// Blocks of a tilting program.
const (
	lowerS = iota // of W − S, and so on
	upperS
	lowerT
	upperT
	outside // of I − W
	squareW // of 1 and w, w
	squareS
	squareT
	otherS // of e, e
	otherT
	bivector
	shrinkW // of w − w²
	shrinkS
	shrinkT
	tiltBlocks
)

// newTilting sets the program up for ℓ's matrices on the larger subspace.
func newTilting(h, a, b *mat.SymDense, k int) *tilting {
	m := h.SymmetricDim()
	p := &tilting{program: &program{d: m, blocks: make([]block, tiltBlocks)}, m: m, k: k, at: map[string]int{}}
	pairs := pairsOf(k)
	p.entries = entriesOf(k)
	p.moments()
	add := func(name string, cost, start float64) *unknown {
		if _, ok := p.at[name]; !ok {
			p.at[name] = len(p.unknowns)
		}
		p.unknowns = append(p.unknowns, unknown{parts: make([][]cell, tiltBlocks), cost: cost, start: start})
		return &p.unknowns[len(p.unknowns)-1]
	}
	// The multiplier of W − S is X + a + 2b_s − νI for that X of W + S, that of W − T is
	// Y + b + 2b_t − ν'I, and that of I − W, whose trace the bound has, is
	// h + a + b + 2X + 2Y + 2b_w + 2b_s + 2b_t + Z_w + Z_s + Z_t − μI.
	p.blocks[lowerS].constant, p.blocks[lowerT].constant = negated(a), negated(b)
	all := mat.NewSymDense(m, nil)
	combine(all, 1, a, 1, b)
	combine(all, 1, all, 1, h)
	p.blocks[outside].constant = negated(all)
	p.base = mat.Trace(all)
	big := 1 + mat.Norm(h, 2) + mat.Norm(a, 2) + mat.Norm(b, 2)
	for _, x := range []struct {
		name         string
		upper, lower int
	}{{"X", upperS, lowerS}, {"Y", upperT, lowerT}} {
		for i := range m {
			for j := i; j < m; j++ {
				cost, start := 0.0, 0.0
				if i == j {
					cost, start = 2, big
				}
				u := add(x.name, cost, start)
				u.parts[x.upper], u.parts[x.lower], u.parts[outside] = both(i, j, 1), both(i, j, 1), both(i, j, 2)
			}
		}
	}
	diagonal := func(v float64) (out []cell) {
		for i := range m {
			out = append(out, cell{i, i, v})
		}
		return out
	}
	add("nu", -2, 0).parts[lowerS] = diagonal(-1)
	add("nu'", -2, 0).parts[lowerT] = diagonal(-1)
	add("mu", 2-float64(m), 0).parts[outside] = diagonal(-1)
	if k == 0 {
		return p
	}
	for _, x := range []struct {
		name          string
		square, lower int
	}{{"bw", squareW, -1}, {"bs", squareS, lowerS}, {"bt", squareT, lowerT}} {
		add("constant "+x.name, 1, 1).parts[x.square] = []cell{{0, 0, 1}}
		for r, i := range p.entries {
			cost := 0.0
			if i[0] == i[1] {
				cost = 2
			}
			u := add(x.name, cost, 0)
			u.parts[x.square] = both(0, 1+r, 1)
			matrix := both(i[0], i[1], 2/width(i[0], i[1]))
			u.parts[outside] = matrix
			if x.lower >= 0 {
				u.parts[x.lower] = matrix
			}
		}
	}
	for _, x := range []struct {
		name           string
		square, shrink int
	}{{"Zw", squareW, shrinkW}, {"Zs", squareS, shrinkS}, {"Zt", squareT, shrinkT}} {
		for i := range k {
			for j := i; j < k; j++ {
				cost, start := 0.0, 0.0
				if i == j {
					cost, start = 1, float64(3*k+6)
				}
				u := add(x.name, cost, start)
				u.parts[x.shrink], u.parts[outside] = both(i, j, 1), both(i, j, 1)
				u.parts[x.square] = bordered(squareForm(k, i, j), 1)
			}
		}
	}
	for _, x := range []struct {
		name          string
		square, other int
	}{{"N", squareS, otherS}, {"N'", squareT, otherT}} {
		for r, i := range p.entries {
			for s := r; s < len(p.entries); s++ {
				start := 0.0
				if r == s {
					start = 1
				}
				u := add(x.name, 0, start)
				u.parts[x.other] = both(r, s, 1)
				u.parts[x.square] = bordered(both(r, s, 1), 1)
				u.parts[squareW] = append(bordered(both(r, s, 1), -1), bordered(kForm(k, i, p.entries[s]), 1)...)
			}
		}
	}
	for x, i := range pairs {
		for y := x; y < len(pairs); y++ {
			j := pairs[y]
			start := 0.0
			if x == y {
				start = 1
			}
			u := add("R", 0, start)
			u.parts[bivector], u.parts[squareW] = both(x, y, 1), bordered(minor(k, i, j, 1), -1)
			if thirdOfFour(i, j) {
				continue
			}
			for _, square := range []int{squareS, squareT} {
				u := add("G", 0, 0)
				u.parts[square], u.parts[squareW] = bordered(minor(k, i, j, 1), -1), bordered(minor(k, i, j, 1), -1)
			}
		}
	}
	return p
}

// bordered shifts cells by the border's row and column, and scales them.
func bordered(cells []cell, scale float64) []cell {
	out := make([]cell, len(cells))
	for i, e := range cells {
		out[i] = cell{e.row + 1, e.col + 1, scale * e.v}
	}
	return out
}

// squareForm returns the form w ↦ tr Zw² for Z with a 1 at (i, l) and (l, i).
func squareForm(k, i, l int) (out []cell) {
	for j := range k {
		r, s := coordinate(k, i, j), coordinate(k, j, l)
		v := 1 / (width(i, j) * width(j, l))
		out = append(out, both(r, s, v)...)
	}
	return out
}

// moments sets the blocks' sizes, the traces of what planes of any space have, and the
// moments of planes of the larger subspace at random.
func (p *tilting) moments() {
	m, k := p.m, p.k
	n := k * (k + 1) / 2
	share := 2 / float64(m)
	for _, b := range []int{lowerS, upperS, lowerT, upperT} {
		p.blocks[b] = block{n: m, trace: 2, moment: multiple(m, share)}
	}
	p.blocks[outside] = block{n: m, trace: float64(m), most: true, moment: multiple(m, 1-share)}
	if k == 0 {
		p.blocks = p.blocks[:squareW]
		return
	}
	wide, reflection := planesAtRandom(m), reflectionsAtRandom(m)
	inner := func(a *mat.SymDense) *mat.SymDense {
		out := mat.NewSymDense(n, nil)
		for r, i := range p.entries {
			for s := r; s < n; s++ {
				j := p.entries[s]
				out.SetSym(r, s, a.At(coordinate(m, i[0], i[1]), coordinate(m, j[0], j[1])))
			}
		}
		return out
	}
	border := func(a *mat.SymDense, mean float64) *mat.SymDense {
		out := mat.NewSymDense(n+1, nil)
		out.SetSym(0, 0, 1)
		for r, i := range p.entries {
			if i[0] == i[1] {
				out.SetSym(0, r+1, mean)
			}
			for s := r; s < n; s++ {
				out.SetSym(r+1, s+1, a.At(r, s))
			}
		}
		return out
	}
	shrunk := func(a *mat.SymDense) *mat.SymDense {
		out := multiple(k, share)
		for i := range k {
			for j := range k {
				r := coordinate(k, i, j)
				out.SetSym(i, i, out.At(i, i)-a.At(r, r)/(width(i, j)*width(i, j)))
			}
		}
		return out
	}
	w, s := inner(wide), inner(reflection)
	p.blocks[squareW] = block{n: n + 1, trace: 3, most: true, moment: border(w, share)}
	p.blocks[squareS] = block{n: n + 1, trace: 3, most: true, moment: border(s, 0)}
	p.blocks[squareT] = p.blocks[squareS]
	p.blocks[otherS] = block{n: n, trace: 2, most: true, moment: s}
	p.blocks[otherT] = p.blocks[otherS]
	p.blocks[bivector] = block{n: k * (k - 1) / 2, trace: 1, most: true, moment: multiple(k*(k-1)/2, 2/float64(m*(m-1)))}
	p.blocks[shrinkW] = block{n: k, trace: 2, most: true, moment: shrunk(w)}
	p.blocks[shrinkS] = block{n: k, trace: 2, most: true, moment: shrunk(s)}
	p.blocks[shrinkT] = p.blocks[shrinkS]
}

// reflectionsAtRandom returns the moments SSᵀ of a plane's reflection at random.
func reflectionsAtRandom(d int) *mat.SymDense {
	n := d * (d + 1) / 2
	v := 2 / float64(n-1)
	out := multiple(n, v)
	for i := range d {
		for j := i; j < d; j++ {
			r, s := coordinate(d, i, i), coordinate(d, j, j)
			out.SetSym(r, s, out.At(r, s)-v/float64(d))
		}
	}
	return out
}

// tilt returns ℓ + κ for the tilt at y, U being the columns of u, orthonormal up to the
// drift.
func (p *tilting) tilt(l reflected, y []float64, u *mat.Dense, drift float64) reflected {
	forms, off := p.forms(y)
	constant, loss, size := 0.0, 0.0, 0.0
	for b := squareW; b < tiltBlocks; b++ {
		loss += p.blocks[b].trace * math.Max(0, eigenCeiling(negated(forms[b]))+off[b])
	}
	linear := func(name string) *mat.SymDense {
		out := mat.NewSymDense(p.k, nil)
		for r, i := range p.entries {
			out.SetSym(i[0], i[1], 2/width(i[0], i[1])*y[p.at[name]+r])
		}
		constant += y[p.at["constant "+name]]
		return out
	}
	w, s, t := linear("bw"), linear("bs"), linear("bt")
	for _, name := range []string{"Zw", "Zs", "Zt"} {
		r := p.at[name]
		for i := range p.k {
			for j := i; j < p.k; j++ {
				w.SetSym(i, j, w.At(i, j)+y[r])
				size += 2 * math.Abs(y[r])
				r++
			}
		}
	}
	back := mat.DenseCopyOf(u.T())
	raised := func(m, by *mat.SymDense) *mat.SymDense {
		out := turn(by, back)
		out.AddSym(out, m)
		size += mat.Norm(m, 2) + float64(p.k)*mat.Norm(by, 2)
		return out
	}
	out := reflected{h: raised(l.h, w), a: raised(l.a, s), b: raised(l.b, t)}
	// The traces and w − w² ⪰ 0 hold for orthonormal columns, and the sums here err by
	// 4k² + 32 roundings of each entry.
	out.constant = l.constant + constant + loss*(1+8*drift) + size*(8*drift+8*float64(p.k*p.k+4)*unit)
	return out
}
