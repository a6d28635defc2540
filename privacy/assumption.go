package privacy

import (
	"slices"
	"strings"

	"dpworkbench/evidence"
)

// These texts say what a composition assumes about its uses. A pair of laws that dominates the pairs of any two
// neighbors is also the worst for uses chosen adaptively (Zhu, Dong and Wang 2022, Theorem 10). Sampled records have
// one such pair for each direction of the change of a record.
const (
	fixedUses    = "fixed in advance"
	adaptiveUses = "adaptive"
	eitherUses   = "fixed in advance or adaptive"
)

// Assumes says whether the uses must be fixed in advance, are adaptive, or may be either. It returns "" for a single
// use.
func (a *Account) Assumes() string { return a.assumes }

// assume records the assumptions of a composition of uses of parts.
func (a *Account) assume(parts []*Account, total int) {
	some := func(what string) bool {
		return slices.ContainsFunc(parts, func(p *Account) bool { return p.assumes == what })
	}
	one := func(u Use) bool {
		_, sampled := u.Of.Universe.(sampledUniverse)
		return u.Of.TranslationInvariant || u.Of.Size == 1 || sampled
	}
	switch {
	case total == 1:
		a.assumes = parts[0].assumes
	case some(fixedUses) || slices.ContainsFunc(a.uses, func(u Use) bool { return !one(u) }):
		a.assumes = fixedUses
	case some(adaptiveUses):
		a.assumes = adaptiveUses
	default:
		a.assumes = eitherUses
	}
}

// cite appends the account's assumption about its uses to the source of a number.
func (a *Account) cite(n *evidence.Number, err *error) {
	what := "uses " + a.assumes
	if a.assumes == adaptiveUses {
		what = "adaptive uses"
	}
	if *err == nil && a.assumes != "" && !strings.Contains((*n).Citation().Source, what) {
		*n = evidence.WithSource(*n, what)
	}
}
