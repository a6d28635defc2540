package repl

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/version"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// released is a released value with its record.
type released struct {
	value  any
	what   string // the mechanism's name
	record func(c *script.Call) (record, error)
}

// record states the guarantee of a release. It holds nothing that depends on the data.
type record struct {
	parameters     map[string]any // parameters of the mechanism
	neighbors      string
	epsilon, delta any // evidence of the whole release's ε and δ
	rho            any // ρ of zero-concentrated privacy; nil if not stated
	draws          int
	grid           any // a fraction; None if nothing was rounded
	warnings       []string
}

var releasedClass = &script.Class[*released]{
	Name: "released", Once: "made anew it would be another draw, and spend its privacy again; pickle its value and record", Help: "A released value with a record of its guarantee. It was drawn from the operating system's generator, with exactly the law of its mechanism.",
	Setup: mechanismSetup + "r = m.release(10)\n",
	Show:  func(r *released) string { return "<released by " + r.what + ">" },
	Attrs: []script.Attr[*released]{
		script.Get("value -> value", "The released value, of the same type as that of sample.", mechanismSetup+"print(type(m.release(10).value))", func(r *released) any { return r.value }),
		script.Do("record -> dict", `The guarantee of the release, a dict: "mechanism", its "parameters", "neighbors" (the neighbor relation), "epsilon" in nats and "delta" of the sampler that ran, as evidence for each draw ("zcdp" too if no epsilon is enough at delta 0); "draws", the number of draws, which compose; "grid" to which values were rounded, a fraction, or None; "version" of the program; "warnings".`, mechanismSetup+"print(m.release(10).record[\"epsilon\"])", func(c *script.Call, r *released) (any, error) { return r.kept(c) }),
	},
}

// kept returns the record as a script value.
func (r *released) kept(c *script.Call) (any, error) {
	k, err := r.record(c)
	if err != nil {
		return nil, err
	}
	if k.draws > 1 {
		k.warnings = append(k.warnings, fmt.Sprintf("%d draws of the same data compose: together they cost up to %d times epsilon and delta", k.draws, k.draws))
	}
	out := map[string]any{
		"mechanism": r.what, "parameters": k.parameters, "neighbors": k.neighbors, "epsilon": k.epsilon, "delta": k.delta, "draws": k.draws, "grid": k.grid,
		"version": version.Text(), "warnings": script.Each(k.warnings, func(s string) any { return s }),
	}
	if k.rho != nil {
		out["zcdp"] = k.rho
	}
	return out, nil
}

// seedHelp ends the help of every release.
const seedHelp = " With seed it simulates: it returns the plain value and says so on standard error."

// simulating returns the random source of a simulation, and false for a real release. source = "seed", an older form,
// means seed 0.
func simulating(c *script.Call) (rand.Source, bool) {
	seeded := c.Spelled("seed") && c.Given("seed")
	asked := c.Takes("source") && c.Text("source") == "seed"
	if !seeded && !asked {
		return nil, false
	}
	c.Session.ClearProgress()
	fmt.Fprintln(c.Session.Stderr, "release: simulated from a seed, which is not private")
	if !seeded {
		return draw.Source(0, 0), true
	}
	return c.Source("seed"), true
}

// release draws with the operating system's generator (a nil source) and returns the value with its record. With a seed
// it returns the plain value.
func release(c *script.Call, what string, draw func(src rand.Source) (any, error), promise func(c *script.Call) (record, error)) (any, error) {
	src, simulated := simulating(c)
	value, err := draw(src)
	if err != nil || simulated {
		return value, err
	}
	return &released{value, what, promise}, nil
}

// fractionOf returns a rational number as a string, None for nil.
func fractionOf(q *big.Rat) any {
	if q == nil {
		return starlark.None
	}
	return q.RatString()
}

// coarse returns a warning if the grid is coarser than the noise.
func coarse(grid *big.Rat, size float64) []string {
	if v, _ := grid.Float64(); v > size {
		return []string{fmt.Sprintf("the grid %s is coarser than the noise, of size %s: little is left of the answer", evidence.FormatFloat(v, 6), evidence.FormatFloat(size, 6))}
	}
	return nil
}
