package mvg

import "gonum.org/v1/gonum/mat"

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
// bound. The unknowns are F, N and G + F − K ⪰ 0; entries of F between disjoint pairs
// count up to the totally antisymmetric part, whose F̂ is 0, so of three such two are
// unknowns. All three have diagonals, and entries within the first k directions.
// wholeLift is the largest order for which all entries are unknowns.
const wholeLift = 7

func newLift(p, q *mat.SymDense, k int) *program {
	d := p.SymmetricDim()
	out := newProgram(p, q)
	pairs, n := pairsOf(d), d*(d+1)/2
	out.blocks = []block{
		{n: n, traceless: true, trace: 2, moment: multiple(n-1, 2/float64(n-1))}, // D
		{n: n, traceless: true, trace: 2, moment: multiple(n-1, 2/float64(n-1))}, // E
		{n: n, trace: 2, moment: planesAtRandom(d)},                              // W
		{n: len(pairs), trace: 1, moment: multiple(len(pairs), 1/float64(len(pairs)))},
	}
	const atD, atE, atW, atOmega = 0, 1, 2, 3
	add := func(diagonal bool, start float64) *unknown {
		u := unknown{parts: make([][]cell, len(out.blocks))}
		if diagonal {
			u.start = start
		}
		out.unknowns = append(out.unknowns, u)
		return &out.unknowns[len(out.unknowns)-1]
	}
	for a, i := range pairs {
		for b := a; b < len(pairs); b++ {
			j := pairs[b]
			if a != b && max(i[1], j[1]) >= k {
				continue
			}
			u := add(a == b, 2) // of G + F − K
			u.parts[atD], u.parts[atOmega] = minor(d, i, j, 1), both(a, b, 1)
			if i[0] < j[0] && j[1] < i[1] {
				continue // the third of the entries between disjoint pairs of the same four
			}
			u = add(a == b, -4) // of F
			u.parts[atD], u.parts[atE] = minor(d, i, j, -1), minor(d, i, j, 1)
		}
	}
	entries := make([][2]int, n)
	for i := range d {
		for j := i; j < d; j++ {
			entries[coordinate(d, i, j)] = [2]int{i, j}
		}
	}
	for r, i := range entries {
		for s := r; s < n; s++ {
			j := entries[s]
			if r != s && max(i[1], j[1]) >= k {
				continue
			}
			u := add(r == s, 1) // of N
			u.parts[atD], u.parts[atE], u.parts[atW] = both(r, s, -1), both(r, s, -1), both(r, s, 1)
			u.parts[atD] = append(u.parts[atD], kForm(d, i, j)...)
		}
	}
	return out
}

// kForm returns the cells of K̂ for N an entry between the coordinates i and j: with
// their matrices A and B, K is 2tr(ωAωᵀB) where they agree and twice that elsewhere.
func kForm(d int, i, j [2]int) (out []cell) {
	v := width(i[0], i[1]) * width(j[0], j[1])
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
		out = append(out, minor(d, a, b, v)...)
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
	out := multiple(n, flat)
	for i := range d {
		for j := i; j < d; j++ {
			r, s := coordinate(d, i, i), coordinate(d, j, j)
			out.SetSym(r, s, out.At(r, s)+(4/float64(d)-flat)/float64(d))
		}
	}
	return out
}
