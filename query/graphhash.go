package query

import "math/bits"

// invariant is a number that isomorphic graphs share and that others hardly ever do:
// the determinant, in whole numbers modulo 2⁶⁴, of the matrix that has diagonal[d]
// at a node of degree d, edge at two joined nodes and other at two that are not. To
// relabel the nodes is to permute rows and columns alike, which no determinant
// notices.
//
// The diagonal is odd and the rest even, so every pivot is odd and can be divided
// by. What else the numbers are is free: it decides how many classes share a key,
// not whether these are found (graphLevel.grow).
type graphHash struct {
	diagonal    [maxGraphNodes]uint64
	edge, other uint64
}

// sharpest separates all classes on up to nine nodes that have equally many edges, and
// almost all on ten. Its numbers are the first words of SplitMix64 from 0 (Steele, Lea and Flood 2014).
var splitMixHash = func() (v graphHash) {
	state := uint64(0)
	next := func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for d := range v.diagonal {
		v.diagonal[d] = next() | 1
	}
	v.edge, v.other = next()&^1, next()&^1
	return v
}()

// keys appends, for every pair of nodes that the graph does not join, in the order of pairs, the
// invariant of the graph that has this edge too, which is odd.
//
// An edge {a, b} changes the matrix M in a block of two by two alone, by Δ: that
// multiplies the determinant by |1 + ΔP|, where P is the block of M⁻¹ there. So one
// inversion serves all pairs.
func (v *graphHash) withEdges(nodes int, adj *[16]uint16, out []uint64) []uint64 {
	var (
		degree [maxGraphNodes]int
		m      [maxGraphNodes][maxGraphNodes]uint64 // its lower triangle
	)
	for i := range nodes {
		degree[i] = bits.OnesCount16(adj[i])
		for j := range i {
			if m[i][j] = v.other; adj[i]>>j&1 != 0 {
				m[i][j] = v.edge
			}
		}
		m[i][i] = v.diagonal[degree[i]]
	}
	det := minusInverse(nodes, &m)
	step := v.edge - v.other
	for b := range nodes {
		for a := range b {
			if adj[b]>>a&1 == 0 {
				p, q, s := -m[a][a], -m[b][a], -m[b][b]
				da := v.diagonal[degree[a]+1] - v.diagonal[degree[a]]
				db := v.diagonal[degree[b]+1] - v.diagonal[degree[b]]
				out = append(out, det*((1+da*p+step*q)*(1+step*q+db*s)-(da*q+step*s)*(step*p+db*q)))
			}
		}
	}
	return out
}

// minusInverse replaces a symmetric matrix, of which it reads and writes the lower
// triangle, by minus its inverse, and returns its determinant. It sweeps one pivot
// after the other (Goodnight, The American Statistician 1979): each is odd, for the matrix is
// the identity modulo 2 and stays it.
func minusInverse(nodes int, m *[maxGraphNodes][maxGraphNodes]uint64) uint64 {
	det := uint64(1)
	var column, scaled [maxGraphNodes]uint64
	for k := range nodes {
		p := m[k][k]
		det *= p
		q := oddInverse(p)
		for i := range nodes {
			if i < k {
				column[i] = m[k][i]
			} else {
				column[i] = m[i][k]
			}
			scaled[i] = column[i] * q
		}
		for i := range nodes {
			row, f := &m[i], scaled[i]
			for j := range i + 1 {
				row[j] -= f * column[j]
			}
		}
		for i := range k { // what the pivot's row and column have by now is overwritten
			m[k][i] = scaled[i]
		}
		for i := k + 1; i < nodes; i++ {
			m[i][k] = scaled[i]
		}
		m[k][k] = -q
	}
	return det
}

// oddInverse returns 1/a modulo 2⁶⁴ of an odd a. The first guess holds modulo 2⁵, and
// each step of Newton's doubles the bits.
func oddInverse(a uint64) uint64 {
	x := a*3 ^ 2
	for range 4 {
		x *= 2 - a*x
	}
	return x
}
