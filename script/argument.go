package script

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/internal/nearest"
	"dpworkbench/internal/parameter"

	"go.starlark.net/starlark"
)

// Kind is the type of a parameter, by its name in declarations.
type Kind struct {
	Name  string
	Words func() []string                                  // the allowed words; nil if there is no list
	Read  func(c *Call, name string, v starlark.Value) any // stops the call if v is not of this kind
}

// Words returns the kind whose values are the strings that words returns.
func Words(name string, words func() []string) Kind {
	return Kind{name, words, func(c *Call, parameter string, v starlark.Value) any {
		s, _ := starlark.AsString(v)
		known := words()
		if slices.Contains(known, s) {
			return s
		}
		want := `"` + strings.Join(known, `", "`) + `"`
		if i := strings.LastIndex(want, ", "); i >= 0 {
			want = want[:i] + " or " + want[i+2:]
		}
		c.Fail(parameter, v, want+nearest.Hint(s, known))
		return nil
	}}
}

// KindOf returns the kind whose values read converts or rejects.
func KindOf[T any](name string, read func(c *Call, name string, v starlark.Value) T) Kind {
	return Kind{Name: name, Read: func(c *Call, name string, v starlark.Value) any { return read(c, name, v) }}
}

// KindOfList returns the kind of lists whose elements read converts or rejects.
func KindOfList[T any](name string, read func(c *Call, name string, v starlark.Value) T) Kind {
	return KindOf(name, func(c *Call, name string, v starlark.Value) []T {
		return ListOf(c, name, v, func(name string, v starlark.Value) T { return read(c, name, v) })
	})
}

// standardKinds returns the kinds that every session knows. A declaration may put a range after "number" or "int":
// int[1..10], number[0..1], int[0..].
func standardKinds() []Kind {
	text := reader("a string", starlark.AsString)
	return []Kind{
		{Name: "value", Read: func(_ *Call, _ string, v starlark.Value) any { return v }}, // the built-in itself converts it
		KindOf("number", (*Call).floatOf),
		KindOf("finite", (*Call).finiteOf),
		KindOf("choice", (*Call).choiceOf),
		KindOf("rational_choice", (*Call).rationalChoiceOf),
		KindOf("level", (*Call).levelOf),
		KindOf("positive", (*Call).positiveOf),
		KindOf("int", (*Call).IntOf),
		KindOf("bool", (*Call).boolOf),
		KindOf("string", text),
		KindOf("rational", (*Call).RationalOf),
		KindOf("epsilon", (*Call).epsilonOf),
		KindOf("epsilon0", (*Call).EpsilonOrZeroOf),
		KindOf("delta", (*Call).deltaOf),
		KindOf("delta0", (*Call).deltaOrZeroOf),
		KindOf("deviation", (*Call).deviationOf),
		KindOf("upper", (*Call).upperOf),
		KindOf("seed", (*Call).seedOf),
		KindOf("function", reader("a function", func(v starlark.Value) (starlark.Callable, bool) { f, ok := v.(starlark.Callable); return f, ok })),
		KindOf("none", reader("None", func(v starlark.Value) (any, bool) { return nil, v == starlark.None })),
		KindOf("list", reader("a list", Elements)),
		KindOfList("numbers", (*Call).floatOf),
		KindOfList("choices", (*Call).choiceOf),
		KindOfList("rationals", (*Call).RationalOf),
		KindOfList("epsilons", (*Call).EpsilonOrZeroOf),
		KindOfList("ints", (*Call).IntOf),
		KindOfList("strings", text),
		KindOfList("pairs", (*Call).PairOf),
		KindOf("rows", (*Call).rowsOf),
		KindOf("rational_rows", func(c *Call, name string, v starlark.Value) any { return RowsOf(c, name, v, c.RationalOf) }),
		KindOf("matrix", (*Call).MatrixOf),
		KindOf("named_rows", (*Call).namedRowsOf),
		KindOfList("matrices", (*Call).MatrixOf),
	}
}

