package study

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"

	"github.com/c-bata/goptuna"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"pgregory.net/rapid"
)

// coded is an error of SQLite's.
type coded int

func (c coded) Error() string { return fmt.Sprintf("SQLite's %d", int(c)) }
func (c coded) Code() int     { return int(c) }

// What another attempt could mend is tried again, and nothing else.
func TestPermanent(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("the line is down"), false},
		{errors.New(`sql: Scan error on column index 1: converting "abc"`), true},
		{fmt.Errorf("no: %w", gorm.ErrRecordNotFound), true}, {gorm.ErrDuplicatedKey, true},
		{ErrSpace, true}, {ErrUnknown, true}, {errForeign, true}, {errTaken, true}, {errEnough, true}, {ErrStorage, false},
		{&pgconn.PgError{Code: "22001"}, true}, {&pgconn.PgError{Code: "23505"}, true}, {&pgconn.PgError{Code: "28P01"}, true},
		{&pgconn.PgError{Code: "3D000"}, true}, {&pgconn.PgError{Code: "42P01"}, true}, {&pgconn.PgError{Code: "42501"}, true},
		{&pgconn.PgError{Code: "25006"}, true}, {&pgconn.PgError{Code: "53100"}, true}, {&pgconn.PgError{Code: "54000"}, true}, {&pgconn.PgError{Code: "53300"}, false}, {&pgconn.PgError{Code: "25P02"}, false},
		{&pgconn.PgError{Code: "42P07"}, false}, {&pgconn.PgError{Code: "42701"}, false}, // made by another meanwhile
		{&pgconn.PgError{Code: "40001"}, false}, {&pgconn.PgError{Code: "57P03"}, false}, {&pgconn.PgError{Code: "08006"}, false},
		{coded(1), true}, {coded(26), true}, {coded(8), true}, {coded(19), true}, {coded(8 | 3<<8), true},
		{coded(5), false}, {coded(6), false}, {coded(7), false}, {coded(9), false}, {coded(10), false}, {coded(5 | 2<<8), false},
		{fmt.Errorf("%w (%w)", syscall.EFBIG, coded(10|3<<8)), true}, {fmt.Errorf("%w (%w)", syscall.EDQUOT, coded(10)), true}, {syscall.ENOSPC, true}, {syscall.EROFS, true}, {syscall.EIO, false},
		{fmt.Errorf("table x already exists: %w", coded(1)), false}, {fmt.Errorf("duplicate column name: x: %w", coded(1)), false},
	} {
		if got := permanent(c.err); got != c.want {
			t.Errorf("%v is permanent: %t", c.err, got)
		}
	}
}

// A driver's error becomes one line, and wraps what it was.
func TestPlain(t *testing.T) {
	op := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New(" first\nsecond"), "first"},
		{fmt.Errorf("very long: %w", context.DeadlineExceeded), "no answer in time"},
		{fmt.Errorf("it holds no studies: %w", gorm.ErrRecordNotFound), "it holds no studies"},
		{fmt.Errorf("user=a password=b: %w", op), "dial tcp: connection refused"},
	} {
		got := plain(c.err)
		if got.Error() != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v becomes %v", c.err, got)
		}
	}
}

// Ranges that are none are refused, and those at the ends of what is allowed are not.
func TestRanges(t *testing.T) {
	const most = 1 << 53
	float := func(lo, hi float64, log bool) error { _, err := floatRange("x", lo, hi, log); return err }
	whole := func(lo, hi int) error { _, err := intRange("x", lo, hi); return err }
	choice := func(labels ...string) error { _, err := choices("x", labels); return err }
	for i, err := range []error{
		float(1, 0, false), float(math.NaN(), 0, false), float(0, math.NaN(), false), float(math.Inf(-1), 0, false), float(0, math.Inf(1), false),
		float(-math.MaxFloat64, math.MaxFloat64, false), float(0, 1, true), float(-1, 1, true), float(2, 1, true), float(1, math.Inf(1), true),
		whole(1, 0), whole(-most-1, 0), whole(0, most+1), choice(), choice("a", "b", "a"),
	} {
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("range %d: %v", i, err)
		}
	}
	for i, err := range []error{
		float(1, 1, false), float(-1, 1, false), float(1, 1, true), float(math.SmallestNonzeroFloat64, math.MaxFloat64, true), float(0, math.MaxFloat64, false),
		whole(0, 0), whole(-most, most), choice("a"), choice("a", "b"),
	} {
		if err != nil {
			t.Errorf("range %d: %v", i, err)
		}
	}
}

