package study

import (
	"context"
	"math"
	"time"

	"github.com/c-bata/goptuna"
	"gorm.io/gorm"
)

// cache holds the trials of one study. Finished trials do not change, so only new and unfinished ones are read again.
// The cost of a trial therefore does not grow with the number of earlier trials.
type cache struct {
	trials []goptuna.FrozenTrial
	place  map[int]int // in trials, by id
	last   int         // highest id seen
	open   map[int]bool
}

// chunk is the number of ids that one query may name, since databases limit it.
const chunk = 400

// GetAllTrials returns the trials of a study, in the order of their ids. Only
// finished trials carry their parameters.
func (s *Storage) GetAllTrials(study int) ([]goptuna.FrozenTrial, error) {
	return s.sync(context.Background(), study)
}

// sync reads new and unfinished trials and returns all, in the order of their ids.
func (s *Storage) sync(ctx context.Context, study int) ([]goptuna.FrozenTrial, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.caches[study]
	if c == nil {
		c = &cache{place: make(map[int]int), open: make(map[int]bool)}
		s.caches[study] = c
	}
	var rows []trialRow
	err := s.do(ctx, func(db *gorm.DB) error {
		rows = rows[:0]
		open := keys(c.open)
		first := open[:min(len(open), chunk)] // usually all of them, so one query suffices
		err := eachRow(db.Raw("SELECT trial_id, COALESCE(number, 0), state, value, datetime_start, datetime_complete FROM trials "+
			"WHERE study_id = ? AND (trial_id > ? OR trial_id IN ?) ORDER BY trial_id", study, c.last, first), func(scan func(...any) error) error {
			row := trialRow{Study: study}
			err := scan(&row.ID, &row.Number, &row.State, &row.Value, &row.Start, &row.Complete)
			rows = append(rows, row)
			return err
		})
		if err != nil {
			return err
		}
		for ids := range chunks(open[len(first):]) {
			var more []trialRow
			if err := db.Find(&more, "trial_id IN ?", ids).Error; err != nil {
				return err
			}
			rows = append(rows, more...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	fresh := make(map[int]*goptuna.FrozenTrial)
	damage := make(map[int]string) // by trial
	for _, row := range rows {
		t := row.frozen()
		if t.State.IsFinished() {
			fresh[row.ID] = &t
			if what := row.damaged(); what != "" {
				damage[row.ID] = what
			}
		}
		if i, ok := c.place[row.ID]; ok {
			if !t.State.IsFinished() {
				c.trials[i] = t
			}
		} else {
			c.place[row.ID] = len(c.trials)
			c.trials = append(c.trials, t)
		}
		if !t.State.IsFinished() {
			c.open[row.ID] = true
		}
		c.last = max(c.last, row.ID)
	}
	if err := s.fill(ctx, fresh, damage); err != nil {
		for id := range fresh { // read them again the next time
			c.open[id] = true
		}
		return nil, err
	}
	for id, what := range damage {
		t := fresh[id]
		t.State, t.Value = goptuna.TrialStateFail, math.NaN()
		t.SystemAttrs[attrReason] = "damaged: " + what
	}
	for id, t := range fresh {
		c.trials[c.place[id]] = *t
		delete(c.open, id)
	}
	return append([]goptuna.FrozenTrial(nil), c.trials...), nil
}

// cacheFinished caches a trial that this process has finished, so that it need not be read again.
func (s *Storage) cacheFinished(t goptuna.FrozenTrial) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.caches[t.StudyID]
	if c == nil || !c.open[t.ID] { // the cache never read it as running, or has already read it as finished
		return
	}
	c.trials[c.place[t.ID]] = t
	delete(c.open, t.ID)
}

// fill reads the parameters and attributes of trials, and records damaged ones.
func (s *Storage) fill(ctx context.Context, trials map[int]*goptuna.FrozenTrial, damage map[int]string) error {
	for ids := range chunks(keys(trials)) {
		var params []paramRow
		var attrs []attrRow
		err := s.do(ctx, func(db *gorm.DB) error {
			if err := db.Find(&params, "trial_id IN ?", ids).Error; err != nil {
				return err
			}
			return db.Find(&attrs, "trial_id IN ?", ids).Error
		})
		if err != nil {
			return err
		}
		for _, p := range params {
			if what := p.read(trials[p.Trial]); what != "" && damage[p.Trial] == "" {
				damage[p.Trial] = what
			}
		}
		for _, a := range attrs {
			trials[a.Trial].SystemAttrs[a.Key] = a.Value
		}
	}
	return nil
}

func (r trialRow) frozen() goptuna.FrozenTrial {
	t := goptuna.FrozenTrial{
		ID: r.ID, StudyID: r.Study, Number: r.Number,
		IntermediateValues: map[int]float64{},
		InternalParams:     map[string]float64{}, Params: map[string]any{}, Distributions: map[string]any{},
		UserAttrs: map[string]string{}, SystemAttrs: map[string]string{},
	}
	switch r.State {
	case running:
		t.State = goptuna.TrialStateRunning
	case complete:
		t.State = goptuna.TrialStateComplete
	case waiting:
		t.State = goptuna.TrialStateWaiting
	case failed:
		t.State = goptuna.TrialStateFail
	default:
		t.State = goptuna.TrialStatePruned
	}
	t.Value = r.value().v
	t.DatetimeStart, t.DatetimeComplete = date(r.Start), date(r.Complete)
	return t
}

func date(m *moment) time.Time {
	if m == nil {
		return time.Time{}
	}
	return m.Time
}
