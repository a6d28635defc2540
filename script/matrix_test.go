package script_test

import (
	"strings"
	"testing"

	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// Matrices compute with numbers, evidence, lists and each other on either side. They keep their column names, and
// errors say what does not fit.
func TestMatrices(t *testing.T) {
	s := languageSession()
	if _, err := s.Exec(t.Context(), "a", `m = matrix([["a", "b"], [1, 2], [3, 4]])
n = matrix([[10, 20], [30, 40]])
e = matrix([[1, 2]])[0:0]
big = matrix([[float("inf"), 1], [1, 1]])
`); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"(m + n).rows":                      "[[11.0, 22.0], [33.0, 44.0]]",
		"(n - m).rows":                      "[[9.0, 18.0], [27.0, 36.0]]",
		"(m * n).rows":                      "[[10.0, 40.0], [90.0, 160.0]]",
		"(n / m).rows":                      "[[10.0, 10.0], [10.0, 10.0]]",
		"(m + 1).rows, (1 - m).rows":        "([[2.0, 3.0], [4.0, 5.0]], [[0.0, -1.0], [-2.0, -3.0]])",
		"(12 / m).rows, (m / 2).rows":       "([[12.0, 6.0], [4.0, 3.0]], [[0.5, 1.0], [1.5, 2.0]])",
		"(m * 1000000007).rows[0]":          "[1.000000007e+09, 2.000000014e+09]",
		"(1000000007 * m).rows[0]":          "[1.000000007e+09, 2.000000014e+09]",
		"((1 << 70) * m).rows[0][0]":        "1.1805916207174113e+21",
		"(m + ln(3)).rows[0][0]":            "2.09861228866811",
		"(ln(3) + m).rows[0][0]":            "2.09861228866811",
		"([[1, 1], [1, 1]] + m).rows":       "[[2.0, 3.0], [4.0, 5.0]]",
		"(m - ((1, 1), (1, 1))).rows":       "[[0.0, 1.0], [2.0, 3.0]]",
		"(-m).rows, (+m) == m":              "([[-1.0, -2.0], [-3.0, -4.0]], True)",
		"(big + 1).rows[0], (-big).rows[0]": "([+inf, 2.0], [-inf, -1.0])",
		"[x.names for x in [m, m + n, n + m, n * 2, m * 2, -m, m[0:1], m.t, n]]":                         `[["a", "b"], ["a", "b"], ["a", "b"], None, ["a", "b"], ["a", "b"], ["a", "b"], None, None]`,
		"m.column('b'), m.column(-1), m.row(-1), m.diagonal()":                                           "([2.0, 4.0], [2.0, 4.0], [3.0, 4.0], [1.0, 4.0])",
		"m.block([1, 1, 0], ['b']).rows, m.block([0], ['b', 0]).names":                                   `([[4.0], [4.0], [2.0]], ["b", "a"])`,
		"m.block().rows == m.rows, m.block(range(1)).rows, m.block(columns=[]).shape, m.block([]).shape": "(True, [[1.0, 2.0]], (2, 0), (0, 2))",
		"m.dot(n).rows, m.dot([1, 10]), m.dot(matrix([[1], [10]])).rows, m.dot([[1], [10]]).rows":        "([[70.0, 100.0], [150.0, 220.0]], [21.0, 43.0], [[21.0], [43.0]], [[21.0], [43.0]])",
		"m.t.rows, m.t.t == m":                                                          "([[1.0, 3.0], [2.0, 4.0]], True)",
		"m.solve([5, 11]), m.solve(identity(2)) == m.inverse()":                         "([1.0, 2.0], True)",
		"m.inverse().rows, m.determinant(), m.log_determinant()":                        "([[-2.0, 1.0], [1.5, -0.5]], -2.0, (-1, 0.6931471805599453))",
		"m.trace(), m.rank(), matrix([[1, 1], [1, 1]]).rank(), identity(3).condition()": "(5.0, 2, 1, 1.0)",
		"m.norm('max'), m.norm('one'), m.norm('infinity'), identity(4).norm()":          "(4.0, 6.0, 7.0, 2.0)",
		"matrix([[0, -1], [1, 0]]).spectrum()":                                          "[(0.0, 1.0), (0.0, -1.0)]",
		"matrix([[3, 0], [0, 5]]).eigen()[0], matrix([[3, 0], [0, 5]]).svd()[1]":        "([5.0, 3.0], [5.0, 3.0])",
		`matrix([[1, 2]], names=["x", "x"]).names, matrix([[None, "y"], [1, 2]]).names, matrix({"names": ["inf"], "rows": [["inf"]]}).rows`: `(["x", "x"], ["", "y"], [[+inf]])`,
		"x = m\nx += 1\nx -= n\nx *= 2\nx.rows": "[[-16.0, -34.0], [-52.0, -70.0]]",
		"x = [[0, 0]]\nx += m\nlen(x)":          "3",
		"m == matrix([[1, 2], [3, 4]])":         "True",

		"m + matrix([[1]])":                      "error: matrix +: the matrices are 2 x 2 and 1 x 1, want the same shape: the operation is entrywise, and dot multiplies matrices",
		"m * [1, 2]":                             "error: matrix * list: want a number, a matrix or a list of rows; m.dot(b) multiplies with a list of numbers",
		"[[1, 2], [3]] + m":                      "error: matrix + list: want a number, a matrix or a list of rows; m.dot(b) multiplies with a list of numbers",
		"m + 'a'":                                "error: unknown binary op: matrix + string",
		"m // 2":                                 "error: unknown binary op: matrix // int",
		"m / 0":                                  "error: matrix /: division by zero in row 0, column 0",
		"big - big":                              "error: matrix -: the result in row 0, column 0 is not a number: it is computed from +inf and +inf",
		"m * float('nan')":                       "error: matrix *: the result in row 0, column 0 is not a number: it is computed from 1 and nan",
		"e + 1":                                  "error: the matrix is empty, want at least one row and one column",
		"e.inverse()":                            "error: matrix.inverse: the matrix is empty, want at least one row and one column",
		"m(1, 0)":                                "error: invalid call of non-function (matrix) (m[i][j] is an entry)",
		"m.inverse(2)":                           "error: matrix.inverse takes no arguments, got 1 arguments; it is matrix.inverse()",
		"matrix([[1, 2], [2, 4]]).solve([1, 2])": "error: matrix.solve: the matrix is singular",
		"matrix([[0, 1], [0, 2]]).inverse()":     "error: matrix.inverse: the matrix is singular: column 0 is zero",
		"matrix([[1, 2, 3]]).inverse()":          "error: matrix.inverse: the matrix is 1 x 3, want a square one",
		"m.solve([1, 2, 3])":                     "error: matrix.solve: b has 3 rows, want 2, as many as the matrix",
		"m.dot([1])":                             "error: matrix.dot: b is 1 x 1, want 2 rows, one for each column of the 2 x 2 matrix",
		"m.dot([])":                              "error: matrix.dot: b is empty, want at least one row and one column",
		"big.determinant()":                      "error: matrix.determinant: the matrix has +inf in row 0, column 0, want finite entries",
		"matrix([[0, -2], [2, 0]]).eigen()":      "error: matrix.eigen: the matrix has complex eigenvalues, among them 0 ± 2i: spectrum returns all",
		"m.row(2)":                               "error: matrix.row: i = 2, want a whole number from -2 to 1",
		"m.column('c')":                          `error: matrix.column: j = "c", want the name or the number of a column`,
		"n.column('c')":                          `error: matrix.column: j = "c", want the number of a column: this matrix has no names`,
		`matrix([[1, 2]], names=["x", "x"]).column("x")`: `error: matrix.column: j = "x", want the number of a column: several columns have that name`,
		"m.block([0, 5])":            "error: matrix.block: rows[1] = 5, want a whole number from -2 to 1",
		"m.block(columns=[1.5])":     "error: matrix.block: columns[0] = 1.5, want a whole number from -2 to 1",
		"e.row(0)":                   "error: matrix.row: i = 0, but the matrix is empty",
		`matrix([[1, "b"], [3, 4]])`: `error: matrix: rows[0][1] = "b", want a number`,
		`matrix([["a", "b"]])`:       `error: matrix: rows = [["a", "b"]], want rows of numbers after the row of names`,
		`matrix([["a"], [1, 2]])`:    "error: matrix: rows[1:] has 2 columns and 1 names, want one name for each column",
		`matrix([["a"], ["b"]])`:     `error: matrix: rows[1:][0][0] = "b", want a number`,
		"matrix([[1]], names=[])":    "error: matrix: names = [], want 1 names, one for each column",
		"matrix({1: 2})":             `error: matrix: rows = {1: 2}, want a list of rows, or a dict of "names" and "rows"`,
		"matrix([[float('nan')]])":   "error: matrix: rows[0][0] = nan, want a number",
		"identity(0)":                "error: identity: n = 0, want a whole number from 1 to 4096",
		"m.norm('two')":              `error: matrix.norm: kind = "two", want "frobenius", "spectral", "nuclear", "one", "infinity" or "max"`,
		"m.rank(1)":                  "error: matrix.rank: tolerance = 1, want a number from 0 to below 1",
	} {
		v, err := s.Exec(t.Context(), "a", source)
		got := ""
		if err != nil {
			got = "error: " + err.(*script.ScriptError).Msg
		} else {
			got = v.String()
		}
		if got != want {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
	if faults := s.Crashed; faults != nil {
		t.Errorf("panics: %q", faults)
	}
}

// The text of a matrix has short lines and no control characters, even if the names of the columns are long and contain
// some.
func TestMatrixPrints(t *testing.T) {
	m := script.NewMatrix([][]float64{make([]float64, 12)}).WithNames(strings.Split(strings.Repeat("a long\x1b name\n,", 12), ",")[:12])
	for line := range strings.Lines(m.String()) {
		if len([]rune(line)) > 100 || strings.ContainsAny(line, "\x1b") {
			t.Errorf("%q", line)
		}
	}
	if strings.Count(m.String(), "\n") != 2 {
		t.Errorf("%s", m)
	}
}

// Methods of values without a session work on every thread of a session.
func TestMethodsOnThreads(t *testing.T) {
	s := languageSession()
	m := script.NewMatrix([][]float64{{2, 1}, {1, 1}})
	f, err := m.Attr("inverse")
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Run(t.Context(), "a", func(thread *starlark.Thread) (starlark.Value, error) {
		c := &script.Call{Session: s, Thread: thread}
		return starlark.Call(c.Worker("b"), f, nil, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows, _ := v.(*script.Matrix).Data(); rows[0][1] != -1 {
		t.Errorf("%v", v)
	}
}