// kind returns the kind that a declaration names: a name with or without a range, words in quotes, or alternatives
// separated by bars (see either).
func (s *Session) kind(text string) Kind {
	k, ok := s.kinds.Load(text)
	if !ok {
		k = s.newKind(cmp.Or(text, "value"))
		s.kinds.Store(text, k)
	}
	return k.(Kind)
}

func (s *Session) newKind(text string) Kind {
	var kinds []Kind
	var words []string
	parts := splitTopLevel(text, '|')
	for _, p := range parts {
		if p[0] == '"' {
			words = append(words, strings.Trim(p, `"`))
		} else if len(parts) > 1 {
			kinds = append(kinds, s.kind(p))
		}
	}
	if words != nil {
		kinds = append(kinds, Words(text, func() []string { return words }))
	}
	if len(kinds) > 0 {
		return either(text, kinds)
	}
	name, bounds, ranged := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	if ranged {
		return rangedKind(name, bounds)
	}
	for _, k := range slices.Concat(standardKinds(), s.vocabulary.Kinds) {
		if k.Name == name {
			return k
		}
	}
	if t := s.typeOf(name); t != nil {
		return t.kind()
	}
	panic(fmt.Sprintf("script: no kind of parameter is called %q", text))
}

// rangedKind returns the kind of numbers or integers between two ends.
func rangedKind(name, bounds string) Kind {
	from, to, _ := strings.Cut(bounds, "..")
	switch name {
	case "int":
		lo, err1 := strconv.Atoi(cmp.Or(from, strconv.Itoa(math.MinInt)))
		hi, err2 := strconv.Atoi(cmp.Or(to, strconv.Itoa(math.MaxInt)))
		if err1 == nil && err2 == nil {
			return KindOf(name, func(c *Call, name string, v starlark.Value) int { return c.intOf(name, v, lo, hi) })
		}
	case "number", "choice", "upper":
		lo, err1 := strconv.ParseFloat(from, 64)
		hi, err2 := strconv.ParseFloat(to, 64)
		if err1 == nil && err2 == nil {
			want := fmt.Sprintf("a number in [%g, %g]", lo, hi)
			within := func(f float64) bool { return f >= lo && f <= hi }
			read := func(c *Call, name string, v starlark.Value) float64 { return c.floatWhere(name, v, want, within) }
			switch name {
			case "choice":
				read = (*Call).choiceOf
			case "upper":
				read = (*Call).upperOf
			}
			return KindOf(name, func(c *Call, name string, v starlark.Value) float64 {
				f := read(c, name, v)
				if !within(f) {
					c.Fail(name, v, want)
				}
				return f
			})
		}
	}
	panic(fmt.Sprintf("script: range %q of a %s", bounds, name))
}

// either returns the kind that tries several kinds in order, words last. If none fits, the error is that of the kind
// which read furthest into the value. If several read equally far, the error lists what each of them wants.
func either(text string, kinds []Kind) Kind {
	return Kind{Name: text, Words: kinds[len(kinds)-1].Words, Read: func(c *Call, name string, v starlark.Value) any {
		var furthest error
		var wants []string
		for _, k := range kinds {
			x, err := attempt(c, k, name, v)
			if err == nil {
				return x
			}
			a, b := placeOf(err), placeOf(furthest)
			further := cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
			if further > 0 {
				wants = nil
			}
			if bad := new(parameter.Error); errors.As(err, &bad) && a == name && bad.Want != "" {
				wants = append(wants, bad.Want)
			}
			if further >= 0 { // always true for the first error
				furthest = err
			}
		}
		if len(wants) > 1 && placeOf(furthest) == name && Inexact(v) == "" {
			c.Fail(name, v, strings.Join(slices.Compact(wants), " or "))
		}
		Refuse(furthest)
		return nil
	}}
}

