package networks_test

import (
	"context"
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
	"dpworkbench/mechanism"
	"dpworkbench/reproductions/networks"
	"dpworkbench/xor"
)

// graphMechanisms returns one of each mechanism that releases a graph.
func graphMechanisms(t *testing.T, eps evidence.Epsilon) []networks.Rival {
	t.Helper()
	return []networks.Rival{
		must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t),
		must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t),
		must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{DegreeBound: 2, Partitions: 1, Rough: true}))(t),
		must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t),
		must.For(networks.NewPBCN(eps, networks.PBCNOptions{NoisyClusters: true, Clusters: 2}))(t),
		must.For(networks.NewPBCN(eps, networks.PBCNOptions{OwnDegrees: true}))(t),
		must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 2}))(t),
	}
}

// ownDegreesLaw returns the law of the graph that PBCN with own degrees releases, in rational arithmetic. It enumerates
// all noise and follows the paper's description: noisy degrees, then Havel's theorem.
func ownDegreesLaw(t *testing.T, base *big.Rat, n, code int) []*big.Rat {
	t.Helper()
	pairs := graphPairs(n)
	out := make([]*big.Rat, 1<<len(pairs))
	for r := range out {
		out[r] = new(big.Rat)
	}
	one := big.NewRat(1, 1)
	z := new(big.Rat).Inv(base)
	degrees := make([]int, n)
	for k, e := range pairs {
		if code>>k&1 == 1 {
			degrees[e[0]]++
			degrees[e[1]]++
		}
	}
	tail := func(k int) *big.Rat { // returns the probability of noise of k or more, k > 0
		p := new(big.Rat).Quo(one, new(big.Rat).Add(one, z))
		for range k {
			p.Mul(p, z)
		}
		return p
	}
	total := 1
	for range n {
		total *= n
	}
	for told := range total {
		p, left := big.NewRat(1, 1), told
		lack := make([]int, n)
		for u := range n {
			lack[u] = left % n
			left /= n
			off := lack[u] - degrees[u]
			switch {
			case lack[u] == 0 || lack[u] == n-1:
				if off == 0 { // noise beyond 0 or n − 1 is truncated to that value
					p.Mul(p, new(big.Rat).Sub(one, tail(1)))
				} else {
					p.Mul(p, tail(max(off, -off)))
				}
			default:
				k := max(off, -off)
				p.Mul(p, new(big.Rat).Sub(tail(k), tail(k+1)))
			}
		}
		g := 0
		done := make([]bool, n)
		for range n {
			u := slices.Index(done, false)
			for v := range n {
				if !done[v] && lack[v] > lack[u] {
					u = v
				}
			}
			done[u] = true
			for ; lack[u] > 0; lack[u]-- {
				best := -1
				for v := range n {
					if !done[v] && lack[v] > 0 && g>>networks.PairIndex(pairs, u, v)&1 == 0 && (best < 0 || lack[v] > lack[best]) {
						best = v
					}
				}
				if best < 0 {
					break
				}
				g |= 1 << networks.PairIndex(pairs, u, best)
				lack[best]--
			}
		}
		out[g].Add(out[g], p)
	}
	return out
}

// graphPairs returns the pairs of n nodes in lexicographic order.
func graphPairs(n int) (pairs [][2]int) {
	for u := range n {
		for v := u + 1; v < n; v++ {
			pairs = append(pairs, [2]int{u, v})
		}
	}
	return pairs
}

// The law of PBCN with own degrees agrees with the definition in rational arithmetic. Its smallest ε agrees with brute
// force over all graphs on 3 nodes.
func TestPBCNLaw(t *testing.T) {
	ctx := t.Context()
	eps := evidencetest.LogEpsilon(4, 1)
	p := must.For(networks.NewPBCN(eps, networks.PBCNOptions{OwnDegrees: true}))(t)
	m := must.For(p.Law(ctx, 3))(t)
	most := big.NewRat(1, 1)
	rows := make([][]*big.Rat, 8)
	for code := range rows {
		rows[code] = ownDegreesLaw(t, big.NewRat(2, 1), 3, code)
		for r, want := range rows[code] {
			lo, hi := m.Enclose(code, r).Bounds()
			if chance, _ := want.Float64(); !(lo <= chance && chance <= hi && hi-lo < 1e-9) {
				t.Errorf("graph %03b gives %03b with probability in [%v, %v], want %v", code, r, lo, hi, want)
			}
		}
	}
	for x := range rows {
		for y := range rows {
			if bits.OnesCount(uint(x^y)) != 1 {
				continue
			}
			for r := range rows[x] {
				if rows[y][r].Sign() == 0 {
					if rows[x][r].Sign() != 0 {
						t.Fatalf("output %03b is possible for graph %03b only", r, x)
					}
					continue
				}
				if q := new(big.Rat).Quo(rows[x][r], rows[y][r]); q.Cmp(most) > 0 {
					most = q
				}
			}
		}
	}
	e := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
	if want, _ := most.Float64(); math.Abs(e.Float()-math.Log(want)) > 1e-9 {
		t.Errorf("smallest ε %v, want ln(%v)", e, most)
	}
}