// Each value of a range comes back from its coordinate, which lies in [0, 1]; each
// coordinate means a value of the range, and what is not in the range is not held.
func TestValuesAndCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo, wide := rapid.IntRange(-50, 50).Draw(t, "lo"), rapid.IntRange(0, 40).Draw(t, "width")
		a, b := float64(lo), float64(lo+wide)
		labels := make([]string, wide+1)
		for i := range labels {
			labels[i] = strconv.Itoa(i)
		}
		for _, d := range []any{
			goptuna.UniformDistribution{Low: a, High: b}, goptuna.LogUniformDistribution{Low: math.Exp(a / 10), High: math.Exp(b / 10)},
			goptuna.IntUniformDistribution{Low: lo, High: lo + wide}, goptuna.CategoricalDistribution{Choices: labels},
		} {
			u := rapid.Float64Range(0, 1).Draw(t, "u")
			v := fromUnit(d, u)
			back := toUnit(d, v)
			if !holds(d, v) || !(back >= 0 && back <= 1) {
				t.Fatalf("%#v: coordinate %g means %g, whose coordinate is %g", d, u, v, back)
			}
			if n := width(d); n > 0 && (v != math.Trunc(v) || math.Abs(back-u) > 0.5/n+1e-12) || n == 0 && wide > 0 && math.Abs(back-u) > 1e-9 {
				t.Fatalf("%#v: coordinate %g comes back as %g", d, u, back)
			}
			first, last := fromUnit(d, -1), fromUnit(d, 2)
			if first != fromUnit(d, 0) || last != fromUnit(d, 1) || first > v || v > last {
				t.Fatalf("%#v: ends %g and %g around %g", d, first, last, v)
			}
			for _, outside := range []float64{first - 1, last + 1, math.NaN()} {
				if holds(d, outside) {
					t.Fatalf("%#v holds %g", d, outside)
				}
			}
		}
	})
	for d, v := range map[any]float64{goptuna.UniformDistribution{Low: 2, High: 2}: 2, goptuna.LogUniformDistribution{Low: 2, High: 2}: 2} {
		if u := toUnit(d, v); u != 0.5 {
			t.Errorf("%#v: the only value has the coordinate %g, want the middle", d, u)
		}
	}
	if holds(7, 0) {
		t.Error("no range holds a value")
	}
	for _, c := range []struct {
		d    any
		v    float64
		want bool
	}{
		{goptuna.LogUniformDistribution{Low: 0, High: 1}, 0.5, false},
		{goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 5, true}, {goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 0, false},
		{goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 6, false}, {goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 1, true},
		{goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, 1, true}, {goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, 0, true},
		{goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, 1.5, false}, {goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, -1, false},
		{goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0}, 1, false},
	} {
		if got := holds(c.d, c.v); got != c.want {
			t.Errorf("%#v holds %g: %t", c.d, c.v, got)
		}
	}
}

// What no waiting can mend of a file's place is told by what is wrong with it; a file that is to be made need not be there.
func TestPlacesOfFiles(t *testing.T) {
	folder := t.TempDir()
	file, none := filepath.Join(folder, "a.db"), filepath.Join(folder, "none")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path      string
		mustExist bool
		want      string
	}{
		{file, true, ""}, {file, false, ""}, {none, false, ""}, {"", true, ""}, {folder, false, "it is a folder"}, {folder, true, "it is a folder"}, {none, true, "no such file"},
		{filepath.Join(none, "a.db"), false, "no such folder"}, {filepath.Join(file, "a.db"), false, "no such folder"}, {filepath.Join(none, "a.db"), true, "no such file"},
	} {
		err := (&address{name: "x", path: c.path}).check(c.mustExist)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrStorage) || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%s, must exist %t: %v, want %q", c.path, c.mustExist, err, c.want)
		}
	}
}

