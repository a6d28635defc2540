package script_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// compared is a value with its exact bounds, from which a test decides comparisons independently. An estimate has no
// bounds here.
type compared struct {
	name   string
	v      starlark.Value
	lo, hi *big.Rat
}

// comparedValues returns values of all kinds. Some of them are not float64 numbers but lie between two of them.
func comparedValues(t *testing.T) []compared {
	r := func(text string) *big.Rat {
		q, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		return q
	}
	f := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	log := func(base string) evidence.Number {
		e, err := evidence.LogEpsilon("x", r(base))
		if err != nil {
			t.Fatal(err)
		}
		return e.Number()
	}
	// 40 digits of ln 3.
	below, above := r("1.0986122886681096913952452369225257046474"), r("1.0986122886681096913952452369225257046475")
	return []compared{
		{"int1", starlark.MakeInt(1), r("1"), r("1")},
		{"int2", starlark.MakeInt(2), r("2"), r("2")},
		{"big", starlark.MakeBigInt(r("9007199254740993").Num()), r("9007199254740993"), r("9007199254740993")},
		{"third_", starlark.Float(1. / 3), f(1. / 3), f(1. / 3)},
		{"one_", starlark.Float(1), r("1"), r("1")},
		{"near3", starlark.Float(1.0986122886681098), f(1.0986122886681098), f(1.0986122886681098)},
		{"claimed2", script.Known(evidence.Claimed{Value: 2}), r("2"), r("2")},
		{"claimed_third", script.Known(evidence.Claimed{Value: 1. / 3}), f(1. / 3), f(1. / 3)},
		{"third", script.Known(evidence.Exact{Value: r("1/3")}), r("1/3"), r("1/3")},
		{"large", script.Known(evidence.Exact{Value: r("9007199254740993")}), r("9007199254740993"), r("9007199254740993")},
		{"ln3", script.Known(log("3")), below, above},
		{"ln9", script.Known(log("9")), new(big.Rat).Add(below, below), new(big.Rat).Add(above, above)},
		{"loss", script.Known(evidence.Certified{Lo: 1, Hi: 2, Side: evidence.Up}), r("1"), r("2")},
		{"wide", script.Known(evidence.Certified{Lo: 2, Hi: 3}), r("2"), r("3")},
		{"point", script.Known(evidence.Certified{Lo: 2, Hi: 2}), r("2"), r("2")},
		{"tight", script.Known(evidence.Certified{Lo: 1. / 3, Hi: math.Nextafter(1./3, 1)}), f(1. / 3), f(math.Nextafter(1./3, 1))},
		{"estimate", script.Known(evidence.Estimated{Value: 0.5, Lo: 0.25, Hi: 0.75, Confidence: 0.99}), nil, nil},
	}
}

