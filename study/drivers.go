//go:build !js

package study

import (
	"errors"

	"github.com/glebarez/sqlite"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// sqliteDriver is the name of SQLite's driver; tests replace it by one that fails.
var sqliteDriver = sqlite.DriverName

// dialector returns gorm's driver for the address.
func (a address) dialector() gorm.Dialector {
	if a.dialect == "postgres" {
		return postgres.Open(a.dsn)
	}
	return &sqlite.Dialector{DriverName: sqliteDriver, DSN: a.dsn}
}

// available returns an error if this build has no database drivers.
func available() error { return nil }

// readableByPgx reports whether the PostgreSQL driver can parse a URL.
func readableByPgx(url string) bool {
	_, err := pgx.ParseConfig(url)
	return err == nil
}

// sqlState returns the SQLSTATE of an error from PostgreSQL, and "" for any other error.
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// connectCause returns the cause of a failed connection to PostgreSQL, and nil for any other error.
func connectCause(err error) error {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return connect.Unwrap()
	}
	return nil
}
