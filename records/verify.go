package records

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// VerifyOptions describe the small universe: all datasets of a given number of records from a list of values, or
// all graphs on a given number of nodes.
type VerifyOptions struct {
	Records int
	Values  []float64
	Nodes   int
}

// Verdicts on layers and sensitivities.
const (
	exactly    = "exact"
	validBound = "valid bound"
	wrong      = "wrong"
)

// Finding is a dataset and a value whose layer is wrong.
type Finding struct {
	Dataset      Dataset
	Neighbor     *Dataset // nil if the layer differs from the distance
	Value        *big.Rat
	Layer, Other int // the wrong layer, and the distance or the neighbor's layer; −1 for none
}

// Gap is a wrong sensitivity at a dataset, or one that is claimed to be attained but is not.
type Gap struct {
	Dataset      Dataset
	Neighbor     *Dataset // nil if Other is a change of the value; Dataset itself if I_t decreases in t
	Changes      int      // the t of I_t, or −1 for the global sensitivity
	Bound, Other *big.Rat // I_t or the global sensitivity; and the largest change within t changes, or the neighbor's I_{t−1}
}

// Verification is the result of testing a query's layers and sensitivities, and a mechanism built on them, on a
// small universe.
type Verification struct {
	Datasets  int
	Pairs     int64
	Verdict   string           // "exact", "valid bound" or "wrong", for the layers
	Strict    int              // number of (dataset, value) pairs whose layer is below the distance
	Compared  int              // number of (dataset, value) pairs whose distance this universe determines, including infinite distances
	Local     string           // "exact", "valid bound" or "wrong", for the local sensitivities at all distances; "" if there are none
	Global    string           // "exact", "valid bound" or "wrong", for the global sensitivity
	Gap       *Gap             // a sensitivity that is wrong, or claimed to be attained but is not
	Distance  *Finding         // a layer above the distance, or claimed to be the distance but is not
	Lipschitz *Finding         // layers of neighbors that differ by more than 1
	Mechanism string           // the mechanism built at every dataset
	Smallest  evidence.Number  // smallest ε of the mechanism over all neighbors
	Claimed   evidence.Number  // ε that the mechanism claims
	Keeps     evidence.Verdict // confirmed if Smallest is at most Claimed, up to a relative 10⁻⁹ if both agree that closely, and nothing is wrong
	Scope     string
	Options   VerifyOptions

	changes int      // number of local sensitivities compared
	own     bool     // the layers are the mechanism's own, not its query's
	names   []string // names of categories, nil for numbers
}

// Verify lists a small universe. At every dataset it builds the query, and the mechanism that `of` returns for this
// query, with the same code. It then makes these comparisons:
//
//   - layers with the distances found by searching the universe: layers must equal the distances if they are claimed
//     to be exact, and may not exceed them otherwise;
//   - layers of neighbors with each other;
//   - the global sensitivity, and local ones at every distance, with the largest changes between neighbors, and with
//     each other;
//   - the smallest ε over all neighbors with the claim.
//
// It returns an error wrapping evidence.ErrParameter if the universe is too large or the query cannot be built
// again.
func Verify(ctx context.Context, q *Query, of func(q *Query) (Law, error), o VerifyOptions) (*Verification, error) {
	u, err := universeOf(ctx, q, o)
	if err != nil {
		return nil, err
	}
	queries, values, err := atAllDatasets(ctx, q, u, o)
	if err != nil {
		return nil, err
	}
	laws := make([]Law, len(queries))
	for x := range laws {
		if x%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if laws[x], err = of(queries[x]); err != nil {
			return nil, fmt.Errorf("at dataset %s: %w", u.show(x), err)
		}
		if laws[x].Query() != queries[x] {
			return nil, parameter.Errorf("at dataset %s: the mechanism answers %s, want %s", u.show(x), laws[x].Query().Name(), queries[x].Name())
		}
	}
	v := &Verification{Datasets: len(u.data), Pairs: u.space.Pairs(), Mechanism: laws[0].Name(), Claimed: laws[0].ClaimedEpsilon(), Scope: u.scope, Options: o}
	if err := v.compare(ctx, u, queries, laws, values); err != nil {
		return nil, err
	}
	if err := v.sensitivities(ctx, u, queries); err != nil {
		return nil, err
	}
	if l := queries[0].listed; l != nil {
		v.names = l.names
	}
	v.combineVerdicts(q.custom != nil)
	return v, nil
}