// decided returns the result of an operator as the bounds alone decide it: 1 for true, 0 for false, −1 if undecided.
func decided(op string, x, y compared) int {
	if x.lo == nil || y.lo == nil {
		return -1
	}
	point := x.name == y.name // the same number
	may := map[string]bool{
		"<": !point && x.lo.Cmp(y.hi) < 0,
		"=": point || x.lo.Cmp(y.hi) <= 0 && y.lo.Cmp(x.hi) <= 0,
		">": !point && x.hi.Cmp(y.lo) > 0,
	}
	yes, no := false, false
	for way, possible := range may {
		holds := map[string]string{"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}[op]
		yes, no = yes || possible && strings.Contains(holds, way), no || possible && !strings.Contains(holds, way)
	}
	switch {
	case yes && no:
		return -1
	case yes:
		return 1
	}
	return 0
}

// Each pair of kinds is compared by all operators, in every notation that is compiled differently.
func TestCompareKinds(t *testing.T) {
	s := script.New(script.Vocabulary{})
	all := comparedValues(t)
	for _, c := range all {
		s.Set(c.name, c.v)
	}
	run := func(source string) string {
		v, err := s.Exec(t.Context(), "t", source)
		if err != nil {
			return err.(*script.ScriptError).Msg
		}
		return v.String()
	}
	turn := 0
	for _, x := range all {
		for _, y := range all {
			_, left := x.v.(*script.Evidence)
			_, right := y.v.(*script.Evidence)
			for op := range strings.FieldsSeq("< <= > >= == !=") {
				forms := []string{"%s %s %s", "[%s] %s [%s]", "(1, %s) %s (1, %s)", "(lambda a, b: a %[2]s b)(%[1]s, %[3]s)"}
				if op == "==" {
					forms = append(forms, "{7: %s} %s {7: %s}", "%[1]s in [%[3]s]", "%[1]s in (None, %[3]s)")
				}
				if op == "!=" {
					forms = append(forms, "%[1]s not in [%[3]s]")
				}
				if !left {
					forms = append(forms, strings.Replace("X %[2]s %[3]s", "X", x.v.String(), 1))
				}
				if !right {
					forms = append(forms, strings.Replace("%[1]s %[2]s Y", "Y", y.v.String(), 1))
				}
				for i, form := range forms {
					if turn++; i > 0 && turn%3 > 0 { // one third of the notations for each pair
						continue
					}
					want := decided(op, x, y)
					if strings.ContainsAny(form[:1], "[(") && !strings.Contains(form, "lambda") && decided("==", x, y) < 0 {
						want = -1 // lists order by their first difference, which may be undecided here
					}
					source := fmt.Sprintf(form, x.name, op, y.name)
					if strings.HasPrefix(form, "%[1]s in") || strings.HasPrefix(form, "%[1]s not") {
						source = fmt.Sprintf(strings.ReplaceAll(form, "[3]", "[2]"), x.name, y.name)
					}
					source, _, _ = strings.Cut(source, "%!(EXTRA")
					got := run(source)
					if left || right {
						switch {
						case want < 0 && (!strings.Contains(got, "not decided") || !strings.Contains(got, "write e.value")):
							t.Errorf("%s = %s, want not decided", source, got)
						case want >= 0 && got != map[int]string{0: "False", 1: "True"}[want]:
							t.Errorf("%s = %s, want %d", source, got, want)
						}
					} else if got != map[int]string{0: "False", 1: "True"}[want] {
						t.Errorf("%s = %s, want %d", source, got, want)
					}
				}
			}
		}
	}
}

// max returns the number whose lower end is at least the upper end of every other number, in any order of arguments.
// min does the reverse. Enclosures with equal ends count as equal numbers. If there is no such number, the result is an
// enclosure of the maximum or minimum, or an error if a key is given.
func TestMinAndMaxOfEnclosures(t *testing.T) {
	s := script.New(script.Vocabulary{})
	var all []evidence.Certified
	for lo := 1.0; lo <= 3; lo++ {
		for hi := lo; hi <= 3; hi++ {
			all = append(all, evidence.Certified{Lo: lo, Hi: hi})
		}
	}
	found := map[bool]int{}
	for i := range len(all) * len(all) * len(all) {
		picked := []evidence.Certified{all[i%len(all)], all[i/len(all)%len(all)], all[i/len(all)/len(all)]}
		values := make([]starlark.Value, len(picked))
		for k, n := range picked {
			values[k] = script.Known(n)
		}
		s.Set("x", starlark.NewList(values))
		for name, beyond := range map[string]func(a, b evidence.Certified) bool{
			"max": func(a, b evidence.Certified) bool { return a == b || a.Lo >= b.Hi }, "min": func(a, b evidence.Certified) bool { return a == b || a.Hi <= b.Lo },
		} {
			var want *evidence.Certified
			for k, a := range picked {
				every := true
				for j, b := range picked {
					every = every && (j == k || beyond(a, b))
				}
				if every {
					want = &picked[k]
				}
			}
			found[want != nil]++
			v, err := s.Exec(t.Context(), "t", name+"(x)")
			if want == nil { // the enclosure of the maximum or minimum
				f := map[string]func(a, b float64) float64{"max": math.Max, "min": math.Min}[name]
				hull := picked[0]
				for _, n := range picked[1:] {
					hull.Lo, hull.Hi = f(hull.Lo, n.Lo), f(hull.Hi, n.Hi)
				}
				want = &hull
			}
			if err != nil {
				t.Errorf("%s of %v: %v, want %v", name, picked, err, *want)
			} else if lo, hi := v.(*script.Evidence).Number().Bounds(); lo != want.Lo || hi != want.Hi {
				t.Errorf("%s of %v is [%v, %v], want %v", name, picked, lo, hi, *want)
			}
		}
	}
	if found[true] < 50 || found[false] < 50 {
		t.Errorf("%v", found)
	}
	// The error of max about an undecided pair names first the number with the larger lower end, and on a tie the one
	// with the larger upper end. min names first the number with the smaller upper end, and on a tie the one with the
	// smaller lower end.
	wide, high := evidence.Certified{Lo: 1, Hi: 4}, evidence.Certified{Lo: 2, Hi: 5}
	low, far := evidence.Certified{Lo: 1, Hi: 3}, evidence.Certified{Lo: 2, Hi: 4}
	for _, c := range []struct {
		f           string
		first, last evidence.Certified
	}{
		{"max", high, wide}, {"max", wide, low}, {"max", high, far}, {"max", far, low}, {"max", far, wide},
		{"min", wide, high}, {"min", low, wide}, {"min", far, high}, {"min", low, far}, {"min", wide, far},
	} {
		want := fmt.Sprintf("one is in [%.1f, %.1f], the other in [%.1f, %.1f]", c.first.Lo, c.first.Hi, c.last.Lo, c.last.Hi)
		first, last := script.Known(c.first), script.Known(c.last)
		for _, values := range [][]starlark.Value{{first, last}, {last, first}} {
			s.Set("x", starlark.NewList(values))
			v, err := s.Exec(t.Context(), "t", c.f+"(x, key=lambda v: v)")
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %v is %v, %v: want %s", c.f, values, v, err, want)
			}
		}
	}
}

