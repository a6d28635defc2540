package study_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/study"

	"golang.org/x/sys/unix"
)

// asReader calls f without root's privilege to ignore file permissions.
func asReader(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // the goroutine never unlocks the thread, so it ends with it
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, 65534, 65534, 65534); e != 0 {
			t.Error(e)
			return
		}
		f()
	}()
	<-done
}

// listFolder returns the names and sizes of all files in the folder of the given file.
func listFolder(t *testing.T, file string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A read-only SQLite file is read without creating other files, and writing to it fails at once. Reading fails if
// some of its content is inaccessible.
func TestReadOnlyFiles(t *testing.T) {
	ctx := context.Background()
	content, err := os.ReadFile(study.PreparedStudy(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file, folder os.FileMode
		url          func(path string) string
		beside       string // suffix of another file with contents beside the database
		journal      string // journal mode of the writer
		open         bool   // whether a writer has it open
		refused      string
	}{
		"a read-only file":               {file: 0o444, folder: 0o777},
		"a read-only folder":             {file: 0o666, folder: 0o555},
		"both read-only":                 {file: 0o444, folder: 0o555},
		"both read-only, by URL":         {file: 0o444, folder: 0o555, url: func(path string) string { return "sqlite:///" + path }},
		"mode=ro in the path":            {file: 0o666, folder: 0o777, url: func(path string) string { return path + "?mode=ro" }},
		"mode=ro in the URL":             {file: 0o666, folder: 0o777, url: func(path string) string { return "sqlite:///" + path + "?mode=ro" }},
		"mode=ro in SQLAlchemy's URL":    {file: 0o444, folder: 0o555, url: func(path string) string { return "sqlite:///file:" + path + "?mode=ro&uri=true" }},
		"a rollback journal":             {file: 0o444, folder: 0o555, journal: "DELETE"},
		"a read-only file with a writer": {file: 0o444, folder: 0o777, open: true},
		"both read-only with a writer":   {file: 0o444, folder: 0o555, open: true},
		"mode=ro with a writer":          {file: 0o666, folder: 0o777, open: true, url: func(path string) string { return path + "?mode=ro" }},
		"a killed writer's journal":      {file: 0o444, folder: 0o555, beside: "-wal", refused: "-wal holds changes that are not yet in it"},
		"a journal to roll back":         {file: 0o444, folder: 0o777, beside: "-journal", refused: "-journal holds changes that are not yet in it"},
		"a new file":                     {file: 0o444, folder: 0o555, url: func(path string) string { return path + "x" }, refused: "no such file"},
		"a missing file":                 {url: func(path string) string { return path + "x?mode=ro" }, refused: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "a")
			path := filepath.Join(folder, "s.db")
			if err := errors.Join(os.Chmod(filepath.Dir(filepath.Dir(folder)), 0o711), os.Mkdir(folder, 0o777), os.WriteFile(path, content, 0o666)); err != nil {
				t.Fatal(err)
			}
			want := 6
			if c.journal != "" || c.open {
				writer, err := study.Open(ctx, path, study.StorageOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if c.journal != "" {
					err = errors.Join(writer.DB().Exec("PRAGMA journal_mode("+c.journal+")").Error, writer.Close())
				} else {
					defer writer.Close()
					var s *study.Study
					if s, err = study.New(ctx, writer, "a", study.Options{Sampler: "random"}); err == nil {
						err = s.Optimize(ctx, study.FailsTrialOne, study.Run{Trials: 2}) // the waiting trial, and another
					}
					want++
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if c.beside != "" {
				if err := os.WriteFile(path+c.beside, []byte("something"), 0o444); err != nil {
					t.Fatal(err)
				}
			}
			url := path
			if c.url != nil {
				url = c.url(path)
			}
			before := listFolder(t, path)
			defer os.Chmod(folder, 0o777)
			if c.file != 0 {
				if err := errors.Join(os.Chmod(path, c.file), os.Chmod(folder, c.folder)); err != nil {
					t.Fatal(err)
				}
			}
			asReader(t, func() {
				for _, mustExist := range []bool{true, false} {
					s, err := study.Open(ctx, url, study.StorageOptions{MustExist: mustExist})
					if c.refused != "" || err != nil {
						if !errors.Is(err, study.ErrStorage) || c.refused == "" || !strings.Contains(err.Error(), c.refused) {
							t.Errorf("mustExist = %t: error %v, want %q", mustExist, err, c.refused)
						}
						continue
					}
					st, err := study.New(ctx, s, "a", study.Options{Sampler: "random"})
					if err != nil {
						t.Error(err)
						continue
					}
					if results, err := st.Results(ctx); err != nil || len(results) != want {
						t.Errorf("%d trials, want %d (%v)", len(results), want, err)
					}
					if err := st.Optimize(ctx, study.FailsTrialOne, study.Run{Trials: 1}); !errors.Is(err, study.ErrStorage) || !strings.Contains(err.Error(), "it may only be read") {
						t.Errorf("Optimize: %v", err)
					}
					if _, err := study.New(ctx, s, "new", study.Options{}); !errors.Is(err, study.ErrStorage) || !strings.Contains(err.Error(), "it may only be read") {
						t.Errorf("New: %v", err)
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
			})
			if got := listFolder(t, path); !slices.Equal(got, before) {
				t.Errorf("the folder holds %q, before it held %q", got, before)
			}
		})
	}
}
