package study

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/parameter"

	"github.com/c-bata/goptuna"
	"github.com/c-bata/goptuna/sobol"
)

// Samplers lists the names that newSampler accepts.
var Samplers = []string{"cmaes", "tpe", "sobol", "random"}

// sampler proposes parameters: one by one, or several together. Its proposals depend only on the seed, the trial's
// number and the finished trials.
type sampler struct {
	relative interface { // nil if there is none
		SampleRelative(study *Study, trial goptuna.FrozenTrial) (map[string]float64, error)
	}
	independent interface {
		Sample(study *Study, trial goptuna.FrozenTrial, name string, distribution any) (float64, error)
	}
}

// newSampler returns the named sampler. Each goroutine needs its own.
func newSampler(name string, seed uint64) (sampler, error) {
	random := &Random{seed}
	switch name {
	case "cmaes":
		return sampler{&CMAES{seed: seed}, random}, nil
	case "sobol":
		return sampler{&Sobol{seed: seed}, random}, nil
	case "tpe":
		return sampler{nil, &TPE{seed: seed}}, nil
	case "random":
		return sampler{nil, random}, nil
	}
	return sampler{}, parameter.Bad("sampler", name, `"cmaes", "tpe", "sobol" or "random"`)
}

// source returns the random stream for one purpose of one trial, from the seed.
func source(seed uint64, number int, purpose string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s", number, purpose)
	return rand.New(draw.Source(seed, h.Sum64()))
}

// Random proposes every parameter uniformly. The logarithm of a log-scaled parameter is uniform.
type Random struct{ seed uint64 }

// Sample proposes a parameter.
func (r *Random) Sample(_ *Study, trial goptuna.FrozenTrial, name string, distribution any) (float64, error) {
	return fromUnit(distribution, source(r.seed, trial.Number, name).Float64()), nil
}

// space is the search space of a sampler that proposes several parameters together: the supported parameters of the
// first complete trial, by name.
type space struct {
	names         []string
	distributions map[string]any
}

// spaceOf returns the space of the parameters whose distribution accept reports. It is empty while no trial is
// complete.
func spaceOf(trials []goptuna.FrozenTrial, accept func(distribution any) bool) space {
	first := -1
	for i := range trials {
		if trials[i].State == goptuna.TrialStateComplete && (first < 0 || trials[i].Number < trials[first].Number) {
			first = i
		}
	}
	s := space{distributions: make(map[string]any)}
	if first < 0 {
		return s
	}
	for name, d := range trials[first].Distributions {
		if accept(d) {
			s.names = append(s.names, name)
			s.distributions[name] = d
		}
	}
	slices.Sort(s.names)
	return s
}

// values converts coordinates, in the order of the names, to internal values.
func (s space) values(u []float64) map[string]float64 {
	out := make(map[string]float64, len(s.names))
	for i, name := range s.names {
		out[name] = fromUnit(s.distributions[name], u[i])
	}
	return out
}

// coordinates returns the coordinates of a trial; ok is false if the trial lacks one of the parameters.
func (s space) coordinates(t *goptuna.FrozenTrial) (u []float64, ok bool) {
	u = make([]float64, len(s.names))
	for i, name := range s.names {
		v, ok := t.InternalParams[name]
		if !ok {
			return nil, false
		}
		u[i] = toUnit(s.distributions[name], v)
	}
	return u, true
}

// loss returns the number to minimise: the value, or its negative.
func loss(study *Study, value float64) float64 {
	if study.Maximizes() {
		return -value
	}
	return value
}

// maxSobol is the largest dimension that goptuna's Sobol engine supports.
const maxSobol = 21201

// Sobol proposes the points of Sobol's sequence, point n for trial n, shifted modulo 1 by a random vector drawn with
// the seed (Cranley and Patterson 1976).
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
