package claims

import (
	"context"
	"slices"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Result is the result of one check in a run over the ledger.
type Result struct {
	Claim   check.Claim
	Run     check.Run // reproduces the outcome
	Outcome check.Outcome
}

// AsRecorded reports whether the verdict is the recorded one and, if there is a corrected statement, whether it was
// confirmed.
func (r Result) AsRecorded() bool {
	corrected := r.Outcome.Corrected
	return r.Outcome.Verdict == r.Claim.Recorded && (corrected == nil || corrected.Verdict == evidence.Confirmed)
}

// fieldKey is the key of the statements outside the papers.
const fieldKey = "field"

// Select returns the claims of a paper with the given ids. The paper is given by its name or by its key in ids. ""
// and nil select all claims of the papers. Statements outside the papers are selected by the key "field", or by their
// ids.
func Select(paper string, ids []string) ([]check.Claim, error) {
	all := All()
	if paper == fieldKey || paper == "" && ids != nil {
		all = append(all, Field()...)
	}
	var keys []string
	for _, c := range all {
		if !slices.Contains(keys, c.Key()) {
			keys = append(keys, c.Key())
		}
	}
	if paper != "" {
		all = slices.DeleteFunc(all, func(c check.Claim) bool {
			return !strings.EqualFold(paper, c.Key()) && !strings.EqualFold(paper, c.Paper)
		})
		if len(all) == 0 {
			return nil, parameter.Bad("paper", paper, "one of %s, %s", strings.Join(keys, ", "), fieldKey)
		}
	}
	if ids == nil {
		return all, nil
	}
	var out []check.Claim
	for _, id := range ids {
		c, err := Find(id)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(o check.Claim) bool { return o.ID == c.ID }) {
			return nil, parameter.Errorf("id = %q is no claim of the paper %q", id, paper)
		}
		if !slices.ContainsFunc(out, func(o check.Claim) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out, nil
}

// CheckAll checks claims in their order and passes on each result as soon as it is known, also before an error or the
// end of ctx.
func CheckAll(ctx context.Context, chosen []check.Claim, run check.Run, found func(Result)) error {
	for _, c := range chosen {
		out, err := c.Check(ctx, run)
		if err != nil {
			return err
		}
		found(Result{Claim: c, Run: run, Outcome: out})
	}
	return nil
}

// Downstream returns the ids of the claims that rest on one, directly or through others, in the order of all.
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

// Words returns the script functions whose guarantee rests on a claim, directly or through others.
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
