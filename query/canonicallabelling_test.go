package query

import (
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// minCodeByAllLabellings returns the least code over all permutations of the nodes, and the number of permutations that
// attain it.
func minCodeByAllLabellings(nodes int, code graphCode) (least graphCode, attained uint64) {
	var joined [maxGraphNodes][maxGraphNodes]bool
	size := nodes * (nodes - 1) / 2
	for p := range size {
		if code>>(size-1-p)&1 != 0 {
			joined[pairs[p][0]][pairs[p][1]] = true
			joined[pairs[p][1]][pairs[p][0]] = true
		}
	}
	least = ^graphCode(0)
	label := make([]int, 0, nodes)
	var used [maxGraphNodes]bool
	var try func()
	try = func() {
		if len(label) == nodes {
			var g graphCode
			for j := range nodes {
				for i := range j {
					g <<= 1
					if joined[label[i]][label[j]] {
						g |= 1
					}
				}
			}
			switch {
			case g < least:
				least, attained = g, 1
			case g == least:
				attained++
			}
			return
		}
		for v := range nodes {
			if !used[v] {
				used[v] = true
				label = append(label, v)
				try()
				label = label[:len(label)-1]
				used[v] = false
			}
		}
	}
	try()
	return least, attained
}

func checkMinCode(t *testing.T, c *canonicalLabeller, nodes int, code graphCode) {
	t.Helper()
	want, attained := minCodeByAllLabellings(nodes, code)
	c.load(nodes, code)
	if got := c.minCode(); got != want || c.labellings() != attained {
		t.Fatalf("nodes %d, code %b: least %b with %d labellings, want %b with %d", nodes, code, got, c.labellings(), want, attained)
	}
}

func TestMinCodeAgainstAllLabellings(t *testing.T) {
	c := new(canonicalLabeller)
	for nodes := 1; nodes <= 5; nodes++ {
		for code := range graphCode(1) << (nodes * (nodes - 1) / 2) {
			checkMinCode(t, c, nodes, code)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, sample := range []struct{ nodes, graphs int }{{6, 500}, {7, 100}, {8, 12}} {
		size := sample.nodes * (sample.nodes - 1) / 2
		for range sample.graphs {
			code := rng.Uint64() & (1<<size - 1)
			switch rng.IntN(3) { // include sparse and dense graphs
			case 0:
				code &= rng.Uint64()
			case 1:
				code |= rng.Uint64() & (1<<size - 1)
			}
			checkMinCode(t, c, sample.nodes, code)
		}
	}
}

// Graphs with known automorphism groups have the right number of automorphisms.
func TestGraphsAutomorphisms(t *testing.T) {
	for _, c := range []struct {
		graph6 string
		want   uint64
	}{
		{"@", 1}, {"F????", 5040}, {"F~~~w", 5040},
		{"C]", 8},          // 4-cycle: dihedral
		{"IsP@OkWHG", 120}, // Petersen: S_5
		{"IheA@GUAo", 120}, // Petersen with another labelling
	} {
		a := must.For(ParseGraph6(c.graph6))(t)
		k := canonicalLabeller{nodes: len(a)}
		for v, row := range a {
			k.adj[v] = uint16(row)
		}
		k.minCode()
		if got := k.labellings(); got != c.want {
			t.Errorf("%s: %d automorphisms, want %d", c.graph6, got, c.want)
		}
	}
}