// Disagreement returns the dataset of the first disagreement and a script expression that shows it. The expression is
// the call that follows the query, or the mechanism if own is true, with the result after #. line is "" if there is no
// disagreement.
func (v *Verification) Disagreement() (at Dataset, line string, own bool) {
	layer := func(t int) string {
		if t < 0 {
			return "none"
		}
		return fmt.Sprint(t)
	}
	w, g := v.Lipschitz, v.Gap
	if w == nil || v.Distance != nil {
		w = v.Distance
	}
	switch {
	case w != nil:
		value := text(w.Value)
		if v.names != nil {
			value = fmt.Sprintf("%q", v.names[w.Value.Num().Int64()])
		}
		what := "where the distance is " + layer(w.Other)
		if w.Neighbor != nil {
			what = fmt.Sprintf("where the neighbor %s has %s", w.Neighbor, layer(w.Other))
		}
		return w.Dataset, fmt.Sprintf(".layer(%s)  # %s, %s", value, layer(w.Layer), what), v.own
	case g == nil:
		return at, "", false
	case g.Changes < 0:
		line = fmt.Sprintf(".global_sensitivity  # %s, where a neighbor moves by %s", text(g.Bound), text(g.Other))
	case g.Neighbor == nil:
		line = fmt.Sprintf(".local_sensitivity(%d)  # %s, where a neighbor within as many changes moves by %s", g.Changes, text(g.Bound), text(g.Other))
	default:
		line = fmt.Sprintf(".local_sensitivity(%d)  # %s, where the neighbor %s has %s at %d", g.Changes, text(g.Bound), g.Neighbor, text(g.Other), g.Changes-1)
	}
	return g.Dataset, line, false
}

// Outcome returns refuted if a part is wrong or the claim is refuted, and otherwise the verdict on the claim.
func (v *Verification) Outcome() evidence.Verdict {
	if v.Verdict == wrong || v.Local == wrong || v.Global == wrong {
		return evidence.Refuted
	}
	return v.Keeps
}

// Cases returns the number of layers, local sensitivities and pairs of neighbors that were compared.
func (v *Verification) Cases() int64 { return int64(v.Compared+v.changes) + v.Pairs }

// atAllDatasets builds the query at every dataset, and lists its range.
func atAllDatasets(ctx context.Context, q *Query, u *universe, o VerifyOptions) (out []*Query, values []*big.Rat, err error) {
	out = make([]*Query, len(u.data))
	if q.custom != nil {
		for x, d := range u.data {
			v, err := q.custom.Value(d)
			if err != nil {
				return nil, nil, err
			}
			if x%64 == 0 && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			values = append(values, v)
		}
		values = query.Distinct(values)
	}
	for x, d := range u.data {
		if x%64 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			parallel.Report(ctx, int64(x), int64(len(u.data)), "datasets")
		}
		switch {
		case q.custom != nil:
			out[x], err = q.custom.on(d, "own query", Range{}, values, q.neighbors)
		case d.Nodes > 0:
			out[x], err = q.again.graph(d.Nodes, d.Edges)
		default:
			out[x], err = q.again.records(d.Records, o.Values)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("at dataset %s: %w", u.show(x), err)
		}
	}
	if q.custom != nil {
		return out, values, nil
	}
	if l := out[0].listed; l != nil {
		return out, l.values, nil
	}
	if list, err := out[0].rng.list(); err == nil && len(list) <= 1<<12 {
		return out, list, nil
	}
	return out, query.Distinct(lists.Each(out, func(q *Query) *big.Rat { return q.value })), nil
}

// compare makes the comparisons of Verify and sets the results of v.
func (v *Verification) compare(ctx context.Context, u *universe, queries []*Query, laws []Law, values []*big.Rat) error {
	size := len(values)
	at := make(map[string]int, size)
	for r, value := range values {
		at[value.RatString()] = r
	}
	seeds := make([]query.Seed, len(queries))
	for x, q := range queries {
		r, ok := at[q.value.RatString()]
		if !ok {
			return fmt.Errorf("the value %s at dataset %s is not in the range %s", text(q.value), u.show(x), q.rng)
		}
		seeds[x] = query.Seed{Dataset: x, Value: r}
	}
	table, err := u.space.DistanceTransform(ctx, size, seeds)
	if err != nil {
		return err
	}
	distance := table.Cells()
	layer, err := layersOf(ctx, laws, values)
	if err != nil {
		return err
	}
	v.compareLayers(u, queries, laws[0], values, layer, distance)
	m, err := finite(ctx, u, laws, values, layer)
	if err != nil {
		return err
	}
	return v.privacy(ctx, m, laws[0])
}