// Drawn graphs agree with the laws, at a false-positive rate of 1e-9 in all. LDPGen's Release assigns nodes to groups
// at random, while its Law assigns them by index. On two nodes this makes no difference.
func TestReleasesFollowTheirLaws(t *testing.T) {
	const draws, alpha = 4000, 1e-9
	ctx := t.Context()
	eps := evidencetest.LogEpsilon(4, 1)
	type lawful interface {
		networks.Rival
		Law(ctx context.Context, n int) (mechanism.Mechanism, error)
	}
	for _, c := range []struct {
		of lawful
		n  int
	}{
		{must.For(networks.NewPBCN(eps, networks.PBCNOptions{Clusters: 2}))(t), 4},
		{must.For(networks.NewPBCN(eps, networks.PBCNOptions{Clusters: 2, NoisyClusters: true}))(t), 4},
		{must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 2, Share: big.NewRat(1, 3)}))(t), 2},
	} {
		m := must.For(c.of.Law(ctx, c.n))(t)
		pairs := graphPairs(c.n)
		x := (1<<len(pairs) - 1) / 3 * 2 % (1 << len(pairs)) // some edges
		in := xorOf(t, c.n, pairs, x)
		src := rand.NewPCG(5, 6)
		counts, p := []int{0}, []float64{0} // rare outcomes are merged
		at := make([]int, 1<<len(pairs))
		for r := range at {
			if q := m.Enclose(x, r).Mid(); q*draws < 20 {
				p[0] += q
			} else {
				at[r] = len(p)
				p, counts = append(p, q), append(counts, 0)
			}
		}
		for range draws {
			out := must.For(c.of.Release(ctx, in, src))(t)
			code := 0
			for k, e := range pairs {
				if out.At(e[0], e[1]) {
					code |= 1 << k
				}
			}
			counts[at[code]]++
		}
		if p[0] == 0 {
			if counts[0] > 0 {
				t.Errorf("%s: graphs of probability 0 are drawn", c.of.Name())
			}
			p, counts = p[1:], counts[1:]
		}
		if _, _, tail := stattest.ChiSquare(counts, p); tail < alpha/3 {
			t.Errorf("%s: counts %v for %v have tail %g", c.of.Name(), counts, p, tail)
		}
	}
}

func xorOf(t *testing.T, n int, pairs [][2]int, code int) *xor.Bits {
	t.Helper()
	var edges [][2]int
	for k, e := range pairs {
		if code>>k&1 == 1 {
			edges = append(edges, e)
		}
	}
	return networks.GraphOf(t, n, edges...)
}

// The computed loss agrees with losses added in rational arithmetic.
func TestMeasured(t *testing.T) {
	ctx := t.Context()
	eps := evidencetest.LogEpsilon(4, 1)
	of := func(r networks.Rival, n int, nb networks.Relation) float64 {
		t.Helper()
		return must.For(must.For(r.Measured(ctx, n, nb))(t).Epsilon(ctx, evidence.Delta{}))(t).Float() / math.Log(4)
	}
	golden := func(what string, got, want float64) {
		t.Helper()
		if got != want && !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s: %v ε, want %v ε", what, got, want)
		}
	}
	local := must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Share: big.NewRat(1, 4)}))(t)
	golden("LDPGen, lists", of(local, 9, networks.LocalEdge), 1)
	golden("LDPGen, edges", of(local, 9, networks.Edge), 2)
	golden("Pygmalion on the tuples that occur", of(must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t), 2, networks.Edge), math.Inf(1))
	all := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t)
	golden("Pygmalion on all tuples, two nodes", of(all, 2, networks.Edge), 1./5)
	golden("Pygmalion on all tuples, three nodes", of(all, 3, networks.Edge), 1./9+1./9+1./9+1./9+1./9) // the path becomes the triangle
	whole := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true, DegreeBound: 3, Whole: true}))(t)
	golden("Pygmalion with one public scale attains its sensitivity", of(whole, 4, networks.Edge), 9./13)
	own := must.For(networks.NewPygmalion(must.For(evidence.NewEpsilon("eps", 1))(t), networks.PygmalionOptions{AllTuples: true, Whole: true}))(t)
	golden("Pygmalion with the graph's own scale", of(own, 3, networks.Edge)*math.Log(4), 6.545368454409893) // from the claim xor.rivals.pygmalion, with its own arithmetic
	for _, n := range []int{7, 100, 4039} {
		if e := of(all, n, networks.Edge); !(e < 1 && e > .9) {
			t.Errorf("Pygmalion on all tuples, %d nodes: at most %v ε, want just below 1", n, e)
		}
	}
	for _, sensitivity := range []int{1, 2, 3} {
		p := must.For(networks.NewPBCN(eps, networks.PBCNOptions{NoisyClusters: true, Sensitivity: sensitivity}))(t)
		for _, n := range []int{2, 5, 900} {
			golden(p.Name(), of(p, n, networks.Edge), 2/float64(sensitivity))
		}
	}
	golden("PBCN with clusters of the true degrees", of(must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t), 3, networks.Edge), math.Inf(1))
	for _, sequence := range []bool{false, true} {
		a := must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{Sequence: sequence}))(t)
		for _, n := range []int{2, 5, 4039} {
			e := must.For(must.For(a.Measured(ctx, n, networks.Edge))(t).Epsilon(ctx, evidence.Delta{}))(t)
			golden(a.Name(), e.Float()/math.Log(4), 1)
		}
	}
}

// The degree bound is public. Nodes above it are counted and truncated.
func TestTruncated(t *testing.T) {
	star := networks.GraphOf(t, 5, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{0, 4}, [2]int{1, 2})
	for bound, want := range map[int]int{0: 0, 1: 3, 2: 1, 3: 1, 4: 0} {
		p := must.For(networks.NewPygmalion(evidencetest.LogEpsilon(2, 1), networks.PygmalionOptions{DegreeBound: bound}))(t)
		if got := must.For(p.Truncated(star))(t); got != want {
			t.Errorf("bound %d: %d nodes exceed it, want %d", bound, got, want)
		}
	}
	a := must.For(networks.NewApproxDeg(evidencetest.LogEpsilon(2, 1), networks.ApproxDegOptions{}))(t)
	if got := must.For(a.Truncated(star))(t); got != 1 {
		t.Errorf("ApproxDeg: %d nodes exceed √5, want 1", got)
	}
}
