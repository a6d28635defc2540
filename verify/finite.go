package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// maxCells bounds datasets squared times values.
const maxCells = 1 << 26

// Finite recomputes a mechanism on a finite query: distances, neighbors and sensitivities of its universe, layers, probabilities,
// distortions, the smallest ε by both routes, δ, and the claim. It returns an error wrapping evidence.ErrParameter where the universe is too
// large, and the context's error where it ends first.
func Finite(ctx context.Context, m mechanism.Mechanism) (*Report, error) {
	q := m.Query()
	n, size := q.Size(), len(q.Range())
	if n > maxCells/n/size {
		return nil, parameter.Errorf("%s has %d datasets and %d values, want at most %d datasets² × values", q.Name(), n, size, maxCells)
	}
	r := new(Report)
	d, err := r.universe(ctx, q)
	if err != nil {
		return nil, err
	}
	logs, err := r.laws(ctx, m, d)
	if err != nil {
		return nil, err
	}
	r.distortions(m, logs)
	return r, r.privacy(ctx, m, d, logs)
}

// Query recomputes the metric, the neighbors and the sensitivities of a finite query.
func Query(ctx context.Context, q *query.Query) (*Report, error) {
	if n := q.Size(); n > maxCells/n {
		return nil, parameter.Errorf("%s has %d datasets, want at most %d datasets²", q.Name(), n, maxCells)
	}
	r := new(Report)
	_, err := r.universe(ctx, q)
	return r, err
}

// universe recomputes the metric, the neighbors and the sensitivities of a query.
func (r *Report) universe(ctx context.Context, q *query.Query) ([][]float64, error) {
	s := q.Space()
	n := s.Size()
	d, err := distances(ctx, s)
	if err != nil {
		return nil, err
	}
	metric, near, local := r.part("distances"), r.part("neighbors"), r.part("sensitivity")
	largest := 0.0
	for x := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		listed := make(map[int]bool)
		for _, y := range s.Neighbors(x) {
			listed[int(y)] = true
		}
		most := 0.0
		for y := range n {
			metric.is(s.Distance(x, y) == d[x][y], ".query  # datasets %d and %d are %g apart, not %g", x, y, d[x][y], s.Distance(x, y))
			is := d[x][y] > 0 && d[x][y] <= 1
			near.is(listed[y] == is, ".query  # datasets %d and %d: neighbors %v, distance %g", x, y, listed[y], d[x][y])
			if is {
				most = max(most, valueDistance(q, q.ValueIndex(x), q.ValueIndex(y)))
			}
		}
		local.number(q.LocalSensitivity(x), most, ".query.local_sensitivity(%d)", x)
		largest = max(largest, most)
	}
	local.number(q.Sensitivity(), largest, ".query.sensitivity")
	return d, nil
}

// valueDistance returns |a − b| of numbers, and what the query says of other values.
func valueDistance(q *query.Query, i, j int) float64 {
	a, okA := number(q, i)
	b, okB := number(q, j)
	if q.Metric().IsAbsolute() && okA && okB {
		f, _ := a.Sub(a, b).Float64()
		return math.Abs(f)
	}
	f, _ := q.Metric().Rational(i, j).Float64()
	return f
}

func number(q *query.Query, i int) (*big.Rat, bool) {
	return new(big.Rat).SetString(q.Range()[i].String())
}

// distances returns d̄: of graphs the least number of edges to change over all ways to number the nodes, of histograms the records to
// change, elsewhere the given distances, of a path metric the lengths of shortest paths.
func distances(ctx context.Context, s *query.Space) ([][]float64, error) {
	n := s.Size()
	d := make([][]float64, n)
	graphs, counts := adjacencies(s), histograms(s)
	replace := n > 1 // all datasets have as many records
	for x := range counts {
		a, _ := s.Records(x)
		b, _ := s.Records(0)
		replace = replace && a == b
	}
	for x := range d {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d[x] = make([]float64, n)
		for y := range d[x] {
			switch {
			case graphs != nil:
				d[x][y] = edits(graphs[x], graphs[y])
			case counts != nil:
				for t := range counts[x] {
					d[x][y] += math.Abs(float64(counts[x][t] - counts[y][t]))
				}
				if replace {
					d[x][y] /= 2
				}
			case s.IsPath():
				d[x][y] = math.Inf(1)
				if s.Distance(x, y) <= 1 {
					d[x][y] = s.Distance(x, y)
				}
			default:
				d[x][y] = s.Distance(x, y)
			}
		}
	}
	if graphs == nil && counts == nil && s.IsPath() {
		for k := range n { // Floyd and Warshall
			for x := range n {
				for y := range n {
					d[x][y] = min(d[x][y], d[x][k]+d[k][y])
				}
			}
		}
	}
	return d, nil
}

