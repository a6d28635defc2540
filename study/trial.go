package study

import (
	"context"
	"fmt"
	"slices"

	"dpworkbench/internal/parameter"

	"github.com/c-bata/goptuna"
)

// Trial is one evaluation of the objective. Only the goroutine that runs the objective may use it.
type Trial struct {
	ctx      context.Context
	study    *Study
	begun    begun
	sampler  sampler
	relative map[string]float64
	params   map[string]suggested
	fatal    error // an error that ends the study, not just the trial
}

type suggested struct {
	kind         any    // goptuna's distribution
	distribution string // the same as stored
	value        float64
}

// Number returns the trial's number in its study, from 0.
func (t *Trial) Number() int { return t.begun.number }

// Float proposes a real parameter in [lo, hi]; if log is set, its logarithm is drawn.
//
// Float, Int and Choice return an error wrapping evidence.ErrParameter if the range is invalid, and ErrSpace if the
// study has another range for the name.
func (t *Trial) Float(name string, lo, hi float64, log bool) (float64, error) {
	d, err := floatRange(name, lo, hi, log)
	if err != nil {
		return 0, err
	}
	return t.suggest(name, d)
}

// Int proposes an integer parameter in lo … hi, both ends included.
func (t *Trial) Int(name string, lo, hi int) (int, error) {
	d, err := intRange(name, lo, hi)
	if err != nil {
		return 0, err
	}
	v, err := t.suggest(name, d)
	return int(v), err
}

// Choice proposes one of the labels, and returns its index.
func (t *Trial) Choice(name string, labels []string) (int, error) {
	d, err := choices(name, labels)
	if err != nil {
		return 0, err
	}
	v, err := t.suggest(name, d)
	return int(v), err
}

// suggest returns the internal value of a parameter; a repeated call returns the same value.
func (t *Trial) suggest(name string, distribution any) (float64, error) {
	if name == "" || len(name) > 256 {
		return 0, parameter.Errorf("name of a parameter = %q, want 1 to 256 bytes", name)
	}
	if t.fatal != nil { // if storing one range failed, a later one must not become the study's first
		return 0, t.fatal
	}
	text, err := goptuna.DistributionToJSON(distribution)
	if err != nil {
		return 0, err
	}
	if len(text) > maxText {
		return 0, parameter.Errorf("the stored range of %q takes %d bytes, want at most %d", name, len(text), maxText)
	}
	if p, ok := t.params[name]; ok {
		if p.distribution != string(text) {
			return 0, parameter.Errorf("range of %q differs from the range that this trial requested before", name)
		}
		return p.value, nil
	}
	if err := t.study.settle(t.ctx, name, string(text), len(t.params) == 0); err != nil {
		t.fatal = err
		return 0, err
	}
	v, err := t.draw(name, distribution)
	if err == nil {
		err = t.study.storage.param(t.ctx, t.begun.id, name, v, string(text))
	}
	if err != nil {
		t.fatal = err
		return 0, err
	}
	t.params[name] = suggested{distribution, string(text), v}
	return v, nil
}

// draw chooses the value of a parameter.
func (t *Trial) draw(name string, distribution any) (float64, error) {
	if v, ok := t.begun.fixed[name]; ok && holds(distribution, v) {
		return v, nil
	}
	if v, ok := t.relative[name]; ok && holds(distribution, v) {
		return v, nil
	}
	return t.sampler.independent.Sample(t.study, t.frozen(), name, distribution)
}

// frozen returns the trial in the form that samplers take. A repeated trial draws the same values as the lost one.
func (t *Trial) frozen() goptuna.FrozenTrial {
	return goptuna.FrozenTrial{ID: t.begun.id, StudyID: t.study.id, Number: t.begun.origin, State: goptuna.TrialStateRunning}
}

// settle stores the range of a parameter, or compares it with the stored one. If the study already has parameters, the
// first parameter of a trial must be one of them; otherwise two different studies share one name.
func (s *Study) settle(ctx context.Context, name, distribution string, first bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	settled, ok := s.space[name]
	if !ok {
		space, err := s.storage.spaces(ctx, s.id)
		if err != nil {
			return err
		}
		if _, known := space[name]; !known && first && len(space) > 0 {
			names := make([]string, 0, len(space))
			for n := range space {
				names = append(names, n)
			}
			slices.Sort(names)
			return fmt.Errorf("%w: study %q in %s has the parameters %q, but this objective requests %q", ErrSpace, s.name, s.storage.name, names, name)
		}
		if settled, err = s.storage.claim(ctx, s.id, name, distribution); err != nil {
			return err
		}
		s.space[name] = settled
	}
	if settled != distribution {
		return fmt.Errorf("%w: study %q in %s has %s for %q, but this objective requests %s", ErrSpace, s.name, s.storage.name, settled, name, distribution)
	}
	return nil
}
