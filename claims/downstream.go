package claims

import (
	"slices"

	"dpworkbench/claims/check"
)

// Downstream returns the ids of the claims that rest on one, directly or through
// others, in the order of all.
func Downstream(all []check.Claim, id string) (out []string) {
	reached := map[string]bool{id: true}
	for grown := true; grown; {
		grown = false
		for _, c := range all {
			if !reached[c.ID] && slices.ContainsFunc(c.Entry.RestsOn, func(on string) bool { return reached[on] }) {
				reached[c.ID], grown = true, true
			}
		}
	}
	for _, c := range all {
		if c.ID != id && reached[c.ID] {
			out = append(out, c.ID)
		}
	}
	return out
}

// Words returns the words of the vocabulary whose promise rests on a claim, directly or
// through others.
func Words(all []check.Claim, id string) (out []string) {
	down := append(Downstream(all, id), id)
	for _, c := range all {
		if slices.Contains(down, c.ID) {
			out = append(out, c.Entry.Serves...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Circle returns ids of which each rests on the next and the last on the first, nil where
// there are none.
func Circle(all []check.Claim) []string {
	on := make(map[string][]string)
	for _, c := range all {
		on[c.ID] = c.Entry.RestsOn
	}
	const open, done = 1, 2
	state := make(map[string]int)
	var path, found []string
	var visit func(id string)
	visit = func(id string) {
		if found != nil || state[id] == done {
			return
		}
		if state[id] == open {
			found = slices.Clone(path[slices.Index(path, id):])
			return
		}
		state[id], path = open, append(path, id)
		for _, next := range on[id] {
			visit(next)
		}
		state[id], path = done, path[:len(path)-1]
	}
	for _, c := range all {
		visit(c.ID)
	}
	return found
}