// The workers of a process share its keeper: marks are never the same, and whatever
// beats and sweeps at once, what the keeper holds is what is stored.
func TestKeeperIsShared(t *testing.T) {
	ctx := context.Background()
	storage, err := Open(ctx, copied(t, prepared(t)), StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	s, err := Load(ctx, storage, "a")
	if err != nil {
		t.Fatal(err)
	}
	k := newKeeper(s, Run{Lost: time.Hour})
	b := begun{id: runningID, mark: k.mark()}
	if err := storage.beat(ctx, b.id, b.mark); err != nil {
		t.Fatal(err)
	}
	k.hold(b)
	const workers, rounds = 4, 5
	marks := make([][]string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range rounds {
				marks[w] = append(marks[w], k.mark())
				other := begun{id: 1000 + w, mark: "m"}
				k.hold(other)
				k.release(other)
				if err := errors.Join(k.beat(ctx), k.sweep(ctx, time.Now())); err != nil {
					t.Error(err)
				}
				_ = k.current(b)
			}
		})
	}
	wg.Wait()
	seen := make(map[string]bool)
	for _, of := range marks {
		for _, m := range of {
			if seen[m] {
				t.Errorf("the mark %q comes twice", m)
			}
			seen[m] = true
		}
	}
	held, err := storage.holders(ctx, s.id)
	if err != nil || len(held) != 1 || held[0].mark != k.current(b) {
		t.Errorf("the storage holds %+v (%v), the keeper %q after %d beats", held, err, k.current(b), k.beats)
	}
	if k.beats != workers*rounds {
		t.Errorf("%d beats, want %d", k.beats, workers*rounds)
	}
	k.release(b)
	if got := k.current(b); got != "" {
		t.Errorf("a trial that was released has the mark %q", got)
	}
	if err := k.renew(ctx, b.id); err != nil {
		t.Errorf("a trial that has ended is renewed: %v", err)
	}
}

// A storage that is away is an error of the keeper's rounds, and of an end of its trials.
func TestKeeperTellsOfAnOutage(t *testing.T) {
	ctx := context.Background()
	storage, err := Open(ctx, copied(t, prepared(t)), StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(ctx, storage, "a")
	if err != nil {
		t.Fatal(err)
	}
	storage.patience = impatient // from here on: a slow machine opens slowly
	k := newKeeper(s, Run{Lost: time.Hour})
	k.hold(begun{id: runningID, mark: foreign})
	if err := storage.Close(); err != nil {
		t.Fatal(err)
	}
	_, finishing := storage.finish(ctx, begun{id: runningID}, s.id, 1, "")
	for name, err := range map[string]error{"beat": k.beat(ctx), "sweep": k.sweep(ctx, time.Now()), "finish": finishing} {
		if !errors.Is(err, ErrStorage) {
			t.Errorf("%s without a storage: %v", name, err)
		}
	}
	if k.current(begun{id: runningID}) != foreign {
		t.Error("a beat that was not stored counts")
	}
	if err := s.Optimize(ctx, oneOfAll, Run{Trials: 1}); !errors.Is(err, ErrStorage) {
		t.Errorf("a run without a storage ends with %v", err)
	}
}

// A result of a study that was removed meanwhile is an error, and leaves nothing behind; one that was noted before is none.
func TestResultsOfRemovedStudies(t *testing.T) {
	ctx := t.Context()
	storage := must.For(Open(ctx, copied(t, prepared(t)), StorageOptions{}))(t)
	defer storage.Close()
	b := begun{id: runningID, mark: foreign}
	for i := range 2 {
		if end, err := storage.finish(ctx, b, 1, 0.5, ""); err != nil || (end != nil) != (i == 0) {
			t.Errorf("result %d: %v, %v", i, end, err)
		}
	}
	if err := storage.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if end, err := storage.finish(ctx, b, 1, 0.5, ""); !errors.Is(err, gorm.ErrRecordNotFound) || end != nil {
		t.Errorf("without a study: %v, %v", end, err)
	}
	if b, err := storage.begin(ctx, 1, 0, "new"); !errors.Is(err, gorm.ErrRecordNotFound) {
		t.Errorf("trial %d of no study begins: %v", b.id, err)
	}
}

// Waiting ends with its context, with the error of the last attempt.
func TestRetryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	attempts := 0
	err := retry(ctx, time.Hour, func(inner context.Context) error {
		attempts++
		cancel()
		if inner.Err() != nil {
			t.Error("an attempt ends with the waiting")
		}
		return errFault
	})
	if attempts != 1 || !errors.Is(err, errFault) {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

// An attempt may take as long as is waited for, a second at least and 20 at most; the pauses after it double from 50 ms
// to 5 s, each from half of that to half as much again, until patience is over.
func TestRetryPauses(t *testing.T) {
	for patience, limit := range map[time.Duration]time.Duration{
		impatient: time.Second, 0: time.Second, 300 * time.Millisecond: time.Second, 7 * time.Second: 7 * time.Second, 20 * time.Second: 20 * time.Second, time.Minute: 20 * time.Second, time.Hour: 20 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, last, attempts := time.Now(), time.Now(), 0
			err := retry(t.Context(), patience, func(ctx context.Context) error {
				if end, ok := ctx.Deadline(); !ok || time.Until(end) != limit {
					t.Errorf("patience %v: an attempt has %v, want %v", patience, time.Until(end), limit)
				}
				if attempts > 0 {
					pause, want := time.Since(last), 5*time.Second
					if attempts < 8 { // 50 ms times 2⁶ is less than 5 s, and times 2⁷ more
						want = 50 * time.Millisecond << (attempts - 1)
					}
					if pause < want/2 || pause > want*3/2 {
						t.Errorf("patience %v: pause %d takes %v, want about %v", patience, attempts, pause, want)
					}
					if since := last.Sub(begin); since > patience {
						t.Errorf("patience %v: another attempt after %v", patience, since)
					}
				}
				attempts++
				last = time.Now()
				return errFault
			})
			if !errors.Is(err, errFault) || last.Sub(begin) <= patience {
				t.Errorf("patience %v: given up after %v with %v", patience, last.Sub(begin), err)
			}
		})
	}
}

