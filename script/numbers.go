package script

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// numberBuiltins returns Python's functions on numbers, extended to evidence, and the functions uniform and fmt.
func numberBuiltins() []Builtin {
	return []Builtin{
		Func("float(x: value=0.0) -> number",
			`The number as a float: of an int, a bool, evidence (its value), or a string like "0.5", "1e-6", "inf" or "nan".`, `float(ln(3)) + float("0.5")`,
			plain("float")),
		Func("int(x: value=0, base: value=None) -> int",
			"The whole part of a number or of evidence, or the whole number that a string spells (in the given base).", `int(ln(100)) + int("ff", 16)`,
			func(c *Call) (any, error) {
				if q, ok := exactOf(c.Value("x")); ok && !c.Given("base") {
					return starlark.MakeBigInt(new(big.Int).Quo(q.Num(), q.Denom())), nil
				}
				if text, ok := starlark.AsString(c.Value("x")); ok && len(text) > maxDigits {
					return nil, fmt.Errorf("x has %d digits, want at most %d", len(text), maxDigits)
				}
				return plain("int")(c)
			}),
		Func("abs(x: value) -> value",
			"Absolute value of a number or of evidence; the kind of evidence stays the same.", "abs(-3) + abs(ln(2))",
			func(c *Call) (any, error) {
				if e, ok := c.Value("x").(*Evidence); ok {
					return evaluated(evidence.Abs(e.number))
				}
				return plain("abs")(c)
			}),
		Func("min(*args: value, key: function=None) -> value",
			"The least element of a list, or the least argument. Numbers and evidence may be mixed. If enclosures overlap, the result is an enclosure of the least number. If estimates are among them, the result is estimated, with the confidence that all their intervals hold. key is a function to compare by; with a key, it is an error if the comparisons do not decide which element is least.", "min([3, 1.5, ln(3)])",
			func(c *Call) (any, error) { return extreme(c, syntax.LT) }),
		Func("max(*args: value, key: function=None) -> value",
			"The largest element of a list, or the largest argument. Numbers and evidence may be mixed. If enclosures overlap, the result is an enclosure of the largest number. If estimates are among them, the result is estimated, with the confidence that all their intervals hold. key is a function to compare by; with a key, it is an error if the comparisons do not decide which element is largest.", "max(2, ln(3), 1.5)",
			func(c *Call) (any, error) { return extreme(c, syntax.GT) }),
		Func("sum(items: value, start: value=0) -> value",
			"Sum of a list, tuple or matrix row, from left to right in floating point (a sum of ints is an int, and lists are appended to a list given as start). With evidence among the numbers the sum is evidence.", "sum([1, 2.5, ln(3)])",
			sum),
		Func("uniform(n: int[0..10000000], lo: choice=0, hi: choice=1, seed: seed=0) -> list",
			"A list of n floats drawn uniformly from [lo, hi). The same seed gives the same list.", "uniform(3, lo=-1, seed=7)",
			func(c *Call) (any, error) {
				lo, hi := c.Float("lo"), c.Float("hi")
				if !(lo < hi) || hi-lo > math.MaxFloat64 {
					c.Fail("hi", c.Value("hi"), "a number above lo whose difference from lo is finite")
				}
				rng := rand.New(c.Source("seed"))
				out := lists.Of(c.Int("n"), func(int) float64 { return lo + (hi-lo)*rng.Float64() })
				return out, nil
			}),
		Func("round(x: value, digits: int[-308..308]=None) -> number",
			"The nearest integer, an int, with halves rounded to even. With digits, the nearest decimal with that many places, a float.", "round(2.5), round(0.72692, 3)",
			round),
		Func("fmt(x: value, digits: int[1..17]=6) -> value",
			"The number as a string with the given number of significant digits (1 to 17), without trailing zeros; lists and tuples element by element. Evidence is rounded to its safe side, up for a privacy loss. Without a safe side it shows only digits that both ends share; if they share none, it is written as [lo, hi], rounded outward.", `"P = %s" % fmt(0.7269234, 3)`,
			func(c *Call) (any, error) { return format(c, c.Value("x"), c.Int("digits"), 0) }),
	}
}

