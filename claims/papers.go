package claims

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"dpworkbench/claims/analytic"
	"dpworkbench/claims/mvg"
	"dpworkbench/claims/signrp"
	"dpworkbench/claims/xor"
)

// Paper is a source of statements.
type Paper struct {
	Key      string // first part of its claims' ids
	Name     string // as in Claim.Paper
	Citation string
}

// Papers returns the papers in the order of All.
func Papers() []Paper {
	return []Paper{
		{"analytic", analytic.Paper, "G. Wu, X. Xia and Y. He, Analytic Theory to Differential Privacy"},
		{"mvg", mvg.Paper, "T. Chanyaswad, A. Dytso, H. V. Poor and P. Mittal, A Differential Privacy Mechanism Design Under Matrix-Valued Query"},
		{"r1smg", mvg.RankOnePaper, "T. Ji and P. Li, Less is More: Revisiting the Gaussian Mechanism for Differential Privacy, 2024"},
		{"xor", xor.Paper, "T. Ji, P. Li, E. Yilmaz, E. Ayday, Y. Ye and J. Sun, Differentially Private Binary- and Matrix-Valued Data Query: An XOR Mechanism, 2021"},
		{"signrp", signrp.Paper, "P. Li and X. Li, Differential Privacy with Random Projections and Sign Random Projections, 2023 (its appendix)"},
	}
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