// If the order of two lists is undecided, min and max of them return an error.
func TestFartherOfLists(t *testing.T) {
	s := script.New(script.Vocabulary{})
	s.Set("a", script.Known(evidence.Certified{Lo: 1, Hi: 4}))
	s.Set("b", script.Known(evidence.Certified{Lo: 2, Hi: 5}))
	for _, f := range []string{"min", "max"} {
		if v, err := s.Exec(t.Context(), "t", f+"([[a], [b]])"); !errors.Is(err, evidence.ErrUndecided) {
			t.Errorf("%s is %v, %v", f, v, err)
		}
	}
}

// If the order of all pairs of numbers is decided, sorted returns them in order, and min and max return its first and
// last element. Otherwise sorted returns an error.
func TestSortKinds(t *testing.T) {
	s := script.New(script.Vocabulary{})
	all := comparedValues(t)
	rng := rand.New(rand.NewPCG(5, 20))
	sorted, open := 0, 0
	for range 2000 {
		picked := make([]compared, 1+rng.IntN(4))
		values := make([]starlark.Value, len(picked))
		clear := true
		for i := range picked {
			picked[i] = all[rng.IntN(len(all))]
			values[i] = picked[i].v
			for _, other := range picked[:i] {
				clear = clear && decided("<", picked[i], other) >= 0 && decided("<", other, picked[i]) >= 0
			}
		}
		s.Set("x", starlark.NewList(values))
		for _, reverse := range []string{"False", "True"} {
			v, err := s.Exec(t.Context(), "t", "sorted(x, reverse="+reverse+"), sorted([(1, e) for e in x], key=lambda p: p, reverse="+reverse+"), min(x), max(x)")
			if err != nil {
				if open++; clear || !strings.Contains(err.Error(), "not decided") {
					t.Fatalf("%v: %v", values, err)
				}
				continue
			}
			sorted++
			out := v.(starlark.Tuple)
			list := out[0].(*starlark.List)
			byValue := func(v starlark.Value) compared {
				e, evident := v.(*script.Evidence)
				for _, c := range all {
					if known, ok := c.v.(*script.Evidence); c.v == v || ok && evident && sameNumber(known.Number(), e.Number()) {
						return c
					}
				}
				panic(v)
			}
			wrong := map[string]string{"False": ">", "True": "<"}[reverse]
			for i := range list.Len() {
				if pair := out[1].(*starlark.List).Index(i).(starlark.Tuple); pair[1] != list.Index(i) {
					t.Errorf("sorted by a key: %v, want %v", out[1], list)
				}
				for j := range i {
					if decided(wrong, byValue(list.Index(j)), byValue(list.Index(i))) != 0 {
						t.Errorf("sorted(%v, reverse=%s) = %v", values, reverse, list)
					}
				}
				if e := byValue(list.Index(i)); decided("<=", byValue(out[2]), e) != 1 || decided(">=", byValue(out[3]), e) != 1 {
					if list.Len() > 1 {
						t.Errorf("min, max of %v = %v, %v", values, out[2], out[3])
					}
				}
			}
		}
	}
	if sorted < 200 || open < 200 {
		t.Errorf("%d sorted, %d undecided: want both", sorted, open)
	}
}

// sameNumber reports whether two numbers have the same kind and ends.
func sameNumber(a, b evidence.Number) bool {
	lo, hi := a.Bounds()
	l, h := b.Bounds()
	return a.Kind() == b.Kind() && lo == l && hi == h
}

