package study

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"

	"github.com/glebarez/sqlite"
)

// errFault is the error of the one call that fails; the next call succeeds.
var errFault = errors.New("the line is down")

// faults makes one call of a database fail. The call fails before it is executed or, if answered is set, after it, as
// if the answer were lost.
type faults struct {
	mu       sync.Mutex
	calls    int
	at       int // 0 is none
	also     int // a second call fails before execution, this many calls later; 0 is none
	answered bool
}

// plan sets the number of the failing call and restarts the count.
func (f *faults) plan(at int, answered bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.at, f.also, f.answered = 0, at, 0, answered
}

// do executes one database call.
func (f *faults) do(call func() error) error {
	f.mu.Lock()
	f.calls++
	hit, answered := f.calls == f.at, f.answered
	if f.also > 0 && f.at > 0 && f.calls == f.at+f.also {
		hit, answered = true, false
	}
	f.mu.Unlock()
	if hit && !answered {
		return errFault
	}
	if err := call(); err != nil || !hit {
		return err
	}
	return errFault
}

// line controls the failures of the test database.
var line faults

type faultDriver struct{ driver.Driver }

func (d faultDriver) Open(name string) (driver.Conn, error) {
	var c driver.Conn
	err := line.do(func() (err error) { c, err = d.Driver.Open(name); return err })
	return faultConn{c}, err
}

type faultConn struct{ driver.Conn }

func (c faultConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	var tx driver.Tx
	err := line.do(func() (err error) { tx, err = c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o); return err })
	if err != nil && tx != nil {
		_ = tx.Rollback()
	}
	return faultTx{tx}, err
}

func (c faultConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	var r driver.Result
	err := line.do(func() (err error) { r, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, q, args); return err })
	return r, err
}

func (c faultConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	var r driver.Rows
	err := line.do(func() (err error) { r, err = c.Conn.(driver.QueryerContext).QueryContext(ctx, q, args); return err })
	if err != nil && r != nil {
		_ = r.Close()
	}
	return r, err
}

type faultTx struct{ driver.Tx }

// Commit rolls back if it fails, as a database does when it loses its client.
func (t faultTx) Commit() error {
	done := false
	err := line.do(func() error { done = true; return t.Tx.Commit() })
	if !done {
		_ = t.Tx.Rollback()
	}
	return err
}

// faulty replaces SQLite's driver with the failing one for the duration of a test.
func faulty(t *testing.T) {
	t.Helper()
	const name = "sqlite that fails"
	if pool, err := sql.Open(sqlite.DriverName, ""); err != nil {
		t.Fatal(err)
	} else {
		register.Do(func() { sql.Register(name, faultDriver{pool.Driver()}) })
		_ = pool.Close()
	}
	sqliteDriver = name
	t.Cleanup(func() { sqliteDriver = sqlite.DriverName })
}

var register sync.Once

// eachFault runs an operation on copies of a database. In each run another call fails, before or after its execution,
// until the operation makes no more calls. It tests every third call, or every call in the full run. It passes check
// the operation's error, and the storage without further faults. A positive patience makes the storage retry.
func eachFault(t *testing.T, file string, patience time.Duration, operation func(s *Storage) error, check func(s *Storage, err error) error) {
	t.Helper()
	faulty(t)
	content := must.For(os.ReadFile(file))(t)
	folder := t.TempDir()
	failed := 0
	for _, answered := range []bool{true, false} {
		if patience > 0 && !answered {
			break // the storage would just retry the call
		}
		for at, more := 1, true; more; at += cases.Of(3, 1) {
			path := filepath.Join(folder, fmt.Sprintf("%d-%t.db", at, answered))
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { // with simulated time
				line.plan(0, false)
				s, err := Open(context.Background(), path, StorageOptions{Patience: patience})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				line.plan(at, answered)
				err = operation(s)
				more = line.calls >= at
				line.plan(0, false)
				if err != nil {
					failed++
				}
				if err != nil && (!more || !errors.Is(err, ErrStorage) || !errors.Is(err, errFault)) {
					t.Errorf("call %d (answer lost: %t): error %v, want one of the storage", at, answered, err)
				}
				if err := check(s, err); err != nil {
					t.Errorf("call %d (answer lost: %t): %v", at, answered, err)
				}
			})
			_ = os.Remove(path)
			if at > 2000 {
				t.Fatal("the operation does not end")
			}
		}
	}
	if patience < 0 && failed == 0 {
		t.Error("no call of the operation failed")
	}
}

