package planes

import (
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What a frame program exceeds planes by is a mixture of frames. A tilt is an inequality
// 0 ≤ κ(a, b) that every frame satisfies, κ being linear in the compressions w, d, e of
// W, D and E to a subspace U. Added to c·y it takes from the mixture, of whose frames
// only the average satisfies what holds for each.
//
// A tilt is proven by second moments as in lift.go, which compressions keep. With ω
// that of the bivector, for symmetric N and G
//
//	N(d) + N(e) + ωᵀK(N)ω = N(w), Ĝ(d) = Ĝ(e) = −ωᵀGω,
//
// and w ⪰ w², d², e². So with R, Z_w, Z_d, Z_e ⪰ 0
//
//	0 ≤ Q_w(w) + Q_d(d) + Q_e(e) + ωᵀRω + tr Z_w(w − w²) + tr Z_d(w − d²) + tr Z_e(w − e²)
//
// has no quadratic terms left where
//
//	Q_w = Z_w² − N, Q_d = Z_d² + N + Ĝ, Q_e = Z_e² + N − K̂(N) − Ĝ + R̂,
//
// Z² being the form w ↦ tr Zw². Bordering the three with linear terms and constants
// while they stay positive semi-definite gives all tilts of this kind; their multipliers
// are unknowns of the program beside those of the cut.

// addTilt adds the unknowns of a tilt.
func (p *frameProgram) addTilt() {
	k := p.tilt
	p.entries = entriesOf(k)
	pairs := pairsOf(k)
	p.tiltMoments()
	names := []string{"w", "d", "e"}
	for which, name := range names {
		square := squareW + which
		p.add("constant "+name, 1, 1).parts[square] = []cell{{0, 0, 1}}
		for r, i := range p.entries {
			u := p.add("linear "+name, 0, 0)
			u.parts[square] = both(0, 1+r, 1)
			u.parts[ofFrame] = p.tiltCells(which, i[0], i[1], 2/width(i[0], i[1]))
		}
	}
	for which, name := range names {
		for i := range k {
			for j := i; j < k; j++ {
				start := 0.0
				if i == j {
					start = 3
				}
				u := p.add("shrink "+name, 0, start)
				u.parts[shrinkW+which] = both(i, j, 1)
				u.parts[ofFrame] = p.tiltCells(0, i, j, 1)
				u.parts[squareW+which] = bordered(squareForm(k, i, j), 1)
			}
		}
	}
	for r, i := range p.entries {
		for s := r; s < len(p.entries); s++ {
			u := p.add("second", 0, 0)
			entry := both(r, s, 1)
			u.parts[squareW], u.parts[squareD] = bordered(entry, -1), bordered(entry, 1)
			u.parts[squareE] = append(bordered(entry, 1), bordered(kForm(k, i, p.entries[s]), -1)...)
		}
	}
	for x, i := range pairs {
		for y := x; y < len(pairs); y++ {
			j := pairs[y]
			start := 0.0
			if x == y {
				start = 1
			}
			u := p.add("R", 0, start)
			u.parts[bivector], u.parts[squareE] = both(x, y, 1), bordered(minor(k, i, j, 1), 1)
			if !thirdOfFour(i, j) {
				u = p.add("G", 0, 0)
				u.parts[squareD], u.parts[squareE] = bordered(minor(k, i, j, 1), 1), bordered(minor(k, i, j, 1), -1)
			}
		}
	}
}

// tiltCells returns the cells, for α⊗I + I⊗N − M less the tilt, of a v at (i, j) and
// (j, i) of the tilt's matrix for W, D or E.
func (p *frameProgram) tiltCells(which, i, j int, v float64) []cell {
	m := p.m
	switch which {
	case 0:
		return append(both(i, j, -v), both(m+i, m+j, -v)...)
	case 1:
		return append(both(i, j, -v), both(m+i, m+j, v)...)
	}
	if i == j {
		return both(i, m+i, -v)
	}
	return append(both(i, m+j, -v), both(j, m+i, -v)...)
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

// tiltMoments sets the blocks of a tilt: what the traces of planes of any space are at
// most, and the moments of frames of Z at random.
func (p *frameProgram) tiltMoments() {
	m, k := p.m, p.tilt
	n := k * (k + 1) / 2
	share := 2 / float64(m)
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
		out := symmetric.Multiple(k, share)
		for i := range k {
			for j := range k {
				r := coordinate(k, i, j)
				out.SetSym(i, i, out.At(i, i)-a.At(r, r)/(width(i, j)*width(i, j)))
			}
		}
		return out
	}
	w, d := inner(planesAtRandom(m)), inner(reflectionsAtRandom(m))
	p.blocks[squareW] = block{n: n + 1, trace: 3, most: true, moment: border(w, share)}
	p.blocks[squareD] = block{n: n + 1, trace: 3, most: true, moment: border(d, 0)}
	p.blocks[squareE] = p.blocks[squareD]
	p.blocks[bivector] = block{n: k * (k - 1) / 2, trace: 1, most: true, moment: symmetric.Multiple(k*(k-1)/2, 2/float64(m*(m-1)))}
	p.blocks[shrinkW] = block{n: k, trace: 2, most: true, moment: shrunk(w)}
	p.blocks[shrinkD] = block{n: k, trace: 2, most: true, moment: shrunk(d)}
	p.blocks[shrinkE] = p.blocks[shrinkD]
}

// reflectionsAtRandom returns the moments DDᵀ of a frame at random.
func reflectionsAtRandom(d int) *mat.SymDense {
	n := d * (d + 1) / 2
	v := 2 / float64(n-1)
	out := symmetric.Multiple(n, v)
	for i := range d {
		for j := i; j < d; j++ {
			r, s := coordinate(d, i, i), coordinate(d, j, j)
			out.SetSym(r, s, out.At(r, s)-v/float64(d))
		}
	}
	return out
}

// tiltAt returns the tilt's matrices for W, D and E in all of space, z being a basis of
// Z, and its constant: raised by what the forms lack to be positive semi-definite.
func (p *frameProgram) tiltAt(y []float64, z *mat.Dense) (tilt []*mat.SymDense, constant float64) {
	forms, off := p.forms(y)
	loss, size := 0.0, 0.0
	for b := squareW; b < frameBlocks; b++ {
		loss += p.blocks[b].trace * math.Max(0, symmetric.EigenCeiling(symmetric.Negated(forms[b]))+off[b])
	}
	w := mat.NewSymDense(p.tilt, nil)
	inner := []*mat.SymDense{w, mat.NewSymDense(p.tilt, nil), mat.NewSymDense(p.tilt, nil)}
	for which, name := range []string{"w", "d", "e"} {
		for r, i := range p.entries {
			inner[which].SetSym(i[0], i[1], inner[which].At(i[0], i[1])+2/width(i[0], i[1])*y[p.at["linear "+name]+r])
		}
		constant += y[p.at["constant "+name]]
		r := p.at["shrink "+name]
		for i := range p.tilt {
			for j := i; j < p.tilt; j++ {
				w.SetSym(i, j, w.At(i, j)+y[r])
				size += 2 * math.Abs(y[r])
				r++
			}
		}
	}
	back := mat.DenseCopyOf(columns(z, 0, p.tilt).T())
	for _, m := range inner {
		tilt = append(tilt, symmetric.Turn(m, back))
		size += float64(p.tilt) * mat.Norm(m, 2)
	}
	// The traces and w − w² ⪰ 0 hold for orthonormal columns, and the sums here err by
	// 4k² + 32 roundings of each entry; the three constants are not negative, up to the loss.
	drift := skew(z)
	return tilt, constant + loss*(1+8*drift) + size*(8*drift+8*float64(p.tilt*p.tilt+4)*unit)
}
