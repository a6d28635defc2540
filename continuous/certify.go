package continuous

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// ErrLayerGap is wrapped by the error that reports a failed certificate.
var ErrLayerGap = errors.New("layers of neighbors differ by more than 1")

// Certify checks on the computed layers that |L(r + v) − L(r)| ≤ 1 for every real r and every v in V. Then the
// mechanism is private at its decay (Wu et al., Corollary 5; every dataset has the same normaliser). It shares no code
// with the construction of the layers. It returns the number of cases compared.
//
// Every layer follows from finitely many sites: L(r) is the minimum of level + |t| over the sites at r − tΔ. If L(s +
// v) ≤ level + 1 holds at every site s and for every v, then L(r + v) ≤ L(r) + 1 holds everywhere, also in the infinite
// tail, because L(s + v + tΔ) ≤ L(s + v) + |t|. The other direction holds because V is symmetric. If only some layers
// are known, the certificate covers only them.
func (l *Sequence) Certify(ctx context.Context) (cases uint64, err error) {
	zero, length := gridBig{new(big.Int)}, gridBig{l.length}
	shifts := l.query.NeighboringSet().Segments()
	ends := make([][2]gridBig, len(shifts))
	for i, v := range shifts {
		ends[i] = [2]gridBig{{l.grid(v.Lo)}, {l.grid(v.Hi)}}
	}
	type piece struct {
		ringPiece[gridBig]
		level int
	}
	var pieces []piece
	open := map[ringSite]int{} // sites above the last cell, with the indices of their pieces
	for i, n := range l.nodes {
		for k, sites := range [2][]ringSite{n.point, n.gap} {
			hi := n.at
			if k == 1 {
				hi = gapEnd(l.nodes, i, l.length)
			}
			now := make(map[ringSite]int, len(sites))
			for _, s := range sites {
				if p, ok := open[s]; ok {
					pieces[p].hi = gridBig{hi}
					now[s] = p
					continue
				}
				now[s] = len(pieces)
				pieces = append(pieces, piece{ringPiece[gridBig]{lo: gridBig{n.at}, hi: gridBig{hi}, span: ringSpan{s.from, s.to}}, s.level})
			}
			open = now
		}
	}
	var looked uint64 // cases at the last check of the context
	for _, p := range pieces {
		if !l.closed && p.level >= l.known {
			continue
		}
		for i, v := range shifts {
			wind(p.lo.plus(ends[i][0]), p.hi.plus(ends[i][1]), zero, length, p.span, func(a ringPiece[gridBig]) {
				n, ok := l.within(a, p.level+1)
				cases += n
				if !ok {
					err = fmt.Errorf("%w: layer %d shifted by %v reaches beyond layer %d on the arc [%v, %v] of a ring of length %v", ErrLayerGap, p.level, v, p.level+1, a.lo.v, a.hi.v, l.length)
				}
			})
			if err != nil {
				return cases, err
			}
			if cases-looked > 1<<12 {
				if looked = cases; ctx.Err() != nil {
					return cases, ctx.Err()
				}
			}
		}
	}
	return cases, nil
}

// within reports whether every number of an arc lies in the given layer or in an earlier one.
func (l *Sequence) within(a ringPiece[gridBig], level int) (cases uint64, ok bool) {
	i, found := slices.BinarySearchFunc(l.nodes, a.lo.v, func(n ringNode[*big.Int], x *big.Int) int { return n.at.Cmp(x) })
	if !found {
		i--
	}
	reached := func(sites []ringSite, s ringSpan) bool {
		cases++
		return len(uncovered(sites, s, level)) == 0
	}
	for ; i < len(l.nodes) && l.nodes[i].at.Cmp(a.hi.v) <= 0; i++ {
		n := l.nodes[i]
		inside := n.at.Cmp(a.lo.v) >= 0
		if inside && !reached(n.point, a.span) {
			return cases, false
		}
		if (n.at.Cmp(a.hi.v) < 0 || !inside) && !reached(n.gap, a.span) {
			return cases, false
		}
	}
	if a.hi.v.Cmp(l.length) == 0 && !reached(l.nodes[0].point, ringSpan{a.span.from + 1, a.span.to + 1}) {
		return cases, false
	}
	return cases, true
}
