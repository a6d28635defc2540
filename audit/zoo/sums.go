package zoo

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"dpworkbench/audit"
	"dpworkbench/internal/draw"
)

// clippedSum adds noise of scale 1 to a sum of the values (1, 1) or (1, 1, 4). It clips a copy of the values to [0, 1].
// It sums this copy if copied is set, and otherwise the unclipped values.
func clippedSum(copied bool) func(bool, rand.Source) string {
	return func(second bool, src rand.Source) string {
		values := choose(second, []float64{1, 1}, []float64{1, 1, 4})
		clipped := slices.Clone(values)
		for i, v := range clipped {
			clipped[i] = min(max(v, 0), 1)
		}
		sum := 0.0
		for _, v := range choose(copied, values, clipped) {
			sum += v
		}
		return number(sum + whole(1, src))
	}
}

// mean adds noise for ε = 1 to the mean of four values, with known bounds or with bounds taken from the values.
func mean(known bool) func(bool, rand.Source) string {
	return func(second bool, src rand.Source) string {
		values := []float64{1, 1, 1, choose(second, 1, 8.)}
		lower, upper := slices.Min(values), slices.Max(values)
		if known {
			lower, upper = 0, 8
		}
		sum := 0.0
		for _, v := range values {
			sum += min(max(v, lower), upper)
		}
		noise := 0.0
		if upper > lower {
			noise = onGrid((upper-lower)/4, src)
		}
		return number(sum/4 + noise)
	}
}

// twoCounts counts the users who meet each of two conditions. At the first input the same three users meet both. At the
// second input a fourth user also meets the second condition. Sticky noise is a function of a secret salt and the set
// of users counted, so that equal sets get equal noise; other noise is drawn anew for each count.
func twoCounts(sticky bool) func(bool, rand.Source) string {
	return func(second bool, src rand.Source) string {
		salt := draw.NewKey(src)
		var items [2]string
		for i := range items {
			users := choose(second && i == 1, "abc", "abcd")
			if sticky {
				hash := sha256.Sum256(append(salt[:], users...))
				src = draw.Source(binary.LittleEndian.Uint64(hash[:]), binary.LittleEndian.Uint64(hash[8:]))
			}
			items[i] = number(float64(len(users)) + whole(2, src))
		}
		return audit.Tuple(items[:])
	}
}

// sums returns the mechanisms that take bounds, sensitivity or noise from the wrong source, and the right mechanisms of
// these tasks.
func sums() []*Mechanism {
	values, users := audit.Pair{"(1, 1)", "(1, 1, 4)"}, audit.Pair{"three users", "four users"}
	records := audit.Pair{"(1, 1, 1, 1)", "(1, 1, 1, 8)"}
	return []*Mechanism{
		{
			Name: "sum_unclipped", Draws: few, Claim: claim("1", "0"), Pair: values,
			What:   "a copy of the values is clipped to [0, 1], and the values themselves are added",
			Source: "smartnoise-sdk issue 622 (2026), of dp_covariance.py",
			sample: clippedSum(false),
		},
		{
			Name: "sum_clipped", Right: true, Draws: few, Claim: claim("1", "0"), Pair: values,
			What:   "the sum of the values clipped to [0, 1], with noise of scale 1/ε",
			Source: "Dwork and others, TCC 2006",
			sample: clippedSum(true),
		},
		{
			Name: "mean_data_bounds", Draws: few, Claim: claim("1", "0"), Pair: records,
			What:   "the values are clamped to their own least and largest, and the noise is for these",
			Source: "Ganev and others, arXiv:2504.06923; hazy/dpart pull request 6 (2024), of PrivBayes",
			sample: mean(false),
		},
		{
			Name: "mean", Right: true, Draws: few, Claim: claim("1", "0"), Pair: records,
			What:   "the mean of four values in [0, 8], with noise of scale 2/ε, one value replaced",
			Source: "Dwork and others, TCC 2006",
			sample: mean(true),
		},
		{
			Name: "counts_sticky", Draws: few, Claim: claim("1", "0"), Pair: users,
			What:   "the noise of a count is seeded by the users counted: equal sets get equal noise",
			Source: "Gadotti and others, USENIX Security 2019, of Diffix",
			sample: twoCounts(true),
		},
		{
			Name: "counts", Right: true, Draws: few, Claim: claim("1", "0"), Pair: users,
			What:   "two counts, a user may be in both, with new noise of scale 2/ε each",
			Source: "Dwork and others, TCC 2006",
			sample: twoCounts(false),
		},
	}
}
