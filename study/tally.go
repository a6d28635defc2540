package study

import (
	"slices"

	"gorm.io/gorm"
)

// tally counts the first trials of a study, all of which have ended: those up to the id last. It never needs to be
// revised.
type tally struct{ last, all, lost int }

// tally returns the cached tally.
func (s *Storage) tally(study int) tally {
	s.counting.Lock()
	defer s.counting.Unlock()
	return s.tallies[study]
}

// learn caches a tally if it covers more trials than the cached one.
func (s *Storage) learn(study int, t tally) {
	s.counting.Lock()
	defer s.counting.Unlock()
	if t.last > s.tallies[study].last {
		s.tallies[study] = t
	}
}

// counted holds the number of trials of a study, how many of them were lost, and the id of the first waiting trial, or
// 0.
type counted struct {
	all, lost, waiting int
	tally              tally // the tally to cache
}

// countTrials counts the trials from a known tally on. If the tally's last trial was deleted, it counts from the start.
// It returns gorm.ErrRecordNotFound if the study does not exist.
func countTrials(tx *gorm.DB, study int, known tally) (counted, error) {
	n := counted{all: known.all, lost: known.lost, tally: known}
	var trials []trialRow // the trials from known.last on
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

// lostAmong returns the lost trials of a study whose ids are above after. The argument trials holds all trials above
// after.
func lostAmong(tx *gorm.DB, study, after int, trials []trialRow) (map[int]bool, error) {
	if !slices.ContainsFunc(trials, func(row trialRow) bool { return row.State == failed }) { // lost trials are failed
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
