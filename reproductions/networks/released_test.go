package networks

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/mechanism"
)

// releasing is a mechanism whose law is enumerated.
type releasing interface {
	Name() string
	ReleasedEpsilon(ctx context.Context, n int) (evidence.Number, error)
}

// The smallest ε of the release, computed outcome by outcome, equals that of its law.
func TestReleasedEpsilonAgainstLaw(t *testing.T) {
	type lawful interface {
		releasing
		Law(ctx context.Context, n int) (mechanism.Mechanism, error)
	}
	eps := ln(t, 4, 1)
	for _, of := range []lawful{
		must.For(NewPBCN(eps, PBCNOptions{}))(t),
		must.For(NewPBCN(eps, PBCNOptions{NoisyClusters: true, Clusters: 2}))(t),
		must.For(NewPBCN(eps, PBCNOptions{OwnDegrees: true, Sensitivity: 3}))(t),
		must.For(NewLDPGen(eps, LDPGenOptions{Groups: 2}))(t),
		must.For(NewLDPGen(eps, LDPGenOptions{Initial: 1, Groups: 1}))(t),
	} {
		for n := 2; n <= 4; n++ {
			want := must.For(mechanism.Privacy(must.For(of.Law(t.Context(), n))(t)).Epsilon(t.Context(), evidence.Delta{}))(t).Float()
			lo, hi := must.For(of.ReleasedEpsilon(t.Context(), n))(t).Bounds()
			if math.IsInf(want, 1) != math.IsInf(lo, 1) || !math.IsInf(want, 1) && !(lo <= want+1e-9 && want-1e-9 <= hi && hi-lo < 1e-9) {
				t.Errorf("%s, %d nodes: [%v, %v], want %v", of.Name(), n, lo, hi, want)
			}
		}
	}
}

// LDPGen's law merges equivalent groups and reports. It agrees with an enumeration of all reports of both rounds.
func TestLDPGenLaw(t *testing.T) {
	l := must.For(NewLDPGen(ln(t, 4, 1), LDPGenOptions{Groups: 2, Share: big.NewRat(1, 3)}))(t)
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

// The ε of the release is at most that of the noisy statistics, on all graphs small enough to enumerate.
func TestReleasedEpsilonAtMostMeasured(t *testing.T) {
	eps := ln(t, 2, 1)
	near := must.For(NewApproxDeg(eps, ApproxDegOptions{}))(t)
	series := must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true}))(t)
	occur := must.For(NewPygmalion(eps, PygmalionOptions{}))(t)
	for n := 2; n <= 6; n++ {
		e := must.For(near.ReleasedEpsilon(t.Context(), n))(t).Float()
		most := must.For(must.For(near.Measured(t.Context(), n, Edge))(t).Epsilon(t.Context(), evidence.Delta{}))(t).Float()
		if !(e > 0 && e <= most+1e-9) {
			t.Errorf("ApproxDeg, %d nodes: %v, want at most %v", n, e, most)
		}
		if n > 3 {
			continue
		}
		e = must.For(series.ReleasedEpsilon(t.Context(), n))(t).Float()
		most = must.For(must.For(series.Measured(t.Context(), n, Edge))(t).Epsilon(t.Context(), evidence.Delta{}))(t).Float()
		if !(e > 0 && e <= most+1e-9) {
			t.Errorf("Pygmalion, %d nodes: %v, want at most %v", n, e, most)
		}
		if e = must.For(occur.ReleasedEpsilon(t.Context(), n))(t).Float(); !math.IsInf(e, 1) {
			t.Errorf("Pygmalion on the tuples that occur, %d nodes: %v, want ∞", n, e) // a graph without edges has no tuple
		}
	}
	if lo, hi := must.For(near.ReleasedEpsilon(t.Context(), 2))(t).Bounds(); !(lo <= degreesOfTwo(0.5) && degreesOfTwo(0.5) <= hi) {
		t.Errorf("ApproxDeg, two nodes: [%v, %v], want %v", lo, hi, degreesOfTwo(0.5))
	}
}

// degreesOfTwo returns the smallest ε of ApproxDeg's degrees on two nodes, for z = e^−ε. The histogram entries are 0, 1
// or 2, for both nodes of degree 0, one, or none.
func degreesOfTwo(z float64) float64 {
	z = math.Pow(z, 0.25)
	law := func(v int) (out [3]float64) { // values 0 … 2, truncated there
		for k := range out {
			out[k] = math.Pow(z, math.Abs(float64(k-v))) / (1 + z)
		}
		out[1] *= 1 - z
		return out
	}
	chances := func(a, b int) map[int]float64 {
		p, q, out := law(a), law(b), map[int]float64{}
		for i := range 3 {
			for j := range 3 {
				zeros := 2 // an empty histogram leaves degree 0 for all nodes
				if i+j > 0 {
					zeros = int(2*float64(i)/float64(i+j) + 0.5)
				}
				out[zeros] += p[i] * q[j]
			}
		}
		return out
	}
	worst, x, y := 0.0, chances(2, 0), chances(0, 2)
	for k := range x {
		worst = max(worst, math.Abs(math.Log(x[k]/y[k])))
	}
	return worst
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
							cut[code] |= 1 << pairIndex(pairs, u, v)
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
				p := must.For(NewPygmalion(ln(t, 2, 1), o))(t)
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