// Long texts are cut to the width of their column, by letters.
func TestClip(t *testing.T) {
	long := strings.Repeat("ε", maxText+1)
	if got := clip(long); got != long[:2*maxText] || clip(got) != got {
		t.Errorf("%d bytes of %d are left", len(got), len(long))
	}
}

// Each sampler goes by its name and carries its seed; what it does not propose together is
// drawn at random.
func TestSamplersByName(t *testing.T) {
	for _, name := range Samplers {
		s, err := newSampler(name, 7)
		if err != nil {
			t.Fatal(err)
		}
		switch r := s.relative.(type) {
		case *CMAES:
			if name != "cmaes" || r.seed != 7 {
				t.Errorf("%s is CMA-ES of seed %d", name, r.seed)
			}
		case *Sobol:
			if name != "sobol" || r.seed != 7 {
				t.Errorf("%s is Sobol of seed %d", name, r.seed)
			}
		default:
			if name != "tpe" && name != "random" || s.relative != nil {
				t.Errorf("%s proposes by %T", name, s.relative)
			}
		}
		switch r := s.independent.(type) {
		case *TPE:
			if name != "tpe" || r.seed != 7 {
				t.Errorf("%s is TPE of seed %d", name, r.seed)
			}
		case *Random:
			if name == "tpe" || r.seed != 7 {
				t.Errorf("%s draws with seed %d", name, r.seed)
			}
		default:
			t.Errorf("%s draws by %T", name, r)
		}
	}
	if _, err := newSampler("bayes", 7); err == nil || !strings.Contains(err.Error(), `"cmaes", "tpe", "sobol" or "random"`) {
		t.Errorf("an unknown sampler: %v", err)
	}
}

// A column of numbers is read whatever stands there, as every driver gives it.
func TestNumbersOfColumns(t *testing.T) {
	for _, c := range []struct {
		stored any
		want   float64
		damage string
	}{
		{1.5, 1.5, ""}, {float32(.25), .25, ""}, {int64(-7), -7, ""}, {[]byte("2.5"), 2.5, ""}, {"1e3", 1000, ""},
		{nil, math.NaN(), "nothing"}, {true, math.NaN(), "a bool"}, {"much", math.NaN(), `the text "much"`}, {"", math.NaN(), `the text ""`},
		{math.Inf(1), math.Inf(1), "+Inf"}, {"-inf", math.Inf(-1), "-Inf"}, {"nan", math.NaN(), "NaN"}, {[]byte("x"), math.NaN(), `the text "x"`},
	} {
		n := number{7, "before"}
		if err := n.Scan(c.stored); err != nil || n.damage != c.damage || n.v != c.want && !(math.IsNaN(n.v) && math.IsNaN(c.want)) {
			t.Errorf("%#v is read as %+v, %v", c.stored, n, err)
		}
	}
}

