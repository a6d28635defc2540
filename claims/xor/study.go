package xor

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// studyFile is the output of notebooks/study_rivals.star.
//
//go:embed study_rivals.json
var studyFile []byte

// sample summarises the runs of a mechanism by the mean and the standard deviation of a measure.
type sample struct {
	mean, deviation float64
	runs            int
}

// UnmarshalJSON reads [mean, deviation, runs].
func (s *sample) UnmarshalJSON(text []byte) error {
	var v []float64
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if len(v) != 3 || !(v[1] >= 0) || v[2] < 2 {
		return fmt.Errorf("sample = %v, want [mean, deviation >= 0, runs >= 2]", v)
	}
	*s = sample{v[0], v[1], int(v[2])}
	return nil
}

// width returns half the width of Student's confidence interval. If the runs are 20 independent normal draws,
// the interval contains their expectation with probability certainty.
func (s sample) width() float64 { return student19 * s.deviation / math.Sqrt(float64(s.runs)) }

const (
	student19 = 4.897461588862216 // quantile of Student's t with 19 degrees of freedom: t.ppf(1 − 5e-5, 19) of SciPy 1.16
	certainty = 1 - 1e-4          // confidence of one interval
	fullRuns  = 20
)

// number returns the mean with its confidence interval.
func (s sample) number(source string) evidence.Estimated {
	return evidence.Estimated{
		Value: s.mean, Lo: s.mean - s.width(), Hi: s.mean + s.width(), Confidence: certainty, Draws: s.runs,
		Provenance: evidence.From(source),
	}
}

// studyRow holds the results of the runs of one mechanism.
type studyRow struct {
	Graph     string            `json:"graph"`
	Setting   string            `json:"setting"` // "stated" or "equal"
	Mechanism string            `json:"mechanism"`
	Eps       float64           `json:"eps"`
	Measures  map[string]sample `json:"measures"`
}

// studyRows returns the rows of the stored study.
var studyRows = sync.OnceValues(func() (rows []studyRow, err error) {
	return readStudy(studyFile)
})

func readStudy(text []byte) (rows []studyRow, err error) {
	err = json.NewDecoder(bytes.NewReader(text)).Decode(&rows)
	return rows, err
}

// run identifies one measure of the repeated runs of a mechanism in the study.
type run struct {
	graph, setting, mechanism string
	eps                       int // in tenths
	measure                   string
}

// of returns the sample of r in the stored study. It ends the check with an error if there is none.
func (r run) of() sample { return check.Must(r.in(check.Must(studyRows()))) }

// in returns the sample of r in the given rows. It returns an error if there is none, or if it does not have
// fullRuns runs.
func (r run) in(rows []studyRow) (sample, error) {
	at := slices.IndexFunc(rows, func(s studyRow) bool {
		_, ok := s.Measures[r.measure]
		return ok && s.Graph == r.graph && s.Setting == r.setting && s.Mechanism == r.mechanism && s.Eps == float64(r.eps)/10
	})
	if at < 0 {
		return sample{}, fmt.Errorf("the study has no measure %q of %s on %s in the setting %q at ε = %g", r.measure, r.mechanism, r.graph, r.setting, float64(r.eps)/10)
	}
	s := rows[at].Measures[r.measure]
	if s.runs != fullRuns {
		return s, fmt.Errorf("the study has %d runs of %s on %s, want %d", s.runs, r.mechanism, r.graph, fullRuns)
	}
	return s, nil
}
