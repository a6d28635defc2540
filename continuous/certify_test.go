package continuous

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
)

// quarters returns the layers of all multiples of a quarter grid unit from −turns·Δ to turns·Δ, read from the sites of
// each cell. A number without a site gets a huge layer. Layers change only at grid points.
func quarters(l *Sequence, turns int) []int {
	const most = 1 << 40
	length := int(l.length.Int64())
	var out []int
	for q := -4 * turns * length; q <= 4*turns*length; q++ {
		position := q / (4 * length)
		if q < 4*length*position {
			position--
		}
		residue := q - 4*length*position
		at := 0
		for at+1 < len(l.nodes) && 4*int(l.nodes[at+1].at.Int64()) <= residue {
			at++
		}
		sites := l.nodes[at].gap
		if 4*int(l.nodes[at].at.Int64()) == residue {
			sites = l.nodes[at].point
		}
		layer, ok := layerAt(sites, position)
		if !ok {
			layer = most
		}
		out = append(out, layer)
	}
	return out
}

// Certify succeeds only if layers of neighbors differ by at most 1. If the layers are closed, it also succeeds whenever
// this holds. Mutants have one site moved to another layer or removed. The quarters contain a representative of every
// pair of cells.
func TestCertificatesAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(131, 1))
	verdicts := map[bool]int{}
	for trial := range 24 {
		v, radius := RandomSet(r, 7, trial%3 == 0)
		l := must.For(NewSequence(t.Context(), must.For(ScaledQuery(v, 1))(t), big.NewRat(int64(radius), 1)))(t)
		var moves []int // the shifts in V, in quarters
		for _, s := range l.query.NeighboringSet().Segments() {
			for q := 4 * l.grid(s.Lo).Int64(); q <= 4*l.grid(s.Hi).Int64(); q++ {
				moves = append(moves, int(q))
			}
		}
		turns := 3
		for _, n := range l.nodes {
			for _, s := range slices.Concat(n.point, n.gap) {
				turns = max(turns, max(-s.from, s.to)+3)
			}
		}
		check := func(what string) {
			t.Helper()
			layers, private, closed := quarters(l, turns), true, true
			for i := range layers {
				if i%4 == 0 && i > 0 && i+1 < len(layers) && layers[i] > min(layers[i-1], layers[i+1]) {
					closed = false
				}
				for _, m := range moves {
					if j := i + m; j >= 0 && j < len(layers) && layers[j] > layers[i]+1 {
						private = false
					}
				}
			}
			cases, err := l.Certify(t.Context())
			if (err == nil) != private && (closed || err == nil) || err != nil && !errors.Is(err, ErrLayerGap) || cases == 0 && what == "unchanged" {
				t.Fatalf("V = %v, radius %d, %s: %d cases, error %v, private by enumeration %v", v, radius, what, cases, err, private)
			}
			if closed {
				verdicts[private]++
			}
		}
		check("unchanged")
		for i := range l.nodes {
			for _, cell := range []*[]ringSite{&l.nodes[i].point, &l.nodes[i].gap} {
				kept := *cell
				for k := range kept {
					for _, by := range []int{-2, -1, 1, 2} {
						*cell = slices.Clone(kept)
						(*cell)[k].level += by
						check("a site in another layer")
					}
					*cell = slices.Delete(slices.Clone(kept), k, k+1)
					check("a removed site")
				}
				*cell = kept
			}
		}
	}
	if verdicts[true] < 100 || verdicts[false] < 100 {
		t.Errorf("too few cases: %d private and %d other", verdicts[true], verdicts[false])
	}
}

// Certify fails for a ring in which one position is missing.
func TestCertifyMutant(t *testing.T) {
	for _, counting := range []bool{false, true} {
		ends := rats(t, "0", "1", "5", "5", "9", "10")
		if counting {
			ends = rats(t, "2", "2", "7", "7")
		}
		l := sequenceOf(t, new(big.Rat), ends...)
		failed := 0
		for i := range l.nodes {
			cell := &l.nodes[i].gap
			if counting {
				cell = &l.nodes[i].point
			}
			for k, s := range *cell {
				if s.level < 1 {
					continue
				}
				kept := *cell
				mutant := append([]ringSite(nil), kept...)
				mutant[k].level += 2
				*cell = mutant
				if _, err := l.Certify(context.Background()); errors.Is(err, ErrLayerGap) {
					failed++
				}
				*cell = kept
			}
		}
		if failed == 0 {
			t.Errorf("counting %v: no missing late layer was found", counting)
		}
		if _, err := l.Certify(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
