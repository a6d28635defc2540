package repl

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/mechanism"
	"dpworkbench/mvg"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const compareSetup = "lq = linear_query([(0, 1), (10, 11)])\nc = compare(purest(lq, 0.5), staircase(lq, 1), laplace(lq, 1), at=1)\n"

var compareBuiltin = script.Func(`compare(*mechanisms: list, at: epsilon|"claimed"|"smallest"="claimed", eps: epsilons=None, delta: delta=None, signal: dense=None, sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits") -> comparison|strategy comparison`,
	`Compares mechanisms that answer the same question, given as arguments or as a list. They are mechanisms on one finite query, linear query or dataset of records, XOR laws of one shape, or MVG designs of one sensitivity set with their laplace_rival and, for Gram matrices, symmetric_gauss. c.rows and c.table() give the claimed ε, the exact ε, the error and the ratio to the first mechanism's error. The errors are: on finite queries, the mean and the largest expected distance over the datasets; on the line, E|noise| and E noise²; on records, the expected error and its 0.9-quantile; for designs, the standard deviation of an entry, and ln PNR if a signal covariance is given; for XOR laws, the fraction of flipped bits. With at="claimed" the mechanisms are compared unchanged. at="smallest" gives all of them the exact ε of the first one, at=1 the exact ε 1: the call that made a mechanism is repeated with another ε, found by a certified search, at which the exact ε is at most the target. A mechanism without such a parameter is an error, unless it already has that ε. eps=[…] does so for each ε. Every ε is at delta, by default the delta of the first design, else 0. sensitivity and neighbors are for XOR laws. For two mechanisms on finite queries c.ratios, c.better, c.mean, c.min and c.max compare them dataset by dataset. purest(q, e) and ladder(q, 2*e) claim the same ε. c.ratio_to_optimum compares the first one with the optimal mechanism at its smallest ε.`,
	querySetup+"c = compare(purest(q, 1), ladder(q, 2))\nprint(c.better, c.mean)\nprint(c.table())\n"+compareSetup+"print(c.table())", newComparison)

// comparison is a table of mechanisms. In a sweep the tables for each ε follow one another.
type comparison struct {
	rows  []entry
	kinds []string              // the kinds of error
	eps   []evidence.Epsilon    // the ε of a sweep; nil otherwise
	two   *mechanism.Comparison // nil unless two mechanisms on finite queries are compared
	first mechanism.Mechanism   // the first of the two
	ask   *asking
	of    []*script.Object
}

// entry is one mechanism in the table.
type entry struct {
	name           string
	claimed, exact starlark.Value
	errors, ratios map[string]starlark.Value // by kind; ratios are relative to the first mechanism
}

// comparand is what compare learns from a mechanism's class. Mechanisms that answer the same question share a table.
type comparand struct {
	question string
	errors   []measure
}

// measure is a kind of error and how it is computed for a mechanism.
type measure struct {
	kind string
	of   func(a *asking, m *script.Object) starlark.Value // nil if the call does not ask for this kind
}

// measured returns a measure that an attribute computes, or a method called with args.
func measured(kind, attribute string, args ...starlark.Value) measure {
	return measure{kind, func(a *asking, m *script.Object) starlark.Value { return a.attr(m, attribute, args...) }}
}

// comparedBy returns the function that answers compare for a class.
func comparedBy[T any](question func(v T) string, errors ...measure) func(*script.Call, T) (any, error) {
	return func(_ *script.Call, v T) (any, error) { return comparand{question(v), errors}, nil }
}

// distortions are the kinds of error of mechanisms on finite queries, momentsOf those of noise on the line or in the
// plane, and entryErrors those of noise on matrices.
var (
	distortions = []measure{measured("mean error", "expected_distortion"), {"worst error", worstDistortion}}
	momentsOf   = []measure{measured("mean error", "distortion"), measured("mean square", "second_moment")}
	entryErrors = []measure{measured("sd of an entry", "element_sd"), {"ln PNR", func(a *asking, m *script.Object) starlark.Value {
		if a.signal == starlark.None {
			return nil
		}
		return a.attr(m, "log_pnr", a.signal)
	}}}
)

func worstDistortion(a *asking, m *script.Object) starlark.Value {
	each := lists.Each(elements(a.c, "distortions", a.attr(m, "distortions"), "a list"), func(v starlark.Value) float64 {
		f, _ := starlark.AsFloat(v)
		return f
	})
	return a.attr(m, "distortion", starlark.MakeInt(slices.Index(each, slices.Max(each))))
}