func TestCompareSpecials(t *testing.T) {
	const advice = " (write e.value where the number is meant)"
	s := script.New(script.Vocabulary{})
	for _, c := range comparedValues(t) {
		s.Set(c.name, c.v)
	}
	for _, c := range []struct{ source, want string }{
		// Messages give both bounds of an undecided number, on either side of the operator.
		{"loss < 1.5", "evidence < float is not decided: one is in [1.0, 2.0], the other 1.5" + advice},
		{"1 >= loss", "int >= evidence is not decided: one is 1, the other in [1.0, 2.0]" + advice},
		{"loss == tight or wide != third", "True"},
		{"wide != point", "evidence != evidence is not decided: one is in [2.0, 3.0], the other 2.0" + advice},
		{"tight < third", "evidence < evidence is not decided: one is in [0.3333333333333333, 0.33333333333333338], the other in [0.3333333333333333, 0.33333333333333338]" + advice},
		{"estimate < 9", "evidence < int is not decided: an estimate cannot be ordered (in [0.25, 0.75])" + advice},
		{"estimate == estimate", "evidence == evidence is not decided: an estimate cannot be ordered (in [0.25, 0.75])" + advice},
		{"max(loss, wide, 1)", "2.5 (certified: in [2.0, 3.0])"},
		{"max(loss, 1.5)", "2.0 (certified: in [1.5, 2.0])"},
		{"max([loss, 1.5], key=lambda v: v)", "max: float >= evidence is not decided: one is 1.5, the other in [1.0, 2.0]" + advice},
		{"min([loss, 1.5, 0]), max([loss, 1.5, 2, 7])", "(0, 7)"}, // undecided numbers in the middle do not matter
		{"max([estimate]).value, sorted([estimate])[0].kind", "(0.5, \"estimated\")"},
		// Bounds that touch at one end decide <= and >=, but not < and ==.
		{"loss <= wide, wide >= loss, loss > wide, wide < loss", "(True, True, False, False)"},
		{"loss == loss, loss != loss, loss <= loss, loss < loss, loss in [wide, loss]", "(True, False, True, False, True)"},
		// One differing element is enough to decide that collections differ.
		{"[loss, 1] == [1.5, 2], (loss, [2]) != (1.5, [3]), {1: loss, 2: 0} == {1: 1.5, 2: 1}", "(False, True, False)"},
		// As in Starlark, NaN is greater than all numbers. Infinite numbers are compared like others.
		{"loss < float('nan'), float('nan') > ln3, float('nan') == claimed2, ln3 < float('inf'), wide > -float('inf'), third == float('inf')", "(True, True, False, True, True, False)"},
		// Other types have no order, but they are unequal.
		{"ln3 == 'a', ln3 != None, ln3 == True, ln3 in ['a'], ln3 == [ln3], 'ln3' in [ln3]", "(False, True, False, False, False, False)"},
		{"ln3 < 'a'", "evidence < string not implemented"},
		{"True < ln3", "bool < evidence not implemented"},
		{"[1] >= (1,)", "list >= tuple not implemented"},
		// Keys of dicts and sets are distinguished without an error, even if their comparison is undecided.
		{"{ln3: 1, claimed2: 2}[ln3], ln3 in {ln9: 1}, len(set([ln3, claimed2, ln3, ln9])), {ln3: 1} == {ln3: 1}", "(1, False, 3, True)"},
		{"{loss: 1}", "unhashable: certified evidence may equal several numbers; use its .value"},
		{"set([estimate])", "set: unhashable: estimated evidence may equal several numbers; use its .value"},
		{"[third == 1/3, third < 1/3, claimed_third == 1/3, large == big, ln3 < near3]", "[False, False, True, True, True]"},
	} {
		v, err := s.Exec(t.Context(), "t", c.source)
		got := ""
		if err != nil {
			got = err.(*script.ScriptError).Msg
		} else {
			got = v.String()
		}
		if got != c.want {
			t.Errorf("%s\n gives %s\n want  %s", c.source, got, c.want)
		}
	}
}

