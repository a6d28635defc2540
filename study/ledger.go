package study

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gorm.io/gorm"
)

// errEnough is returned if a study has the requested number of trials.
var errEnough = errors.New("enough trials")

// maxAttempts bounds how often a trial is attempted. A trial that ends its process every time would otherwise block the
// study.
const maxAttempts = 10

// begun is a trial that its worker has begun.
type begun struct {
	id, number int
	origin     int                // its number among the trials that were not lost, which samplers use
	fixed      map[string]float64 // parameters of the trial that it repeats
	attempt    int
	mark       string
	tag        string  // generation of CMA-ES of the trial that it repeats
	start      *moment // set for a new trial; nil for one read from the database
}

// begin takes a trial that waits to be repeated, or creates a new one. It returns errEnough if the study holds total
// trials, not counting lost ones; 0 means no limit. The mark must be unique. If the database's response is lost, the
// next attempt finds the trial by its mark.
func (s *Storage) begin(ctx context.Context, study, total int, mark string) (begun, error) {
	var b begun
	var next tally
	attempts, known := 0, s.tally(study)
	err := s.hold(ctx, study, func(tx *gorm.DB) error {
		b, next = begun{mark: mark, fixed: make(map[string]float64)}, known
		if attempts++; attempts > 1 {
			if id, ok, err := findOwner(tx, study, mark); err != nil {
				return err
			} else if ok { // an earlier attempt succeeded although its response was lost
				return s.take(tx, id, &b)
			}
		}
		n, err := countTrials(tx, study, known)
		next = n.tally
		switch {
		case err != nil:
			return err
		case n.waiting == 0:
			return newTrial(tx, study, total, n, &b)
		}
		if err := tx.Model(&trialRow{ID: n.waiting}).Updates(map[string]any{"state": running, "datetime_start": now()}).Error; err != nil {
			return err
		}
		if err := setAttr(tx, n.waiting, attrOwner, mark); err != nil {
			return err
		}
		return s.take(tx, n.waiting, &b)
	})
	s.learn(study, next) // counts earlier trials, so it is right even after an error
	return b, err
}

// newTrial creates a trial that is not a repetition.
func newTrial(tx *gorm.DB, study, total int, n counted, b *begun) (err error) {
	b.number, b.origin = n.all, n.all-n.lost
	if total > 0 && b.origin >= total {
		return errEnough
	}
	b.start = now()
	if b.id, err = insertTrial(tx, study, b.number, b.start); err != nil {
		return err
	}
	if b.origin != b.number {
		if err := insertAttr(tx, b.id, attrOrigin, strconv.Itoa(b.origin)); err != nil {
			return err
		}
	}
	return insertAttr(tx, b.id, attrOwner, b.mark)
}

// take sets b to the stored trial, which the worker already holds.
func (s *Storage) take(tx *gorm.DB, id int, b *begun) error {
	var row trialRow
	if err := tx.Take(&row, "trial_id = ?", id).Error; err != nil {
		return err
	}
	attrs, err := attrsOf(tx, id)
	if err != nil {
		return err
	}
	b.id, b.number, b.origin = id, row.Number, row.Number
	if n, err := strconv.Atoi(attrs[attrOrigin]); err == nil {
		b.origin = n
	}
	b.attempt, _ = strconv.Atoi(attrs[attrAttempt])
	b.tag = attrs[attrCMA]
	source, err := strconv.Atoi(attrs[attrRepeats])
	if err != nil {
		return nil
	}
	var params []paramRow
	if err := tx.Find(&params, "trial_id = ?", source).Error; err != nil {
		return err
	}
	for _, p := range params {
		b.fixed[p.Name] = p.Value.v // a damaged value is NaN, which no range contains
	}
	return nil
}

// findOwner returns the running trial that has the mark.
func findOwner(tx *gorm.DB, study int, mark string) (trial int, ok bool, err error) {
	var rows []attrRow
	err = tx.Joins("JOIN trials ON trials.trial_id = trial_system_attributes.trial_id").
		Where("study_id = ? AND state = ? AND key = ?", study, running, attrOwner).
		Find(&rows).Error
	for _, row := range rows {
		if row.Value == mark {
			return row.Trial, true, nil
		}
	}
	return 0, false, err
}

func attrsOf(tx *gorm.DB, trial int) (map[string]string, error) {
	var rows []attrRow
	err := tx.Find(&rows, "trial_id = ?", trial).Error
	out := make(map[string]string, len(rows))
	for _, row := range rows {
		out[row.Key] = row.Value
	}
	return out, err
}

// setAttr sets a system attribute of a trial.
func setAttr(tx *gorm.DB, trial int, key, value string) error {
	r := tx.Model(&attrRow{}).Where("trial_id = ? AND key = ?", trial, key).Update("value", clip(value))
	if r.Error != nil || r.RowsAffected > 0 {
		return r.Error
	}
	return insertAttr(tx, trial, key, value)
}