// impatient makes a storage try only once.
const impatient = -1

// dump returns the contents of the tables, without times and heartbeat marks.
func dump(s *Storage) (string, error) {
	var b strings.Builder
	for _, q := range []string{
		"SELECT study_name, direction FROM studies ORDER BY study_id",
		"SELECT study_id, key, value FROM study_system_attributes ORDER BY study_id, key",
		"SELECT study_id, number, state, value, datetime_start IS NULL, datetime_complete IS NULL FROM trials ORDER BY study_id, number",
		"SELECT trial_id, param_name, param_value, distribution_json FROM trial_params ORDER BY trial_id, param_name",
		"SELECT trial_id, key, CASE key WHEN '" + attrOwner + "' THEN '' ELSE value END FROM trial_system_attributes ORDER BY trial_id, key",
		"SELECT trial_id, value, objective, value_type FROM trial_values ORDER BY trial_id",
		"SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
	} {
		rows, err := s.db.Raw(q).Rows()
		if err != nil {
			return "", err
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			row := make([]any, len(columns))
			for i := range row {
				row[i] = new(any)
			}
			if err := rows.Scan(row...); err != nil {
				return "", err
			}
			for _, v := range row {
				fmt.Fprintf(&b, "%v|", *v.(*any))
			}
			b.WriteByte('\n')
		}
		if err := rows.Close(); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

const (
	foreign   = "another machine|1|1|n.1|0" // the mark of the running trial's worker
	unitRange = `{"name":"UniformDistribution","attributes":{"high":1,"low":0}}`
	lostID    = 4
	runningID = 5
	waitingID = 6
)

// Every change of the storage is atomic under a failure of any database call. If an operation returns without error,
// its change is stored.
func TestChangesAreAtomic(t *testing.T) {
	ctx := context.Background()
	file := PreparedStudy(t)
	var said string // result of the operation
	begin := func(s *Storage) error {
		b, err := s.begin(ctx, 1, 0, "new")
		b.start = nil
		said = fmt.Sprintf("%+v", b)
		return err
	}
	operations := map[string]func(s *Storage) error{
		"a study": func(s *Storage) error {
			st, err := New(ctx, s, "b", Options{Maximize: true})
			if err == nil {
				said = fmt.Sprint(st.id, st.Name(), st.Maximizes())
			}
			return err
		},
		"a repeated trial":  begin,
		"a result":          func(s *Storage) error { _, err := s.finish(ctx, begun{id: runningID}, 1, 0.5, ""); return err },
		"a failure":         func(s *Storage) error { _, err := s.finish(ctx, begun{id: runningID}, 1, 0, "no luck"); return err },
		"a lost trial":      func(s *Storage) error { _, err := s.lose(ctx, 1, runningID, foreign, "gone"); return err },
		"a trial put back":  func(s *Storage) error { return s.putBack(ctx, 1, runningID, foreign) },
		"a lost repetition": func(s *Storage) error { _, err := s.lose(ctx, 1, waitingID, "first", "gone"); return err },
		"a parameter":       func(s *Storage) error { return s.param(ctx, runningID, "y", 0.5, unitRange) },
		"a range":           func(s *Storage) (err error) { said, err = s.claim(ctx, 1, "y", unitRange); return err },
		"an attribute":      func(s *Storage) error { return s.SetTrialSystemAttr(runningID, attrCMA, "g") },
		"another attribute": func(s *Storage) error { return s.SetTrialSystemAttr(waitingID, attrCMA, "h") },
		"a new trial":       begin,
		"a heartbeat":       func(s *Storage) error { return s.heartbeat(ctx, runningID, "alive") },
	}
	for name, operation := range operations {
		t.Run(name, func(t *testing.T) {
			file := file
			if name == "a new trial" || name == "a lost repetition" {
				file = copyFile(t, file)
				storage, err := Open(ctx, file, StorageOptions{})
				if err == nil {
					_, err = storage.begin(ctx, 1, 0, "first") // begins the waiting trial
				}
				if err = errors.Join(err, storage.Close()); err != nil {
					t.Fatal(err)
				}
			}
			var before, after string
			storage, err := Open(ctx, copyFile(t, file), StorageOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer storage.Close()
			if before, err = dump(storage); err != nil {
				t.Fatal(err)
			}
			said = ""
			if err := operation(storage); err != nil {
				t.Fatal(err)
			}
			answer := said
			if after, err = dump(storage); err != nil {
				t.Fatal(err)
			}
			if before == after && name != "a heartbeat" {
				t.Fatal("the operation changes nothing")
			}
			for _, patience := range []time.Duration{impatient, time.Minute} {
				eachFault(t, file, patience, operation, func(s *Storage, err error) error {
					got, broken := dump(s)
					switch {
					case broken != nil:
						return broken
					case err == nil && got != after:
						return fmt.Errorf("no error, but the tables hold\n%s\nwant\n%s", got, after)
					case err == nil && said != answer:
						return fmt.Errorf("the result is %s, want %s", said, answer)
					case err != nil && patience > 0:
						return fmt.Errorf("a single failure is not retried: %w", err)
					case err != nil && got != before && got != after:
						return fmt.Errorf("half done, the tables hold\n%s", got)
					}
					return nil
				})
			}
		})
	}
}

// copyFile returns a copy of a file.
func copyFile(t *testing.T, file string) string {
	t.Helper()
	content := must.For(os.ReadFile(file))(t)
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// A read returns all rows or an error.
func TestReadsAreComplete(t *testing.T) {
	ctx := context.Background()
	file := PreparedStudy(t)
	var read string
	operation := func(s *Storage) error {
		names, err1 := s.Names(ctx)
		st, err2 := Load(ctx, s, "a")
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		held, err1 := s.holders(ctx, st.id)
		waits, runs, err2 := s.unfinished(ctx, st.id)
		spaces, err3 := s.spaces(ctx, st.id)
		results, err4 := st.Results(ctx)
		best, err5 := st.Best(ctx)
		read = fmt.Sprintf("%v %v %d %d %v %+v %+v", names, held, waits, runs, spaces, results, best)
		return errors.Join(err1, err2, err3, err4, err5)
	}
	storage := must.For(Open(ctx, copyFile(t, file), StorageOptions{}))(t)
	defer storage.Close()
	if err := operation(storage); err != nil {
		t.Fatal(err)
	}
	want := read
	for _, part := range []string{"[a]", "{5 another machine", "0}] 1 1 map", "map[x:{"} {
		if !strings.Contains(want, part) {
			t.Fatalf("read %s, want %q in it", want, part)
		}
	}
	for _, patience := range []time.Duration{impatient, time.Minute} {
		eachFault(t, file, patience, operation, func(s *Storage, err error) error {
			switch {
			case err != nil && patience > 0:
				return fmt.Errorf("a single failure is not retried: %w", err)
			case err == nil && read != want:
				return fmt.Errorf("read %s, want %s", read, want)
			}
			if err := operation(s); err != nil || read != want {
				return fmt.Errorf("afterwards read %s (%v), want %s", read, err, want)
			}
			return nil
		})
	}
}

// If the storage fails during a run, the run returns its error. Every reported trial is stored, and the next run
// completes the study with the same points as a run without failures.
func TestRunsSurviveFaults(t *testing.T) {
	ctx := context.Background()
	const total = 3
	const sampler = "cmaes"
	empty := filepath.Join(t.TempDir(), "empty.db")
	storage := must.For(Open(ctx, empty, StorageOptions{}))(t)
	if err := storage.Close(); err != nil {
		t.Fatal(err)
	}
	var ended []Result
	operation := func(s *Storage) error {
		ended = nil
		st, err := New(ctx, s, "a", Options{Sampler: sampler, Seed: 3})
		if err != nil {
			return err
		}
		return st.Optimize(ctx, func(ctx context.Context, w int, tr *Trial) (float64, error) {
			x, err1 := tr.Float("x", 0, 1, false)
			y, err2 := tr.Float("y", 1, 2, true)
			_ = errors.Join(err1, err2) // the objective ignores errors
			return x + y, nil
		}, Run{Total: total, Heartbeat: time.Hour, Ended: func(r Result) { ended = append(ended, r) }})
	}
	pointsOf := func(s *Storage) ([]string, error) {
		st, err := Load(ctx, s, "a")
		if err != nil {
			return nil, err
		}
		results, err := st.Results(ctx)
		var out []string
		for _, r := range results {
			if !r.Lost {
				out = append(out, fmt.Sprint(r.State, r.Params, r.Value))
			}
		}
		return out, err
	}
	whole := must.For(Open(ctx, copyFile(t, empty), StorageOptions{}))(t)
	defer whole.Close()
	if err := operation(whole); err != nil {
		t.Fatal(err)
	}
	want, err := pointsOf(whole)
	if err != nil || len(want) != total {
		t.Fatal(want, err)
	}
	eachFault(t, empty, impatient, operation, func(s *Storage, err error) error {
		reported := ended
		if err == nil && len(reported) != total {
			return fmt.Errorf("a run without error has ended %d trials, want %d", len(reported), total)
		}
		// Another process continues, and considers the first one dead.
		st, err := New(ctx, s, "a", Options{Sampler: sampler, Seed: 3})
		if err != nil {
			return err
		}
		held, err := s.holders(ctx, st.id)
		if err != nil {
			return err
		}
		for _, h := range held {
			if _, err := s.lose(ctx, st.id, h.trial, h.mark, "gone"); err != nil {
				return err
			}
		}
		if err := operation(s); err != nil {
			return err
		}
		got, err := pointsOf(s)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("the trials are\n%s (%v), want\n%s", strings.Join(got, "\n"), err, strings.Join(want, "\n"))
		}
		results, err := st.Results(ctx)
		if err != nil {
			return err
		}
		for _, r := range reported {
			if stored := results[r.Number]; stored.State != r.State || stored.Value != r.Value {
				return fmt.Errorf("trial %d was reported as %s with %v, the storage holds %s with %v", r.Number, r.State, r.Value, stored.State, stored.Value)
			}
		}
		return nil
	})
}

// If Open fails, the next Open succeeds and finds all data. Open never drops another program's table because an answer
// was lost.
func TestOpeningSurvivesFaults(t *testing.T) {
	ctx := context.Background()
	full := PreparedStudy(t)
	for _, c := range []struct {
		name      string
		change    []string
		mustExist bool
		want      error
	}{
		{name: "new", change: nil},
		{name: "of studies", mustExist: true},
		{name: "of studies, to write"},
		{name: "opened by Optuna", change: []string{"DROP TABLE alembic_version", "DROP VIEW study_directions", "CREATE TABLE study_directions (n INTEGER)"}},
		{name: "of another program", want: errForeign,
			change: []string{"DROP TABLE alembic_version", "DROP VIEW study_directions", "CREATE TABLE study_directions (n INTEGER)", "INSERT INTO study_directions VALUES (1)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "none.db")
			if c.name != "new" {
				file = copyFile(t, full)
				storage := must.For(Open(ctx, file, StorageOptions{}))(t)
				for _, statement := range c.change {
					if err := storage.db.Exec(statement).Error; err != nil {
						t.Fatal(err)
					}
				}
				if err := storage.Close(); err != nil {
					t.Fatal(err)
				}
			}
			content, err := os.ReadFile(file)
			if err != nil && c.name != "new" {
				t.Fatal(err)
			}
			var want string
			faulty(t)
			for _, answered := range []bool{true, false} {
				patience := map[bool]time.Duration{true: impatient, false: time.Minute}[answered]
				for at, more := 0, true; more; at += cases.Of(3, 1) {
					path := filepath.Join(t.TempDir(), "s.db")
					if content != nil {
						if err := os.WriteFile(path, content, 0o600); err != nil {
							t.Fatal(err)
						}
					}
					synctest.Test(t, func(t *testing.T) {
						line.plan(at, answered)
						s, err := Open(ctx, path, StorageOptions{Patience: patience, MustExist: c.mustExist})
						more = line.calls >= at
						line.plan(0, false)
						if err == nil {
							defer s.Close()
						}
						if c.want != nil {
							if !errors.Is(err, c.want) && (patience > 0 || !errors.Is(err, errFault)) {
								t.Errorf("call %d (answer lost: %t): Open: %v", at, answered, err)
							}
						} else if err != nil && (patience > 0 || !errors.Is(err, errFault) && !remade(err)) {
							t.Errorf("call %d (answer lost: %t): error %v", at, answered, err)
						}
						again := s
						if err != nil {
							again, err = Open(ctx, path, StorageOptions{Patience: impatient})
						}
						if c.want != nil {
							if !errors.Is(err, c.want) {
								t.Errorf("call %d (answer lost: %t): the next Open: %v", at, answered, err)
							}
							return
						}
						if err != nil {
							t.Errorf("call %d (answer lost: %t): the next Open: %v", at, answered, err)
							return
						}
						if again != s {
							defer again.Close()
						}
						got, err := dump(again)
						if want == "" {
							want = got
						}
						if err != nil || got != want {
							t.Errorf("call %d (answer lost: %t): the tables hold\n%s (%v), want\n%s", at, answered, got, err, want)
						}
					})
				}
			}
		})
	}
}

// If the storage fails at any call of a run, the run and the pending parameter request return an error, for every
// sampler. The study continues afterwards.
func TestSamplersSurviveFaults(t *testing.T) {
	ctx := context.Background()
	file := PreparedStudy(t)
	for _, name := range Samplers {
		done := 0
		run := func(s *Storage, at string) error {
			st, err := New(ctx, s, "a", Options{Sampler: at, Seed: 3})
			if err != nil {
				return err
			}
			return st.Optimize(ctx, func(_ context.Context, _ int, tr *Trial) (float64, error) {
				x, err := tr.Float("x", 0, 1, false)
				if (err != nil) != (tr.fatal != nil) {
					t.Errorf("%s: Float returns %v, the trial's error is %v", at, err, tr.fatal)
				}
				_, again := tr.Float("x", 0, 1, false)
				if !errors.Is(again, tr.fatal) {
					t.Errorf("%s: a second Float returns %v, the trial's error is %v", at, again, tr.fatal)
				}
				return x, err
			}, Run{Trials: 2})
		}
		eachFault(t, file, impatient, func(s *Storage) error { return run(s, name) }, func(s *Storage, err error) error {
			if err == nil {
				done++
			}
			if err := run(s, name); err != nil {
				return fmt.Errorf("%s afterwards: %w", name, err)
			}
			return nil
		})
		if done != 2 { // the last run of each kind of fault
			t.Errorf("%s: %d runs end without an error, want 2", name, done)
		}
	}
}