// histograms returns the counts of every dataset, nil where datasets are none.
func histograms(s *query.Space) (out [][]int) {
	for x := range s.Size() {
		c, ok := s.Dataset(x).Name.([]int)
		if _, records := s.Records(x); !ok || !records {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// adjacencies decodes the graph6 names of all graphs on n ≤ 6 nodes up to isomorphism, nil where datasets are none.
func adjacencies(s *query.Space) (out [][][]bool) {
	classes := map[int]int{1: 1, 2: 2, 3: 4, 4: 11, 5: 34, 6: 156} // OEIS A000088
	for x := range s.Size() {
		text, ok := s.Dataset(x).Name.(string)
		if !ok || len(text) < 1 {
			return nil
		}
		n := int(text[0]) - 63
		if n < 1 || n > 6 || classes[n] != s.Size() || len(text) != 1+(n*(n-1)/2+5)/6 {
			return nil
		}
		g := make([][]bool, n)
		for i := range g {
			g[i] = make([]bool, n)
		}
		for j, bit := 1, 0; j < n; j++ {
			for i := range j {
				g[i][j] = (text[1+bit/6]-63)>>(5-bit%6)&1 == 1
				g[j][i] = g[i][j]
				bit++
			}
		}
		out = append(out, g)
	}
	return out
}

// edits returns the fewest edges in which two graphs differ, over all permutations of the nodes.
func edits(g, h [][]bool) float64 {
	best := len(g) * len(g)
	at := make([]int, 0, len(g))
	var place func(differ int)
	place = func(differ int) {
		if len(at) == len(g) {
			best = min(best, differ)
			return
		}
		for v := range g {
			used, more := false, 0
			for i, w := range at {
				used = used || v == w
				if g[i][len(at)] != h[w][v] {
					more++
				}
			}
			if !used {
				at = append(at, v)
				place(differ + more)
				at = at[:len(at)-1]
			}
		}
	}
	place(0)
	return float64(best)
}

// laws recomputes ln p^x(r), and compares what is printed of layers and probabilities.
func (r *Report) laws(ctx context.Context, m mechanism.Mechanism, d [][]float64) ([][]float64, error) {
	q := m.Query()
	weights, err := r.weights(ctx, m, d)
	if err != nil {
		return nil, err
	}
	given := weights == nil // by its table alone
	law := r.part("probabilities")
	out := make([][]float64, q.Size())
	for x := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[x] = make([]float64, len(q.Range()))
		sum := 0.0
		for v := range out[x] {
			if out[x][v] = m.LogProb(x, v); given {
				if p, ok := m.Rational(x, v); ok {
					f, _ := p.Float64()
					out[x][v] = math.Log(f)
				}
			} else {
				out[x][v] = weights[x][v]
			}
			sum += math.Exp(out[x][v])
		}
		law.is(close(sum, 1), ".prob(%d)  # sums to %.12g", x, sum)
		for v := range out[x] {
			p := math.Exp(out[x][v])
			lo, hi := m.Enclose(x, v).Bounds()
			says, rational := m.Rational(x, v)
			f := p
			if rational {
				f, _ = says.Float64()
			}
			ok := close(math.Exp(m.LogProb(x, v)), p) && lo <= p*(1+tolerance) && p*(1-tolerance) <= hi && close(f, p)
			law.is(ok, ".prob(%d)  # %v has probability %.12g by enumeration, printed %.12g", x, q.Range()[v], p, math.Exp(m.LogProb(x, v)))
		}
	}
	return out, nil
}

// weights returns ln p^x(r) by the definition of the mechanism, nil where nothing but a table defines it.
func (r *Report) weights(ctx context.Context, m mechanism.Mechanism, d [][]float64) ([][]float64, error) {
	q := m.Query()
	var of mechanism.Definition
	if k, ok := m.(interface{ Definition() mechanism.Definition }); ok {
		of = k.Definition()
	}
	table, layered := m.(interface {
		Layer(x, r int) int
		Decay() evidence.Epsilon
	})
	sets, spread := m.(interface {
		Sets() layers.Sets
		Rule() layers.Rule
	})
	if of.Name == "" && !(layered && spread) {
		return nil, nil
	}
	claim := r.part("claim")
	eps := of.Eps.Value()
	if of.Name == "" {
		claim.number(m.ClaimedEpsilon(), 2*table.Decay().Value(), ".claimed_epsilon")
	} else {
		claim.number(m.ClaimedEpsilon(), eps, ".claimed_epsilon")
	}
	sensitivity := 0.0
	for x := range d {
		for y := range d {
			if d[x][y] > 0 && d[x][y] <= 1 {
				sensitivity = max(sensitivity, valueDistance(q, q.ValueIndex(x), q.ValueIndex(y)))
			}
		}
	}
	layer := r.part("layers")
	out := make([][]float64, q.Size())
	for x := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := make([]float64, len(q.Range()))
		for v := range w {
			far := valueDistance(q, q.ValueIndex(x), v)
			switch of.Name {
			case "laplace", "geometric":
				w[v] = moved(q, q.ValueIndex(x), v, eps/sensitivity, of.Name == "geometric")
				continue
			case "exponential":
				w[v] = -eps * far / (2 * sensitivity)
				continue
			}
			least := math.Inf(1)
			if of.Name == "ladder" {
				least = rung(q, d, x, far)
			} else {
				for y, at := range sets.Sets().At {
					for i, places := range at {
						if i > 0 && y != x && sets.Rule() == layers.Published {
							continue
						}
						for _, place := range places {
							if place == v {
								least = min(least, math.Ceil(d[x][y])+float64(i))
							}
						}
					}
				}
			}
			if layered {
				has := float64(table.Layer(x, v))
				if has < 0 {
					has = math.Inf(1)
				}
				layer.is(has == least, ".layer(%d, %v)  # %g by enumeration", x, q.Range()[v], least)
				if w[v] = -least * table.Decay().Value(); of.Name == "ladder" {
					w[v] = -least * eps / 2
				}
			}
		}
		out[x] = normalized(w)
	}
	if strings.HasPrefix(m.Name(), "purest") {
		for x, at := range sets.Sets().At {
			layer.is(len(at) == 1 && len(at[0]) == 1 && at[0][0] == q.ValueIndex(x), ".layers(%d)  # R_0 is f(x) alone", x)
		}
	}
	return out, nil
}

// normalized returns w less the logarithm of the sum of all e^w.
func normalized(w []float64) []float64 {
	most := math.Inf(-1)
	for _, v := range w {
		most = max(most, v)
	}
	sum := 0.0
	for _, v := range w {
		sum += math.Exp(v - most)
	}
	for i := range w {
		w[i] -= most + math.Log(sum)
	}
	return w
}

// rung returns the Ladder's step of a value at a distance from f(x).
func rung(q *query.Query, d [][]float64, x int, far float64) float64 {
	if far == 0 {
		return 0
	}
	reach := 0.0
	for t := 0; ; t++ {
		largest := 0.0 // I_t
		for y := range d {
			for z := range d {
				if d[x][y] <= float64(t) && d[y][z] > 0 && d[y][z] <= 1 {
					largest = max(largest, valueDistance(q, q.ValueIndex(y), q.ValueIndex(z)))
				}
			}
		}
		if reach += largest; reach >= far || t > len(d) {
			return float64(t) + 1
		}
	}
}

// moved returns the logarithm of the chance that noise of weight e^{−rate|t|}, on the line or on the whole numbers, moves from value f
// to where value v is the nearest in the range, ties to the smaller.
func moved(q *query.Query, f, v int, rate float64, whole bool) float64 {
	at := func(i int) float64 {
		n, _ := number(q, i)
		x, _ := n.Float64()
		return x
	}
	lo, hi := math.Inf(-1), math.Inf(1) // between the middles to the next values
	for i := range q.Range() {
		if middle := (at(i)+at(v))/2 - at(f); at(i) < at(v) {
			lo = max(lo, middle)
		} else if at(i) > at(v) {
			hi = min(hi, middle)
		}
	}
	if whole { // a number on the middle belongs to the smaller value
		z := math.Exp(-rate)
		above := func(k float64) float64 { // Pr[noise ≥ k]
			if k > 0 {
				return math.Exp(-rate*k) / (1 + z)
			}
			return 1 - math.Exp(-rate*(1-k))/(1+z)
		}
		first, last := math.Floor(lo)+1, math.Floor(hi)
		switch {
		case first > 0 && !math.IsInf(hi, 1):
			return -rate*first + math.Log1p(-math.Exp(-rate*(last+1-first))) - math.Log1p(z)
		case first > 0:
			return -rate*first - math.Log1p(z)
		case last < 0 && !math.IsInf(lo, -1):
			return rate*last + math.Log1p(-math.Exp(-rate*(last+1-first))) - math.Log1p(z)
		case last < 0:
			return rate*last - math.Log1p(z)
		}
		sum := 1.0
		if !math.IsInf(lo, -1) {
			sum -= above(1 - first)
		}
		if !math.IsInf(hi, 1) {
			sum -= above(last + 1)
		}
		return math.Log(sum)
	}
	if hi <= 0 {
		lo, hi = -hi, -lo
	}
	if lo >= 0 {
		return -rate*lo + math.Log1p(-math.Exp(-rate*(hi-lo))) - math.Ln2
	}
	return math.Log1p(-math.Exp(rate*lo)/2 - math.Exp(-rate*hi)/2)
}

// distortions recomputes P^x, their mean, and of an optimal mechanism its objective with the bound of the dual program.
func (r *Report) distortions(m mechanism.Mechanism, logs [][]float64) {
	q := m.Query()
	part := r.part("distortions")
	mean, most := 0.0, 0.0
	each := make([]float64, len(logs))
	for x := range logs {
		for v, log := range logs[x] {
			if far := valueDistance(q, q.ValueIndex(x), v); far > 0 {
				each[x] += math.Exp(log) * far
			}
		}
		part.number(mechanism.Distortion(m, x), each[x], ".distortion(%d)", x)
		mean += each[x] / float64(len(logs))
		most = max(most, each[x])
	}
	if all, err := mechanism.ExpectedDistortion(context.Background(), m, nil); err == nil {
		part.number(all, mean, ".expected_distortion()")
	}
	o, ok := m.(*optimize.Optimal)
	if !ok {
		return
	}
	k, best := o.Certificate(), most
	float := func(x *big.Rat) float64 { f, _ := x.Float64(); return f }
	eps, delta := o.Guarantee()
	dual := 0.0
	for x := range logs {
		weight := float(k.Weight[x])
		if k.Bound != nil {
			weight += float(k.Bound[x])
		}
		least := math.Inf(1)
		for _, v := range k.Values {
			reduced := weight * valueDistance(q, q.ValueIndex(x), v) / float(k.Unit)
			for at, price := range k.Up {
				if at[2] == v && at[0] == x {
					reduced += float(price)
				}
				if at[2] == v && at[1] == x {
					reduced -= math.Exp(eps.Value()) * float(price)
				}
			}
			least = min(least, reduced)
		}
		dual += float(k.Unit) * least
	}
	switch o.Objective() {
	case optimize.Mean:
		best = 0
		for x := range logs {
			best += float(k.Weight[x]) * each[x]
		}
	case optimize.Pareto:
		best = mean * float64(len(logs))
	}
	optimum := r.part("optimum")
	lo, hi := o.Optimum().Bounds()
	optimum.is(best <= hi+tolerance*best, ".optimum  # the law attains %.12g", best)
	if o.Objective() == optimize.Mean && delta.IsZero() {
		optimum.is(dual >= lo-tolerance*best, ".certificate  # the dual program gives %.12g alone", dual)
	}
}

// privacy recomputes the smallest ε and δ at half of it.
func (r *Report) privacy(ctx context.Context, m mechanism.Mechanism, d [][]float64, logs [][]float64) error {
	worst := 0.0
	pairs := func(visit func(x, y int)) {
		for x := range d {
			for y := range d {
				if d[x][y] > 0 && d[x][y] <= 1 {
					visit(x, y)
				}
			}
		}
	}
	pairs(func(x, y int) { worst = max(worst, largestLoss(logs[x], logs[y])) })
	account, err := privacy.Of(ctx, m)
	if err != nil {
		return err
	}
	epsilon, profile := r.part("smallest ε"), r.part("δ")
	for _, route := range []privacy.Profile{mechanism.Privacy(m), account} {
		printed, err := route.Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return err
		}
		epsilon.number(printed, worst, ".smallest_epsilon")
	}
	pairs(func(x, _ int) { epsilon.Cases += int64(len(logs[x])) })
	if claimed, ok := m.ClaimedEpsilon().(evidence.Claimed); ok {
		r.part("guarantee").is(worst <= claimed.Value*(1+tolerance), ".smallest_epsilon  # above the claim %g", claimed.Value)
	}
	if !(worst > 0 && worst < math.Inf(1)) {
		return nil
	}
	eps, err := evidence.NewEpsilon("eps", worst/2)
	if err != nil {
		return err
	}
	delta := 0.0
	pairs(func(x, y int) { delta = max(delta, hockeyStick(logs[x], logs[y], worst/2)) })
	printed, err := account.Delta(ctx, eps)
	if err != nil {
		return err
	}
	profile.number(printed, delta, ".delta_at(%v)", worst/2)
	return nil
}

