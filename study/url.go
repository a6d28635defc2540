package study

import (
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dpworkbench/internal/parameter"

	"github.com/glebarez/sqlite"
	mysqldriver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// address is where a storage is: a dialect and what the dialect needs.
type address struct {
	name    string // without the password, for messages
	dialect string // "sqlite", "postgres", "mysql"
	dsn     string
	path    string              // of a SQLite file; "" in memory
	mysql   *mysqldriver.Config // in place of dsn
}

// parseAddress reads a storage URL: a path or sqlite:///path (SQLite),
// postgres://… or postgresql://…, mysql://user:password@host:port/database.
// "" is a database in memory.
func parseAddress(text string) (address, error) {
	scheme, rest, isURL := strings.Cut(text, "://")
	scheme, _, _ = strings.Cut(scheme, "+") // SQLAlchemy's driver suffix
	switch {
	case text == "":
		return address{name: "in memory", dialect: "sqlite", dsn: "file::memory:?_pragma=foreign_keys(0)&_txlock=immediate"}, nil
	case !isURL && secretive(text):
		return address{}, badURL("…", "a path of a SQLite file, postgres://… or mysql://…; this is neither, and is not repeated here because it may hold a password")
	case !isURL:
		return sqliteAddress(text)
	case scheme == "sqlite":
		return sqliteAddress(strings.TrimPrefix(rest, "/"))
	case scheme == "postgres" || scheme == "postgresql":
		return postgresAddress(rest)
	case scheme == "mysql":
		return mysqlAddress(rest)
	}
	if strings.ContainsAny(scheme, ":@/ ") {
		scheme = "…"
	}
	return address{}, badURL(scheme+"://…", "a path of a SQLite file, postgres://… or mysql://…")
}

// sqliteAddress puts the options after the path. A writer takes its lock at
// once: without _txlock a transaction that reads before it writes fails where
// another has written in between.
func sqliteAddress(path string) (address, error) {
	if path == "" || strings.ContainsAny(path, "?#%") {
		return address{}, badURL(path, "a path without ?, # and %")
	}
	options := "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate"
	return address{name: path, dialect: "sqlite", dsn: "file:" + path + "?" + options, path: path}, nil
}

// secretive reports whether a text that is no URL looks like one that was
// mistyped, or like the words that libpq reads: it may hold a password.
func secretive(text string) bool {
	lower := strings.ToLower(text)
	for _, start := range []string{"postgres:", "postgresql:", "mysql:", "mariadb:"} {
		if strings.HasPrefix(lower, start) {
			return true
		}
	}
	_, host, at := strings.Cut(text, "@")
	return strings.Contains(lower, "password") && strings.Contains(text, "=") ||
		at && strings.Contains(text[:len(text)-len(host)], ":") || strings.Contains(text, "://")
}

// public is a URL as messages have it: without its password and what follows the
// path, which may hold another.
func public(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.ForceQuery, shown.Fragment, shown.RawFragment = "", false, "", ""
	return shown.Redacted()
}

func postgresAddress(rest string) (address, error) {
	u, err := url.Parse("postgres://" + rest)
	if err != nil || u.Fragment != "" {
		return address{}, badURL("postgres://…", "postgres://user:password@host:port/database")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return address{}, badURL(public(u)+"?…", "parameters of the form name=value, joined by &")
	}
	if !q.Has("connect_timeout") {
		q.Set("connect_timeout", "5")
		u.RawQuery = q.Encode()
	}
	if _, err := pgx.ParseConfig(u.String()); err != nil {
		return address{}, badURL(public(u), "postgres://user:password@host:port/database?name=value… as libpq reads it")
	}
	return address{name: public(u), dialect: "postgres", dsn: u.String()}, nil
}

// mysqlParameters are what a MySQL URL may say after its path. Others of the
// driver's change what this package relies on, or let a server read files here.
var mysqlParameters = []string{"charset", "collation", "readTimeout", "timeout", "tls", "writeTimeout"}

func mysqlAddress(rest string) (address, error) {
	u, err := url.Parse("mysql://" + rest)
	if err != nil || u.Host == "" || len(u.Path) < 2 || u.Fragment != "" {
		return address{}, badURL("mysql://…", "mysql://user:password@host:port/database")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return address{}, badURL(public(u)+"?…", "parameters of the form name=value, joined by &")
	}
	for name := range q {
		if !slices.Contains(mysqlParameters, name) {
			return address{}, badURL(fmt.Sprintf("%s?%.40s=…", public(u), name), "no parameter but "+strings.Join(mysqlParameters, ", "))
		}
	}
	at := u.Host
	if u.Port() == "" {
		at += ":3306"
	}
	c, err := mysqldriver.ParseDSN("tcp(" + at + ")/?" + u.RawQuery)
	if err != nil {
		return address{}, badURL(public(u)+"?…", "values of "+strings.Join(slices.Sorted(maps.Keys(q)), ", ")+" that the driver knows")
	}
	if !q.Has("timeout") {
		c.Timeout = 5 * time.Second
	}
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.Net, c.Addr, c.DBName, c.ParseTime = "tcp", at, strings.TrimPrefix(u.Path, "/"), true
	c.ClientFoundRows = true            // an update of a value to itself has found its row
	c.Logger = &mysqldriver.NopLogger{} // a connection that broke is an error of the next operation
	if _, err := mysqldriver.NewConnector(c); err != nil {
		return address{}, badURL("mysql://…", "mysql://user:password@host:port/database")
	}
	return address{name: public(u), dialect: "mysql", mysql: c}, nil
}

func badURL(text, want string) error {
	return parameter.Bad("storage", text, "%s", want)
}

// sqliteDriver is the name of SQLite's driver; tests put one that fails in its place.
var sqliteDriver = sqlite.DriverName

// dialector returns gorm's driver for the address.
func (a address) dialector() gorm.Dialector {
	switch a.dialect {
	case "postgres":
		return postgres.Open(a.dsn)
	case "mysql":
		c, _ := mysqldriver.NewConnector(a.mysql) // mysqlAddress has tried it
		return mysql.New(mysql.Config{Conn: sql.OpenDB(c), DSNConfig: a.mysql})
	}
	return &sqlite.Dialector{DriverName: sqliteDriver, DSN: a.dsn}
}

// check finds what no retry can mend.
func (a address) check(mustExist bool) error {
	if a.path == "" {
		return nil
	}
	if info, err := os.Stat(a.path); err == nil && info.IsDir() {
		return storageError(a.name, fmt.Errorf("it is a folder"))
	} else if err != nil && mustExist {
		return storageError(a.name, fmt.Errorf("no such file"))
	}
	if info, err := os.Stat(filepath.Dir(a.path)); err != nil || !info.IsDir() {
		return storageError(a.name, fmt.Errorf("no such folder"))
	}
	return nil
}
