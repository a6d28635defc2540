package zoo

import (
	"math/rand/v2"
	"strconv"

	"dpworkbench/audit"
)

// maximum adds noise of scale 2 to four counts, all 0 or all 1. It returns the largest noisy count and its index. If
// several counts are equal, the first index wins.
func maximum(second bool, src rand.Source) (place int, value float64) {
	for i := range 4 {
		if v := choose(second, 0, 1.) + whole(2, src); i == 0 || v > value {
			place, value = i, v
		}
	}
	return place, value
}

// sparseVector compares five noisy counts with a noisy threshold around 0. The last count is 0, and the first four are
// all 0 or all 1. It returns the answers up to the first count that is not below the threshold. That answer is the word
// "above" or, if value is set, the noisy count itself.
func sparseVector(scale uint64, value bool) func(bool, rand.Source) string {
	return func(second bool, src rand.Source) string {
		threshold := whole(1, src)
		var answers []string
		for i := range 5 {
			count := choose(second && i < 4, 0, 1.) + whole(scale, src)
			if count < threshold {
				answers = append(answers, "below")
				continue
			}
			answers = append(answers, choose(value, "above", number(count)))
			break
		}
		return audit.Tuple(answers)
	}
}

// published adds noise to the number of users of a key, 0 or 1, and returns the sum if it is at least a threshold. A
// key without users is skipped.
func published(threshold float64) func(bool, rand.Source) string {
	return func(second bool, src rand.Source) string {
		if count := 1 + whole(1, src); second && count >= threshold {
			return number(count)
		}
		return "nothing"
	}
}

// selections returns the mechanisms that select what to answer, right and wrong ones.
func selections() []*Mechanism {
	counts, queries := audit.Pair{"(0, 0, 0, 0)", "(1, 1, 1, 1)"}, audit.Pair{"(0, 0, 0, 0, 0)", "(1, 1, 1, 1, 0)"}
	return []*Mechanism{
		{
			Name: "max_value", Draws: few, Claim: claim("1", "0"), Pair: counts,
			What:   "the largest noisy count itself: noise that only its place may be chosen with",
			Source: "Ding and others, CCS 2018; statdp noisy_max_v1b",
			sample: func(second bool, src rand.Source) string {
				_, value := maximum(second, src)
				return number(value)
			},
		},
		{
			Name: "max", Right: true, Draws: few, Claim: claim("1", "0"), Pair: counts,
			What:   "the place of the largest noisy count, with noise of scale 2/ε",
			Source: "Dwork and Roth 2014, Section 3.3",
			sample: func(second bool, src rand.Source) string {
				place, _ := maximum(second, src)
				return strconv.Itoa(place)
			},
		},
		{
			Name: "svt_value", Draws: many, Claim: claim("2", "0"), Pair: queries,
			What:   "sparse vector that answers with the noisy count that it compared",
			Source: "Lyu, Su and Li, VLDB 2017, Algorithm 3; statdp iSVT4",
			sample: sparseVector(1, true),
		},
		{
			Name: "svt", Right: true, Draws: many, Claim: claim("2", "0"), Pair: queries,
			What:   "sparse vector with threshold noise 2/ε and query noise 4/ε, up to one positive",
			Source: "Lyu, Su and Li, VLDB 2017, Algorithm 1; statdp SVT",
			sample: sparseVector(2, false),
		},
		{
			Name: "threshold_cut", Draws: some, Claim: claim("1", "1/200"), Pair: audit.Pair{"no user", "one user"},
			What:   "a key is published if its noisy count is at least 5.985, cut to 5",
			Source: "google/differential-privacy, pull request 101 (2022), of dpagg.Count",
			sample: published(5),
		},
		{
			Name: "threshold", Right: true, Draws: some, Claim: claim("1", "1/200"), Pair: audit.Pair{"no user", "one user"},
			What:   "the same, with the threshold rounded up to 6",
			Source: "Korolova and others, WWW 2009; google/differential-privacy, pull request 101",
			sample: published(6),
		},
	}
}