// layersOf returns the layers of the values at every dataset, row by row.
func layersOf(ctx context.Context, laws []Law, values []*big.Rat) ([]int32, error) {
	out := make([]int32, 0, len(laws)*len(values))
	for x, m := range laws {
		if x%16 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, value := range values {
			t, err := layerOf(m, m.Query(), value)
			if err != nil {
				return nil, err
			}
			out = append(out, int32(t))
		}
	}
	return out, nil
}

// layerOf returns the layer of a value in the mechanism if it has layers, and in its query otherwise.
func layerOf(m Law, q *Query, r *big.Rat) (int, error) {
	if l, ok := m.(*Layered); ok && q.listed == nil {
		return q.layerAt(l.moves, l.radius, r), q.Failed()
	}
	if q.listed != nil {
		return q.listed.layer(r), nil
	}
	return q.layerAt(q.moves, new(big.Rat), r), q.Failed()
}

// compareLayers compares the layers with distances, and with the layers of neighbors.
func (v *Verification) compareLayers(u *universe, queries []*Query, m Law, values []*big.Rat, layer, distance []int32) {
	size := len(values)
	exact := queries[0].exact
	if l, ok := m.(*Layered); ok {
		v.own, exact = true, exact && l.plain
	}
	equal := true
	for x := range queries {
		records := len(u.data[x].Records)
		for r := range values {
			have, want := layer[x*size+r], distance[x*size+r]
			known := u.cap == 0 || have >= 0 && records+int(have) <= u.cap
			taken := want != query.Unreached // whether some dataset of this universe has the value
			if !taken && !known {
				continue
			}
			v.Compared++
			if have == want {
				continue
			}
			above := taken && (have > want || have == query.Unreached)
			if !above && known {
				v.Strict++
				equal = false
			}
			if v.Distance == nil && (above || exact && known) {
				v.Distance = &Finding{Dataset: u.data[x], Value: values[r], Layer: int(have), Other: int(want)}
			}
		}
		for _, y := range u.space.Neighbors(x) {
			for r := range values {
				a, b := layer[x*size+r], layer[int(y)*size+r]
				if v.Lipschitz == nil && (b-a > 1 || (a < 0) != (b < 0)) {
					v.Lipschitz = &Finding{u.data[x], &u.data[y], values[r], int(a), int(b)}
				}
			}
		}
	}
	above := v.Distance != nil && v.Distance.Other >= 0 && (v.Distance.Layer > v.Distance.Other || v.Distance.Layer < 0)
	switch {
	case above || v.Lipschitz != nil:
		v.Verdict = wrong
	case v.Distance != nil && exact:
		v.Verdict = validBound
	case equal:
		v.Verdict = exactly
	default:
		v.Verdict = validBound
	}
}

// combineVerdicts combines the verdicts on all parts. If one part is wrong, no claim is confirmed and no theorem is
// cited. Custom queries have no theorem.
func (v *Verification) combineVerdicts(own bool) {
	bad := v.Verdict == wrong || v.Local == wrong || v.Global == wrong
	if bad && v.Keeps == evidence.Confirmed {
		v.Keeps = evidence.Undecided
	}
	switch {
	case bad || v.Keeps == evidence.Refuted || v.Keeps == evidence.Undecided:
	case own:
		v.Scope += "; for other datasets it depends on the given functions"
	default:
		v.Scope += "; for other datasets it is a theorem"
	}
}

// privacy finds the smallest ε of the mechanism on the universe.
func (v *Verification) privacy(ctx context.Context, m mechanism.Mechanism, law Law) (err error) {
	if v.Smallest, err = mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}); err != nil {
		return err
	}
	claimed, ok := v.Claimed.(evidence.Claimed)
	if s, smoothed := law.(*Smooth); smoothed && !s.by.Delta.IsZero() {
		delta, err := mechanism.Privacy(m).Delta(ctx, claimed.Epsilon)
		if err != nil {
			return err
		}
		_, hi := delta.Bounds()
		v.Keeps = evidence.Undecided
		if least, most := s.by.Delta.Bounds(); hi <= least {
			v.Keeps = evidence.Confirmed
		} else if lo, _ := delta.Bounds(); lo > most {
			v.Keeps = evidence.Refuted
		}
		return nil
	}
	if !ok || claimed.Epsilon.IsZero() {
		return nil
	}
	if v.Keeps = mechanism.AtMost(v.Smallest, claimed.Epsilon); v.Keeps == evidence.Undecided {
		if _, hi := v.Smallest.Bounds(); hi <= claimed.Value*(1+1e-9) {
			v.Keeps = evidence.Confirmed
		}
	}
	return nil
}
