package study

import (
	"math"

	"github.com/c-bata/goptuna"
	"github.com/c-bata/goptuna/sobol"
)

// maxSobol is the number of dimensions that goptuna's engine has numbers for.
const maxSobol = 21201

// Sobol proposes the points of Sobol's sequence, trial n the point n, shifted
// modulo 1 by a vector that the seed draws (Cranley and Patterson 1976).
type Sobol struct {
	seed   uint64
	dim    int
	engine *sobol.Engine
	points [][]float64
}

// SampleRelative proposes parameters together.
func (s *Sobol) SampleRelative(study *Study, trial goptuna.FrozenTrial) (map[string]float64, error) {
	trials, err := study.storage.GetAllTrials(study.id)
	if err != nil {
		return nil, err
	}
	sp := spaceOf(trials, func(any) bool { return true })
	if len(sp.names) == 0 || len(sp.names) > maxSobol {
		return nil, nil
	}
	if s.engine == nil || s.dim != len(sp.names) {
		s.dim, s.points = len(sp.names), nil
		s.engine = sobol.NewEngine(uint32(s.dim))
	}
	for len(s.points) <= trial.Number {
		s.points = append(s.points, s.engine.Draw())
	}
	u := make([]float64, s.dim)
	for i, name := range sp.names {
		shift := source(s.seed, -1, name).Float64()
		_, u[i] = math.Modf(s.points[trial.Number][i] + shift)
	}
	return sp.values(u), nil
}
