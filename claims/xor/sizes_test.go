package xor_test

// matrices returns the number of laws, given the number of values per entry. Θ is symmetric of order P, and so is Λ for
// each pair of N objects.
func matrices(values, n, p int) int {
	free, out := (1+n*(n-1)/2)*p*(p+1)/2, 1
	for range free {
		out *= values
	}
	return out
}

// definiteTwo is the number of positive definite blocks [[a, b], [b, c]] with entries 1, 2, 3. b² < ac has eight pairs
// (a, c) for b = 1, three for b = 2 and none for b = 3.
const definiteTwo = 8 + 3

// unjoined returns the number of pairs without an edge over all graphs with two to most nodes. Each pair lacks the edge
// in half of the graphs.
func unjoined(most int) (out int) {
	for n := 2; n <= most; n++ {
		pairs := n * (n - 1) / 2
		out += pairs << (pairs - 1)
	}
	return out
}

// outputs is the number of quadruples of weights from 1 to 4 with a sum of at most 12. The sum is above 12 for C(7, 4)
// of the 4⁴ quadruples: those that are at most 3 below 16.
const outputs = 4*4*4*4 - 35

// replacedRecords is the number of datasets with records of three kinds, at most two of the first and of the second,
// and one record replaced by one of another kind. One record gives 3 datasets. Two records give 3 with one kind and 3
// with two kinds. Ten records give 9, of which 6 contain the first kind, 6 the second and all the third.
const replacedRecords = 2 * (3 + 3*1 + 3*2 + 6 + 6 + 9)