func queryAnswered[T interface{ Query() *query.Query }](m T) string {
	return fmt.Sprintf("a query on %d datasets", m.Query().Size())
}

func sensitivityKept[T interface{ Sensitivity() mvg.Sensitivity }](m T) string {
	return m.Sensitivity().Describe()
}

func bitShape(rows, columns int) string { return fmt.Sprintf("bits of shape [%d %d]", rows, columns) }

func newComparison(c *script.Call) (any, error) {
	given := c.List("mechanisms")
	if len(given) == 1 {
		if inner, ok := script.Elements(given[0]); ok {
			given = inner
		}
	}
	if len(given) == 0 {
		c.Stop("no mechanism, want at least one")
	}
	if s, ok := compareStrategies(c, given); ok {
		return s, nil
	}
	ms, first := make([]*script.Object, len(given)), ""
	for i, v := range given {
		k, _ := v.(*script.Object)
		tells, ok := told(c, k)
		if !ok {
			c.Fail(fmt.Sprintf("mechanisms[%d]", i), v, "a mechanism on a finite query, a linear query or records, an MVG design or its Laplace rival, or an XOR law")
		}
		if ms[i], first = k, cmp.Or(first, tells.question); tells.question != first {
			c.Stop("mechanisms[%d] answers %s, want %s, as mechanisms[0] does", i, tells.question, first)
		}
	}
	a := &asking{c, c.Delta("delta"), c.Value("sensitivity"), c.Value("neighbors"), c.Value("signal")}
	if d, ok := ms[0].Inner().(*design); ok && !c.Given("delta") && d.delta != nil {
		a.delta = *d.delta
	}
	switch at := c.Arg("at").(type) {
	case evidence.Epsilon:
		ms = a.scaled(ms, at)
	case string:
		if c.Given("eps") {
			return a.sweep(ms, c.Epsilons("eps")), nil
		}
		if at == "smallest" {
			ms = append(ms[:1:1], a.scaled(ms[1:], a.target(ms[0]))...)
		}
	}
	return a.table(ms), nil
}

// told returns what compare learns from the class of a value.
func told(c *script.Call, v *script.Object) (tells comparand, ok bool) {
	if v != nil {
		tells, ok = must(v.Ask(c, "compare")).(comparand)
	}
	return tells, ok
}

// asking computes the numbers of mechanisms for one call.
type asking struct {
	c                              *script.Call
	delta                          evidence.Delta
	sensitivity, neighbors, signal starlark.Value
}

// attr returns an attribute, the result of the method of that name, or nil if v has neither.
func (a *asking) attr(v *script.Object, name string, args ...starlark.Value) starlark.Value {
	x, err := v.Attr(name)
	var missing starlark.NoSuchAttrError
	if errors.As(err, &missing) {
		return nil
	}
	f, method := must(x, err).(starlark.Callable)
	if !method {
		return x
	}
	var options []starlark.Tuple
	if _, bits := v.Inner().(xor.Noise); bits && strings.Contains(name, "epsilon") {
		options = []starlark.Tuple{{starlark.String("sensitivity"), a.sensitivity}, {starlark.String("neighbors"), a.neighbors}}
		if name == "claimed_epsilon" {
			options = options[:1]
		}
	}
	return must(starlark.Call(a.c.Thread, f, args, options))
}

// epsilon returns the exact ε at the call's δ.
func (a *asking) epsilon(m *script.Object) evidence.Number {
	var v starlark.Value
	if d, ok := m.Inner().(*design); a.delta.IsZero() || ok && d.delta != nil && d.delta.Equal(a.delta) {
		v = a.attr(m, "smallest_epsilon")
	}
	if v == nil {
		v = a.attr(m, "epsilon_at", starlark.String(a.delta.Rat().RatString()))
	}
	return v.(*script.Evidence).Number()
}

// target returns a mechanism's exact ε as a parameter. The logarithm of a rational number stays exact; any other ε is
// rounded up.
func (a *asking) target(m *script.Object) evidence.Epsilon {
	n := a.epsilon(m)
	if log, ok := n.(evidence.ExactLog); ok && log.Argument.Cmp(big.NewRat(1, 1)) > 0 {
		return must(evidence.LogEpsilon("eps", log.Argument))
	}
	_, hi := n.Bounds()
	if !(hi > 0 && hi < math.Inf(1)) {
		a.c.Stop("the exact ε of %s is %s, want a positive finite number for at = \"smallest\": give delta, or a number as at", script.Brief(m), evidence.Brief(n))
	}
	return must(evidence.NewEpsilon("eps", hi))
}

