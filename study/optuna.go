package study

import (
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// Optuna's tools can read the storage. goptuna's tables have the schema of Optuna before version 2.4. This file
// adds what Optuna 3.2 and later need, without changing goptuna's columns:
//
//   - attributes as JSON: a column that the database computes from goptuna's;
//   - study_directions: a view of studies;
//   - trial_values, which is goptuna's table of reported values, and Optuna's of final ones: two more columns. A
//     complete trial has one row there, which goptuna reads as the value reported at step 0;
//   - trial_intermediate_values and trial_heartbeats: views without rows;
//   - the schema version, so that an older Optuna reports that it is too old.
//
// Views cannot be written, so a study is read-only for Optuna.

// optunaVersion is the version of Optuna's tables in Alembic's numbering, that of Optuna 3.2 to 5.0. optunaSchema is
// the version number that Optuna used before Alembic.
const (
	optunaVersion = "v3.2.0.a"
	optunaSchema  = 12
)

// attributeTables lists the tables of attributes, each a key and a value.
var attributeTables = []string{"study_user_attributes", "study_system_attributes", "trial_user_attributes", "trial_system_attributes"}

// optunaViews lists tables of Optuna that hold no data of their own here, with the queries of the views that replace
// them.
var optunaViews = [][2]string{
	{"study_directions", "SELECT study_id AS study_direction_id, direction, study_id, 0 AS objective FROM studies"},
	{"trial_intermediate_values", "SELECT trial_value_id AS trial_intermediate_value_id, trial_id, step, value AS intermediate_value, " +
		"'FINITE' AS intermediate_value_type FROM trial_values WHERE 1 = 0"},
	{"trial_heartbeats", "SELECT trial_id AS trial_heartbeat_id, trial_id, datetime_start AS heartbeat FROM trials WHERE 1 = 0"},
}

// quoted gives for each dialect the expression that writes the column value as JSON text. PostgreSQL requires an
// immutable expression, and to_json is not immutable.
var quoted = map[string]string{
	"sqlite": "json_quote(value)",
	"postgres": `'"' || regexp_replace(replace(replace(replace(replace(replace(value, '\', '\\'), '"', '\"'), ` +
		`E'\n', '\n'), E'\r', '\r'), E'\t', '\t'), E'[\x01-\x1f]', ' ', 'g') || '"'`,
}

// optunaReads reports whether addOptuna has already changed the database.
func optunaReads(db *gorm.DB) (bool, error) {
	if typed, err := has(db, "trial_values", "value_type"); err != nil || !typed {
		return false, err
	}
	return has(db, "alembic_version", "")
}

// addOptuna adds to goptuna's tables what Optuna needs. It is idempotent.
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
		// The final values of trials that were complete before.
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

// makeRoom drops an empty table so that a view can take its name: Optuna creates such tables in a database that it
// opens.
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

// setValue stores the value of a complete trial in Optuna's table.
func setValue(tx *gorm.DB, trial int, value float64) error {
	return tx.Exec("INSERT INTO trial_values (trial_id, step, value, objective, value_type) VALUES (?, 0, ?, 0, 'FINITE') ON CONFLICT DO NOTHING", trial, value).Error
}
