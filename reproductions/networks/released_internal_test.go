package networks

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/xor"
)

// The shares of the two rounds sum to 1. The enclosure of ε is as wide as the rounding error of the ratio requires.
func TestRoundsAndRatios(t *testing.T) {
	eps := evidencetest.Epsilon(0.75)
	ldpgen := must.For(NewLDPGen(eps, LDPGenOptions{}))(t)
	if fmt.Sprint(ldpgen.Share, ldpgen.rounds()) != "1/2 [1/2 1/2]" || fmt.Sprint(must.For(NewLDPGen(eps, LDPGenOptions{Share: big.NewRat(1, 4)}))(t).rounds()) != "[1/4 3/4]" {
		t.Errorf("shares %v and %v", ldpgen.Share, ldpgen.rounds())
	}
	r := &released{ratio: math.Inf(1), least: 1}
	if e := must.For(r.epsilon(3, "a test"))(t); e != (evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From("a test").By("all graphs on 3 nodes, everything that can come out")}) {
		t.Errorf("an infinite ratio: %+v", e)
	}
	r = &released{ratio: 2, least: 1e-290}
	lo, hi := must.For(r.epsilon(3, ""))(t).Bounds()
	if !(lo < math.Ln2-3*lawError && lo > math.Ln2-5*lawError && hi > math.Ln2+3*lawError && hi < math.Ln2+5*lawError) {
		t.Errorf("a ratio of 2 has ε in [%v, %v]", lo, hi)
	}
	r.least = 0.99e-290
	if _, err := r.epsilon(3, ""); err == nil || err.Error() != "some measurements have a probability of 9.9e-291, want at least 1e-290: choose a smaller eps, or fewer nodes" {
		t.Error(err)
	}
}

// GraphOf returns the graph with the given edges.
func GraphOf(t *testing.T, n int, edges ...[2]int) *xor.Bits {
	t.Helper()
	return must.For(xor.Adjacency(n, edges))(t)
}

// PairIndex returns the index of a pair.
func PairIndex(pairs [][2]int, u, v int) int {
	return slices.Index(pairs, [2]int{min(u, v), max(u, v)})
}

// LDPGen's law merges equivalent groups and reports. It agrees with an enumeration of all reports of both rounds.
func TestLDPGenLaw(t *testing.T) {
	l := must.For(NewLDPGen(evidencetest.LogEpsilon(4, 1), LDPGenOptions{Groups: 2, Share: big.NewRat(1, 3)}))(t)
	for n := 2; n <= 3; n++ {
		m := must.For(l.Law(t.Context(), n))(t)
		pairs := pairsOf(n)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		first := deal(order, l.Initial)
		for code := range 1 << len(pairs) {
			want := make([]float64, 1<<len(pairs))
			g := decoded(n, pairs, code)
			visit(l.eps, reports(g, first, l.Initial, l.rounds()[0]), func(values []int, chance float64) {
				of := cluster(grouped(values, l.Initial), l.Groups)
				groups := slices.Max(of) + 1
				visit(l.eps, reports(g, of, groups, l.rounds()[1]), func(values []int, then float64) {
					edge := chungLu(grouped(values, groups), of, groups)
					for r := range want {
						p := chance * then
						for k, e := range pairs {
							if q := edge(e[0], e[1]); r>>k&1 == 1 {
								p *= q
							} else {
								p *= 1 - q
							}
						}
						want[r] += p
					}
				})
			})
			for r, p := range want {
				if got := m.Enclose(code, r).Mid(); math.Abs(got-p) > 1e-12 {
					t.Errorf("%d nodes: graph %b gives %b with probability %v, want %v", n, code, r, got, p)
				}
			}
		}
	}
}

// visit calls see with all values of independent entries and their probabilities.
func visit(eps evidence.Epsilon, entries []entry, see func(values []int, chance float64)) {
	var most []int
	var masses [][]float64
	for _, e := range entries {
		most, masses = append(most, e.most), append(masses, e.masses(eps))
	}
	for _, values := range told(most) {
		chance := 1.0
		for i, v := range values {
			chance *= masses[i][v]
		}
		see(values, chance)
	}
}

