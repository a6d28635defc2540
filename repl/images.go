package repl

import (
	"cmp"
	"errors"
	"io"

	"dpworkbench/internal/data"
	"dpworkbench/script"
)

// imageBuiltins read data sets of images.
func imageBuiltins() []script.Builtin {
	return []script.Builtin{script.Func("images(name: dataset_name, first: int[0..16777216]=0, count: int[1..16777216]=None, required: bool=True) -> matrix?",
		"Images of a data set of gzipped idx3 files as a matrix: a row of numbers in [0, 1] an image. Where the file is absent, an error that names its source, or None with required=False.",
		"m = images(\"mnist-test-images\", count=3, required=False)\nprint(\"absent\" if m == None else m.shape)", func(c *script.Call) (any, error) {
			return readSet(c, func(_ data.Set, r io.Reader) (any, error) {
				rows, err := data.ReadImages(r, c.Int("first"), cmp.Or(c.Int("count"), -1))
				return script.NewMatrix(rows), err
			})
		})}
}

// readSet parses the file of the data set that the parameter name names; None where it
// is absent and not required.
func readSet(c *script.Call, parse func(s data.Set, r io.Reader) (any, error)) (any, error) {
	s := c.Arg("name").(data.Set)
	name := "dataset " + s.Name
	path, err := s.Locate(c.Session.DataDirs)
	if errors.Is(err, data.ErrAbsent) && !c.Bool("required") {
		return nil, c.Session.Missed(name)
	}
	if err != nil {
		return nil, err
	}
	return c.Session.ReadFile(script.DataFile{Name: name, Path: path}, func(r io.Reader) (any, error) { return parse(s, r) })
}