// What a run does not say is what Run's words promise.
func TestRunDefaults(t *testing.T) {
	if got := (Run{Trials: 3}).filled(); got.Workers != 1 || got.Beat != 2*time.Second || got.Lost != 30*time.Second || got.Trials != 3 {
		t.Errorf("%+v", got)
	}
	if got := (Run{Workers: 2, Beat: time.Second, Lost: time.Minute, Total: 4}).filled(); got.Workers != 2 || got.Beat != time.Second || got.Lost != time.Minute || got.Total != 4 {
		t.Errorf("%+v", got)
	}
}

// A trial whose attributes are damaged is taken with what can be read of them.
func TestTakenTrialsWithDamage(t *testing.T) {
	ctx := t.Context()
	for key, value := range map[string]string{attrOrigin: "first", attrAttempt: "many", attrRepeats: "another", "": ""} {
		storage := must.For(Open(ctx, prepared(t), StorageOptions{}))(t)
		if key != "" {
			if err := storage.SetTrialSystemAttr(waitingID, key, value); err != nil {
				t.Fatal(err)
			}
		}
		b := must.For(storage.begin(ctx, 1, 0, "new"))(t)
		want := begun{id: waitingID, number: 5, origin: 3, attempt: 1, mark: "new", tag: "g"}
		fixed := map[string]float64{"x": 0.25}
		switch key {
		case attrOrigin:
			want.origin = 5
		case attrAttempt:
			want.attempt = 0
		case attrRepeats:
			fixed = map[string]float64{}
		}
		if got := b; !maps.Equal(got.fixed, fixed) {
			t.Errorf("%q = %q: parameters %v, want %v", key, value, got.fixed, fixed)
		}
		if b.fixed = nil; fmt.Sprint(b) != fmt.Sprint(want) {
			t.Errorf("%q = %q: %+v, want %+v", key, value, b, want)
		}
		_ = storage.Close()
	}
}

// What is no failure of the storage comes through as it is.
func TestAnswersComeThrough(t *testing.T) {
	storage := must.For(Open(t.Context(), "", StorageOptions{}))(t)
	defer storage.Close()
	for _, answer := range []error{nil, ErrSpace, errTaken, errEnough, ErrUnknown} {
		if err := storage.do(t.Context(), func(*gorm.DB) error { return answer }); err != answer {
			t.Errorf("%v comes as %v", answer, err)
		}
	}
	if err := storage.do(t.Context(), func(*gorm.DB) error { return gorm.ErrRecordNotFound }); err == gorm.ErrRecordNotFound || !errors.Is(err, ErrStorage) {
		t.Errorf("a failure comes as %v", err)
	}
}

// What goroutines share waits for its lock.
func TestStoragesAreShared(t *testing.T) {
	storage := must.For(Open(t.Context(), prepared(t), StorageOptions{}))(t)
	defer storage.Close()
	locks.Awaited(t, "tally", &storage.counting, func() { storage.tally(1) })
	locks.Awaited(t, "learn", &storage.counting, func() { storage.learn(1, tally{last: 1, all: 1}) })
	locks.Awaited(t, "keep", &storage.mu, func() { storage.keep(goptuna.FrozenTrial{StudyID: 1}) })
	locks.Awaited(t, "sync", &storage.mu, func() { _, _ = storage.sync(t.Context(), 1) })
	s := must.For(Load(t.Context(), storage, "a"))(t)
	locks.Awaited(t, "settle", &s.mu, func() { _ = s.settle(t.Context(), "x", unitRange, true) })
}

// A result of a trial that was taken for lost is never told to be stored, whatever fails.
func TestResultsOfLostTrials(t *testing.T) {
	ctx := t.Context()
	eachFault(t, prepared(t), impatient, func(s *Storage) error {
		_, err := s.finish(ctx, begun{id: lostID}, 1, 0.5, "")
		switch {
		case err == nil:
			return errors.New("the result of a lost trial is stored")
		case errors.Is(err, errTaken):
			return nil
		}
		return err
	}, func(*Storage, error) error { return nil })
}
