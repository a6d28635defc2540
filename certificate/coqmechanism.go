package certificate

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// coqLargest bounds the number of probabilities and that of ordered pairs of neighbors. Beyond it, Coq takes longer
// than minutes.
const coqLargest = 1 << 14

// coqMechanism is a mechanism with rational probabilities, and the proofs about its law.
type coqMechanism struct {
	m     mechanism.Mechanism
	q     *query.Query
	laws  [][]*big.Rat
	query *coqQuery
	rule  *coqRule // nil if only the table is stated
}

// coqQuery is a query in Coq, with a comment for readers.
type coqQuery struct {
	text  string
	about []string
}

// coqRule states that a rule of Mechanism.v gives the law: the statement with its proof, and the definitions that they
// use.
type coqRule struct {
	goal   coqGoal
	define [][2]string
}

// newCoqMechanism returns the mechanism with its laws, query and rule in Coq.
func newCoqMechanism(ctx context.Context, m mechanism.Mechanism) (*coqMechanism, error) {
	c := &coqMechanism{m: m, q: m.Query()}
	n, pairs := c.q.Size()*len(c.q.Range()), 2*c.q.Space().Pairs()
	if n > coqLargest || pairs > coqLargest {
		return nil, parameter.Errorf("%s has no Coq file: %d probabilities and %d ordered pairs of neighbors, want at most %d of each", m.Name(), n, pairs, coqLargest)
	}
	if c.laws = mechanism.RationalLaws(m); c.laws == nil {
		return nil, parameter.Errorf("%s has no Coq file: its probabilities are not known to be rational", m.Name())
	}
	var err error
	if c.query, err = newCoqQuery(ctx, c.q); err != nil {
		return nil, err
	}
	c.rule, err = c.law(ctx)
	return c, err
}

// file begins a file about the mechanism. The theorem's first parts state that the table is a law, and which rule gives
// it.
func (c *coqMechanism) file(says string, args ...any) *CoqFile {
	f := &CoqFile{says: fmt.Sprintf(says, args...), query: c.query}
	rows := lists.Of(len(c.laws), func(x int) string { return coqRow(c.laws[x]) })
	f.define("m : Workbench.Mechanism.mechanism", "Workbench.Mechanism.table [\n  %s]%%Z", strings.Join(rows, ";\n  "))
	f.prove("Workbench.Mechanism.law q m", "apply Workbench.Checks.law_sound")
	if c.rule != nil {
		for _, d := range c.rule.define {
			f.define(d[0], "%s", d[1])
		}
		f.goals = append(f.goals, c.rule.goal)
	}
	return f
}

// newCoqQuery encodes a query.
func newCoqQuery(ctx context.Context, q *query.Query) (*coqQuery, error) {
	var pairs, values, rng []string
	names := q.Size() > 0 && q.Space().Dataset(0).Name != nil
	var datasets []string
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, y := range q.Space().Neighbors(x) {
			if int(y) > x {
				pairs = append(pairs, fmt.Sprintf("(%d, %d)", x, y))
			}
		}
		if names {
			datasets = append(datasets, fmt.Sprintf("%d: %s", x, q.Space().Dataset(x)))
		}
	}
	edges := "[" + wrap(pairs, "; ", 4) + "]%nat"
	out := &coqQuery{about: []string{fmt.Sprintf("The query is %s.", q.Name())}}
	if names {
		out.about = append(out.about, "Its datasets are "+wrap(datasets, ", ", 3)+".")
	}
	numbers := true
	for _, v := range q.Range() {
		_, ok := query.RationalOf(v)
		numbers = numbers && ok
	}
	metric, err := metricOf(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	if metric == "abs" {
		for _, v := range q.Values() {
			n, _ := query.RationalOf(v)
			values = append(values, coqRational(n))
		}
		for _, v := range q.Range() {
			n, _ := query.RationalOf(v)
			rng = append(rng, coqRational(n))
		}
		out.text = fmt.Sprintf("Workbench.Mechanism.numeric\n   [%s]\n   [%s]\n   %s", wrap(values, "; ", 4), wrap(rng, "; ", 4), edges)
		return out, nil
	}
	var inRange []string
	for r, v := range q.Range() {
		inRange = append(inRange, fmt.Sprintf("%d: %s", r, v))
		row := lists.Of(len(q.Range()), func(s int) string { return coqRational(q.Metric().Rational(r, s)) })
		rng = append(rng, "["+strings.Join(row, "; ")+"]")
	}
	out.about = append(out.about, "The places of its range are "+wrap(inRange, ", ", 3)+".")
	for x := range q.Size() {
		values = append(values, fmt.Sprint(q.ValueIndex(x)))
	}
	out.text = fmt.Sprintf("Workbench.Mechanism.named\n   [%s]%%nat\n   [%s]\n   %s", wrap(values, "; ", 4), strings.Join(rng, ";\n    "), edges)
	return out, nil
}

