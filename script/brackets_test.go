package script_test

import (
	"strings"
	"testing"

	"dpworkbench/script"
)

// drawers is a class whose values have an attribute, a method without arguments, and methods with an optional and with
// a required argument.
var drawers = &script.Class[int16]{
	Name: "drawer", Help: "A drawer.", Setup: "d = drawer_of(3)\n",
	Attrs: []script.Attr[int16]{
		script.Get("depth -> int", "Its depth.", "", func(d int16) any { return int(d) }),
		script.Do("spoons() -> list", "Its spoons.", "()", func(c *script.Call, d int16) (any, error) { return make([]int, d), c.Context.Err() }),
		script.Do("opened(by: int=1) -> int", "How far it is open.", "()", func(c *script.Call, d int16) (any, error) { return int(d) + c.Int("by"), nil }),
		script.Do("holds(n: int) -> bool", "Whether n fit in.", "(2)", func(c *script.Call, d int16) (any, error) { return c.Int("n") <= int(d), nil }),
	},
}

// An attribute, or a method without arguments, may be written with or without brackets. A method is not a number.
// Errors and the texts of methods say how to call them.
func TestBrackets(t *testing.T) {
	s := withBuiltins([]script.Type{drawers},
		script.Func("drawer_of(depth: int) -> drawer", "Makes a drawer.", "drawer_of(2)", func(c *script.Call) (any, error) { return int16(c.Int("depth")), nil }),
		script.Func("count(n: int) -> int", "Counts.", "count(2)", func(c *script.Call) (any, error) {
			return c.Int("n"), nil
		}),
	)
	shownBy(s, "mine = drawer_of(2)\ne = ln(3)\ndef more(x):\n  return x.opened + 1\ndef two(x):\n  return x.depth() + len(x.spoons) + len(x.spoons())")
	for source, want := range map[string]string{
		"mine.depth, mine.depth(), (mine.depth)()": "(2, 2, 2)",
		"mine.spoons": "[0, 0]",
		"mine.spoons[1:], mine.spoons(), len(mine.spoons)":  "([0], [0, 0], 2)",
		"f = mine.spoons; f()":                              "[0, 0]",
		"mine.spoons[0] + sum(mine.spoons)":                 "0",
		"[x for x in mine.spoons], {1: mine.spoons}[1]()":   "([0, 0], [0, 0])",
		"e.kind(), e.rational(), matrix([[1], [2]]).t()[0]": `("exact", "ln(3)", [1.0, 2.0])`,
		"two(mine), mine.opened(), mine.opened(3)":          "(6, 3, 5)",
		"f = mine.opened; f(4)":                             "6",
		"math.pi > 3, [3].pop(), {}.keys()":                 "(True, 3, [])",
		"mine.opened * 2":                                   "error: unknown binary op: method * int (call it: mine.opened())",
		"-mine.holds":                                       "error: unknown unary op: - method (call it: mine.holds(n))",
		"more(mine)":                                        "error: unknown binary op: method + int (a method is called first, with brackets: x.name())",
		"mine.opened == 2":                                  "error: method == int is not defined (call it: mine.opened())",
		"e < mine.opened":                                   "error: evidence < method is not defined (call it: mine.opened())",
		"mine.opened == mine.opened, mine.opened != 'a'":    "(True, True)",
		"mine.opened[0]":                                    "error: unhandled index operation method[int] (call it: mine.opened())",
		"len(mine.holds)":                                   "error: len: value of type method has no len (call it: mine.holds(n))",
		"x = mine.opened.hi":                                "error: method has no .hi field or method (call it: mine.opened())",
		"e.cite + 1":                                        "error: unknown binary op: method + int (call it: e.cite())",
		"mine.opened":                                       "<method drawer.opened(by=1), call it: mine.opened()>",
		"str(drawer_of(9).holds)":                           `"<method drawer.holds(n), call it: d.holds(n)>"`,
		"count(mine.opened)":                                "error: count: n = <method drawer.opened(by=1), call it: mine.opened()>, want a whole number",
		"mine.depth(3)":                                     "error: invalid call of non-function (int) (it is a value: write it without brackets)",
		"mine.dept()":                                       "error: drawer has no .dept (did you mean .depth?)",
		"mine.depth = 3":                                    "error: can't assign to .depth field of drawer",
		`"%d" % mine.opened`:                                "error: %d format requires integer: cannot convert method to int (call it: mine.opened())",
		`"%s %d" % (mine.depth(), mine.depth)`:              `"2 2"`,
		`getattr(mine, "spoons")(), getattr(mine, "depth")`: "([0, 0], 2)",
	} {
		if got := shownBy(s, source); got != want {
			t.Errorf("%s gives %s, want %s", source, got, want)
		}
	}
	if got := shownBy(s, "help(mine.spoons)"); !strings.Contains(got, "Its spoons.") {
		t.Errorf("help of a method gives %s", got)
	}
}