// Inserts that every trial makes are written in SQL: gorm's models take as long as the database itself.

func insertAttr(tx *gorm.DB, trial int, key, value string) error {
	return tx.Exec("INSERT INTO trial_system_attributes (trial_id, key, value) VALUES (?, ?, ?)", trial, key, clip(value)).Error
}

// insertTrial inserts a running trial and returns its id.
func insertTrial(tx *gorm.DB, study, number int, start *moment) (id int, err error) {
	const insert = "INSERT INTO trials (number, study_id, state, datetime_start) VALUES (?, ?, ?, ?)"
	if tx.Name() == "postgres" { // its driver has no LastInsertId
		err = tx.Raw(insert+" RETURNING trial_id", number, study, running, start).Row().Scan(&id)
		return id, err
	}
	r, err := tx.Statement.ConnPool.ExecContext(tx.Statement.Context, insert, number, study, running, start.column(tx.Name()))
	if err != nil {
		return 0, err
	}
	last, err := r.LastInsertId()
	return int(last), err
}

// SetTrialSystemAttr sets a system attribute of a trial.
func (s *Storage) SetTrialSystemAttr(trial int, key, value string) error {
	return s.do(context.Background(), func(db *gorm.DB) error { return setAttr(db, trial, key, value) })
}

// param stores a parameter of a running trial.
func (s *Storage) param(ctx context.Context, trial int, name string, value float64, distribution string) error {
	return s.do(ctx, func(db *gorm.DB) error {
		err := db.Exec("INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) VALUES (?, ?, ?, ?)", trial, name, value, distribution).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) { // an earlier attempt succeeded although its response was lost
			return nil
		}
		return err
	})
}

// claim stores the range of a parameter of a study if it is new, and returns the stored range.
func (s *Storage) claim(ctx context.Context, study int, name, distribution string) (settled string, err error) {
	key := attrSpace + name
	err = s.transact(ctx, study, func(tx *gorm.DB) error {
		var row studyAttrRow
		err := tx.Take(&row, "study_id = ? AND key = ?", study, key).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			settled = distribution
			return tx.Create(&studyAttrRow{Study: study, Key: key, Value: distribution}).Error
		}
		settled = row.Value
		return err
	})
	return settled, err
}

// spaces returns the ranges that are settled in a study, by parameter.
func (s *Storage) spaces(ctx context.Context, study int) (map[string]string, error) {
	var rows []studyAttrRow
	err := s.do(ctx, func(db *gorm.DB) error { return db.Find(&rows, "study_id = ?", study).Error })
	out := make(map[string]string)
	for _, row := range rows {
		if name, ok := strings.CutPrefix(row.Key, attrSpace); ok {
			out[name] = row.Value
		}
	}
	return out, err
}

// finish ends a trial that its worker holds: complete with a value, or failed with a reason. It returns the time of the
// end, or nil if the trial had ended before, and errTaken if the trial was declared lost.
func (s *Storage) finish(ctx context.Context, b begun, study int, value float64, reason string) (end *moment, err error) {
	err = s.hold(ctx, study, func(tx *gorm.DB) error {
		end = nil
		at, state, held := now(), complete, any(value)
		if reason != "" {
			state, held = failed, nil
		}
		r := tx.Exec("UPDATE trials SET state = ?, value = ?, datetime_complete = ? WHERE trial_id = ? AND state = ?", state, held, at, b.id, running)
		if r.Error != nil {
			return r.Error
		}
		if r.RowsAffected == 0 {
			attrs, err := attrsOf(tx, b.id)
			if _, lost := attrs[attrLost]; err != nil || lost {
				return errors.Join(err, errTaken)
			}
			return tx.Take(&studyRow{}, "study_id = ?", study).Error // an earlier attempt succeeded although its response was lost, or the study was removed
		}
		end = at
		if reason == "" {
			return setValue(tx, b.id, value)
		}
		return setAttr(tx, b.id, attrReason, reason)
	})
	return end, err
}

// lose marks a running trial failed and schedules its repetition with the same parameters. It does nothing if the trial
// is no longer running, or if its mark differs from the argument seen.
func (s *Storage) lose(ctx context.Context, study, trial int, seen, reason string) (done bool, err error) {
	err = s.transact(ctx, study, func(tx *gorm.DB) error {
		done = false
		attrs, err := attrsOf(tx, trial)
		if err != nil || attrs[attrOwner] != seen {
			return err
		}
		r := tx.Model(&trialRow{}).Where("trial_id = ? AND state = ?", trial, running).
			Updates(map[string]any{"state": failed, "value": nil, "datetime_complete": now()})
		if r.RowsAffected == 0 { // also after an error
			return r.Error
		}
		done = true
		attempt, _ := strconv.Atoi(attrs[attrAttempt])
		if attempt++; attempt >= maxAttempts {
			return setAttr(tx, trial, attrReason, fmt.Sprintf("%s; given up after %d attempts", reason, attempt))
		}
		if err := errors.Join(setAttr(tx, trial, attrReason, reason), setAttr(tx, trial, attrLost, "repeated")); err != nil {
			return err
		}
		return repeat(tx, study, trial, attempt, attrs)
	})
	return done, err
}

