package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// draw chooses the mutants of a run: of every room so many, taken from the kinds
// in turn, in an order that the seed and the mutant's key alone decide. No two
// change the same text.
func draw(rooms []*room, o options) []*mutant {
	var out []*mutant
	for _, r := range rooms {
		var drawn []*mutant
		all := r.mutants()
		if o.only != "" {
			o.perRoom = len(all)
			all = slices.DeleteFunc(all, func(m *mutant) bool { return !strings.Contains(m.key, o.only) })
		}
		byKind := map[string][]*mutant{}
		for _, m := range all {
			byKind[m.kind] = append(byKind[m.kind], m)
		}
		for _, list := range byKind {
			slices.SortFunc(list, func(a, b *mutant) int {
				return cmp.Or(cmp.Compare(rank(o.seed, a.key), rank(o.seed, b.key)), cmp.Compare(a.key, b.key))
			})
		}
		for more := true; more && len(drawn) < o.perRoom; {
			more = false
			for _, kind := range o.kinds {
				if len(byKind[kind]) == 0 || len(drawn) == o.perRoom {
					continue
				}
				m := byKind[kind][0]
				byKind[kind], more = byKind[kind][1:], true
				if !slices.ContainsFunc(drawn, m.overlaps) {
					drawn = append(drawn, m)
				}
			}
		}
		out = append(out, drawn...)
	}
	for i, m := range out {
		m.id = i + 1
	}
	return out
}

func rank(seed uint64, key string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, " ", key)
	return h.Sum64()
}

func (m *mutant) overlaps(other *mutant) bool {
	if m.file != other.file {
		return false
	}
	for _, a := range m.edits {
		for _, b := range other.edits {
			if a.from <= b.to && b.from <= a.to {
				return true
			}
		}
	}
	return false
}
