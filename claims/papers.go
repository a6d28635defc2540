package claims

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"dpworkbench/claims/analytic"
	"dpworkbench/claims/check"
	"dpworkbench/claims/mvg"
	"dpworkbench/claims/signrp"
	"dpworkbench/claims/xor"
)

// Paper is a source of statements.
type Paper = check.Paper

// Papers returns the papers in the order of All.
func Papers() []Paper {
	return []Paper{*analytic.Paper(), *mvg.Paper(), *mvg.RankOnePaper(), *xor.Paper(), *signrp.Paper()}
}

// Causes returns the errors that make statements false, by paper.
func Causes() (out []check.Cause) {
	for _, p := range Papers() {
		out = append(out, p.Causes...)
	}
	return out
}

// Unjudged returns the statements that have no claim, by paper, with reasons.
func Unjudged() (out []check.Unjudged) {
	for _, p := range Papers() {
		out = append(out, p.Unjudged...)
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

// placePart cuts off the leading digits or what comes before them.
func placePart(s string) (head, tail string) {
	digits := unicode.IsDigit(rune(s[0]))
	end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsDigit(r) != digits })
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}