// largestLoss returns the largest ln p/q over the outputs of p.
func largestLoss(p, q []float64) (worst float64) {
	for v := range p {
		if !math.IsInf(p[v], -1) {
			worst = max(worst, p[v]-q[v])
		}
	}
	return worst
}

// hockeyStick returns Σ max(0, p − e^ε q).
func hockeyStick(p, q []float64, eps float64) (sum float64) {
	for v := range p {
		if p[v] > q[v]+eps {
			sum += math.Exp(p[v]) - math.Exp(eps+q[v])
		}
	}
	return sum
}

// Laws recomputes the smallest ε and δ of an account from the laws of its outputs at every dataset, as lists of probabilities, and
// neighboring pairs. It returns an error where the account has no ε.
func Laws(ctx context.Context, a *privacy.Account, laws [][]float64, neighbors [][2]int) (*Report, error) {
	r := new(Report)
	law := r.part("probabilities")
	logs := make([][]float64, len(laws))
	for x, p := range laws {
		sum := 0.0
		for _, v := range p {
			sum += v
			logs[x] = append(logs[x], math.Log(v))
		}
		law.is(close(sum, 1), "  # the law at dataset %d sums to %.12g", x, sum)
	}
	worst := 0.0
	for _, e := range neighbors {
		worst = max(worst, largestLoss(logs[e[0]], logs[e[1]]), largestLoss(logs[e[1]], logs[e[0]]))
	}
	printed, err := a.Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return nil, err
	}
	found := r.part("smallest ε")
	if lo, _ := printed.Bounds(); a.IsBound() && lo > worst*(1+tolerance) {
		found.Verdict, found.Cases = evidence.Undecided, 1
	} else {
		found.number(printed, worst, ".smallest_epsilon")
		found.Cases = int64(len(neighbors) * len(laws[0]))
	}
	for _, share := range []float64{0, 0.5} {
		eps, err := evidence.NewEpsilon("eps", max(worst*share, 1e-3))
		if err != nil || math.IsInf(worst, 1) {
			return r, err
		}
		delta := 0.0
		for _, e := range neighbors {
			delta = max(delta, hockeyStick(logs[e[0]], logs[e[1]], eps.Value()), hockeyStick(logs[e[1]], logs[e[0]], eps.Value()))
		}
		printed, err := a.Delta(ctx, eps)
		if err != nil {
			return nil, err
		}
		if part := r.part(fmt.Sprintf("δ at ε = %.4g", eps.Value())); a.IsBound() {
			_, hi := printed.Bounds()
			part.is(delta <= hi*(1+tolerance), ".delta_at(%v)  # enumeration gives %.12g", eps, delta)
		} else {
			part.number(printed, delta, ".delta_at(%v)", eps)
		}
	}
	return r, nil
}

