package study

import (
	"errors"

	"gorm.io/gorm"
)

// Nothing here runs: a browser has no database, and Open returns the error of available.

func (a address) dialector() gorm.Dialector { return nil }

func available() error {
	return errors.New("a browser has no database for the trials of a study: run the workbench on a machine of your own")
}

func readableByPgx(string) bool { return true }

func sqlState(error) string { return "" }

func connectCause(error) error { return nil }
