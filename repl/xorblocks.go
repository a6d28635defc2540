package repl

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/internal/lists"
	"dpworkbench/privacy"
	"dpworkbench/script"
	"dpworkbench/xor"
)

// blocksClass is noise drawn block by block.
var blocksClass = &script.Class[*xor.Partition]{
	Answers: script.Answers[*xor.Partition]{"privacy": flippedBits[*xor.Partition]},
	Name:    "xor_blocks", Help: "Noise drawn block by block.", Setup: "q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)\n",
	Show: func(q *xor.Partition) string { return fmt.Sprintf("<noise in %d blocks>", len(q.Tiles)) },
	Attrs: []script.Attr[*xor.Partition]{
		script.Do("claimed_epsilon(sensitivity: int[1..2147483647]=1) -> evidence", "The sum over blocks of what Theorem 1 promises: composition.", "(2)", func(c *script.Call, q *xor.Partition) (any, error) {
			e := q.ClaimedEpsilon(c.Int("sensitivity"))
			e.Caveat = sensitivityUnsaid(c)
			return e, nil
		}),
		script.Do("smallest_epsilon(sensitivity: int[1..2147483647]=1) -> evidence", "The smallest ε for at most sensitivity bits anywhere: blocks are independent. Certified. epsilon_at(delta) is the ε at a δ."+methodHere, "(2)", func(c *script.Call, q *xor.Partition) (any, error) {
			loss, err := must(q.Under(xor.FlipBits(c.Int("sensitivity")))).Loss(c.Context)
			loss.Caveat = sensitivityUnsaid(c)
			return loss.Certified, err
		}),
		script.Do("delta_at(eps: profile_epsilon, sensitivity: int[1..2147483647]=1) -> evidence", deltaHelp+" For at most sensitivity bits anywhere.", "(0.1, sensitivity=2)", func(c *script.Call, q *xor.Partition) (any, error) { return deltaOf(c, tiledAt(c, q)) }),
		script.Do("epsilon_at(delta: delta0, sensitivity: int[1..2147483647]=1) -> evidence", epsilonHelp+" For at most sensitivity bits anywhere.", "(0.001, sensitivity=2)", func(c *script.Call, q *xor.Partition) (any, error) {
			return tiledAt(c, q).Epsilon(c.Context, c.Delta("delta"))
		}),
		script.Do("error_rate(complement: bool=False) -> evidence", "The chance that a bit is flipped, the mean over all bits. Certified.", "()", func(c *script.Call, q *xor.Partition) (any, error) {
			return q.FlipRate(c.Context, xor.Variant(c.Bool("complement")))
		}),
		script.Do("release(matrix: bits, complement: bool=False, sensitivity: int[1..2147483647]=1, seed: seed=None) -> released|matrix", "The XOR mechanism with this noise, drawn from the operating system's generator with exactly its law; with complement xor 1 − B. sensitivity is how many bits neighbors differ in, for the record."+seedHelp, "q = xor_blocks(2, 2, 1, 0.7, 2, 1, 2)\nprint(q.release([[1, 0], [0, 0]]))", func(c *script.Call, q *xor.Partition) (any, error) {
			name := fmt.Sprintf("noise in %d blocks", len(q.Tiles))
			return releaseBits(c, name, map[string]any{"blocks": len(q.Tiles)}, overHalf(c, name, must(q.FlipsOverHalf(c.Context, xor.Variant(c.Bool("complement"))))), func(src rand.Source) (*xor.Bits, error) {
				out, _, err := q.Release(c.Context, c.Arg("matrix").(*xor.Bits), xor.ReleaseOptions{Complement: c.Bool("complement"), Method: xor.Auto}, src)
				return out, err
			}, func(c *script.Call, of xor.Neighbors) (any, error) {
				loss, err := must(q.Under(of)).Loss(c.Context)
				return loss.Certified, err
			})
		}),
		script.Do("simulate(k: int[1..]=1, seed: seed=0) -> list", "The same as sample, from a seed.", "(1)[0]", func(c *script.Call, q *xor.Partition) (any, error) { return blockDraws(c, q, c.Source("seed")) }),
		script.Do(`sample(k: int[1..]=1, seed: seed=0, source: "seed"|"crypto"="seed") -> list`, "A list of k noise matrices.", "(1)[0]", func(c *script.Call, q *xor.Partition) (any, error) { return blockDraws(c, q, noiseSource(c)) }),
	},
}

// tiledAt returns the privacy of noise in blocks, for the sensitivity of a call.
func tiledAt(c *script.Call, q *xor.Partition) *privacy.Account {
	return privacy.New(must(q.PairsUnder(xor.FlipBits(c.Int("sensitivity")))))
}

// blockDraws draws k noise matrices.
func blockDraws(c *script.Call, q *xor.Partition, src rand.Source) (any, error) {
	checkDraws(c, q)
	out := lists.Of(c.Int("k"), func(int) any { return bitMatrix(must(q.Noise(c.Context, src))) })
	return out, nil
}
