package networks

import (
	"context"
	"math/big"
	"math/bits"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// mostLawNodes is the largest number of nodes of which the law of the released graph is
// enumerated: 64 graphs, each with 64 chances.
const mostLawNodes = 4

// labelled is the query whose datasets and values are all graphs on n numbered nodes, neighbors
// differing in one edge: values by their edges, as far apart as pairs that differ.
func labelled(n int) (*query.Query, [][2]int, error) {
	if n < 2 || n > mostLawNodes {
		return nil, nil, parameter.Bad("nodes", n, "2 to %d", mostLawNodes)
	}
	pairs := pairsOf(n)
	size := 1 << len(pairs)
	values := make([]query.Value, size)
	far := make([][]float64, size)
	var edges [][2]int
	for code := range size {
		values[code] = query.Name(edgeText(pairs, code))
		far[code] = make([]float64, size)
		for other := range far[code] {
			far[code][other] = float64(bits.OnesCount(uint(code ^ other)))
		}
		for k := range pairs {
			if code>>k&1 == 0 {
				edges = append(edges, [2]int{code, code | 1<<k})
			}
		}
	}
	space, err := query.NewPathSpace(size, edges)
	if err != nil {
		return nil, nil, err
	}
	q, err := query.New("the graph", space, values, nil, query.ValueMetric{Matrix: far})
	return q, pairs, err
}

// each visits the values of independent entries, with their chances.
func each(eps evidence.Epsilon, entries []entry, visit func(values []int, chance evidence.Amount)) {
	laws := make([][]evidence.Amount, len(entries))
	for i, e := range entries {
		laws[i] = e.law(eps)
	}
	values := make([]int, len(entries))
	var descend func(i int, chance evidence.Amount)
	descend = func(i int, chance evidence.Amount) {
		if i == len(entries) {
			visit(values, chance)
			return
		}
		for v, p := range laws[i] {
			values[i] = v
			descend(i+1, chance.Mul(p))
		}
	}
	descend(0, evidence.RationalAmount(big.NewRat(1, 1)))
}

// code is the code of a graph by its edges.
func codeOf(pairs [][2]int, edges [][2]int) int {
	code := 0
	for _, e := range edges {
		for k, f := range pairs {
			if e == f {
				code |= 1 << k
			}
		}
	}
	return code
}

// Law returns the law of the released graph at every graph on n numbered nodes, 2 ≤ n ≤ 4, without decoys: by
// visiting all noisy degrees. Exact where e^{−ε/sensitivity} is rational.
func (p *PBCN) Law(ctx context.Context, n int) (mechanism.Mechanism, error) {
	q, pairs, err := labelled(n)
	if err != nil {
		return nil, err
	}
	if p.Decoys > 0 {
		return nil, parameter.Bad("decoys", p.Decoys, "0: the law is that of a graph with as many nodes")
	}
	size := 1 << len(pairs)
	rows := make([][]interval.Interval, size)
	exact := make([][]*big.Rat, size)
	rational := true
	for code := range rows {
		m, of := p.measure(decoded(n, pairs, code))
		sums := make([]evidence.Amount, size)
		for r := range sums {
			sums[r] = evidence.RationalAmount(new(big.Rat))
		}
		each(p.eps, m.entries, func(values []int, chance evidence.Amount) {
			if err != nil {
				return
			}
			var edges [][2]int
			if edges, err = havel(ctx, p.targets(values, of)); err == nil {
				r := codeOf(pairs, edges)
				sums[r] = sums[r].Add(chance)
			}
		})
		if err != nil {
			return nil, err
		}
		rows[code], exact[code] = make([]interval.Interval, size), make([]*big.Rat, size)
		for r, s := range sums {
			rows[code][r], exact[code][r] = s.Enclosure, s.Rational
			rational = rational && s.Rational != nil
		}
	}
	h := mechanism.Heading{Name: p.Name(), Query: q, Claimed: p.Guarantee().Epsilon}
	if rational {
		return mechanism.NewRationalTable(h, exact, nil)
	}
	return mechanism.NewEnclosedTable(h, rows, nil, nil)
}

// lawError bounds the relative error of a chance of LDPGen's law in float64: the chance of a list of reports is a
// product of at most 16 masses, each within 2⁻⁵⁰, that of a graph a product of 6 more, and fewer than 2¹⁷ such are
// added, all of them positive.
const lawError = 0x1p-34

// Law returns the law of the released graph at every graph on n numbered nodes, 2 ≤ n ≤ 4: by visiting all
// reports of both rounds, nodes dealt to the initial groups by number. At most two groups in each round. Certified: in float64, with
// its rounding.
func (l *LDPGen) Law(ctx context.Context, n int) (mechanism.Mechanism, error) {
	q, pairs, err := labelled(n)
	if err != nil {
		return nil, err
	}
	if l.Initial > 2 || l.Groups > 2 {
		return nil, parameter.Errorf("%d groups, then %d, want at most 2 in each round for the law on all graphs", l.Initial, l.Groups)
	}
	size := 1 << len(pairs)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	first := deal(order, l.Initial)
	shares := l.rounds()
	drawn := map[string][]float64{}  // graphs, by groups and reports
	clusters := map[string][]int{}   // by reports of the first round
	masses := map[string][]float64{} // of an entry
	visit := func(entries []entry, see func(values []int, chance float64)) {
		values := make([]int, len(entries))
		laws := make([][]float64, len(entries))
		for i, e := range entries {
			key := e.key()
			if masses[key] == nil {
				for _, a := range e.law(l.eps) {
					masses[key] = append(masses[key], a.Enclosure.Mid())
				}
			}
			laws[i] = masses[key]
		}
		var descend func(i int, chance float64)
		descend = func(i int, chance float64) {
			if i == len(entries) {
				see(values, chance)
				return
			}
			for v, p := range laws[i] {
				values[i] = v
				descend(i+1, chance*p)
			}
		}
		descend(0, 1)
	}
	rows := make([][]interval.Interval, size)
	for code := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := decoded(n, pairs, code)
		chances := map[string]float64{}
		var ways []string
		visit(reports(g, first, l.Initial, shares[0]), func(values []int, chance float64) {
			key := bytesOf(values)
			of, ok := clusters[key]
			if !ok {
				of = cluster(grouped(append([]int(nil), values...), l.Initial), l.Groups)
				clusters[key] = of
			}
			name := bytesOf(of)
			if _, ok := chances[name]; !ok {
				ways = append(ways, name)
			}
			chances[name] += chance
		})
		sums := make([]float64, size)
		for _, name := range ways {
			of, groups := make([]int, n), 0
			for u := range of {
				of[u] = int(name[u])
				groups = max(groups, of[u]+1)
			}
			visit(reports(g, of, groups, shares[1]), func(values []int, chance float64) {
				key := name + bytesOf(values)
				law := drawn[key]
				if law == nil {
					law = lawOf(pairs, chungLu(grouped(append([]int(nil), values...), groups), of, groups))
					drawn[key] = law
				}
				chance *= chances[name]
				for r, p := range law {
					sums[r] += float64(chance * p)
				}
			})
		}
		rows[code] = make([]interval.Interval, size)
		for r, s := range sums {
			rows[code][r] = interval.Float(s).Mul(interval.Between(1-lawError, 1+lawError))
		}
	}
	return mechanism.NewEnclosedTable(mechanism.Heading{Name: l.Name(), Query: q, Claimed: l.Guarantee().Epsilon}, rows, nil, nil)
}

// bytesOf is a key of small numbers.
func bytesOf(values []int) string {
	out := make([]byte, len(values))
	for i, v := range values {
		out[i] = byte(v)
	}
	return string(out)
}

// lawOf is the law of a graph whose edges are drawn independently.
func lawOf(pairs [][2]int, chance func(u, v int) float64) []float64 {
	out := []float64{1}
	for _, e := range pairs { // bit k of a code is pair k
		p := chance(e[0], e[1])
		next := make([]float64, 2*len(out))
		for c, q := range out {
			next[c], next[c+len(out)] = q*(1-p), q*p
		}
		out = next
	}
	return out
}
