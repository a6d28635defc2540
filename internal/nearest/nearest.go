// Package nearest suggests a known name for a misspelt one: the name at the least edit distance.
package nearest

import "strings"

// Hint returns " (did you mean x?)" if a known name x is close to name, and "" otherwise.
func Hint(name string, known []string) string {
	if best := Name(name, known); best != "" {
		return " (did you mean " + best + "?)"
	}
	return ""
}

// Name returns the known name at the least edit distance from name, ignoring case and underscores. The distance must be
// at most a third of name's length, or 1. If no known name is so close and name has at least five letters, Name returns
// the shortest known name that contains name between underscores, and otherwise "".
func Name(name string, known []string) string {
	fold := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "") }
	folded := fold(name)
	limit := max(1, (len(folded)+1)/3)
	best, least := "", limit+1
	for _, k := range known {
		if k == name {
			continue
		}
		if d := editDistance(folded, fold(k), least); d < least {
			best, least = k, d
		}
	}
	if least >= len(folded) { // every letter would be edited
		return ""
	}
	for _, k := range known {
		if least > limit && len(name) > 4 && strings.Contains("_"+k+"_", "_"+name+"_") && (best == "" || len(k) < len(best)) {
			best = k
		}
	}
	return best
}

// editDistance returns the least number of insertions, deletions, substitutions and swaps of adjacent bytes that
// turn a into b. If that is at least limit, it returns some number ≥ limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, previous, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, previous, row = previous, row, before
	}
	return previous[len(b)]
}