// The error of a comparison points to the operator.
func TestComparePlaces(t *testing.T) {
	s := script.New(script.Vocabulary{})
	for _, c := range comparedValues(t) {
		s.Set(c.name, c.v)
	}
	for source, col := range map[string]int{
		"loss < 1.5":               6,
		"x = 1 + (loss   >= wide)": 17,
		"1.5 == loss":              5,
		"loss in [1.5]":            6,
		"loss not in [1.5]":        10,
		"None < 3":                 6,
		"loss < 'a'":               6,
		"(loss, 1) < (1.5, 2)":     11,
	} {
		_, err := s.Exec(t.Context(), "t", source)
		failed, ok := err.(*script.ScriptError)
		if !ok || len(failed.Frames) == 0 {
			t.Fatalf("%s: %v", source, err)
		}
		if got := failed.Frames[len(failed.Frames)-1]; got.Line != 1 || got.Col != col {
			t.Errorf("%s fails at %v, want column %d", source, got, col)
		}
	}
}

// The compiler leaves some comparisons to Starlark if it infers that the variables never hold evidence. Variables that
// may hold evidence are compared by its bounds.
func TestCompareInferred(t *testing.T) {
	for body, want := range map[string]string{
		"x = 2\n    x *= ln3\n    return x == ln9, x < 3, 2 < x, x < x + 1":                                                       "(True, True, True, True)",
		"x = 0\n    x += ln3\n    y = 1\n    return x > y, x == ln3 + 0":                                                          "(True, True)",
		"x = ln9\n    x /= 2\n    y = ln9 / 2\n    z = +ln3\n    return x == y, y == z, z != x, z < 2":                            "(True, True, False, True)",
		"x = 1\n    y = 2 if x > 1 else loss\n    z = x and loss\n    w = 0 or wide\n    return y >= x, z >= x, x < w":            "(True, True, True)",
		"x = {1: loss}\n    y = {1: 3}\n    x |= {2: 1}\n    return x == y, x == {1: 3, 2: 1}, x | y == {1: 3, 2: 1}":             "(False, False, True)",
		"x = [loss]\n    y = [3]\n    z = [e for e in x]\n    return x == y, z < y, 2 * x == z + z, x[:1] != y":                   "(False, True, True, True)",
		"x = 5\n    for x in [loss]: pass\n    y = x\n    return y <= 2, y == x":                                                  "(True, True)",
		"x = 5\n    x, y = loss, 2\n    g = lambda: x <= y\n    return g(), x <= y":                                               "(True, True)",
		"x, n = 0, 3\n    while x < n: x += 1\n    x = loss\n    return x < n":                                                    "True",
		"x, n = 0, 3\n    while x < 3:\n        x += 1\n        if n == 2: n = loss\n        if x == 2: n = 2\n    return n <= 2": "True",
	} {
		s := script.New(script.Vocabulary{})
		for _, c := range comparedValues(t) {
			s.Set(c.name, c.v)
		}
		v, err := s.Exec(t.Context(), "t", "def f():\n    "+body+"\nf()")
		if err != nil || v.String() != want {
			t.Errorf("%s\n gives %v, %v\n want  %s", body, v, err, want)
		}
		v, err = s.Exec(t.Context(), "t", "if True:\n    "+strings.ReplaceAll(body, "return", "out =")+"\nout")
		if err != nil || v.String() != want {
			t.Errorf("at top level: %s\n gives %v, %v\n want  %s", body, v, err, want)
		}
	}
}

// Two enclosures with the same ends are equal. The comparison of enclosures that only overlap is undecided.
func TestEqualByEnds(t *testing.T) {
	s := script.New(script.Vocabulary{})
	for name, n := range map[string]evidence.Number{
		"a": evidence.Certified{Lo: 1, Hi: 2}, "b": evidence.Certified{Lo: 1, Hi: 2, Provenance: evidence.From("another")}, "c": evidence.Certified{Lo: 1.5, Hi: 3}, "d": evidence.Certified{Lo: 4, Hi: 5},
	} {
		s.Set(name, script.Known(n))
	}
	v, err := s.Exec(t.Context(), "test", "[a == b, a != b, a <= b, a < b, a == d, a != d, a < d, a in [d, b], max(a, b) == a]")
	if err != nil || v.String() != "[True, False, True, False, False, True, True, True, True]" {
		t.Errorf("got %v, %v", v, err)
	}
	for _, source := range []string{"a == c", "a != c", "a < c", "a <= c", "sorted([c, a])"} {
		if _, err := s.Exec(t.Context(), "test", source); err == nil || !strings.Contains(err.Error(), "not decided") || !strings.Contains(err.Error(), "[1.0, 2.0]") {
			t.Errorf("%s gives %v", source, err)
		}
	}
}
