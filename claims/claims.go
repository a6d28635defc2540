// Package claims is the ledger: published statements about mechanisms as
// executable checks. A claim carries the paper's statement in our own words, its
// place and hypotheses, and a checker that visits instances and returns a
// verdict with its scope, evidence and, where the statement fails, the smallest
// counterexample found.
//
// A check is given no recorded witness: it enumerates a bounded family, from the
// smallest instance up, then draws random instances from a seed. Its budget
// counts instances, not time, so that a check replays.
package claims

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/nearest"
	"dpworkbench/internal/parameter"
)

// Claim is a published statement that can be checked.
type Claim struct {
	ID         string   // paper and number: "analytic.theorem1"
	Paper      string   // "Analytic Theory", "MVG", "XOR", "Sign projections"
	Place      string   // "Theorem 1"
	Covers     []string // the numbered statements it judges, {Place} where nil: "Theorem 2", "Lemma 1"
	Statement  string   // in our own words
	Hypotheses string   // what the statement assumes
	Corrected  string   // the statement that holds, where the published one does not
	Recorded   evidence.Verdict
	Remark     string // "loose", "vacuous", "ambiguous", "not reproducible", "misprint", or ""

	// Beyond marks a statement that the paper does not make: an open question of
	// its own, what follows for its object outside its hypotheses, or what a work says
	// that is not at hand.
	Beyond bool

	check func(ctx context.Context, run *Run) (Outcome, error)
}

// Outcome is what a check found.
type Outcome struct {
	Verdict   evidence.Verdict
	Scope     string // "proved", "exhaustive: <family>", or "N instances"
	Remark    string
	Instances int      // visited, the family's included, at which the statement could fail
	Witness   *Witness // of a refutation
	Evidence  []Item
	Corrected *Outcome // of the corrected statement, where the claim has one
}

// Item is a labelled number of an outcome's evidence.
type Item struct {
	Label  string
	Number evidence.Number
}

// Witness is an instance at which a statement fails, as small as the search
// could make it.
type Witness struct {
	Fields []Field // in reading order
	// Script is a line of script that computes both sides from the instance alone
	// and prints them, and last whether the statement holds there: False.
	Script string
}

// Field is one named part of a witness, in words.
type Field struct{ Name, Value string }

// Run is what a check is given.
type Run struct {
	Budget int    // instances to draw at random beyond the enumerated family
	Seed   uint64 // of the random instances
}

// Covered returns the numbered statements of its paper that the claim judges.
func (c Claim) Covered() []string {
	if c.Covers != nil {
		return c.Covers
	}
	return []string{c.Place}
}

// DefaultBudget is the number of random instances of an unhurried check.
const DefaultBudget = 200

// Check runs the claim's checker.
func (c Claim) Check(ctx context.Context, run Run) (Outcome, error) {
	if run.Budget < 0 {
		return Outcome{}, parameter.Errorf("budget = %d instances, want at least 0", run.Budget)
	}
	out, err := c.check(ctx, &run)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	if out.Remark == "" {
		out.Remark = c.Remark
	}
	return out, nil
}

// All returns every claim, by paper and place.
func All() []Claim {
	all := slices.Concat(
		analytic(),
		mvgClaims(),
		xorClaims(),
		signrpClaims(),
	)
	order := make(map[string]int)
	for i, p := range Papers() {
		order[p.Name] = i
	}
	slices.SortStableFunc(all, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(order[a.Paper], order[b.Paper]), comparePlaces(a.Place, b.Place))
	})
	return all
}

// Find returns the claim with the given id; an equation may be given by its
// number, "signrp.(10)". The error of an unknown id names
// some ids that contain it, or the nearest one.
func Find(id string) (Claim, error) {
	id = strings.NewReplacer("(", "equation", ")", "").Replace(id) // "signrp.(10)"
	var ids, similar []string
	for _, c := range All() {
		if c.ID == id {
			return c, nil
		}
		ids = append(ids, c.ID)
		if strings.Contains(c.ID, id) {
			similar = append(similar, c.ID)
		}
	}
	const named = 8
	if n := len(similar); n > named {
		similar = append(similar[:named], fmt.Sprintf("… (%d more)", n-named))
	}
	if len(similar) > 0 && id != "" {
		return Claim{}, parameter.Bad("id", id, "one claim: %s", strings.Join(similar, ", "))
	}
	if paper, _, ok := strings.Cut(id, "."); ok && nearest.Name(id, ids) == "" {
		near := slices.DeleteFunc(slices.Clone(ids), func(known string) bool { return !strings.HasPrefix(known, paper+".") || strings.Count(known, ".") > 1 })
		if len(near) > 0 {
			return Claim{}, parameter.Errorf("id = %q is no claim; of %s there are %s, and parts of them", id, paper, strings.Join(near, ", "))
		}
	}
	return Claim{}, parameter.Errorf("id = %q is no claim%s; claims lists them", id, nearest.Hint(id, ids))
}
