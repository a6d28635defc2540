package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
)

// Two equal laws on 2000 outputs are never refuted at ε = 0.1 by events chosen on
// other draws; choosing and testing on the same draws refutes nearly always. At
// 100 audits of level 0.01, more than 9 refutations have probability 1e-7.
func TestMutantWithoutSplit(t *testing.T) {
	const runs, alpha = 100, 0.01
	eps, err := evidence.NewEpsilon("eps", 0.1)
	if err != nil {
		t.Fatal(err)
	}
	split, same := 0, 0
	for i := range runs {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		var s Samples
		for _, dataset := range []string{"x", "y"} {
			for range 20000 {
				if err := s.Add(dataset, fmt.Sprint("o", r.IntN(2000)), 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := s.Audit(context.Background(), nil, Claim{Epsilon: eps}, Sampling{Confidence: 1 - alpha}, rand.NewPCG(2, uint64(i)))
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict == evidence.Refuted {
			split++
		}

		claim := Claim{Epsilon: eps}
		a := &assay{claim: claim, bound: claim.Delta.Rat(), alpha: alpha, datasets: s.datasets.labels, d: s.layOut()}
		for x := range a.d.tallies {
			for k := range a.d.tallies[x] {
				c := &a.d.tallies[x][k]
				c.order, c.score = c.confirm, c.confirm
			}
		}
		picks, err := a.chosen(context.Background(), [][2]int{{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		mutant := &Result{}
		if err := a.test(context.Background(), mutant, picks, 0); err != nil {
			t.Fatal(err)
		}
		if mutant.Verdict == evidence.Refuted {
			same++
		}
	}
	if split > 9 {
		t.Errorf("%d of %d audits refute equal laws", split, runs)
	}
	if same <= 9 {
		t.Errorf("without a split %d of %d audits refute equal laws: the test cannot tell", same, runs)
	}
	t.Logf("refuted: %d split, %d without", split, same)
}

// What is chosen depends on the choosing half alone: hiding what the other half
// drew, and which outputs occur there only, changes no event and no edge.
func TestChoiceIgnoresTheTestingHalf(t *testing.T) {
	eps, err := evidence.NewEpsilon("eps", 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		var s Samples
		for x, dataset := range []string{"x", "y"} {
			for range 300 {
				output := fmt.Sprint(float64(x)/2 + r.NormFloat64()) // nearly all different
				if i%2 == 1 {
					output = fmt.Sprint(x + int(3*r.NormFloat64()))
				}
				if r.IntN(5) == 0 {
					output = fmt.Sprint("word", r.IntN(40))
				}
				if err := s.Add(dataset, output, 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		d := s.layOut()
		if err := d.split(context.Background(), s.datasets.labels, rand.NewPCG(4, uint64(i))); err != nil {
			t.Fatal(err)
		}
		choose := func(d *drawn) string {
			claim := Claim{Epsilon: eps}
			a := &assay{claim: claim, bound: claim.Delta.Rat(), alpha: 0.01, datasets: s.datasets.labels, d: d}
			picks, err := a.chosen(context.Background(), [][2]int{{0, 1}})
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(d.quantileEdges(7))
			for _, e := range picks {
				text += fmt.Sprint(" ", e.x, e.y, e.bound)
				if e.bound != 0 {
					text += d.labels[e.cut]
				}
				for _, o := range e.outputs {
					text += " " + d.labels[o]
				}
			}
			return text
		}
		want := choose(d)
		hidden := &drawn{tallies: make([][]tally, len(d.tallies))}
		place := make(map[int]int)
		for o, label := range d.labels {
			for _, row := range d.tallies {
				for _, c := range row {
					if _, known := place[o]; c.output == o && c.chooses() && !known {
						place[o] = len(hidden.labels)
						hidden.labels = append(hidden.labels, label)
						if o < len(d.values) {
							hidden.values = append(hidden.values, d.values[o])
						}
					}
				}
			}
		}
		for x, row := range d.tallies {
			for _, c := range row {
				if c.chooses() {
					hidden.tallies[x] = append(hidden.tallies[x], tally{output: place[c.output], order: c.order, score: c.score})
				}
			}
		}
		if got := choose(hidden); got != want {
			t.Fatalf("run %d: chosen %s\nwithout the testing half %s", i, want, got)
		}
	}
}
