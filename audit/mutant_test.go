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
		delta, _ := claim.delta()
		a := &assay{claim: claim, bound: delta, alpha: alpha, datasets: s.datasets.labels, d: s.layOut()}
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
