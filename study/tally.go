package study

import (
	"slices"

	"gorm.io/gorm"
)

// tally counts the trials of a study up to the last one before which all have ended. It never needs to be revised.
type tally struct{ last, all, lost int }

// tally returns the cached tally.
func (s *Storage) tally(study int) tally {
	s.counting.Lock()
	defer s.counting.Unlock()
	return s.tallies[study]
}

// learn caches a tally if it is further than the cached one.
func (s *Storage) learn(study int, t tally) {
	s.counting.Lock()
	defer s.counting.Unlock()
	if t.last > s.tallies[study].last {
		s.tallies[study] = t
	}
}

// counted is the number of trials of a study, of those among them that were lost, and the first that
// waits, 0 for none.
type counted struct {
	all, lost, waiting int
	tally              tally // for the next time
}

// countTrials continues a tally; if the trial with which it ends is gone, it counts from the start. It returns
// gorm.ErrRecordNotFound if the study does not exist.
func countTrials(tx *gorm.DB, study int, known tally) (counted, error) {
	n := counted{all: known.all, lost: known.lost, tally: known}
	var trials []trialRow // from the last that is counted
	err := eachRow(tx.Raw("SELECT trial_id, state FROM trials WHERE study_id = ? AND trial_id >= ? ORDER BY trial_id", study, known.last), func(scan func(...any) error) error {
		var row trialRow
		err := scan(&row.ID, &row.State)
		trials = append(trials, row)
		return err
	})
	switch {
	case err != nil:
		return n, err
	case known.last > 0 && (len(trials) == 0 || trials[0].ID != known.last):
		return countTrials(tx, study, tally{})
	case known.last > 0:
		trials = trials[1:]
	case len(trials) == 0:
		return n, tx.Take(&studyRow{}, "study_id = ?", study).Error
	}
	lost, err := lostAmong(tx, study, known.last, trials)
	if err != nil {
		return n, err
	}
	ended := true
	for _, row := range trials {
		n.all++
		if lost[row.ID] {
			n.lost++
		}
		if row.State == waiting && n.waiting == 0 {
			n.waiting = row.ID
		}
		if ended = ended && row.State != waiting && row.State != running; ended {
			n.tally = tally{row.ID, n.all, n.lost}
		}
	}
	return n, nil
}

// lostAmong returns those of some trials after a given one that were lost.
func lostAmong(tx *gorm.DB, study, after int, trials []trialRow) (map[int]bool, error) {
	if !slices.ContainsFunc(trials, func(row trialRow) bool { return row.State == failed }) { // lost ones failed
		return nil, nil
	}
	var ids []int
	err := tx.Model(&attrRow{}).Joins("JOIN trials ON trials.trial_id = trial_system_attributes.trial_id").
		Where("study_id = ? AND trials.trial_id > ? AND key = ?", study, after, attrLost).Pluck("trial_system_attributes.trial_id", &ids).Error
	lost := make(map[int]bool, len(ids))
	for _, id := range ids {
		lost[id] = true
	}
	return lost, err
}
