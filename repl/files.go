package repl

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"dpworkbench/internal/data"
	"dpworkbench/internal/npy"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const filePlaces = " A relative path is searched in the working folder, then in the script's folder, then in the data folders (--data, WORKBENCH_DATA). A .gz file is unpacked."

// fileBuiltins returns the built-ins that read data files and find the public data sets of the notebooks.
func fileBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`read_csv(path: string, skip: int[0..]=0, delimiter: string=",", header: bool=False) -> list`,
			"The rows of a file of comma-separated values, a list of lists. Integers become ints; other numbers, inf and nan become floats; an empty cell becomes None, and anything else a string. skip skips that many rows at the top. header=True reads the next row as strings, for a header of numbers such as 2019,2020. A first row with all cells quoted, followed by one that is not, is also a header. matrix(…) of the rows takes a first row of strings as the names of its columns. Every row must have as many cells as the first."+filePlaces,
			"table([[1, 2.5], [2, \"a\"]], header=[\"n\", \"x\"]).save(\"demo.csv\")\nprint(read_csv(\"demo.csv\", skip=1))", func(c *script.Call) (any, error) {
				comma := delimiter(c)
				read := data.ReadCSV
				if c.Bool("header") {
					read = data.ReadHeadedCSV
				}
				return readWith(c, func(r io.Reader) (any, error) { return read(c.Context, r, c.Int("skip"), comma) })
			}),
		script.Func("read_json(path: string) -> value",
			"The value in a JSON file: objects become dicts, arrays become lists."+filePlaces,
			"write({\"eps\": [0.1, 1]}, \"demo.json\")\nprint(read_json(\"demo.json\")[\"eps\"])", func(c *script.Call) (any, error) {
				return readWith(c, func(r io.Reader) (any, error) { return jsonOf(c, r) })
			}),
		script.Func("read_npy(path: string) -> matrix",
			"The matrix in a file of NumPy, as numpy.save writes it: an array with one axis, which becomes a column, or two, of 4- or 8-byte floats, integers or booleans. Integers beyond 2^53 are refused. m.save(\"m.npy\") writes such a file."+filePlaces,
			"matrix([[0.5, 1], [2, 3]]).save(\"demo.npy\")\nprint(read_npy(\"demo.npy\"))", func(c *script.Call) (any, error) {
				return readWith(c, func(r io.Reader) (any, error) { return npy.Read(r) })
			}),
		script.Func("write(x: value, path: string, indent: int[0..16]=0) -> none",
			`Writes any value to a .json file, atomically, in the form of json.encode: floats with all bits, evidence as objects with kind, value, lo, hi and source, tables and pictures as their numbers, infinite floats as "inf" and "-inf", nan as "nan". A value without a JSON form, such as a mechanism or a function, becomes an object {"type", "call", "text"}, where call is the expression that makes it. indent puts each element on a line. read_json reads the file.`,
			"write({\"eps\": ln(3), \"m\": purest(graphs(2).count(\"edge\"), 1)}, \"demo.json\")\nprint(read_json(\"demo.json\")[\"m\"][\"call\"])", func(c *script.Call) (any, error) {
				path := c.Text("path")
				if strings.ToLower(filepath.Ext(path)) != ".json" {
					c.Fail("path", c.Value("path"), "one that ends in .json")
				}
				text, err := script.DescribeJSON(c.Value("x"), c.Int("indent"))
				if err != nil {
					return nil, err
				}
				return nil, c.SaveFile(path, []byte(text+"\n"))
			}),
		script.Func(`read_edges(path: string, columns: ints=[0, 1], weights: int[0..]=None, comments: string="#%", header: bool=False) -> list`,
			"The edges of a graph, a list of pairs of node numbers, from a file with two integers ≥ 0 on each line, separated by blanks, a tab or a comma. Lines that start with # or % are comments. Loops and repeated edges are kept. columns are the numbers of the columns of the two nodes, counted from 0, and weights is the column of a weight. If either is given, lines may have more fields, and with weights the list has elements (node, node, weight). comments are the characters that begin a comment; header=True skips the first line."+filePlaces,
			"table([[0, 1], [1, 2]]).save(\"path.csv\")\nprint(read_edges(\"path.csv\"))", func(c *script.Call) (any, error) {
				f := data.EdgeFormat{Weights: -1, Comments: c.Text("comments"), Header: c.Bool("header"), Any: c.Spelled("columns") || c.Given("weights")}
				columns := c.Ints("columns")
				if len(columns) != 2 || min(columns[0], columns[1]) < 0 {
					c.Fail("columns", c.Value("columns"), "two numbers of columns, counted from 0")
				}
				if f.Columns = [2]int(columns); c.Given("weights") {
					f.Weights = c.Int("weights")
				}
				return readWith(c, func(r io.Reader) (any, error) {
					edges, weights, err := f.Read(c.Context, r)
					if err != nil || weights == nil {
						return edges, err
					}
					out := make([]any, len(edges))
					for i, e := range edges {
						out[i] = script.Tuple{e[0], e[1], weights[i]}
					}
					return out, nil
				})
			}),
		script.Func("read_svmlight(path: string, features: int[1..1048576]=None, first: int[0..16777216]=0, count: int[1..16777216]=None, required: bool=True) -> dict?",
			"Labelled rows from a file in the sparse format of SVMlight and LIBSVM: an integer label, then index:value with increasing indices from 1; # begins a comment. It returns a dict with \"x\", a matrix with zeros for missing indices, and \"y\", a list of ints. The number of columns is features, by default the largest index. first and count select rows. A missing file is an error; with required=False it returns None."+filePlaces,
			"d = read_svmlight(\"webspam_wc_normalized_unigram.svm\", features=254, count=2, required=False)\nprint(\"absent\" if d == None else d[\"y\"])", func(c *script.Call) (any, error) {
				file, err := c.File(c.Text("path"))
				if errors.Is(err, fs.ErrNotExist) && !c.Bool("required") {
					return nil, c.Session.Missed(file.Name)
				}
				return c.Session.ReadFile(must(file, err), func(r io.Reader) (any, error) {
					x, y, err := data.ReadSVMLight(c.Context, r, c.Int("features"), c.Int("first"), cmp.Or(c.Int("count"), -1))
					if err != nil {
						return nil, err
					}
					return map[string]any{"x": script.NewMatrix(x), "y": y}, nil
				})
			}),
		script.Func("dataset(name: dataset_name, required: bool=True) -> list?",
			"A public data set by name, from the data folders (--data, WORKBENCH_DATA, the cache): the rows of a table without its header, the pairs of an edge list, or the words of every line of a text file. If the file is absent, it is an error that names its source; with required=False it returns None. datasets() lists the names.",
			"rows = dataset(\"karate\", required=False)\nprint(\"absent\" if rows == None else len(rows))", func(c *script.Call) (any, error) {
				return readSet(c, func(s data.Set, r io.Reader) (any, error) {
					switch s.Kind {
					case data.Table:
						return data.ReadCSV(c.Context, r, s.Header, ',')
					case data.Edges:
						return data.ReadEdges(c.Context, r)
					case data.Text:
						return data.ReadWords(r)
					}
					return nil, errors.New("this data set has no rows: read it with images, image_labels or read_svmlight")
				})
			}),
		script.Func("datasets() -> table", "A table of the data sets that dataset(name) knows: its content, source and licence, and whether its file is present.", "print(datasets())", func(c *script.Call) (any, error) {
			var rows [][]any
			for _, s := range data.Sets() {
				present := "yes"
				if _, err := s.Locate(c.Session.DataDirs); err != nil {
					present = "no"
				}
				rows = append(rows, []any{s.Name, present, s.Description, s.Source, s.Licence})
			}
			return newTable(c, "", []string{"name", "present", "what", "source", "licence"}, rows, 6)
		}),
	}
}