// Neighbors returns all ordered pairs of neighbors.
func Neighbors(s *query.Space) (out [][2]int) {
	for x := range s.Size() {
		for y := range s.Size() {
			if d := s.Distance(x, y); d > 0 && d <= 1 {
				out = append(out, [2]int{x, y})
			}
		}
	}
	return out
}

// MaxUses is how many uses a composition has at most that is recomputed.
const MaxUses = 24

// Composition recomputes an account of mechanisms on one universe, one for each use: a product of laws, output by output.
func Composition(ctx context.Context, a *privacy.Account, uses []mechanism.Mechanism) (*Report, error) {
	space := uses[0].Query().Space()
	cells := space.Size()
	for _, m := range uses {
		if cells *= len(m.Query().Range()); cells > maxCells || len(uses) > MaxUses {
			return nil, parameter.Errorf("the product has more than %d probabilities, or more than %d uses", maxCells, MaxUses)
		}
		if m.Query().Size() != space.Size() {
			return nil, parameter.Errorf("the uses are of universes of %d and %d datasets, want one universe", space.Size(), m.Query().Size())
		}
	}
	laws := make([][]float64, space.Size())
	for x := range laws {
		laws[x] = []float64{1}
		for _, m := range uses {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var longer []float64
			for _, p := range laws[x] {
				for v := range m.Query().Range() {
					longer = append(longer, p*math.Exp(m.LogProb(x, v)))
				}
			}
			laws[x] = longer
		}
	}
	return Laws(ctx, a, laws, Neighbors(space))
}
