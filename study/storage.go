package study

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/c-bata/goptuna"
	"github.com/c-bata/goptuna/rdb.v2"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

// Storage holds studies. It is safe for concurrent use.
type Storage struct {
	address
	memory   bool
	db       *gorm.DB
	patience time.Duration
	mu       sync.Mutex
	caches   map[int]*cache // by study

	counting sync.Mutex
	tallies  map[int]tally // by study
}

// StorageOptions configures how Open opens a storage.
type StorageOptions struct {
	MustExist bool          // return an error if the database has no studies yet
	Patience  time.Duration // how long to wait for an unavailable storage; 0 means one minute, and 5 seconds in Open
}

// Open opens the storage at url: a path of a SQLite file (or sqlite:///path), or postgres://…; "" is in memory. It
// creates goptuna's tables if they do not exist. It returns an error wrapping ErrStorage if the storage cannot be
// reached, and evidence.ErrParameter if url is invalid.
func Open(ctx context.Context, url string, o StorageOptions) (*Storage, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	if err := available(); err != nil {
		return nil, storageError(a.name, err)
	}
	if err := a.check(o.MustExist); err != nil {
		return nil, err
	}
	s := &Storage{address: a, memory: url == "", caches: make(map[int]*cache), tallies: make(map[int]tally), patience: o.Patience}
	opening := o.Patience
	if o.Patience == 0 {
		s.patience, opening = time.Minute, 5*time.Second
	}
	connect := func(ctx context.Context) error { return s.explain(s.connect(ctx, o.MustExist)) }
	err = retry(ctx, opening, connect)
	if code := sqliteCode(err); (code == sqliteReadOnly || code == sqliteCantOpen) && !s.reads { // the folder is read-only
		if err := s.read(); err != nil {
			return nil, err
		}
		err = retry(ctx, opening, connect)
	}
	if err != nil {
		return nil, storageError(a.name, plain(err))
	}
	return s, nil
}

// connect opens the database once.
func (s *Storage) connect(ctx context.Context, mustExist bool) error {
	db, err := gorm.Open(s.dialector(), &gorm.Config{
		Logger: logger.Discard, SkipDefaultTransaction: true, TranslateError: true,
		DisableAutomaticPing: true,
	})
	if err != nil {
		closeDB(db)
		return err
	}
	pool, err := db.DB()
	if err != nil {
		return err
	}
	if err := pool.PingContext(ctx); err != nil {
		closeDB(db)
		return err
	}
	if s.dialect == "sqlite" {
		pool.SetMaxOpenConns(1) // one writer at a time; a database in memory exists only in its connection
	} else {
		pool.SetMaxOpenConns(8)
		pool.SetConnMaxIdleTime(time.Minute)
	}
	if s.reads { // another process may write the file, and a new connection has no stale cache
		pool.SetMaxIdleConns(-1)
	}
	if err := prepare(db.WithContext(ctx), s.dialect, mustExist, s.reads); err != nil {
		closeDB(db)
		return err
	}
	s.db = db
	return nil
}

