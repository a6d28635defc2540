package repl

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// lawName returns the name of a law.
func lawName(b *xor.Bernoulli) string {
	n, p := b.Shape()
	return fmt.Sprintf("Bernoulli law on %d × %d bits", n, p)
}

// lawParameters returns the parameters of a law.
func lawParameters(c *script.Call, b *xor.Bernoulli) map[string]any {
	n, p := b.Shape()
	out := map[string]any{"rows": n, "columns": p, "complement": c.Bool("complement")}
	if columns := b.Columns(); columns != nil {
		out["theta"], out["lam"] = columns.Parameters()
	}
	return out
}

// costOf returns a function that computes the smallest ε of a law's noise for a neighbor relation.
func costOf(b *xor.Bernoulli) func(c *script.Call, of xor.Neighbors) (any, error) {
	return func(c *script.Call, of xor.Neighbors) (any, error) {
		loss, err := must(b.Under(of, xor.LossOptions{})).Loss(c.Context)
		return loss.Certified, err
	}
}

// flipped returns bits as a matrix with the column names of the parameter matrix.
func flipped(c *script.Call, bits *xor.Bits) *script.Matrix {
	return script.NewMatrix(bits.Floats()).NamedAs(c.Value("matrix"))
}

// overHalf returns a warning if noise flips more than half of the bits on average.
func overHalf(c *script.Call, what string, over bool) []string {
	if !over {
		return nil
	}
	noise, advice := "B", "complement=True takes 1 - B, which is as private and flips fewer than half"
	if c.Bool("complement") {
		noise, advice = "1 - B", "complement=False takes B, which is as private and flips fewer than half"
	}
	text := fmt.Sprintf("noise %s of the %s flips more than half of the bits: %s", noise, what, advice)
	c.Session.Warn(text)
	return []string{text}
}

// lawOverHalf is overHalf for a law.
func lawOverHalf(c *script.Call, b *xor.Bernoulli) []string {
	return overHalf(c, lawName(b), must(b.FlipsOverHalf(c.Context, xor.Variant(c.Bool("complement")))))
}

// releaseBits releases the matrix that draw returns. The record holds its smallest ε, computed by cost, and the
// warnings.
func releaseBits(c *script.Call, what string, parameters map[string]any, warnings []string, draw func(src rand.Source) (*xor.Bits, error), cost func(c *script.Call, of xor.Neighbors) (any, error)) (any, error) {
	sensitivity := c.Int("sensitivity")
	parameters["complement"], parameters["sensitivity"] = c.Bool("complement"), sensitivity
	return release(c, what, func(src rand.Source) (any, error) {
		out, err := draw(src)
		if err != nil {
			return nil, err
		}
		return flipped(c, out), nil
	}, func(c *script.Call) (record, error) {
		epsilon, err := cost(c, xor.FlipBits(sensitivity))
		neighbors := "matrices that differ in one bit"
		if sensitivity > 1 {
			neighbors = fmt.Sprintf("matrices that differ in at most %d bits", sensitivity)
		}
		return record{parameters: parameters, neighbors: neighbors, draws: 1, epsilon: epsilon, delta: starlark.MakeInt(0), grid: starlark.None, warnings: warnings}, err
	})
}

// releasedGraph returns adjacency plus noise from a source. The result is a network if the argument was one.
func releasedGraph(c *script.Call, b *xor.Bernoulli, src rand.Source) (any, error) {
	n, isNetwork := c.Arg("adjacency").(*network)
	if !isNetwork {
		n = &network{bits: c.Arg("adjacency").(*xor.Bits)}
	}
	out, _, err := xor.ReleaseGraph(c.Context, n.bits, b, releaseOptions(c), src)
	if err != nil {
		return nil, err
	}
	if !isNetwork {
		return script.NewMatrix(out.Floats()).NamedAs(c.Value("adjacency")), nil
	}
	return networkClass.Of(c, &network{bits: out, names: n.names}), nil
}

// releaseOptions reads complement and method.
func releaseOptions(c *script.Call) xor.ReleaseOptions {
	return xor.ReleaseOptions{Complement: c.Bool("complement"), Method: xor.Method(c.Text("method"))}
}

// noiseSource returns the source that the parameters source and seed name.
func noiseSource(c *script.Call) rand.Source {
	if c.Text("source") == "crypto" {
		return xor.NewCryptoSource()
	}
	return c.Source("seed")
}