// imageBuiltins returns the built-ins that read data sets of images.
func imageBuiltins() []script.Builtin {
	return []script.Builtin{script.Func("images(name: dataset_name, first: int[0..16777216]=0, count: int[1..16777216]=None, required: bool=True) -> matrix?",
		"Images of a data set of idx3 files or of CIFAR-10's binary version, converted to grey, as a matrix with a row of numbers in [0, 1] for each image. If the file is absent, it is an error that names its source; with required=False it returns None.",
		"m = images(\"mnist-test-images\", count=3, required=False)\nprint(\"absent\" if m == None else m.shape)", func(c *script.Call) (any, error) {
			return readSet(c, func(s data.Set, r io.Reader) (any, error) {
				first, count := c.Int("first"), cmp.Or(c.Int("count"), -1)
				if s.Kind == data.CIFAR {
					rows, _, err := data.ReadCIFAR(r, first, count)
					return script.NewMatrix(rows), err
				}
				rows, err := data.ReadImages(r, first, count)
				return script.NewMatrix(rows), err
			})
		}),
		script.Func("image_labels(name: dataset_name, first: int[0..16777216]=0, count: int[1..16777216]=None, required: bool=True) -> list?",
			"The labels of a data set of images, a list of ints, from an idx1 file of labels or a file of CIFAR-10's binary version. If the file is absent, it is an error that names its source; with required=False it returns None.",
			"y = image_labels(\"mnist-test-labels\", count=3, required=False)\nprint(\"absent\" if y == None else y)", func(c *script.Call) (any, error) {
				return readSet(c, func(s data.Set, r io.Reader) (any, error) {
					first, count := c.Int("first"), cmp.Or(c.Int("count"), -1)
					if s.Kind == data.CIFAR {
						_, labels, err := data.ReadCIFAR(r, first, count)
						return labels, err
					}
					return data.ReadLabels(r, first, count)
				})
			}),
	}
}

// delimiter reads the character between cells.
func delimiter(c *script.Call) rune {
	comma := []rune(c.Text("delimiter"))
	if len(comma) != 1 || strings.ContainsRune("\"\r\n\uFFFD", comma[0]) {
		c.Fail("delimiter", c.Value("delimiter"), "one character")
	}
	return comma[0]
}

// readWith parses the file at the parameter path.
func readWith(c *script.Call, parse func(io.Reader) (any, error)) (any, error) {
	return c.Session.ReadFile(must(c.File(c.Text("path"))), parse)
}

// jsonOf returns the value of a JSON text.
func jsonOf(c *script.Call, r io.Reader) (starlark.Value, error) {
	text, err := data.ReadText(c.Context, r)
	if err != nil {
		return nil, err
	}
	return script.DecodeJSON(c, text)
}

// readSet parses the file of the data set in the parameter name. It returns None if the data set is absent and not
// required.
func readSet(c *script.Call, parse func(s data.Set, r io.Reader) (any, error)) (any, error) {
	s := c.Arg("name").(data.Set)
	name := "dataset " + s.Name
	path, err := s.Locate(c.Session.DataDirs)
	if errors.Is(err, data.ErrAbsent) && !c.Bool("required") {
		return nil, c.Session.Missed(name)
	}
	file := script.DataFile{Name: name, Path: must(path, err)}
	return c.Session.ReadFile(file, func(r io.Reader) (any, error) { return parse(s, r) })
}
