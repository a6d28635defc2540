package claims_test

import (
	"fmt"
	"slices"
	"testing"

	"dpworkbench/claims"
)

// numbered returns "kind 1" … "kind n".
func numbered(kind string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s %d", kind, i+1)
	}
	return out
}

// Every numbered theorem, proposition, lemma, corollary and algorithm of the four
// papers has a claim.
func TestEveryStatementHasAClaim(t *testing.T) {
	papers := map[string][]string{
		"Analytic Theory": slices.Concat(
			numbered("Theorem", 5), numbered("Proposition", 8), numbered("Lemma", 2), numbered("Corollary", 5),
			[]string{"Definition 3", "Definition 6", "Definition 9", "Definition 20", "Section 4.3", "Section 5.3", "Figure 1", "Figure 2"}),
		"MVG": slices.Concat(
			numbered("Theorem", 9), numbered("Lemma", 10), numbered("Algorithm", 2), numbered("Problem", 2),
			[]string{"Table 1", "Table 3", "Table 4", "Table 5", "Figure 4", "Section 5.3", "Section 7.2", "Section 10.2"}),
		"XOR": slices.Concat(
			numbered("Theorem", 5), numbered("Lemma", 2), numbered("Proposition", 1), numbered("Remark", 2), numbered("Algorithm", 3),
			[]string{"Footnote 2", "Table 2", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Section 5.2", "Section 5.3"}),
		"Sign projections": {
			"Theorem 2.1", "Theorem 3.1", "Theorem 3.2", "Theorem 4.5", "Theorem 4.6", "Theorem A.1", "Theorem A.2",
			"Theorem C.1", "Theorem C.2", "Theorem C.3", "Lemma 4.2", "Lemma 4.3", "Lemma E.1", "Proposition 4.4",
			"Algorithm 3", "Algorithm 4", "Algorithm 6", "Algorithm 7", "Algorithm 8", "Algorithm 9", "Algorithm 10",
			"(10)", "(11)", "(16)", "Figure 12",
		},
	}
	covered := make(map[string]bool)
	for _, c := range claims.All() {
		for _, s := range c.Covered() {
			covered[c.Paper+", "+s] = true
		}
	}
	for paper, statements := range papers {
		for _, s := range statements {
			if !covered[paper+", "+s] {
				t.Errorf("%s, %s has no claim", paper, s)
			}
		}
	}
}