// law returns the rule of Mechanism.v that defines the mechanism's law, or nil if there is none.
func (c *coqMechanism) law(ctx context.Context) (*coqRule, error) {
	layered, ok := c.m.(interface {
		Layer(x, r int) int
		Decay() evidence.Epsilon
	})
	if !ok || !c.q.Space().IsPath() { // Mechanism.v defines d̄ as the length of a path
		return nil, nil
	}
	z, ok := layered.Decay().RationalDecay()
	if !ok {
		return nil, nil
	}
	known, err := lawOf(ctx, c.m)
	if err != nil {
		return nil, err
	}
	rule := known["rule"]
	levels, ok := c.levels(layered.Layer)
	if !ok {
		return nil, nil
	}
	defined := [][2]string{{"levels_of_m : Workbench.Layers.levels", levels}}
	switch rule {
	case "purest":
		return &coqRule{coqGoal{"Workbench.Mechanism.purest q " + coqRational(z) + " m", "apply Workbench.Layers.purest_sound with (l := levels_of_m)"}, defined}, nil
	case "layered":
		defined = append(defined, [2]string{"initial : list (nat * nat * nat)", c.initial()})
		return &coqRule{coqGoal{"Workbench.Mechanism.layered q " + coqRational(z) + " initial m", "apply Workbench.Layers.layered_sound with (l := levels_of_m)"}, defined}, nil
	case "ladder":
		widths, last := c.widths()
		defined = append(defined, [2]string{"widths : list (list Q)", widths})
		by := fmt.Sprintf("apply Workbench.Layers.ladder_sound with (widths := widths) (last := %d%%nat) (l := levels_of_m)", last)
		return &coqRule{coqGoal{"Workbench.Mechanism.ladder q " + coqRational(z) + " m", by}, defined}, nil
	}
	return nil, nil
}

// deepest bounds the levels in a file, because Coq counts them in unary numbers.
const deepest = 1000

// levels encodes levels; ok is false if one is too large.
func (c *coqMechanism) levels(level func(x, r int) int) (string, bool) {
	all := true
	for x := range c.laws {
		for r := range c.laws[x] {
			l := level(x, r)
			all = all && l != query.Unreached
			if l > deepest {
				return "", false
			}
		}
	}
	rows := make([]string, len(c.laws))
	for x := range c.laws {
		row := make([]string, len(c.laws[x]))
		for r := range row {
			switch l := level(x, r); {
			case all:
				row[r] = fmt.Sprint(l)
			case l == query.Unreached:
				row[r] = "None"
			default:
				row[r] = fmt.Sprintf("Some %d", l)
			}
		}
		rows[x] = "[" + strings.Join(row, "; ") + "]"
	}
	text := "[\n  " + strings.Join(rows, ";\n  ") + "]%nat"
	if all {
		text = "Workbench.Layers.all_reached " + text
	}
	return text, true
}

// initial encodes the initial values of a layered mechanism as triples: dataset, layer, and index of the value.
func (c *coqMechanism) initial() string {
	var triples []string
	for x, at := range c.m.(*layers.Mechanism).Sets().At {
		for _, i := range slices.Sorted(maps.Keys(at)) {
			for _, r := range at[i] {
				triples = append(triples, fmt.Sprintf("(%d, %d, %d)", x, i, r))
			}
		}
	}
	return "[" + wrap(triples, "; ", 3) + "]%nat"
}

