package planes

import (
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// The lift bounds tr(PDQD) by all second moments of a plane. With orthonormal a, b let
//
//	D = aaᵀ − bbᵀ, E = abᵀ + baᵀ, W = aaᵀ + bbᵀ, ω = a∧b.
//
// D, E and W are an orthogonal basis of the symmetric matrices on the plane V, each of
// squared norm 2, so that for every symmetric A
//
//	⟨A, D⟩² + ⟨A, E⟩² + 4 det A_V = ⟨A, W⟩², 2 det A_V = tr(ωAωᵀA)
//
// where ω on the right is abᵀ − baᵀ. Polarized, that makes WWᵀ ⪰ 0 linear in DDᵀ, EEᵀ
// and ωωᵀ: a quadratic form N ⪰ 0 on symmetric matrices has N(D) + N(E) + ωᵀKω =
// N(W) ≥ 0 for a K linear in N. With C₂(D) = C₂(E) = −ωωᵀ, for all symmetric F and G
//
//	tr(PDQD) ≤ ⟨D, LD⟩ + N(D) + N(E) + ωᵀKω − Ĝ(D) − F̂(E) − ωᵀ(G + F)ω
//	         ≤ 2λ_max(L + N − Ĝ) + 2λ_max(N − F̂) + λ_max(K − G − F),
//
// the forms of D and E on the traceless matrices. With N = 0 it is the compound's
// bound. The unknowns are entries of F, N and H = G + F − K ⪰ 0; those of F between
// disjoint pairs count up to the totally antisymmetric part, whose F̂ is 0, so of three
// such two are unknowns.
//
// Which entries are unknowns a pattern tells; all have diagonals.
type lift struct {
	*program
	pairs      [][2]int
	pairNumber map[[2]int]int // of a pair
}

// Blocks of a lift.
const (
	ofD = iota
	ofE
	ofW
	ofOmega
	liftBlocks
)

// A pattern tells which entries between two pairs, or two entries of a symmetric matrix,
// are unknowns.
type pattern interface{ free(i, j [2]int) bool }

// leadingDirections frees what lies within the first k directions, or joins one of the first two,
// a plane's, to the first so many: those are moments of planes near it. Besides, entries
// that join one direction outside to itself have a sum each for every two directions
// inside, which DD = W and its like need, and N has those of the trace outside.
type leadingDirections struct{ k, tangents int }

func (w leadingDirections) free(i, j [2]int) bool {
	in := func(i [2]int) bool { return i[1] < w.k || i[0] < 2 && i[1] < w.tangents }
	return in(i) && in(j)
}

// sharedBlocksOnly frees what joins the same blocks.
type sharedBlocksOnly []int

func (of sharedBlocksOnly) free(i, j [2]int) bool {
	joined := func(i [2]int) [2]int {
		a, b := of[i[0]], of[i[1]]
		if a == b {
			return [2]int{}
		}
		return [2]int{min(a, b), max(a, b)}
	}
	return joined(i) == joined(j)
}

func newLift(p, q *mat.SymDense, which pattern) *program {
	d := p.SymmetricDim()
	out := &lift{newProgram(p, q, liftBlocks, 4), pairsOf(d), map[[2]int]int{}}
	n, pairs := d*(d+1)/2, len(out.pairs)
	out.blocks[ofE] = out.blocks[ofD]
	out.blocks[ofE].constant = nil
	out.blocks[ofW] = block{n: n, trace: 2, moment: planesAtRandom(d)}
	out.blocks[ofOmega] = block{n: pairs, trace: 1, moment: symmetric.Multiple(pairs, 1/float64(pairs))}
	for a, i := range out.pairs {
		out.pairNumber[i] = a
	}
	for a, i := range out.pairs {
		for _, j := range out.pairs[a:] {
			switch {
			case i == j:
				out.entryOfH(2, [2][2]int{i, j})
				out.entryOfF(-4, [2][2]int{i, j})
			case which.free(i, j):
				out.entryOfH(0, [2][2]int{i, j})
				others := [2][2]int{{i[0], j[0]}, {j[1], i[1]}}
				if !isThirdPairing(i, j) || !which.free(others[0], others[1]) || !which.free([2]int{i[0], j[1]}, [2]int{j[0], i[1]}) {
					out.entryOfF(0, [2][2]int{i, j})
				}
			}
		}
	}
	entries := entriesOf(d)
	for r, i := range entries {
		for _, j := range entries[r:] {
			if i == j {
				out.entryOfN(1, [2][2]int{i, j})
			} else if which.free(i, j) {
				out.entryOfN(0, [2][2]int{i, j})
			}
		}
	}
	if w, ok := which.(leadingDirections); ok && w.k < d {
		out.contractions(w)
	}
	return out.program
}

// contractions adds the sums over the directions from k on.
func (p *lift) contractions(w leadingDirections) {
	var outside [][2]int // (j, j)
	for j := w.k; j < p.d; j++ {
		outside = append(outside, [2]int{j, j})
	}
	for _, i := range p.pairs {
		if i[1] >= w.k {
			continue
		}
		var joined [][2][2]int // (i₀, j) and (i₁, j)
		for _, j := range outside {
			if i[1] >= 2 || j[0] >= w.tangents { // else an unknown of its own
				joined = append(joined, [2][2]int{{i[0], j[0]}, {i[1], j[0]}})
			}
		}
		if joined == nil {
			continue
		}
		p.entryOfH(0, joined...)
		p.entryOfF(0, joined...)
		p.entryOfN(0, joined...)
	}
	for _, i := range entriesOf(w.k) {
		var trace [][2][2]int
		for _, j := range outside {
			trace = append(trace, [2][2]int{i, j})
		}
		p.entryOfN(0, trace...)
	}
	var trace [][2][2]int
	for a, i := range outside {
		for _, j := range outside[a+1:] {
			trace = append(trace, [2][2]int{i, j})
		}
	}
	if trace != nil {
		p.entryOfN(0, trace...)
	}
}

func (p *lift) unknown(start float64) *unknown {
	p.unknowns = append(p.unknowns, unknown{cells: make([][]cell, liftBlocks), start: start})
	return &p.unknowns[len(p.unknowns)-1]
}

// entryOfH adds an unknown of which H has the entries given.
func (p *lift) entryOfH(start float64, entries ...[2][2]int) {
	u := p.unknown(start)
	for _, e := range entries {
		u.cells[ofD] = append(u.cells[ofD], minorForm(p.d, e[0], e[1], 1)...)
		u.cells[ofOmega] = append(u.cells[ofOmega], symmetricCells(p.pairNumber[e[0]], p.pairNumber[e[1]], 1)...)
	}
}

// entryOfF adds one of F.
func (p *lift) entryOfF(start float64, entries ...[2][2]int) {
	u := p.unknown(start)
	for _, e := range entries {
		u.cells[ofD] = append(u.cells[ofD], minorForm(p.d, e[0], e[1], -1)...)
		u.cells[ofE] = append(u.cells[ofE], minorForm(p.d, e[0], e[1], 1)...)
	}
}

// entryOfN adds one of N.
func (p *lift) entryOfN(start float64, entries ...[2][2]int) {
	u := p.unknown(start)
	for _, e := range entries {
		r, s := coordinate(p.d, e[0][0], e[0][1]), coordinate(p.d, e[1][0], e[1][1])
		u.cells[ofD] = append(append(u.cells[ofD], symmetricCells(r, s, -1)...), kFormCells(p.d, e[0], e[1])...)
		u.cells[ofE] = append(u.cells[ofE], symmetricCells(r, s, -1)...)
		u.cells[ofW] = append(u.cells[ofW], symmetricCells(r, s, 1)...)
	}
}

// kFormCells returns the cells of K̂ for N an entry between the coordinates i and j: with
// their matrices A and B, K is 2tr(ωAωᵀB) where they agree and twice that elsewhere.
func kFormCells(d int, i, j [2]int) (out []cell) {
	v := coordinateScale(i[0], i[1]) * coordinateScale(j[0], j[1])
	if i != j {
		v *= 2
	}
	add := func(k, l, m, n int) { // vω_kl ω_mn
		if k == l || m == n {
			return
		}
		v := v
		if (k < l) != (m < n) {
			v = -v
		}
		a, b := [2]int{min(k, l), max(k, l)}, [2]int{min(m, n), max(m, n)}
		if a != b {
			v /= 2
		}
		out = append(out, minorForm(d, a, b, v)...)
	}
	add(j[1], i[0], j[0], i[1])
	add(j[1], i[1], j[0], i[0])
	return out
}

// planesAtRandom returns the moments WWᵀ of a plane at random: (4/d)ttᵀ for t = I/√d,
// and of trace 2 in all.
func planesAtRandom(d int) *mat.SymDense {
	n := d * (d + 1) / 2
	flat := (2 - 4/float64(d)) / float64(n-1)
	out := symmetric.Multiple(n, flat)
	for i := range d {
		for j := i; j < d; j++ {
			r, s := coordinate(d, i, i), coordinate(d, j, j)
			out.SetSym(r, s, out.At(r, s)+(4/float64(d)-flat)/float64(d))
		}
	}
	return out
}

// isThirdPairing tells the last of the three ways to part four directions into pairs:
// Ĝ of the entries between such pairs sums to 0, up to signs.
func isThirdPairing(i, j [2]int) bool { return i[0] < j[0] && j[1] < i[1] }