// plain returns a function that calls Starlark's function of that name, with evidence replaced by floats.
func plain(name string) func(c *Call) (any, error) {
	f := starlark.Universe[name].(*starlark.Builtin)
	return func(c *Call) (any, error) { return withFloats(c, f) }
}

// withFloats calls f with evidence replaced by floats. It leaves out the arguments that the caller left out.
func withFloats(c *Call, f *starlark.Builtin) (starlark.Value, error) {
	var args starlark.Tuple
	for i, v := range c.values {
		if i > 0 && !c.written[i] {
			break
		}
		args = append(args, floatOf(v))
	}
	return f.CallInternal(c.Thread, args, nil)
}

// floatOf returns the value of evidence as a float, and any other value unchanged.
func floatOf(v starlark.Value) starlark.Value {
	if e, ok := v.(*Evidence); ok {
		return starlark.Float(e.Float())
	}
	return v
}

// polled iterates over items. It ends the call if the user interrupts.
func (c *Call) polled(items starlark.Iterable) iter.Seq2[int, starlark.Value] {
	return func(yield func(int, starlark.Value) bool) {
		i := 0
		for v := range starlark.Elements(items) {
			if i%4096 == 4095 && c.Context.Err() != nil {
				Refuse(ErrStopped)
			}
			if !yield(i, v) {
				return
			}
			i++
		}
	}
}

// extreme returns the least (op <) or largest (op >) of its arguments. Two overlapping enclosures do not matter if a
// third one is beyond both. If comparisons do not decide, the result is an enclosure.
func extreme(c *Call, op syntax.Token) (starlark.Value, error) {
	args := c.Value("args").(starlark.Tuple)
	items := starlark.Iterable(args)
	if len(args) == 1 {
		it, ok := args[0].(starlark.Iterable)
		if !ok {
			c.Stop("%s is not a list", Brief(args[0]))
		}
		items = it
	}
	best, err := decidedExtreme(c, op, items)
	if err != nil && !c.Given("key") {
		if n, ok, err := enclosed(c, op, items); ok {
			return n, err
		}
	}
	return best, err
}

// decidedExtreme is extreme for arguments whose comparisons decide the result. Otherwise it returns an error.
func decidedExtreme(c *Call, op syntax.Token, items starlark.Iterable) (starlark.Value, error) {
	key := func(v ...starlark.Value) (starlark.Value, error) { return v[0], nil }
	if c.Given("key") {
		key = c.Callable("key")
	}
	var best, least starlark.Value
	var open []starlark.Value // keys that lost an undecided comparison
	for _, v := range c.polled(items) {
		k, err := key(v)
		if err != nil {
			return nil, err
		}
		if best == nil {
			best, least = v, k
			continue
		}
		better, err := compareValues(op, k, least)
		if errors.Is(err, evidence.ErrUndecided) {
			loser := k
			if better, err = farther(op, k, least, err); better {
				loser = least
			}
			open = append(open, loser)
		}
		if err != nil {
			return nil, err
		}
		if better {
			best, least = v, k
		}
	}
	orEqual := map[syntax.Token]syntax.Token{syntax.LT: syntax.LE, syntax.GT: syntax.GE}[op]
	for _, k := range open {
		if _, err := compareValues(orEqual, least, k); err != nil {
			return nil, err
		}
	}
	if best == nil {
		c.Stop("the list is empty, want at least one number")
	}
	return best, nil
}

// enclosed returns evidence for the least or largest of several numbers, although it may be unknown which of them that
// is. ok is false if some item is not a number.
func enclosed(c *Call, op syntax.Token, items starlark.Iterable) (n starlark.Value, ok bool, err error) {
	var numbers []evidence.Number
	for _, v := range c.polled(items) {
		number, ok := asNumber(v)
		if !ok {
			return nil, false, nil
		}
		numbers = append(numbers, number)
	}
	f := evidence.Max
	if op == syntax.LT {
		f = evidence.Min
	}
	n, err = evaluated(f(numbers...))
	return n, true, err
}