// Graphs made from a series follow its law, at a false-positive rate of 1e-9 in all. The series have few edges, more
// edges than pairs, or all pairs joined.
func TestSeriesLaw(t *testing.T) {
	const n, draws, alpha = 4, 6000, 1e-9
	pairs := pairsOf(n)
	order := []int{0, 1, 2, 3}
	at := []tuple{{1, 1}, {1, 2}, {2, 2}, {1, 3}, {2, 3}, {3, 3}}
	for k, counts := range [][]int{{1, 1, 0, 0, 0, 1}, {0, 4, 0, 0, 1, 0}, {0, 0, 0, 6, 0, 2}, {0, 0, 0, 0, 0, 0}, {3, 0, 2, 1, 0, 0}} {
		full := k%2 == 1
		law := seriesLaw(pairs, order, at, counts, full)
		mean, sum := make([]float64, len(law)), 0.0
		for _, to := range permutations(n) {
			for code, p := range law {
				mean[moved(pairs, to, code)] += p / 24
				sum += p / 24
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%v: the probabilities sum to %v", counts, sum)
		}
		seen := make([]int, len(law))
		src := rand.NewPCG(uint64(k), 7)
		for range draws {
			g := must.For(makeSeries(t.Context(), n, at, counts, full, src))(t)
			code := 0
			for k, e := range pairs {
				if g.At(e[0], e[1]) {
					code |= 1 << k
				}
			}
			seen[code]++
		}
		var p []float64
		var got []int
		rare, few := 0.0, 0
		for code, q := range mean {
			switch {
			case q == 0:
				if seen[code] > 0 {
					t.Errorf("%v: graph %06b has probability 0 but is drawn", counts, code)
				}
			case q*draws < 20:
				rare, few = rare+q, few+seen[code]
			default:
				p, got = append(p, q), append(got, seen[code])
			}
		}
		if rare > 0 {
			p, got = append(p, rare), append(got, few)
		}
		if len(p) < 2 {
			continue
		}
		if _, _, tail := stattest.ChiSquare(got, p); tail < alpha/5 {
			t.Errorf("%v: counts %v for %v have tail %g", counts, got, p, tail)
		}
	}
}

// With a public degree bound, truncated neighbors differ in at most three edges. The loss on all graphs is at most the
// bound for any number of nodes.
func TestTruncationOfNeighbors(t *testing.T) {
	for n := 3; n <= 5; n++ {
		pairs := pairsOf(n)
		for bound := 1; bound < n; bound++ {
			cut := make([]int, 1<<len(pairs))
			for code := range cut {
				g := decoded(n, pairs, code).cut(bound)
				for u, list := range g.near {
					for _, v := range list {
						if !slices.Contains(g.near[v], u) {
							t.Fatalf("edge %d–%d is removed in one direction only", u, v)
						}
						if v > u {
							cut[code] |= 1 << PairIndex(pairs, u, v)
						}
					}
				}
				if g.most() > bound || cut[code]&^code != 0 {
					t.Fatalf("graph %b truncated to degree %d is %b", code, bound, cut[code])
				}
			}
			for code := range cut {
				for k := range pairs {
					if d := bits.OnesCount(uint(cut[code] ^ cut[code^1<<k])); d > 3 {
						t.Fatalf("bound %d: truncated graphs %b and %b differ in %d edges", bound, code, code^1<<k, d)
					}
				}
			}
			for _, o := range []PygmalionOptions{{}, {Whole: true}, {Partitions: 1}} {
				o.AllTuples, o.DegreeBound = true, bound
				p := must.For(NewPygmalion(evidencetest.LogEpsilon(2, 1), o))(t)
				got := must.For(must.For(p.Measured(t.Context(), n, Edge))(t).Epsilon(t.Context(), evidence.Delta{}))(t).Float() / math.Ln2
				most, _ := p.largestCut().Float64()
				if got > most {
					t.Errorf("%d nodes, %+v: %v ε, want at most %v", n, o, got, most)
				}
				if o.Whole && !(most < 1) {
					t.Errorf("%+v: at most %v ε, want below 1", o, most)
				}
			}
		}
	}
}
