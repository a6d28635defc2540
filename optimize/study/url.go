package study

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dpworkbench/evidence"

	"github.com/glebarez/sqlite"
	mysqldriver "github.com/go-sql-driver/mysql"
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
	case !isURL:
		return sqliteAddress(text)
	case scheme == "sqlite":
		return sqliteAddress(strings.TrimPrefix(rest, "/"))
	case scheme == "postgres" || scheme == "postgresql":
		u, err := url.Parse("postgres://" + rest)
		if err != nil {
			return address{}, badURL(text, "a PostgreSQL URL")
		}
		name := u.Redacted()
		if q := u.Query(); !q.Has("connect_timeout") {
			q.Set("connect_timeout", "5")
			u.RawQuery = q.Encode()
		}
		return address{name: name, dialect: "postgres", dsn: u.String()}, nil
	case scheme == "mysql":
		return mysqlAddress(text, rest)
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

func mysqlAddress(text, rest string) (address, error) {
	u, err := url.Parse("mysql://" + rest)
	if err != nil || u.Host == "" || len(u.Path) < 2 {
		return address{}, badURL("mysql://…", "mysql://user:password@host:port/database")
	}
	c := mysqldriver.NewConfig()
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.Net, c.Addr, c.DBName, c.ParseTime, c.Timeout = "tcp", u.Host, strings.TrimPrefix(u.Path, "/"), true, 5*time.Second
	c.ClientFoundRows = true            // an update of a value to itself has found its row
	c.Logger = &mysqldriver.NopLogger{} // a connection that broke is an error of the next operation
	if u.Port() == "" {
		c.Addr += ":3306"
	}
	if _, err := mysqldriver.NewConnector(c); err != nil {
		return address{}, badURL("mysql://…", "mysql://user:password@host:port/database")
	}
	return address{name: u.Redacted(), dialect: "mysql", mysql: c}, nil
}

func badURL(text, want string) error {
	return fmt.Errorf("%w: storage = %q, want %s", evidence.ErrParameter, text, want)
}

// dialector returns gorm's driver for the address.
func (a address) dialector() gorm.Dialector {
	switch a.dialect {
	case "postgres":
		return postgres.Open(a.dsn)
	case "mysql":
		c, _ := mysqldriver.NewConnector(a.mysql) // mysqlAddress has tried it
		return mysql.New(mysql.Config{Conn: sql.OpenDB(c), DSNConfig: a.mysql})
	}
	return sqlite.Open(a.dsn)
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