// Close closes the connections.
func (s *Storage) Close() error {
	pool, err := s.db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

func closeDB(db *gorm.DB) {
	if db != nil && db.Config != nil && db.ConnPool != nil {
		if pool, err := db.DB(); err == nil {
			_ = pool.Close()
		}
	}
}

// Name returns the location of the storage, without a password.
func (s *Storage) Name() string { return s.name }

// migration is the number of the lock under which tables are created.
const migration = 0x64707764 // "dpwd"

// prepare creates the tables once, even if several processes call it.
func prepare(db *gorm.DB, dialect string, mustExist, reads bool) error {
	tables, err1 := has(db, lastTable, "")
	directed, err2 := has(db, "studies", "direction")
	read, err3 := optunaReads(db)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	switch {
	case tables && !directed:
		return fmt.Errorf("%w (studies has no direction)", errForeign)
	case tables && (mustExist || reads || read): // a reader must not change anything
		return nil
	case mustExist || reads:
		return fmt.Errorf("it holds no studies: %w", gorm.ErrRecordNotFound)
	}
	return db.Transaction(func(tx *gorm.DB) error {
		if dialect == "postgres" {
			if err := tx.Exec("SELECT pg_advisory_xact_lock(?)", migration).Error; err != nil {
				return err
			}
		}
		return createTables(tx, dialect)
	})
}

// lastTable is the table that goptuna creates last. If it exists, all tables do.
const lastTable = "trial_values"

// createTables creates missing tables and columns, under a lock.
func createTables(tx *gorm.DB, dialect string) error {
	made, err := has(tx, lastTable, "")
	if err != nil {
		return err
	}
	if !made {
		if err := rdb.RunAutoMigrate(tx); err != nil {
			return err
		}
	}
	if read, err := optunaReads(tx); err != nil || read {
		return err
	}
	return addOptuna(tx, dialect)
}

// has reports whether a table exists and, if column is not "", has that column. gorm's own methods report a missing
// table if the database does not respond.
func has(db *gorm.DB, table, column string) (bool, error) {
	tables := "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = CURRENT_SCHEMA() AND table_type = 'BASE TABLE' AND table_name = ?"
	columns := "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = CURRENT_SCHEMA() AND table_name = ? AND column_name = ?"
	if db.Name() == "sqlite" {
		tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
		columns = "SELECT COUNT(*) FROM pragma_table_xinfo(?) WHERE name = ?"
	}
	var n int64
	if column == "" {
		err := db.Raw(tables, table).Scan(&n).Error
		return n > 0, err
	}
	err := db.Raw(columns, table, column).Scan(&n).Error
	return n > 0, err
}

// do calls f with the database until f succeeds, fails permanently, or the storage has been unavailable for too long.
func (s *Storage) do(ctx context.Context, f func(db *gorm.DB) error) error {
	err := retry(ctx, s.patience, func(ctx context.Context) error {
		if s.dialect == "sqlite" { // SQLite waits at most busy_timeout; a context would take two goroutines per statement
			ctx = context.WithoutCancel(ctx)
		}
		return s.explain(f(s.db.WithContext(ctx)))
	})
	if err == nil || errors.Is(err, ErrSpace) || errors.Is(err, errTaken) || errors.Is(err, errEnough) || errors.Is(err, ErrUnknown) {
		return err
	}
	return storageError(s.name, plain(err))
}

// transact calls f in a transaction that locks the row of a study.
func (s *Storage) transact(ctx context.Context, study int, f func(tx *gorm.DB) error) error {
	return s.do(ctx, func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			var row studyRow
			if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&row, "study_id = ?", study).Error; err != nil {
				return err
			}
			return f(tx)
		})
	})
}

// hold is transact for a function f that itself detects a deleted study. With SQLite, transactions lock the whole
// database, so no row needs to be locked.
func (s *Storage) hold(ctx context.Context, study int, f func(tx *gorm.DB) error) error {
	if s.dialect != "sqlite" {
		return s.transact(ctx, study, f)
	}
	return s.do(ctx, func(db *gorm.DB) error { return db.Transaction(f) })
}

// ensure returns the id and the direction of the named study, creating it if necessary.
func (s *Storage) ensure(ctx context.Context, name string, direction goptuna.StudyDirection) (int, goptuna.StudyDirection, error) {
	text := "MINIMIZE"
	if direction == goptuna.StudyDirectionMaximize {
		text = "MAXIMIZE"
	}
	var row studyRow
	err := s.do(ctx, func(db *gorm.DB) error {
		row = studyRow{}
		err := db.Take(&row, "study_name = ?", name).Error
		if !errors.Is(err, gorm.ErrRecordNotFound) {
			return err
		}
		row = studyRow{Name: name, Direction: text}
		if err = db.Create(&row).Error; errors.Is(err, gorm.ErrDuplicatedKey) { // another process created it first
			row = studyRow{}
			err = db.Take(&row, "study_name = ?", name).Error
		}
		return err
	})
	if err != nil {
		return 0, "", err
	}
	found, err := s.directionOf(row)
	return row.ID, found, err
}

// directionOf reads the direction of a study; goptuna's default is to minimise.
func (s *Storage) directionOf(row studyRow) (goptuna.StudyDirection, error) {
	switch row.Direction {
	case "MAXIMIZE":
		return goptuna.StudyDirectionMaximize, nil
	case "MINIMIZE", "NOT_SET":
		return goptuna.StudyDirectionMinimize, nil
	}
	return "", storageError(s.name, fmt.Errorf("study %q is damaged: its direction is the text %.40q", row.Name, row.Direction))
}

// find returns the id and direction of the named study, or an error wrapping ErrUnknown.
func (s *Storage) find(ctx context.Context, name string) (int, goptuna.StudyDirection, error) {
	var row studyRow
	err := s.do(ctx, func(db *gorm.DB) error {
		err := db.Take(&row, "study_name = ?", name).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return fmt.Errorf("%w: %q in %s", ErrUnknown, name, s.name)
		}
		return err
	})
	if err != nil {
		return 0, "", err
	}
	direction, err := s.directionOf(row)
	return row.ID, direction, err
}

// Names returns the names of the studies, in the order of their creation.
func (s *Storage) Names(ctx context.Context) ([]string, error) {
	var rows []studyRow
	err := s.do(ctx, func(db *gorm.DB) error { return db.Order("study_id").Find(&rows).Error })
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	return names, err
}
