package study

import (
	"fmt"
	"math"
	"testing"

	"dpworkbench/internal/must"

	"github.com/c-bata/goptuna/cmaes"
)

// After convergence, the search restarts elsewhere with twice the population, and its generations get a new name.
func TestRestartsDouble(t *testing.T) {
	s := &CMAES{seed: 3, names: []string{"x", "y"}}
	s.start(0)
	population, first, before := s.optimizer.PopulationSize(), s.generation(), 0
	if first != "3.0.0" {
		t.Errorf("the first generation is %s", first)
	}
	for range 2000 {
		var solutions []*cmaes.Solution
		for range s.optimizer.PopulationSize() {
			u := must.For(s.optimizer.Ask())(t)
			if s.restart == 0 && s.optimizer.Generation() == 0 && math.Hypot(u[0]-.5, u[1]-.5) > 6*initialSigma {
				t.Errorf("the first generation is at %v", u)
			}
			for _, v := range u {
				if v < 0 || v > 1 {
					t.Fatalf("proposal %v is outside", u)
				}
			}
			solutions = append(solutions, &cmaes.Solution{Params: u, Value: (u[0]-.2)*(u[0]-.2) + (u[1]-.7)*(u[1]-.7)})
		}
		generation := s.optimizer.Generation()
		s.tell(solutions)
		if s.restart == before {
			if s.optimizer.Generation() != generation+1 {
				t.Fatalf("generation %d follows %d", s.optimizer.Generation(), generation)
			}
			continue
		}
		before++
		if s.restart != before || s.optimizer.PopulationSize() != population<<before || s.generation() != fmt.Sprintf("3.%d.0", before) {
			t.Fatalf("after restart %d: number %d, population %d from %d, generation %s", before, s.restart, s.optimizer.PopulationSize(), population, s.generation())
		}
		if before == 3 {
			return
		}
	}
	t.Errorf("%d restarts in 2000 generations", before)
}
