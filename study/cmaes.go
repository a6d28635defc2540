package study

import (
	"fmt"
	"slices"

	"github.com/c-bata/goptuna"
	"github.com/c-bata/goptuna/cmaes"
	"gonum.org/v1/gonum/mat"
)

// CMAES is CMA-ES with restarts of doubled population (IPOP: Auger and Hansen, CEC 2005) on the real and integer
// parameters. Categorical parameters are drawn at random.
//
// goptuna's sampler keeps the state of the search in the process, so a second process repeats the points of the first
// and a resumed study starts over. This sampler recomputes the state from the trials. A trial records the generation
// from which it was drawn; the first complete trials of a generation are passed to goptuna's optimizer. Each trial
// draws from its own random stream, determined by its number.
type CMAES struct {
	seed      uint64
	restart   int
	names     []string
	optimizer *cmaes.Optimizer
}

// initialSigma is the initial step size in the unit cube of the coordinates.
const initialSigma = 0.25

// SampleRelative proposes parameters together.
func (s *CMAES) SampleRelative(study *Study, trial goptuna.FrozenTrial) (map[string]float64, error) {
	trials, err := study.storage.GetAllTrials(study.id)
	if err != nil {
		return nil, err
	}
	sp := spaceOf(trials, scaled)
	if len(sp.names) == 0 {
		return nil, nil
	}
	if s.optimizer == nil || !slices.Equal(s.names, sp.names) {
		s.names, s.restart = sp.names, 0
		s.start(0)
	}
	s.replay(study, trials, sp)
	cmaes.OptimizerOptionSeed(int64(source(s.seed, trial.Number, "cmaes").Uint64() >> 1))(s.optimizer)
	u, err := s.optimizer.Ask()
	if err != nil {
		return nil, err
	}
	if err := study.storage.SetTrialSystemAttr(trial.ID, attrCMA, s.generation()); err != nil {
		return nil, err
	}
	return sp.values(u), nil
}

// generation returns a name of the distribution from which the next trial is drawn.
func (s *CMAES) generation() string {
	return fmt.Sprintf("%d.%d.%d", s.seed, s.restart, s.optimizer.Generation())
}

// start begins a search. The first search starts at the centre, and every restart at a random point.
func (s *CMAES) start(population int) {
	dim := len(s.names)
	mean, bounds := make([]float64, dim), mat.NewDense(dim, 2, nil)
	r := source(s.seed, -1-s.restart, "cmaes")
	for i := range mean {
		mean[i] = 0.5
		if s.restart > 0 {
			mean[i] = r.Float64()
		}
		bounds.Set(i, 1, 1)
	}
	options := []cmaes.OptimizerOption{cmaes.OptimizerOptionBounds(bounds)}
	if population > 0 {
		options = append(options, cmaes.OptimizerOptionPopulationSize(population))
	}
	s.optimizer, _ = cmaes.NewOptimizer(mean, initialSigma, options...) // its only error is a sigma that is not positive
}

// replay passes every complete generation to the optimizer.
func (s *CMAES) replay(study *Study, trials []goptuna.FrozenTrial, sp space) {
	generations := make(map[string][]*goptuna.FrozenTrial)
	for i := range trials {
		t := &trials[i]
		if tag, ok := t.SystemAttrs[attrCMA]; ok && t.State == goptuna.TrialStateComplete {
			generations[tag] = append(generations[tag], t)
		}
	}
	for {
		tagged, population := generations[s.generation()], s.optimizer.PopulationSize()
		if len(tagged) < population {
			return
		}
		slices.SortFunc(tagged, func(a, b *goptuna.FrozenTrial) int { // so that every worker passes the same trials
			if c := a.DatetimeComplete.Compare(b.DatetimeComplete); c != 0 {
				return c
			}
			return a.Number - b.Number
		})
		solutions := make([]*cmaes.Solution, 0, population)
		for _, t := range tagged {
			if u, ok := sp.coordinates(t); ok && len(solutions) < population {
				solutions = append(solutions, &cmaes.Solution{Params: u, Value: loss(study, t.Value)})
			}
		}
		if len(solutions) < population {
			return
		}
		s.tell(solutions)
	}
}

// tell advances the optimizer by a generation. If it has converged or failed, tell starts the next search.
func (s *CMAES) tell(solutions []*cmaes.Solution) {
	stop := func() (stop bool) {
		defer func() {
			if recover() != nil { // gonum panics if the covariance is no longer positive definite
				stop = true
			}
		}()
		return s.optimizer.Tell(solutions) != nil || s.optimizer.ShouldStop()
	}()
	if stop {
		s.restart++
		s.start(2 * len(solutions))
	}
}
