package study

import (
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// Optuna's tools read the storage as it is. goptuna's tables have the form that
// Optuna's had before its version 2.4; what Optuna 3.2 and later look for beside
// them is added here, and takes nothing from goptuna:
//
//   - attributes as JSON: a column that the database computes from goptuna's;
//   - study_directions: a view of studies;
//   - trial_values, which is goptuna's table of reported values, and Optuna's of
//     final ones: two columns more. A complete trial has one row there, which
//     goptuna takes for the value reported at step 0;
//   - trial_intermediate_values and trial_heartbeats: views without rows;
//   - the version of the form, so that an older Optuna says that it is too old.
//
// Views cannot be written: for Optuna a study is there to be read.

// optunaVersion is the form of Optuna's tables, as Alembic numbers it: the one
// of Optuna 3.2 to 5.0. optunaSchema is the number from before Alembic.
const (
	optunaVersion = "v3.2.0.a"
	optunaSchema  = 12
)

// attributeTables hold a key and a value.
var attributeTables = []string{"study_user_attributes", "study_system_attributes", "trial_user_attributes", "trial_system_attributes"}

// optunaViews are tables of Optuna's that hold nothing of their own.
var optunaViews = [][2]string{
	{"study_directions", "SELECT study_id AS study_direction_id, direction, study_id, 0 AS objective FROM studies"},
	{"trial_intermediate_values", "SELECT trial_value_id AS trial_intermediate_value_id, trial_id, step, value AS intermediate_value, " +
		"'FINITE' AS intermediate_value_type FROM trial_values WHERE 1 = 0"},
	{"trial_heartbeats", "SELECT trial_id AS trial_heartbeat_id, trial_id, datetime_start AS heartbeat FROM trials WHERE 1 = 0"},
}

// quoted is the expression that writes the column value as JSON text. PostgreSQL
// wants it immutable, which to_json is not.
var quoted = map[string]string{
	"sqlite": "json_quote(value)",
	"postgres": `'"' || regexp_replace(replace(replace(replace(replace(replace(value, '\', '\\'), '"', '\"'), ` +
		`E'\n', '\n'), E'\r', '\r'), E'\t', '\t'), E'[\x01-\x1f]', ' ', 'g') || '"'`,
}

// optunaReads reports whether addOptuna has been here.
func optunaReads(db *gorm.DB) (bool, error) {
	if typed, err := has(db, "trial_values", "value_type"); err != nil || !typed {
		return false, err
	}
	return has(db, "alembic_version", "")
}

// addOptuna adds to goptuna's tables what Optuna needs. It can be repeated.
func addOptuna(tx *gorm.DB, dialect string) error {
	kind := "VIRTUAL"
	if dialect == "postgres" {
		kind = "STORED"
	}
	for _, table := range attributeTables {
		there, err := has(tx, table, "value_json")
		if err != nil {
			return err
		}
		if !there {
			if err := tx.Exec("ALTER TABLE " + table + " ADD COLUMN value_json TEXT GENERATED ALWAYS AS (" + quoted[dialect] + ") " + kind).Error; err != nil {
				return err
			}
		}
	}
	for _, column := range []string{"objective INTEGER", "value_type VARCHAR(7)"} {
		name, _, _ := strings.Cut(column, " ")
		there, err := has(tx, "trial_values", name)
		if err != nil {
			return err
		}
		if !there {
			if err := tx.Exec("ALTER TABLE trial_values ADD COLUMN " + column).Error; err != nil {
				return err
			}
		}
	}
	for _, view := range optunaViews {
		if err := makeRoom(tx, view[0]); err != nil {
			return err
		}
		if err := tx.Exec("CREATE VIEW " + view[0] + " AS " + view[1]).Error; err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"CREATE TABLE IF NOT EXISTS version_info (version_info_id INTEGER NOT NULL PRIMARY KEY, schema_version INTEGER, library_version VARCHAR(256))",
		fmt.Sprintf("INSERT INTO version_info SELECT 1, %d, '3.2.0' WHERE NOT EXISTS (SELECT 1 FROM version_info)", optunaSchema),
		// What the tables held before.
		"INSERT INTO trial_values (trial_id, step, value, objective, value_type) SELECT trial_id, 0, value, 0, 'FINITE' FROM trials " +
			"WHERE state = '" + complete + "' AND trial_id NOT IN (SELECT trial_id FROM trial_values)",
		"CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
		"INSERT INTO alembic_version SELECT '" + optunaVersion + "' WHERE NOT EXISTS (SELECT 1 FROM alembic_version)",
	} {
		if err := tx.Exec(statement).Error; err != nil {
			return err
		}
	}
	return nil
}

// makeRoom makes room for a view: Optuna creates empty tables of these names in a
// database that it opens.
func makeRoom(tx *gorm.DB, name string) error {
	there, err := has(tx, name, "")
	if err != nil {
		return err
	}
	if !there {
		return tx.Exec("DROP VIEW IF EXISTS " + name).Error
	}
	var n int64
	if err := tx.Table(name).Count(&n).Error; err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("%w (%s holds rows)", errForeign, name)
	}
	return tx.Exec("DROP TABLE " + name).Error
}

// setValue stores the value of a trial that is complete.
func setValue(tx *gorm.DB, trial int, value float64) error {
	return tx.Exec("INSERT INTO trial_values (trial_id, step, value, objective, value_type) VALUES (?, 0, ?, 0, 'FINITE') ON CONFLICT DO NOTHING", trial, value).Error
}
