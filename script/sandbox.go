package script

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/wholefile"
)

// sandbox lists the folders that a session's scripts may open.
type sandbox struct {
	home []place // read and write
	data []place // read only
}

// place is a folder: its absolute path, and its descriptor, from which nothing outside can be opened, neither through
// .. nor through a symbolic link.
type place struct {
	path string
	root *os.Root
}

// Confine restricts which files the session's scripts may open from now on: those in the folders of home, which they
// may also write, and those in the folders of data. They may not use the network. The folders must exist.
// [Session.Close] closes them.
func (s *Session) Confine(home, data []string) error {
	s.sandbox = new(sandbox)
	return errors.Join(open(home, &s.sandbox.home), open(data, &s.sandbox.data))
}

// open opens folders and appends them to a list.
func open(dirs []string, to *[]place) error {
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		root, err := os.OpenRoot(path)
		if err != nil {
			return err
		}
		*to = append(*to, place{path, root})
	}
	return nil
}

// Close closes the folders of the sandbox.
func (s *Session) Close() {
	if s.sandbox == nil {
		return
	}
	for _, p := range s.sandbox.all() {
		p.root.Close()
	}
}

// errConfined returns the error of a path outside the sandbox.
func (b *sandbox) errConfined(path string, write bool) error {
	verb, places := "write", b.home
	if !write {
		verb, places = "open", b.all()
	}
	may := "files in no folder"
	if len(places) > 0 {
		may = "files in " + strings.Join(each(places, func(p place) string { return p.path }), ", ")
	}
	return parameter.Errorf("path = %q, but an untrusted script may %s only %s", path, verb, may)
}

// find returns the place that contains a path, and the path relative to it.
func (b *sandbox) find(path string, places ...place) (place, string, bool) {
	full, err := filepath.Abs(path)
	if err != nil {
		return place{}, "", false
	}
	for _, p := range places {
		if inside, err := filepath.Rel(p.path, full); err == nil && filepath.IsLocal(inside) {
			return p, inside, true
		}
	}
	return place{}, "", false
}

// here returns a path that a script writes to. If the working folder is outside the sandbox, a relative path is
// relative to the script's folder.
func (b *sandbox) here(path string) string {
	if _, _, inside := b.find(".", b.home...); !inside && len(b.home) > 0 && !filepath.IsAbs(path) {
		return filepath.Join(b.home[0].path, path)
	}
	return path
}

// explain replaces the error of a path that leaves its folder through a symbolic link.
func (b *sandbox) explain(err error, path string, write bool) error {
	if err != nil && strings.Contains(err.Error(), "path escapes from parent") { // package os exports no error for this
		return b.errConfined(path, write)
	}
	return err
}

// all returns every place that may be read.
func (b *sandbox) all() []place { return slices.Concat(b.home, b.data) }

// Open opens a file for reading.
func (s *Session) Open(path string) (*os.File, error) {
	if s.sandbox == nil {
		return os.Open(path)
	}
	p, inside, ok := s.sandbox.find(path, s.sandbox.all()...)
	if !ok {
		return nil, s.sandbox.errConfined(path, false)
	}
	info, err := p.root.Stat(inside)
	if err != nil {
		return nil, s.sandbox.explain(err, path, false)
	}
	if !info.Mode().IsRegular() { // a device or a pipe may never end
		return nil, parameter.Bad("path", path, "a regular file")
	}
	f, err := p.root.Open(inside)
	return f, s.sandbox.explain(err, path, false)
}

// exists reports whether Open would find a file.
func (s *Session) exists(path string) bool {
	stat := os.Stat
	if s.sandbox != nil {
		p, inside, ok := s.sandbox.find(path, s.sandbox.all()...)
		if !ok {
			return false
		}
		path, stat = inside, p.root.Stat
	}
	_, err := stat(path)
	return err == nil
}

// read returns the contents of a file.
func (s *Session) read(path string) ([]byte, error) {
	f, err := s.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Write writes a file completely or not at all. It creates a missing folder, because a long script should not fail at
// its end for that.
func (s *Session) Write(path string, data []byte) (err error) {
	if s.sandbox == nil {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return wholefile.Write(path, data, 0o644)
	}
	p, inside, ok := s.sandbox.find(s.sandbox.here(path), s.sandbox.home...)
	if !ok {
		return s.sandbox.errConfined(path, true)
	}
	if err := p.root.MkdirAll(filepath.Dir(inside), 0o777); err != nil {
		return s.sandbox.explain(err, path, true)
	}
	part := filepath.Join(filepath.Dir(inside), fmt.Sprintf(".%s.%d", filepath.Base(inside), os.Getpid()))
	f, err := p.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return s.sandbox.explain(err, path, true)
	}
	defer func() {
		if err != nil {
			_ = p.root.Remove(part)
		}
	}()
	if _, err = f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return p.root.Rename(part, inside)
}

// ConfinedStorage returns a study's storage as it may be opened, or an error if it lies outside the sandbox. SQLite
// opens its files by path, so symbolic links are resolved here.
func (s *Session) ConfinedStorage(url string) (string, error) {
	if s.sandbox == nil || url == "" {
		return url, nil
	}
	scheme, rest, isURL := strings.Cut(url, "://")
	path := url
	if isURL {
		if scheme, _, _ := strings.Cut(scheme, "+"); scheme != "sqlite" {
			return "", parameter.Errorf("storage = %q, but an untrusted script may not use the network, want the path of a SQLite file, or None", scheme+"://…")
		}
		path = strings.TrimPrefix(rest, "/")
	}
	if strings.ContainsAny(path, "?#%") { // SQLite would read these as the end of the path
		return "", parameter.Errorf("storage = %q, want a path without ?, # and %%", path)
	}
	p, inside, ok := s.sandbox.find(s.sandbox.here(path), s.sandbox.home...)
	if !ok {
		return "", s.sandbox.errConfined(path, true)
	}
	if _, err := p.root.Stat(filepath.Dir(inside)); err != nil { // refuses links that leave the folder
		return "", s.sandbox.explain(err, path, true)
	}
	for _, end := range []string{"", "-journal", "-wal", "-shm"} {
		switch info, err := p.root.Lstat(inside + end); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case !info.Mode().IsRegular():
			return "", parameter.Errorf("storage = %q: %s is not a regular file", path, inside+end)
		}
	}
	return filepath.Join(p.path, inside), nil
}