// putBack restores a running trial to the state before its worker took it, so that another worker can run it. It does
// nothing if another worker has taken it meanwhile.
func (s *Storage) putBack(ctx context.Context, study, trial int, mark string) error {
	return s.hold(ctx, study, func(tx *gorm.DB) error {
		attrs, err := attrsOf(tx, trial)
		if err != nil || attrs[attrOwner] != mark {
			return err
		}
		r := tx.Model(&trialRow{}).Where("trial_id = ? AND state = ?", trial, running).Updates(map[string]any{"state": waiting, "datetime_start": nil})
		if r.RowsAffected == 0 { // also after an error
			return r.Error
		}
		return errors.Join(tx.Delete(&paramRow{}, "trial_id = ?", trial).Error,
			tx.Delete(&attrRow{}, "trial_id = ? AND key = ?", trial, attrOwner).Error)
	})
}

// repeat inserts a waiting trial that repeats a lost one.
func repeat(tx *gorm.DB, study, trial, attempt int, attrs map[string]string) error {
	var lost trialRow
	if err := tx.Take(&lost, "trial_id = ?", trial).Error; err != nil {
		return err
	}
	var n int64
	if err := tx.Model(&trialRow{}).Where("study_id = ?", study).Count(&n).Error; err != nil {
		return err
	}
	row := trialRow{Study: study, Number: int(n), State: waiting}
	if err := tx.Create(&row).Error; err != nil {
		return err
	}
	origin, ok := attrs[attrOrigin]
	if !ok {
		origin = strconv.Itoa(lost.Number)
	}
	// If the lost trial itself repeats another and had not yet chosen a parameter, the new trial repeats that one's
	// parameters.
	source := strconv.Itoa(trial)
	if err := tx.Model(&paramRow{}).Where("trial_id = ?", trial).Count(&n).Error; err != nil {
		return err
	}
	if before, ok := attrs[attrRepeats]; ok && n == 0 {
		source = before
	}
	set := map[string]string{attrRepeats: source, attrOrigin: origin, attrAttempt: strconv.Itoa(attempt)}
	if tag, ok := attrs[attrCMA]; ok {
		set[attrCMA] = tag
	}
	for key, value := range set {
		if err := tx.Create(&attrRow{Trial: row.ID, Key: key, Value: value}).Error; err != nil {
			return err
		}
	}
	return nil
}

// held is a running trial and the mark of its worker.
type held struct {
	trial int
	mark  string
}

// holders returns the running trials of a study that a worker of this package
// holds.
func (s *Storage) holders(ctx context.Context, study int) ([]held, error) {
	var rows []attrRow
	err := s.do(ctx, func(db *gorm.DB) error {
		return db.Joins("JOIN trials ON trials.trial_id = trial_system_attributes.trial_id").
			Where("study_id = ? AND state = ? AND key = ?", study, running, attrOwner).
			Find(&rows).Error
	})
	out := make([]held, len(rows))
	for i, row := range rows {
		out[i] = held{row.Trial, row.Value}
	}
	return out, err
}

// heartbeat replaces the mark of a running trial.
func (s *Storage) heartbeat(ctx context.Context, trial int, mark string) error {
	return s.do(ctx, func(db *gorm.DB) error {
		return db.Model(&attrRow{}).Where("trial_id = ? AND key = ?", trial, attrOwner).Update("value", mark).Error
	})
}

// unfinished counts the waiting trials of a study and the trials that workers of this package run. It uses one
// statement, because a trial lost between two statements would be missed.
func (s *Storage) unfinished(ctx context.Context, study int) (waits, runs int, err error) {
	var states []string
	err = s.do(ctx, func(db *gorm.DB) error {
		return db.Model(&trialRow{}).
			Joins("LEFT JOIN trial_system_attributes ON trials.trial_id = trial_system_attributes.trial_id AND key = ?", attrOwner).
			Where("trials.study_id = ? AND (trials.state = ? OR trials.state = ? AND trial_system_attributes.trial_id IS NOT NULL)", study, waiting, running).
			Pluck("trials.state", &states).Error
	})
	for _, state := range states {
		if state == waiting {
			waits++
		} else {
			runs++
		}
	}
	return waits, runs, err
}