// farther chooses between two intervals that overlap. If op is >, it reports whether x has the greater lower end, or an
// equal lower end and the greater upper end. If op is <, it reports the mirror image. It returns the error undecided if
// x or y is not a number.
func farther(op syntax.Token, x, y starlark.Value, undecided error) (bool, error) {
	a, okA := numberOf(x)
	b, okB := numberOf(y)
	if !okA || !okB {
		return false, undecided
	}
	lo, hi := a.Bounds()
	l, h := b.Bounds()
	if op == syntax.LT {
		lo, hi, l, h = -hi, -lo, -h, -l
	}
	return lo > l || lo == l && hi > h, nil
}

func sum(c *Call) (any, error) {
	items, ok := c.Value("items").(starlark.Iterable)
	if !ok {
		c.Fail("items", c.Value("items"), "a list of numbers")
	}
	total, evident := c.Value("start"), []evidence.Number(nil) // evident is added once, at the end
	for i, v := range c.polled(items) {
		if e, ok := v.(*Evidence); ok {
			evident = append(evident, e.number)
			continue
		}
		var err error
		if total, err = binary(syntax.PLUS, total, v); err != nil {
			return nil, fmt.Errorf("items[%d] = %s: %w", i, Brief(v), err)
		}
	}
	if evident == nil {
		return total, nil
	}
	n, err := evaluated(evidence.Sum(evident...))
	if zero, ok := total.(starlark.Int); err != nil || ok && zero.Sign() == 0 {
		return n, err
	}
	return binary(syntax.PLUS, total, n)
}

func round(c *Call) (any, error) {
	x := c.Value("x")
	if i, ok := x.(starlark.Int); ok && !c.Given("digits") {
		return i, nil
	}
	if q, ok := exactOf(x); ok && !c.Given("digits") {
		return starlark.MakeBigInt(halfEven(q)), nil
	}
	f, ok := NearestFloat(x)
	if !ok {
		c.Fail("x", x, "a number")
	}
	digits := c.Int("digits")
	switch finite := !math.IsInf(f, 0) && !math.IsNaN(f); {
	case !finite && !c.Given("digits"):
		c.Fail("x", x, "a finite number")
	case !finite:
		return f, nil
	case !c.Given("digits"):
		whole, _ := big.NewFloat(math.RoundToEven(f)).Int(nil)
		return starlark.MakeBigInt(whole), nil
	case digits >= 0:
		return strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	}
	unit := math.Pow10(-digits)
	return math.RoundToEven(f/unit) * unit, nil
}

// exactOf returns the rational number of exact evidence, and false for any other value.
func exactOf(v starlark.Value) (*big.Rat, bool) {
	if e, ok := v.(*Evidence); ok && e.number.Kind() == evidence.KindExact {
		return ToRational(e)
	}
	return nil, false
}

// halfEven returns the integer nearest to q. If two integers are equally near, it returns the even one.
func halfEven(q *big.Rat) *big.Int {
	two := big.NewInt(2)
	num, den := new(big.Int).Mul(q.Num(), two), new(big.Int).Mul(q.Denom(), two)
	floor, rest := new(big.Int).DivMod(num.Add(num, q.Denom()), den, new(big.Int)) // ⌊q + ½⌋
	if rest.Sign() == 0 && floor.Bit(0) == 1 {
		floor.Sub(floor, big.NewInt(1))
	}
	return floor
}

// format returns a number as a string with the given number of significant digits. It returns a list or tuple with each
// element formatted.
func format(c *Call, v starlark.Value, digits, depth int) (starlark.Value, error) {
	if depth > MaxNesting {
		return nil, errNested("x")
	}
	switch v := v.(type) {
	case starlark.Int:
		text, err := digitsOf(v)
		return starlark.String(text), err
	case *Evidence:
		v.Shown()
		return starlark.String(display.Evidence(v.number, digits)), nil
	case *starlark.List, starlark.Tuple, *Matrix:
		items, _ := Elements(v)
		out := make(starlark.Tuple, len(items))
		for i, x := range items {
			var err error
			if out[i], err = format(c, x, digits, depth+1); err != nil {
				return nil, err
			}
		}
		if v.Type() == "tuple" {
			return out, nil
		}
		return starlark.NewList(out), nil
	}
	f, ok := NearestFloat(v)
	if !ok {
		c.Fail("x", v, "a number, or a list of numbers")
	}
	return starlark.String(display.Number(f, digits)), nil
}
