package layers_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The initial values of given layers are those that no other dataset implies. If the layers are a closure, the initial
// values rebuild them.
func TestNewGiven(t *testing.T) {
	rng, claim := rand.New(rand.NewPCG(8, 8)), evidence.Claimed{Value: 3, Provenance: evidence.From("test")}
	for trial := range 200 {
		in := randomInstance(rng, randomSpace(rng, trial%2 == 1), true)
		size := len(in.q.Range())
		table := make([]int32, in.q.Size()*size)
		closed := trial%4 < 2
		for i := range table {
			switch {
			case closed:
				table[i] = int32(in.closureLayer(i/size, i%size))
			case in.q.Space().IsPath(): // layers of neighbors differ by at most 1
				table[i] = int32(3 + (i/size+i%size)%2)
			case i%size == 0:
				table[i] = 4
			default:
				table[i] = int32(rng.IntN(9)) - 1
			}
		}
		m := must.For(layers.NewGiven(ctx, mechanism.Info{Name: "given", Query: in.q, Claimed: claim}, evidencetest.Epsilon(0.5), table))(t)
		if m.Name() != "given" || m.ClaimedEpsilon() != evidence.Number(claim) || m.Rule() != layers.Closure || m.Decay().Value() != 0.5 {
			t.Fatalf("%s at decay %v has the claim %v", m.Name(), m.Decay(), m.ClaimedEpsilon())
		}
		for x := range in.q.Size() {
			for r := range size {
				level := int(table[x*size+r])
				first := level != query.Unreached
				for y := range in.q.Size() {
					if d := math.Ceil(in.q.Space().Distance(x, y)); y != x && table[y*size+r] != query.Unreached && d+float64(table[y*size+r]) <= float64(level) {
						first = false
					}
				}
				if m.Layer(x, r) != level || slices.Contains(m.Sets().At[x][level], r) != first {
					t.Fatalf("trial %d: value %d of dataset %d in layer %d, given %d; initial %v, want %v", trial, r, x, m.Layer(x, r), level, !first, first)
				}
			}
		}
		if !closed {
			continue
		}
		again := newGeneral(t, in.q, layers.Closure, m.Sets().At...)
		for i, level := range table {
			if again.Layer(i/size, i%size) != int(level) {
				t.Fatalf("trial %d: value %d of dataset %d is rebuilt in layer %d, given %d", trial, i%size, i/size, again.Layer(i/size, i%size), level)
			}
		}
	}
}
