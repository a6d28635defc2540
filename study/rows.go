package study

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// The columns of goptuna's tables that this package writes. goptuna's own models are not exported.

type studyRow struct {
	ID        int    `gorm:"column:study_id;primaryKey"`
	Name      string `gorm:"column:study_name"`
	Direction string `gorm:"column:direction"`
}

func (studyRow) TableName() string { return "studies" }

type trialRow struct {
	ID       int     `gorm:"column:trial_id;primaryKey"`
	Number   int     `gorm:"column:number"`
	Study    int     `gorm:"column:study_id"`
	State    string  `gorm:"column:state"`
	Value    *number `gorm:"column:value"` // NULL unless the trial is complete
	Start    *moment `gorm:"column:datetime_start"`
	Complete *moment `gorm:"column:datetime_complete"`
}

func (trialRow) TableName() string { return "trials" }

type attrRow struct {
	ID    int    `gorm:"column:trial_system_attribute_id;primaryKey"`
	Trial int    `gorm:"column:trial_id"`
	Key   string `gorm:"column:key"`
	Value string `gorm:"column:value"`
}

func (attrRow) TableName() string { return "trial_system_attributes" }

type studyAttrRow struct {
	ID    int    `gorm:"column:study_system_attribute_id;primaryKey"`
	Study int    `gorm:"column:study_id"`
	Key   string `gorm:"column:key"`
	Value string `gorm:"column:value"`
}

func (studyAttrRow) TableName() string { return "study_system_attributes" }

type paramRow struct {
	ID           int    `gorm:"column:param_id;primaryKey"`
	Trial        int    `gorm:"column:trial_id"`
	Name         string `gorm:"column:param_name"`
	Value        number `gorm:"column:param_value"`
	Distribution string `gorm:"column:distribution_json"`
}

func (paramRow) TableName() string { return "trial_params" }

// Trial states as the tables spell them.
const (
	running  = "RUNNING"
	complete = "COMPLETE"
	failed   = "FAIL"
	waiting  = "WAITING"
)

// System attributes of a trial.
const (
	attrOwner   = "workbench:owner"   // mark of the worker that runs the trial, with a heartbeat counter
	attrReason  = "workbench:reason"  // reason of the failure
	attrLost    = "workbench:lost"    // set if the trial's worker is gone and the trial was repeated
	attrRepeats = "workbench:repeats" // id of the lost trial whose parameters the trial repeats
	attrOrigin  = "workbench:origin"  // number among the trials that were not lost, if different
	attrAttempt = "workbench:attempt" // number of earlier attempts
	attrCMA     = "workbench:cmaes"   // the generation of CMA-ES
	attrSpace   = "workbench:space:"  // attribute of the study: the range of a parameter
)

// maxText is the width of the columns for attributes and distributions.
const maxText = 2048

func clip(text string) string {
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText])
	}
	return text
}

// eachRow calls visit with a scan function for every row of a result. Scanning by gorm itself would take as long as the
// database does.
func eachRow(query *gorm.DB, visit func(scan func(...any) error) error) error {
	rows, err := query.Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func keys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// chunks yields ids in parts that are small enough for one query.
func chunks(ids []int) iter.Seq[[]int] { return slices.Chunk(ids, chunk) }

// moment is a time as stored: in UTC, to the microsecond. SQLite stores times as text, in Optuna's format, which
// older Pythons can read too.
type moment struct {
	time.Time
	damage string // invalid content of the cell; "" means none
}

func now() *moment { return &moment{Time: time.Now().UTC().Truncate(time.Microsecond)} }

// GormDataType implements gorm's schema.GormDataTypeInterface.
func (moment) GormDataType() string { return "time" }

// GormValue implements gorm.Valuer.
func (m moment) GormValue(_ context.Context, db *gorm.DB) clause.Expr {
	return clause.Expr{SQL: "?", Vars: []any{m.column(db.Name())}}
}

// column returns the value to store for a dialect.
func (m moment) column(dialect string) any {
	if dialect == "sqlite" {
		return m.Format("2006-01-02 15:04:05.000000")
	}
	return m.Time
}

// Scan implements sql.Scanner. It accepts any content, and records in damage what is not a time.
func (m *moment) Scan(v any) error {
	*m = moment{}
	switch v := v.(type) {
	case time.Time:
		m.Time = v
	case []byte:
		m.damage = fmt.Sprintf("the text %.40q", v)
	default:
		m.damage = fmt.Sprintf("%.40q", fmt.Sprint(v))
	}
	return nil
}
