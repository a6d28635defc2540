package audit

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/parameter"
)

// DefaultConfidence is the default confidence of bounds.
const DefaultConfidence = 0.999

// Sampling configures the audit of samples. The zero value chooses events on one half of the draws and tests them
// on the other.
type Sampling struct {
	Confidence float64   // simultaneous confidence of all bounds; 0 means DefaultConfidence
	Bins       int       // number of bins for numeric outputs, which are chosen on the choosing half; 0 for none
	Edges      []float64 // edges of the bins for numeric outputs, fixed in advance; nil for none
	// Events are tested unchanged, on all draws. Each is a list of outputs, fixed before the draws were seen. If it is
	// nil, the audit chooses events.
	Events [][]string
}

// Audit returns a lower bound on ε at the claimed δ over the neighbors (nil means all pairs), a lower bound on δ at
// the claimed ε, and the verdict. The verdict is Refuted if they exceed the claim, Undecided otherwise. All bounds
// hold simultaneously with the given confidence for every implementation, if the draws are independent. The splits
// are drawn from src.
//
// It returns an error wrapping ErrParameter if a dataset has no draws, a neighbor is unknown, or a parameter is
// outside its range.
func (s *Samples) Audit(ctx context.Context, neighbors []Pair, claim Claim, how Sampling, src rand.Source) (*Result, error) {
	if err := claim.Epsilon.Positive("eps"); err != nil {
		return nil, err
	}
	delta := claim.Delta.Rat()
	if how.Confidence == 0 {
		how.Confidence = DefaultConfidence
	}
	switch {
	case !(how.Confidence > 0 && how.Confidence < 1):
		return nil, parameter.Bad("confidence", how.Confidence, "0 < confidence < 1")
	case how.Bins < 0 || how.Bins == 1:
		return nil, parameter.Bad("bins", how.Bins, "at least 2")
	case how.Events != nil && len(how.Events) == 0:
		return nil, parameter.Errorf("events is empty, want lists of outputs")
	case how.Events != nil && how.Bins > 0:
		return nil, parameter.Errorf("bins = %d with events, want the edges of the bins: events that are fixed beforehand need bins that are fixed beforehand", how.Bins)
	}
	edges, err := edgesOf(how.Edges)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	pairs, err := s.datasets.resolve(neighbors)
	if err != nil {
		return nil, err
	}
	a := &sampleAudit{claim: claim, bound: delta, alpha: 1 - how.Confidence, datasets: s.datasets.labels, d: s.layOut()}
	if how.Edges != nil {
		a.d = a.d.group(edges)
	}
	r := &Result{Claim: claim}
	draws, seen := int64(0), make(map[int]bool)
	for _, p := range pairs {
		for _, x := range p {
			if !seen[x] {
				seen[x] = true
				draws += s.totals[x]
			}
		}
	}
	var picks []pick
	if how.Events != nil {
		picks, r.Remark = a.fixed(how.Events, pairs)
		r.Scope = fmt.Sprintf("%s fixed beforehand, %s, both directions", count(len(how.Events), "event"), count(len(pairs), "pair"))
	} else {
		if a.once() && how.Bins == 0 {
			r.Remark = "most outputs were drawn once: bins may show more"
		}
		if err := a.d.split(ctx, a.datasets, src); err != nil {
			return nil, err
		}
		if picks, err = a.chosen(ctx, pairs, how); err != nil {
			return nil, err
		}
		r.Scope = fmt.Sprintf("events chosen on one half of %d draws from %s, tested on the other", draws, count(len(pairs), "pair"))
	}
	if err := a.test(ctx, r, picks, draws); err != nil {
		return nil, err
	}
	return r, nil
}

// sampleAudit is the state of one audit of samples.
type sampleAudit struct {
	claim    Claim
	bound    *big.Rat // δ
	alpha    float64
	datasets []string
	d        *drawn
}

// once reports whether most outputs were drawn only once and are not numbers, so that half lines do not help.
func (a *sampleAudit) once() bool {
	single, words := 0, 0
	for _, row := range a.d.tallies {
		for _, t := range row {
			if t.output >= len(a.d.values) {
				words++
				if t.confirm == 1 {
					single++
				}
			}
		}
	}
	return words > 20 && single > words/2
}

// chosen returns two events recommended by the choosing part of the draws. They may be equal: the test uses the error
// probability of two events in any case. If edges were fixed in advance, outputs have no features.
func (a *sampleAudit) chosen(ctx context.Context, pairs [][2]int, how Sampling) ([]pick, error) {
	var all []feature
	if how.Edges == nil {
		all = a.d.features(how.Bins > 0)
	}
	grouped := func(d *drawn) *drawn {
		if how.Bins > 0 {
			return d.group(d.quantileEdges(how.Bins))
		}
		return d
	}
	d := grouped(a.d)
	delta, _ := a.bound.Float64()
	c := newChooser(d, 1+len(all), len(pairs), delta, expFloat(a.claim.Epsilon), a.alpha)
	if err := c.all(ctx, d, pairs); err != nil {
		return nil, err
	}
	for _, f := range all {
		d, err := a.d.mapped(ctx, f)
		if err != nil {
			return nil, err
		}
		if err := c.all(ctx, grouped(d), pairs); err != nil {
			return nil, err
		}
	}
	return []pick{c.epsilon, c.excess}, nil
}

// fixed returns the events given in advance, for every pair and direction, and a remark if one of them was never
// seen.
func (a *sampleAudit) fixed(events [][]string, pairs [][2]int) (picks []pick, remark string) {
	var known names
	for _, label := range a.d.labels {
		known.id(label)
	}
	for i, event := range events {
		inside := make([]int, 0, len(event))
		for _, label := range event {
			if i, ok := known.find(label); ok { // the others were never drawn
				inside = append(inside, i)
			}
		}
		if len(inside) == 0 && remark == "" {
			remark = fmt.Sprintf("no output of events[%d] was drawn", i)
		}
		for _, p := range pairs {
			picks = append(picks, pick{in: a.d, x: p[0], y: p[1], outputs: inside}, pick{in: a.d, x: p[1], y: p[0], outputs: inside})
		}
	}
	return picks, remark
}