// sizes has the number of instances of each family, counted from its description.
var sizes = map[string]int{
	"N ≤ 5, s_f ≤ P ≤ 3, ε in {.1, 1, 5}, α in {.1, .3, .5, .7, .9}":                                                                   5 * (1 + 2 + 3) * 3 * 5,
	"N ≤ 5, s_f ≤ P ≤ 3, ε in {.1, 1, 5}, α in {.1, .3, .5, .7, .9}, N ≥ 2":                                                            4 * (1 + 2 + 3) * 3 * 5,
	"P ≤ 3, v in {1, 2, 3}^P, λ in {1, 2}":                                                                                             (3 + 9 + 27) * 2,
	"2 ≤ N ≤ 5, P ≤ 3, s_f ≤ P + 1, α in {.1, .3, .5, .7, .9}, ε = 1":                                                                  4 * (2 + 3 + 4) * 5,
	"N, P ≤ 2, entries in {−1, 0, 1}":                                                                                                  matrices(3, 1, 1) + matrices(3, 1, 2) + matrices(3, 2, 1) + matrices(3, 2, 2),
	"N, P ≤ 2, at most 3 bits, entries in {−1, 0, 1}":                                                                                  matrices(3, 1, 1) + matrices(3, 1, 2) + matrices(3, 2, 1),
	"all matrices of order at most 3":                                                                                                  2 + 16 + 512,
	"P ≤ 2, Λ positive definite with entries in {.1, .2, .3}, every row":                                                               3*2 + definiteTwo*4,
	"rows of at most 6 bits":                                                                                                           4 + 9 + 16 + 25 + 36 + 49,
	"ε = .7, 5 × 5 to 8 × 8 pixels":                                                                                                    4,
	"α = .3 and β = .7, ε in {.7, .5, .3}, 5 × 5 to 28 × 28 pixels":                                                                    3 * 24,
	"4 ≤ N ≤ 5, P ≤ 3, s_f = 1, ε in {.1, 1, 5}, α < β in {.1, .3, .5, .7, .9}":                                                        2 * 3 * 3 * 10,
	"the published number":                                                                                                             1,
	"the two published numbers":                                                                                                        2,
	"the six published numbers":                                                                                                        6,
	"all graphs on 2 to 4 nodes, flip rates .1, .3, .7, .9":                                                                            (2 + 8 + 64) * 4,
	"N ≤ 6, every number of edges up to half of all, ε in {.1, 1, 5}, α in {.1, .5, 1}":                                                (1 + 2 + 4 + 6 + 8) * 3 * 3,
	"N, P ≤ 3, one symmetric pair of entries 1 and the others 0; both sides are linear in the blocks":                                  (1 + 2 + 4) * (1 + 3 + 6), // Θ or the Λ of a pair, times symmetric pairs of entries for each P
	"N ≤ 3, eigenvalues in {−1, 0, 1}, one reflection along v in {0, 1}^N":                                                             3*3*1 + 6*6*3 + 10*10*7,   // v ≠ 0
	"(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, positive definite blocks of entries in {.1, .2, .3}":                                  3 + definiteTwo + 3*3 + 3*3*3*3,
	"(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, positive definite blocks of entries in {.1, .2, .3}, s_f ≤ NP":                        3 + definiteTwo*2 + 3*3*2 + 3*3*3*3*3,
	"(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, entries in {−1, 0, 1}, Π ≠ 0":                                                         matrices(3, 1, 1) + matrices(3, 1, 2) + matrices(3, 2, 1) + matrices(3, 3, 1) - 4,
	"(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, entries in {0, 1}, Π ≠ 0":                                                             matrices(2, 1, 1) + matrices(2, 1, 2) + matrices(2, 2, 1) + matrices(2, 3, 1) - 4,
	"P ≤ 4, eigenvalues in {1, …, 5}":                                                                                                  5 + 15 + 35 + 70, // multisets
	"two blocks of at most 2 bits, entries in {−1, 0, 1}, s_f ≤ 2":                                                                     39 * 39 * 2,
	"N in {1, 2, 10}, ε in {.1, 1, 5}, λ in {.001, .1, 1}, η in {0, −1, 1, 4}, each record replaced":                                   replacedRecords * 3 * 3 * 4,
	"all graphs of at most 4 nodes, every edge":                                                                                        2 + 8 + 64,
	"all graphs on N ≤ 4 nodes":                                                                                                        2 + 8 + 64,
	"all graphs on N ≤ 5 nodes and each pair that is no edge":                                                                          unjoined(5),
	"all graphs on N ≤ 4 nodes and each pair that is no edge":                                                                          unjoined(4),
	"all graphs on N ≤ 3 nodes and each pair that is no edge, both readings, ε in {1/2, 1, 2}":                                         unjoined(3) * 2 * 3,
	"all graphs on N ≤ 4 nodes, each pair that is no edge, nodes in one or two groups":                                                 unjoined(2)*4 + (unjoined(3)-unjoined(2))*8 + (unjoined(4)-unjoined(3))*16,
	"1, 2 and 5 neighbors, affiliation in {.1, .5, 1, 2}, ε in {1, .1, 5}":                                                             3 * 4 * 3,
	"randomised response at e^ε in {2, 3, 4} and two outputs, weights 1 to 4 of sum at most 12, priors 1, 10, 25, 50, 75, 90 and 99 %": (3 + outputs) * 7,
	"e^{ε/2} in {1.1, 1.2, …, 4}":                                                                                                      30,
	"the 24 released graphs of Table 2":                                                                                                24,
	"N, P ≤ 2, entries in {−.1, 0, .1}, s_f ≤ NP":                                                                                      matrices(3, 1, 1) + 2*matrices(3, 1, 2) + 2*matrices(3, 2, 1) + 4*matrices(3, 2, 2),
	"N, P ≤ 2, NP ≤ 2, entries in {−1, 0, 1}, every f(D) ≠ 0":                                                                          matrices(3, 1, 1) + 3*matrices(3, 1, 2) + 3*matrices(3, 2, 1),
	"all graphs on N ≤ 3 nodes, ε in {1, …, 6}, α in {.1, .3, .5, .7, 1}":                                                              2 * 6 * 5, // two or three nodes
	"N ≤ 3, ε in {1, …, 6}, α in {.1, .3, .5, .7, 1}":                                                                                  2 * 6 * 5,
	"two points, h = 1, t in {−1, 0, 1}, ω = w₁η + w₂η² with w₁, w₂ in {0, 1}, η in {0, 1}":                                            3 * 3 * 2 * 2 * 2,

	// The comparisons of the study: graphs, ε and other mechanisms.
	"xor.figure4/1":              2 * 7 * 4,
	"xor.ranking.kl.worst/1":     2 * 10 * 2,
	"xor.ranking.kl.low/1":       2 * 2,
	"xor.ranking.kl.approxdeg/1": 2,
	"xor.ranking.f1/1":           2 * 8 * 4,
	"xor.ranking.table2/1":       2 * 3 * 3 * 2, // three statistics
	"xor.ranking.pplr.voting/1":  5,
	"xor.ranking.pplr.cancer/1":  6,
	"xor.ranking.equal.kl/1":     3 * 7 * 4,
	"xor.ranking.equal.f1/1":     2 * 8 * 3,
	"xor.ranking.equal.pplr/1":   4,
	"the scores of the study":    2 * 2 * 4, // two settings: as stated, and at the exact budget
}

// repeated has the number of instances that occur more than once: randomized response has two outputs with weights 1
// and 2, 3 or 4, so it is also among the releases with two outputs.
var repeated = map[string]int{"xor.theorem4/1": 3 * 7, "xor.theorem4/2": 3 * 7, "xor.theorem4/3": 3 * 7, "xor.theorem4.same/1": 3 * 7, "xor.theorem4.same/2": 3 * 7}
