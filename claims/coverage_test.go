package claims_test

import (
	"fmt"
	"strings"
	"testing"

	"dpworkbench/claims"
)

// Every claim belongs to a statement of its text, every id belongs to a claim, and no text has fewer statements than
// an independent count found.
func TestCoverage(t *testing.T) {
	counted := map[string]int{"analytic": 67, "mvg": 97 + 1, "xor": 88, "signrp": 61}
	placed := make(map[string]bool)
	statements := make(map[string]int)
	seen, known := make(map[string]bool), make(map[string]bool)
	for _, c := range claims.All() {
		known[c.ID] = true
	}
	for _, text := range claims.Coverage() {
		statements[text.Key] += len(text.Places)
		for _, p := range text.Places {
			if what := text.Key + p.Place + p.Says; seen[what] {
				t.Errorf("%s: %s, %s is a duplicate", text.Name, p.Place, p.Says)
			} else {
				seen[what] = true
			}
			for _, id := range p.Rows {
				if placed[id] = true; !known[id] {
					t.Errorf("%s, %s: there is no claim %s", text.Name, p.Place, id)
				}
			}
		}
	}
	for id := range known {
		if !placed[id] {
			t.Errorf("%s has no place in coverage.txt", id)
		}
	}
	for key, least := range counted {
		if statements[key] < least {
			t.Errorf("%s: %d statements, want %d", key, statements[key], least)
		}
	}
}

// Every numbered theorem, proposition, lemma, corollary and algorithm of the papers has a claim.
func TestNumberedStatementsHaveRows(t *testing.T) {
	covered := make(map[string]bool)
	for _, c := range claims.All() {
		for _, s := range c.Covered() {
			covered[c.Key()+", "+s] = true
		}
	}
	for key, kinds := range map[string]map[string]int{
		"analytic": {"Theorem": 5, "Proposition": 8, "Lemma": 2, "Corollary": 5, "Figure": 2},
		"mvg":      {"Theorem": 9, "Lemma": 10, "Algorithm": 2, "Problem": 2},
		"xor":      {"Theorem": 5, "Lemma": 2, "Proposition": 1, "Remark": 2, "Algorithm": 3, "Figure": 5},
	} {
		for kind, n := range kinds {
			for i := range n {
				if s := fmt.Sprintf("%s, %s %d", key, kind, i+1); !covered[s] {
					t.Errorf("%s has no claim", s)
				}
			}
		}
	}
	for _, s := range strings.Split("Theorem 2.1, Theorem 3.1, Theorem 3.2, Theorem 4.5, Theorem 4.6, Theorem A.1, Theorem A.2, Theorem C.1, "+
		"Theorem C.2, Theorem C.3, Lemma 4.2, Lemma 4.3, Lemma E.1, Proposition 4.4, "+
		"Algorithm 3, Algorithm 4, Algorithm 6, Algorithm 7, Algorithm 8, Algorithm 9, Algorithm 10, Figure 12", ", ") {
		if !covered["signrp, "+s] {
			t.Errorf("signrp, %s has no claim", s)
		}
	}
}