// placeOf returns the place in an argument that an error is about, such as x[3]. The longer of two places was read
// later, and of two equally long places the one that sorts last.
func placeOf(err error) string {
	var bad *parameter.Error
	if errors.As(err, &bad) {
		return bad.Name
	}
	return ""
}

// attempt reads a value as one of a kind.
func attempt(c *Call, k Kind, name string, v starlark.Value) (x any, err error) {
	defer func() {
		if r := recover(); r != nil {
			bad, ok := r.(badArgument)
			if !ok {
				panic(r)
			}
			err = bad.err
		}
	}()
	return k.Read(c, name, v), nil
}

// readArguments converts every argument by the kind of its parameter. If the default of a parameter is None, the
// argument None is not converted.
func (c *Call) readArguments() {
	if c.declaration == nil {
		return
	}
	c.read = make([]any, len(c.values))
	for i, p := range c.declaration.params {
		if i < len(c.values) && !(c.values[i] == starlark.None && p.fallback == starlark.None) {
			c.read[i] = c.Session.kind(p.kind).Read(c, p.name, c.values[i])
		}
	}
}

// Arg returns the argument of the named parameter as converted by the parameter's kind, or nil for None.
func (c *Call) Arg(name string) any { return c.read[c.find(name)] }

// arg returns the argument that Arg returns as a T, or the zero value for None. The parameter's kind must convert to T.
func arg[T any](c *Call, name string) T {
	x := c.Arg(name)
	if x == nil {
		return *new(T)
	}
	return x.(T)
}

// Vet requires that parameters with the names in takesFractions accept fractions such as "1/1000". The kinds in
// takesFloats do not accept fractions.
var (
	takesFractions = regexp.MustCompile(`^(eps|epsilon|delta|sigma|s2|rate|noise_multiplier|tv|alpha|tau|budget|power|confidence|probability|p|q)$`)
	takesFloats    = regexp.MustCompile(`^(number|finite|positive)\b`)
)

// Vet returns the faults of the vocabulary's declarations: parameters without a kind or with an unknown one, results of
// an unknown type, and parameters that should take fractions but do not.
func (s *Session) Vet() (faults []string) {
	for name, d := range s.Manual() {
		if d == nil || languageDocs()[name] != nil {
			continue
		}
		declared := d.declared()
		for _, p := range declared.params {
			if err := s.vetKind(p.kind); err != "" {
				faults = append(faults, fmt.Sprintf("%s: parameter %s %s", name, p.name, err))
			}
			if takesFractions.MatchString(p.name) && slices.ContainsFunc(splitTopLevel(p.kind, '|'), takesFloats.MatchString) {
				faults = append(faults, fmt.Sprintf("%s: parameter %s of kind %s takes no fraction", name, p.name, p.kind))
			}
		}
		if strings.HasPrefix(name, "type ") && !strings.Contains(name, ".") {
			continue // a class
		}
		for _, t := range declared.results() {
			if s.typeOf(t) == nil && !slices.Contains(plainReturns, t) {
				faults = append(faults, fmt.Sprintf("%s returns %q", name, t))
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

func (s *Session) vetKind(text string) (fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprint(r)
		}
	}()
	if text == "" {
		return "has no kind"
	}
	s.kind(text)
	return ""
}

// plainReturns are the types of results that have no class.
var plainReturns = []string{"number", "int", "bool", "string", "list", "dict", "tuple", "none", "function", "value"}

// Fits reports whether a result is of the type that the declaration names. Any result is of the type "value".
func (c *Call) Fits(v starlark.Value) bool {
	if v == starlark.None && strings.HasSuffix(c.declaration.returns, "?") {
		return true
	}
	return slices.ContainsFunc(c.declaration.results(), func(t string) bool {
		_, function := v.(starlark.Callable)
		switch t {
		case "", "value":
			return true
		case "none":
			return v == starlark.None
		case "number":
			return v.Type() == "float" || v.Type() == "int"
		case "function":
			return function
		}
		return v.Type() == t
	})
}