// scaled returns the mechanisms with another parameter, for which their exact ε is at most eps and as close to eps as a
// certified search comes.
func (a *asking) scaled(ms []*script.Object, eps evidence.Epsilon) []*script.Object {
	least, most := eps.Enclosure().Bounds()
	fits := func(m *script.Object) bool {
		lo, hi := a.epsilon(m).Bounds()
		return lo >= least*(1-1e-9) && hi <= most
	}
	return lists.Each(ms, func(m *script.Object) *script.Object {
		if fits(m) {
			return m
		}
		family := func(e evidence.Epsilon) (*script.Object, error) {
			v, ok, err := script.Remake(a.c, m, script.ToValue(e))
			if err != nil {
				return nil, err
			}
			if !ok {
				if v = a.attr(m, "scaled", starlark.Float(e.Value())); v == nil {
					a.c.Stop("%s has no parameter that scales its ε: leave it out, or compare with at = \"claimed\"", script.Brief(m))
				}
			}
			return v.(*script.Object), nil
		}
		const fine = 1e10 // a tight bound may have been rounded up a little
		// Many mechanisms have their parameter, or twice their parameter, as their exact ε. They need no search.
		for _, e := range []evidence.Epsilon{eps, eps.Ratio(fine-1, fine), eps.Ratio(1, 2), eps.Ratio(fine-1, 2*fine)} {
			if near, err := family(e); err == nil && fits(near) {
				return near
			}
		}
		out, _, err := optimize.CalibrateCurve(a.c.Context, family, func(m *script.Object) (evidence.Number, error) { return a.epsilon(m), nil }, eps)
		if errors.Is(err, optimize.ErrNotReached) { // perhaps the enclosure of the exact ε is too wide for CalibrateCurve
			out, err = optimize.CalibrateMonotone(a.c.Context, func(e float64) (*script.Object, error) {
				return family(must(evidence.NewEpsilon("eps", e)))
			}, func(m *script.Object) (lo, hi float64, err error) {
				lo, hi = a.epsilon(m).Bounds()
				return lo, hi, nil
			}, eps)
		}
		if err != nil {
			a.c.Stop("%s at exact ε = %v: %v", script.Brief(m), eps, err)
		}
		return out
	})
}

// sweep compares the mechanisms at each ε.
func (a *asking) sweep(ms []*script.Object, eps []evidence.Epsilon) *comparison {
	out := &comparison{eps: eps, ask: a, of: ms}
	for _, e := range eps {
		part := a.table(a.scaled(ms, e))
		out.rows, out.kinds = append(out.rows, part.rows...), part.kinds
	}
	return out
}

// table compares the given mechanisms without changing their ε.
func (a *asking) table(ms []*script.Object) *comparison {
	out := &comparison{ask: a, of: ms}
	for _, m := range ms {
		e := entry{script.Made(m), a.attr(m, "claimed_epsilon"), script.Known(a.epsilon(m)), a.errors(m), make(map[string]starlark.Value)}
		if named, ok := m.Inner().(interface{ Name() string }); ok {
			e.name = named.Name()
		}
		out.rows = append(out.rows, e)
		for _, kind := range []string{"mean error", "worst error", "mean square", "0.9-quantile", "sd of an entry", "ln PNR", "flip rate"} {
			if e.errors[kind] == nil {
				continue
			}
			if !slices.Contains(out.kinds, kind) {
				out.kinds = append(out.kinds, kind)
			}
			if first := out.rows[0].errors[kind]; first != nil {
				if ratio, err := starlark.Binary(syntax.SLASH, e.errors[kind], first); err == nil { // an error means that first is 0
					e.ratios[kind] = ratio
				}
			}
		}
	}
	if len(ms) == 2 {
		x, finite := script.Unwrap(ms[0], mechanismClass)
		if y, ok := script.Unwrap(ms[1], mechanismClass); ok && finite {
			two := must(mechanism.Compare(a.c.Context, x, y))
			out.two, out.first = &two, x
		}
	}
	return out
}

// errors returns the errors of a mechanism by kind.
func (a *asking) errors(m *script.Object) map[string]starlark.Value {
	out := make(map[string]starlark.Value)
	tells, _ := told(a.c, m)
	for _, e := range tells.errors {
		if v := e.of(a, m); v != nil {
			out[e.kind] = v
		}
	}
	return out
}
