package claims

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dpworkbench/claims/check"
	"dpworkbench/internal/nearest"
	"dpworkbench/internal/parameter"
)

// ErrNone is the error of a program that was built without the ledger's checks.
var ErrNone = errors.New("this program comes without the ledger's checks: choose the one that has them")

// All returns every claim, by paper and place.
func All() []check.Claim {
	all := statements()
	order := make(map[string]int)
	for i, p := range Papers() {
		order[p.Name] = i
	}
	slices.SortStableFunc(all, func(a, b check.Claim) int {
		return cmp.Or(cmp.Compare(order[a.Paper], order[b.Paper]), comparePlaces(a.Place, b.Place))
	})
	return all
}

// Find returns the claim with the given id. An equation may be given by its number, "signrp.(10)". The error for an
// unknown id names some ids that contain it, or the nearest one.
func Find(id string) (check.Claim, error) {
	id = strings.NewReplacer("(", "equation", ")", "").Replace(id) // "signrp.(10)"
	var ids, similar []string
	for _, list := range []func() []check.Claim{All, Field} {
		for _, c := range list() {
			if c.ID == id {
				return c, nil
			}
			ids = append(ids, c.ID)
			if strings.Contains(c.ID, id) {
				similar = append(similar, c.ID)
			}
		}
	}
	if len(ids) == 0 {
		return check.Claim{}, ErrNone
	}
	const named = 8
	if n := len(similar); n > named {
		similar = append(similar[:named], fmt.Sprintf("… (%d more)", n-named))
	}
	if len(similar) > 0 && id != "" {
		return check.Claim{}, parameter.Bad("id", id, "one claim: %s", strings.Join(similar, ", "))
	}
	if paper, _, ok := strings.Cut(id, "."); ok && nearest.Name(id, ids) == "" {
		near := slices.DeleteFunc(slices.Clone(ids), func(known string) bool { return !strings.HasPrefix(known, paper+".") || strings.Count(known, ".") > 1 })
		if len(near) > 0 {
			for i, known := range near {
				near[i] = strings.TrimPrefix(known, paper+".")
			}
			return check.Claim{}, parameter.Errorf("id = %q is not a claim; the claims of %s, without the prefix %q, are %s, and their parts", id, paper, paper+".", strings.Join(near, ", "))
		}
	}
	return check.Claim{}, parameter.Errorf("id = %q is no claim%s; claims lists them", id, nearest.Hint(id, ids))
}

// Paper is a source of statements.
type Paper = check.Paper

// Papers returns the papers in the order of All, each with the statements that have no claim.
func Papers() []Paper {
	out := papers()
	for i := range out {
		out[i].Unchecked = leftOut(&out[i])
	}
	return out
}

// Causes returns the causes of refutations, by paper.
func Causes() (out []check.Cause) {
	for _, p := range Papers() {
		out = append(out, p.Causes...)
	}
	return out
}

// Unchecked returns the statements that have no claim, by paper, with reasons.
func Unchecked() (out []check.Unchecked) {
	for _, p := range Papers() {
		out = append(out, p.Unchecked...)
	}
	return out
}

// comparePlaces orders "Lemma 2" before "Lemma 10" and "Theorem 1".
func comparePlaces(a, b string) int {
	for a != "" && b != "" {
		head, tail := placePart(a)
		other, rest := placePart(b)
		n, errA := strconv.Atoi(head)
		m, errB := strconv.Atoi(other)
		c := cmp.Compare(head, other)
		if errA == nil && errB == nil {
			c = cmp.Compare(n, m)
		}
		if c != 0 {
			return c
		}
		a, b = tail, rest
	}
	return cmp.Compare(a, b)
}

// placePart splits off the leading digits, or the text before the first digit.
func placePart(s string) (head, tail string) {
	digits := unicode.IsDigit(rune(s[0]))
	end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsDigit(r) != digits })
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}