// widths encodes the Ladder's local sensitivities I_0, …, I_last of every dataset. From I_last on they are constant at
// every dataset.
func (c *coqMechanism) widths() (text string, last int) {
	now := make([]*big.Rat, c.q.Size())
	for x := range now {
		now[x] = new(big.Rat)
		for _, y := range c.q.Space().Neighbors(x) {
			now[x] = larger(now[x], c.q.Metric().Rational(c.q.ValueIndex(x), c.q.ValueIndex(int(y))))
		}
	}
	rows := make([][]string, len(now))
	for ; ; last++ {
		next, grows := slices.Clone(now), false
		for x := range now {
			rows[x] = append(rows[x], coqRational(now[x]))
			for _, y := range c.q.Space().Neighbors(x) {
				next[x] = larger(next[x], now[y])
			}
			grows = grows || next[x].Cmp(now[x]) != 0
		}
		if !grows {
			break
		}
		now = next
	}
	lines := make([]string, len(rows))
	for x, row := range rows {
		lines[x] = "[" + strings.Join(row, "; ") + "]"
	}
	return "[\n  " + strings.Join(lines, ";\n  ") + "]", last
}

func larger(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

// stands returns for each value the first kept value that is at least as close to every f(x), or −1 if there is none.
// For a kept value it returns the value itself.
func (c *coqMechanism) stands(kept []int) []int {
	out := make([]int, len(c.q.Range()))
	for r := range out {
		out[r] = -1
		if slices.Contains(kept, r) {
			out[r] = r
			continue
		}
		for _, s := range kept {
			nearer := true
			for x := range c.q.Size() {
				at := c.q.ValueIndex(x)
				if nearer = c.q.Metric().Rational(at, s).Cmp(c.q.Metric().Rational(at, r)) <= 0; !nearer {
					break
				}
			}
			if nearer {
				out[r] = s
				break
			}
		}
	}
	return out
}

// coqWitness is an ordered pair of neighbors, with a value's index or an excess if needed.
type coqWitness struct {
	x, y, r int
	by      *big.Rat
}

// pairs visits all ordered pairs of neighbors.
func (c *coqMechanism) pairs(ctx context.Context, visit func(x, y int)) error {
	for x := range c.q.Size() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, y := range c.q.Space().Neighbors(x) {
			visit(x, int(y))
		}
	}
	return nil
}

// ratio returns the least w ≥ 1 that bounds every ratio of probabilities, with a witness if w > 1. w is nil if a ratio
// is infinite.
func (c *coqMechanism) ratio(ctx context.Context) (w *big.Rat, at coqWitness, err error) {
	w = big.NewRat(1, 1)
	err = c.pairs(ctx, func(x, y int) {
		for r, p := range c.laws[x] {
			switch other := c.laws[y][r]; {
			case w == nil || p.Sign() == 0:
			case other.Sign() == 0:
				w, at = nil, coqWitness{x: x, y: y, r: r}
			default:
				if quotient := new(big.Rat).Quo(p, other); quotient.Cmp(w) > 0 {
					w, at = quotient, coqWitness{x: x, y: y, r: r}
				}
			}
		}
	})
	return w, at, err
}

// excess returns the ordered pair of neighbors with the largest δ at w = e^ε, and that δ.
func (c *coqMechanism) excess(ctx context.Context, w *big.Rat) (at coqWitness, err error) {
	at.by = new(big.Rat)
	err = c.pairs(ctx, func(x, y int) {
		sum := new(big.Rat)
		for r, p := range c.laws[x] {
			if more := new(big.Rat).Mul(w, c.laws[y][r]); p.Cmp(more) > 0 {
				sum.Add(sum, more.Sub(p, more))
			}
		}
		if sum.Cmp(at.by) > 0 {
			at = coqWitness{x: x, y: y, by: sum}
		}
	})
	return at, err
}

// distortion returns Σ_r p^x(r) d(f(x), r).
func (c *coqMechanism) distortion(x int) *big.Rat {
	sum := new(big.Rat)
	for r, p := range c.laws[x] {
		sum.Add(sum, new(big.Rat).Mul(p, c.q.Metric().Rational(c.q.ValueIndex(x), r)))
	}
	return sum
}
