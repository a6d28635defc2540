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
