package study

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/redact"

	"github.com/c-bata/goptuna"
)

// Study is a named search in a storage.
type Study struct {
	storage   *Storage
	name      string
	id        int
	direction goptuna.StudyDirection
	sampler   string
	seed      uint64

	mu    sync.Mutex
	space map[string]string // ranges known to be settled
}

// Options configures the search of a study.
type Options struct {
	Sampler  string // one of Samplers; "" is "cmaes"
	Seed     uint64
	Maximize bool
}

// New returns the named study, and creates it if the storage does not contain it. It returns an error wrapping
// evidence.ErrParameter if the study exists with the other direction.
func New(ctx context.Context, storage *Storage, name string, o Options) (*Study, error) {
	if name == "" || len(name) > 512 {
		return nil, parameter.Bad("name", name, "1 to 512 bytes")
	}
	if o.Sampler == "" {
		o.Sampler = "cmaes"
	}
	if _, err := newSampler(o.Sampler, o.Seed); err != nil {
		return nil, err
	}
	direction := goptuna.StudyDirectionMinimize
	if o.Maximize {
		direction = goptuna.StudyDirectionMaximize
	}
	id, found, err := storage.ensure(ctx, name, direction)
	if err != nil {
		return nil, err
	}
	if found != direction {
		return nil, parameter.Errorf("direction = %q, but study %q in %s has %q", direction, name, storage.name, found)
	}
	return wrap(storage, name, id, found, o), nil
}

// Load returns the named study, or an error wrapping ErrUnknown.
func Load(ctx context.Context, storage *Storage, name string) (*Study, error) {
	id, direction, err := storage.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return wrap(storage, name, id, direction, Options{Sampler: "cmaes"}), nil
}

func wrap(storage *Storage, name string, id int, direction goptuna.StudyDirection, o Options) *Study {
	return &Study{storage: storage, name: name, id: id, direction: direction, sampler: o.Sampler, seed: o.Seed, space: make(map[string]string)}
}

// Name returns the study's name.
func (s *Study) Name() string { return s.name }

// Storage returns the storage of the study.
func (s *Study) Storage() *Storage { return s.storage }

// Maximizes reports whether the study maximises its objective.
func (s *Study) Maximizes() bool { return s.direction == goptuna.StudyDirectionMaximize }

// Result is a trial as stored.
type Result struct {
	Number          int
	State           string         // "complete", "failed", "lost", "running", "waiting"
	Value           float64        // NaN unless complete
	Params          map[string]any // float64, int or the label of a choice
	Reason          string         // reason if it failed or was lost
	Lost            bool           // its worker is gone; another trial repeats it
	Start, Complete time.Time      // zero if missing
}

// Results returns all trials, in the order of their numbers.
func (s *Study) Results(ctx context.Context) ([]Result, error) {
	trials, err := s.storage.sync(ctx, s.id)
	if err != nil {
		return nil, err
	}
	out := lists.Of(len(trials), func(i int) Result { return result(&trials[i]) })
	return out, nil
}

func result(t *goptuna.FrozenTrial) Result {
	r := Result{
		Number: t.Number, Value: math.NaN(), Params: t.Params,
		Reason: redact.Text(t.SystemAttrs[attrReason]), Start: t.DatetimeStart, Complete: t.DatetimeComplete,
	}
	_, r.Lost = t.SystemAttrs[attrLost]
	switch t.State {
	case goptuna.TrialStateComplete:
		r.State, r.Value = "complete", t.Value
	case goptuna.TrialStateRunning:
		r.State = "running"
	case goptuna.TrialStateWaiting:
		r.State = "waiting"
	default:
		if r.State = "failed"; r.Lost {
			r.State = "lost"
		}
	}
	return r
}

// Best returns the complete trial with the best value. If several have it, it returns the first. It returns an error
// wrapping ErrNoTrial if no trial is complete.
func (s *Study) Best(ctx context.Context) (Result, error) {
	results, err := s.Results(ctx)
	if err != nil {
		return Result{}, err
	}
	best, ok := BestOf(results, s.Maximizes())
	if !ok {
		return Result{}, fmt.Errorf("%w: study %q holds %d trials, none of them complete", ErrNoTrial, s.name, len(results))
	}
	return best, nil
}

// BestOf returns the complete trial with the best value, the first if several have it; ok is false if none is complete.
func BestOf(results []Result, maximize bool) (best Result, ok bool) {
	for _, r := range results {
		if r.State == "complete" && (!ok || (maximize && r.Value > best.Value) || (!maximize && r.Value < best.Value)) {
			best, ok = r, true
		}
	}
	return best, ok
}

// History returns the numbers and the values of the complete trials, and for each of them the best value so far.
func History(results []Result, maximize bool) (numbers, values, best []float64) {
	var top Result
	for _, r := range results {
		if r.State == "complete" {
			top, _ = BestOf([]Result{top, r}, maximize)
			numbers, values, best = append(numbers, float64(r.Number)), append(values, r.Value), append(best, top.Value)
		}
	}
	return numbers, values, best
}
