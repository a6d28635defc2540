package analytic

import (
	"maps"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/layers"
)

// This file holds the checks of Corollary 4.

// placed is a value r in layer i of dataset x.
type placed struct{ x, r, i int }

// extras lists the values of R̃_I, the initial values in layers i ≥ 1, one dataset after another.
func (c layerCase) extras() []placed {
	var out []placed
	for x, sets := range c.sets {
		for _, i := range slices.Sorted(maps.Keys(sets)) {
			for _, r := range sets[i] {
				if i > 0 {
					out = append(out, placed{x, r, i})
				}
			}
		}
	}
	return out
}

// basic returns c without R̃_I; ok is false if some R_0^x is empty.
func (c layerCase) basic() (out layerCase, ok bool) {
	out = c
	out.sets = make([]map[int][]int, len(c.sets))
	for x := range out.sets {
		if len(c.sets[x][0]) == 0 {
			return c, false
		}
		out.sets[x] = map[int][]int{0: c.sets[x][0]}
	}
	return out, true
}

// answered returns c with another f: f(x) ∈ R_0^x, as Section 5.1 advises, and f(D) = R, as Section 3 assumes. ok is
// false if no f satisfies both.
func (c layerCase) answered() (out layerCase, ok bool) {
	f := slices.Repeat([]int{-1}, len(c.sets))
	var place func(r int) bool
	place = func(r int) bool {
		if r == c.values {
			return true
		}
		for x := range f {
			if f[x] < 0 && slices.Contains(c.sets[x][0], r) {
				if f[x] = r; place(r + 1) {
					return true
				}
				f[x] = -1
			}
		}
		return false
	}
	if !place(0) {
		return c, false
	}
	for x := range f {
		if f[x] < 0 && len(c.sets[x][0]) == 0 {
			return c, false
		} else if f[x] < 0 {
			f[x] = c.sets[x][0][0]
		}
	}
	c.f = f
	return c, true
}

// derivation states Corollary 4: adding the values of R̃_I one at a time turns the basic mechanism with the
// same R_0 into the general mechanism. Each step leads to a sequence in ℂ, and changes only the layer of the
// added value at the dataset where it is added. into returns the dataset and layer to which a value p is
// added, in the paper those of p.
func derivation(rule spreadRule, into func(p placed) placed) check.Statement[layerCase] {
	fails := func(c layerCase) (failure string, met bool) {
		c, ok := c.answered()
		steps := c.extras()
		if !ok || len(steps) == 0 || !c.isGenuine() {
			return "", false
		}
		at, _ := c.basic()
		want := rule(c)
		broken := check.Script(check.Vars{"want": want}, "print(m.layers(0), {want}, False)")
		level := rule(at)
		for _, p := range steps {
			p = into(p)
			at = at.with(p.x, p.r, p.i)
			next := rule(at)
			if !at.isGenuine() {
				return broken, true
			}
			for y := range next {
				for r, l := range next[y] {
					if l != level[y][r] && (y != p.x || r != p.r) {
						return broken, true
					}
				}
			}
			level = next
		}
		if !slices.EqualFunc(level, want, slices.Equal[[]int]) {
			return broken, true
		}
		return "", true
	}
	return generalMechanisms(6, layers.Published, anySpread, fails)
}

// where returns p: values are added in their own places.
func where(p placed) placed { return p }

// generalOrigin states Corollary 4 with the layer changes of Corollary 3: these turn the layers of the basic mechanism
// with the same R_0 into the layers of the general mechanism.
func generalOrigin(rule spreadRule, named layers.Rule) check.Statement[layerCase] {
	fails := func(c layerCase) (failure string, met bool) {
		basic, ok := c.basic()
		if !ok || len(c.extras()) == 0 {
			return "", false
		}
		grown, want := rule(basic), rule(c)
		if grown == nil || !complete(want) || !c.isGenuine() {
			return "", false
		}
		for _, p := range c.extras() {
			for y := range grown { // only the layers of r change, to the smaller of the old and the new layer
				if moved := c.ceil(p.x, y) + p.i; grown[y][p.r] < 0 || moved < grown[y][p.r] {
					grown[y][p.r] = moved
				}
			}
		}
		for x := range want {
			for r, l := range want[x] {
				if l != grown[x][r] {
					return check.Script(check.Vars{"x": x, "places": c.places(r), "r": r},
						"near = min([math.ceil(q.distance(x, {x})) + i for x, i in {places}]); print(m.layer({x}, {r}), near, m.layer({x}, {r}) == near)"), true
				}
			}
		}
		return "", true
	}
	return generalMechanisms(6, named, adjacentSpread, fails)
}

// places returns the pairs (x, i) such that r is an initial value in layer i of dataset x.
func (c layerCase) places(r int) [][2]int {
	var out [][2]int
	for x, sets := range c.sets {
		for _, i := range slices.Sorted(maps.Keys(sets)) {
			if slices.Contains(sets[i], r) {
				out = append(out, [2]int{x, i})
			}
		}
	}
	return out
}
