// Package wholefile writes files atomically: after a full disk, a kill or a power cut, a file has either its old
// content or the new one.
package wholefile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes content to the file at path atomically. An existing file keeps its permissions; a new one gets perm,
// minus the process's umask. The content goes to a temporary file beside path first, whose name starts with a dot,
// and is renamed once it is on the disk. Symbolic links are followed. An existing path that is not a regular file,
// such as a device or a pipe, is written to directly.
func Write(path string, content []byte, perm fs.FileMode) error {
	target := path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		target = resolved
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("it is a folder, want a file")}
	case err == nil && !info.Mode().IsRegular():
		return named(path, direct(target, content))
	case err == nil:
		return named(path, beside(target, content, perm, &info))
	case errors.Is(err, fs.ErrNotExist):
		return named(path, beside(target, content, perm, nil))
	}
	return named(path, err)
}

// named returns err as an error about path instead of the temporary file.
func named(path string, err error) error {
	var inner *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// direct writes to a path that cannot be replaced, such as a device.
func direct(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// beside writes a file next to path and renames it to path; before, if not nil, is the file that it replaces.
func beside(path string, content []byte, perm fs.FileMode, before *fs.FileInfo) (err error) {
	if before != nil {
		// A user who may not write the file may not replace it either.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
	}
	f, err := create(filepath.Dir(path), filepath.Base(path), perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(content); err == nil && before != nil {
		err = f.Chmod((*before).Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// create opens a new file in dir. os.CreateTemp would ignore the process's umask for permissions.
func create(dir, base string, perm fs.FileMode) (*os.File, error) {
	if len(base) > 100 { // the temporary name is longer and must stay valid
		base = base[:100]
	}
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return os.OpenFile(filepath.Join(dir, "."+base+"."+hex.EncodeToString(b[:])), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}
