package study

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/redact"
)

// address is the location of a storage: a dialect and its parameters.
type address struct {
	name    string // without the password, for messages
	dialect string // "sqlite", "postgres"
	dsn     string
	path    string // path of a SQLite file; "" for a database in memory
	reads   bool   // read-only SQLite file: nothing is written
}

// storages describes valid storage URLs.
const storages = "the path of a SQLite file, or postgres://… of a PostgreSQL database"

// parseAddress parses a storage URL: a path or sqlite:///path (SQLite), or postgres://… or postgresql://…. "" is a
// database in memory.
func parseAddress(text string) (address, error) {
	redact.Keep(text)
	scheme, rest, isURL := strings.Cut(text, "://")
	scheme, _, _ = strings.Cut(scheme, "+") // SQLAlchemy's driver suffix
	switch {
	case text == "":
		return address{name: "in memory", dialect: "sqlite", dsn: "file::memory:?_pragma=foreign_keys(0)&_txlock=immediate"}, nil
	case !isURL && secretive(text):
		return address{}, badURL("…", storages+"; this is neither, and is not repeated here because it may hold a password")
	case !isURL:
		return sqliteAddress(text)
	case scheme == "sqlite":
		return sqliteAddress(strings.TrimPrefix(rest, "/"))
	case scheme == "postgres" || scheme == "postgresql":
		return postgresAddress(rest)
	}
	if strings.ContainsAny(scheme, ":@/ ") {
		scheme = "…"
	}
	return address{}, badURL(scheme+"://…", storages)
}

// sqliteAddress appends options to the path. With _txlock a writer takes its lock at once. Without it, a transaction
// that reads before it writes fails if another has written in between. The path may be followed by ?mode=ro, also in
// SQLAlchemy's form file:PATH?mode=ro&uri=true.
func sqliteAddress(text string) (address, error) {
	path, reads := strings.CutSuffix(text, "?mode=ro")
	if p, ok := strings.CutSuffix(text, "?mode=ro&uri=true"); ok && strings.HasPrefix(p, "file:") {
		path, reads = strings.TrimPrefix(p, "file:"), true
	}
	if path == "" || strings.ContainsAny(path, "?#%") {
		return address{}, badURL(text, "a path without ?, # and %, or one with ?mode=ro at its end")
	}
	options := "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate"
	return address{name: path, dialect: "sqlite", dsn: "file:" + path + "?" + options, path: path, reads: reads}, nil
}

// read changes the address to open the SQLite file for reading only. Opening it then creates no files beside it, which
// the file's owner could not write. If a process has the file open or was killed, part of the data is in files beside
// it.
func (a *address) read() error {
	size := func(end string) int64 {
		info, err := os.Stat(a.path + end)
		if err != nil {
			return -1
		}
		return info.Size()
	}
	a.reads, a.dsn = true, "file:"+a.path+"?mode=ro&_pragma=busy_timeout(10000)"
	for _, end := range []string{"-wal", "-journal"} {
		if size(end) > 0 && size("-shm") < 0 {
			return storageError(a.name, fmt.Errorf("it is read-only, and %s%s holds changes that are not yet in it: open it once with write permission", a.path, end))
		}
	}
	if size("-shm") < 0 {
		a.dsn += "&immutable=1"
	}
	return nil
}

// lasting lists errors of a file that cannot grow, which retrying does not resolve.
var lasting = []error{syscall.EFBIG, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS}

// lasts reports whether an error is a lasting one.
func lasts(err error) bool {
	return slices.ContainsFunc(lasting, func(e error) bool { return errors.Is(err, e) })
}

// explain adds the reason why a SQLite file cannot grow to its error, which gives no reason. It finds the reason by
// writing another file of the same size beside it.
func (a address) explain(err error) error {
	if a.path == "" || a.reads || sqliteCode(err) != sqliteIO {
		return err
	}
	var size int64
	for _, end := range []string{"", "-wal", "-journal"} {
		if info, err := os.Stat(a.path + end); err == nil {
			size = max(size, info.Size())
		}
	}
	f, cause := os.CreateTemp(filepath.Dir(a.path), ".workbench-*")
	if cause == nil {
		_, cause = f.WriteAt(make([]byte, 1<<16), size)
		cause = errors.Join(cause, f.Close(), os.Remove(f.Name()))
	}
	for _, e := range lasting {
		if errors.Is(cause, e) {
			return fmt.Errorf("it cannot grow: %w (%w)", e, err)
		}
	}
	return err
}

// secretive reports whether a text that is not a URL looks like a mistyped one, or like libpq keywords, and so may
// contain a password.
func secretive(text string) bool {
	lower := strings.ToLower(text)
	for _, start := range []string{"postgres:", "postgresql:", "mysql:", "mariadb:"} {
		if strings.HasPrefix(lower, start) {
			return true
		}
	}
	_, host, at := strings.Cut(text, "@")
	return redact.Text(text) != text || at && strings.Contains(text[:len(text)-len(host)], ":") || strings.Contains(text, "://")
}

// public returns a URL for messages: without its password and without the part after the path, which may contain
// another.
func public(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.ForceQuery, shown.Fragment, shown.RawFragment = "", false, "", ""
	return shown.Redacted()
}

func postgresAddress(rest string) (address, error) {
	u, err := url.Parse("postgres://" + rest)
	if err != nil || u.Fragment != "" || u.User == nil && strings.Contains(rest, "@") {
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
	if !readableByPgx(u.String()) {
		return address{}, badURL(public(u), "postgres://user:password@host:port/database?name=value… as libpq reads it")
	}
	return address{name: public(u), dialect: "postgres", dsn: u.String()}, nil
}

func badURL(text, want string) error { return parameter.Bad("storage", redact.Text(text), "%s", want) }

// check returns permanent errors of the address, and finds out whether the file is read-only.
func (a *address) check(mustExist bool) error {
	if a.path == "" {
		return nil
	}
	info, err := os.Stat(a.path)
	switch {
	case err == nil && info.IsDir():
		return storageError(a.name, fmt.Errorf("it is a folder, want a file"))
	case err != nil && (mustExist || a.reads):
		return storageError(a.name, fmt.Errorf("no such file"))
	}
	folder := filepath.Dir(a.path)
	if info, e := os.Stat(folder); e != nil || !info.IsDir() {
		return storageError(a.name, fmt.Errorf("no such folder"))
	} else if err != nil && !writable(folder, info) {
		return storageError(a.name, fmt.Errorf("no such file, and its folder is read-only"))
	}
	if err == nil && (a.reads || !writable(a.path, info)) {
		return a.read()
	}
	return nil
}
