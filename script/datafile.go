package script

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// findFile returns the path of a data file that a script names. It looks in the working folder, the script's folder and
// the data folders.
func (s *Session) findFile(path, script string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	places := append([]string{"", s.dirOf(script)}, s.DataDirs...)
	for _, dir := range places {
		if full := filepath.Join(dir, path); s.exists(full) {
			return full, nil
		}
	}
	where := ""
	if len(s.DataDirs) > 0 {
		where = ", nor in " + strings.Join(s.DataDirs, ", ")
	}
	return "", &noFile{fmt.Sprintf("path = %q: there is no such file%s", path, where)}
}

// noFile is the error for a data file that is in none of the folders.
type noFile struct{ text string }

func (e *noFile) Error() string { return e.text }

// Is makes errors.Is report that the error is fs.ErrNotExist.
func (e *noFile) Is(target error) bool { return target == fs.ErrNotExist }

// DataFile is a data file, with the name that the script uses and its path.
type DataFile struct{ Name, Path string }

// File returns the data file with a name.
func (c *Call) File(name string) (DataFile, error) {
	script := ""
	if c.Thread != nil && c.Thread.CallStackDepth() > 1 {
		script = c.Thread.CallFrame(1).Pos.Filename()
	}
	path, err := c.Session.findFile(name, script)
	return DataFile{c.Session.inputName(name, script), path}, err
}

// ReadFile parses a data file. It decompresses a file whose path ends in .gz.
func (s *Session) ReadFile(file DataFile, parse func(io.Reader) (any, error)) (any, error) {
	f, err := s.Open(file.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, note := s.noted(f, file)
	if strings.HasSuffix(file.Path, ".gz") {
		zipped, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, damaged(err))
		}
		defer zipped.Close()
		r = zipped
	}
	v, err := parse(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path, damaged(err))
	}
	return v, note()
}

// damaged rewords the error of reading a file that is truncated or damaged.
func damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the file is truncated")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("the file is damaged: %w", err)
	}
	if at := new(fs.PathError); errors.As(err, &at) {
		return at.Err // the caller writes the path before it
	}
	return err
}
