package repl

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

const programSetups = `eps = symbol("eps")
def bits(k):
    def run(x, noise):
        return sum([1 if noise.flip("1/2") else 0 for _ in range(k)])
    return run
def late(x, noise):
    n = 0
    for _ in range(1000000):
        if noise.flip("1/2"):
            return n
        n += 1
def circle(rate):
    def run(x, noise):
        a, b, c = [noise.geometric(rate) for _ in range(3)]
        return a < b and b < c and c < a + x + 5
    return run
def above(rate, own):
    def run(x, noise):
        rho = noise.geometric(rate)
        for i, q in enumerate(x):
            if q + noise.geometric(own) >= rho:
                return i
    return run
kept = []
def hold(x, noise):
    kept.append(noise)
def cube(n):
    xs = [()]
    for _ in range(n):
        xs = [x + (v,) for x in xs for v in range(2)]
    return xs
def other(a, b):
    return a != b
q = graphs(3).count("edge")
triangle = graphs(4).count("triangle")
`

// Programs in scripts: what is decided of them, what they give as mechanisms, and what they refuse.
func TestProgramsInScripts(t *testing.T) {
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	exec1(t, s, programSetups)
	for _, holds := range []string{
		// the sparse vector technique with one positive, decided; its mutants, refuted
		`program(cube(3), above(eps/2, eps/4), neighbors=other).private(eps).verdict == "confirmed"`,
		`program(cube(3), above(eps/2, eps/4), neighbors=other).private(eps/2).verdict == "refuted"`,
		`program(cube(3), above(eps/4, eps/4), neighbors=other).private(eps*3/4).verdict == "confirmed"`,
		`program(cube(3), above(eps/2, eps), neighbors=other).private(eps*6/5).verdict == "refuted"`,
		`program(cube(2), above(eps/2, eps/4), neighbors=other).at(ln(4)).smallest_epsilon == program(cube(2), above(ln(2), ln(2)/2), neighbors=other).smallest_epsilon`,
		// laws, at numbers and as functions
		`program([0, 1], bits(2)).law(0) == {"0": 0.25, "1": 0.5, "2": 0.25}`,
		`program([0, 1], lambda x, noise: x + noise.geometric(ln(2)) >= 1).law(0)["True"] *3 == 1`,
		`program([0, 1], lambda x, noise: x + noise.geometric(eps) >= 1).law(0)["True"] == "z/(1 + z)"`,
		`program({"a": 0, "b": 1}, lambda x, noise: x + noise.geometric(eps)).private(eps/2).witness["x"] in ("a", "b")`,
		`program([0, 1], lambda x, noise: 3 if noise.flip("1/2") else ("3" if x else 3)).smallest_epsilon == float("inf")`, // 3 is not "3"
		`program([0, 1], lambda x, noise: noise.flip(1/(1 + exp(eps))) != (x == 1)).private(eps).verdict == "confirmed"`,
		`program([0, 1], lambda x, noise: noise.flip("1/4") != (x == 1) and noise.geometric(eps) < 9).private(eps).fails[0][1] < 1.1`,
		`program([0, 1], circle(ln(2))).smallest_epsilon > 0`,
		`list(program([0, 1], lambda x, noise: noise.integer(12)).law(0).keys())[2] == "2"`, // numbers in order
		`program([(0, 0), (1, -1)], lambda x, noise: noise.permute_and_flip(x, 2)).zcdp >= 0.7275`,
		`program([(0, 0), (1, -1)], lambda x, noise: noise.permute_and_flip(x, 2)).zcdp > 2*2/8`,
		// mechanisms on a query
		`program(q, lambda x, value, noise: max(0, min(3, value + noise.geometric(ln(2))))).mechanism.expected_distortion() == geometric(q, ln(2)).expected_distortion()`,
		`program(q, lambda x, value, noise: max(-1, min(4, value + noise.geometric(ln(2))))).mechanism.query.range == [-1, 0, 1, 2, 3, 4]`,
		`program(q, lambda x, noise: len(x) + noise.geometric(eps)).private(eps).verdict == "confirmed"`,
		`program(triangle, lambda x, value, noise: value + noise.geometric(ln(2)), neighbors=lambda a, b: False).smallest_epsilon == 0`,
	} {
		if v, err := s.Exec(t.Context(), "programs", holds); err != nil || s.Show(v) != "True" {
			t.Errorf("%s: %v, %v", holds, v, err)
		}
	}
	for call, want := range map[string]string{
		`program([0, 1], late)`:                                                         "400 draws and comparisons, want fewer: does the program terminate",
		`program([0, 1], bits(12), limit=4000)`:                                         "more than 4000 paths at one dataset",
		`program([0, 1], bits(1), limit=0)`:                                             "limit = 0",
		`program([], bits(1))`:                                                          "at least one dataset",
		`program([0, 1, 2], bits(1))`:                                                   "3 datasets and neighbors is None",
		`program([0, 1], bits(1), neighbors=[(0, 2)])`:                                  "neighbors[0][1] = 2",
		`program({"a": 0, "b": 1}, bits(1), neighbors=[("a", "c")])`:                    `"c" is not a dataset`,
		`program([0, 1, 2], bits(1), neighbors=lambda a, b: a < b)`:                     "neighbors(1, 0) = False",
		`program([0, 1], lambda x, value, noise: 1)`:                                    "has no values",
		`program([0, 1], lambda x, noise: noise.geometric(1) * noise.geometric(1) > 2)`: "programs:1:53: X1", // where it is
		`program([0, 1], lambda x, noise: noise.geometric(1)*noise.geometric(1) > 2)`:   "X1 * X2 is a product of two draws",
		`program([0, 1], lambda x, noise: [1])`:                                         "unhashable type: list",
		`program([0, 1], lambda x, noise: noise)`:                                       "contains the noise source itself",
		`program([0, 1], lambda x, noise: noise.flip(1.5))`:                             `p = "3/2", want a probability in [0, 1]`,
		`program([0, 1], lambda x, noise: noise.flip(exp(eps)/2))`:                      `want a probability in [0, 1]`,
		`program([0, 1], lambda x, noise: noise.choice([1, 2], [0, 0]))`:                "sum of 2 weights",
		`program([0, 1], lambda x, noise: noise.choice([1, 2], [-1, 2]))`:               "weights[0]",
		`program([0, 1], lambda x, noise: noise.integer(0))`:                            "n = 0",
		`program([0, 1], lambda x, noise: noise.exponential([], 1))`:                    "scores is empty",
		`program([0, 1], lambda x, noise: "a" if noise.geometric(1) else "b")`:          "X1 is used as a condition",
		`program([0, 1], lambda x, noise: noise.geometric(0) > 1)`:                      "eps = 0",
		`program([0, 1], lambda x, noise: noise.geometric(1, sensitivity=0) > 1)`:       `sensitivity = "0"`,
		`program([0, 1], lambda x, noise: noise.geometric(1) > noise.geometric(eps))`:   "want all rates to be multiples of one symbol",
		`program([0, 1], lambda x, noise: noise.geometric(eps*ln(2)) > 0)`:              "want rational multiples",
		`program([0, 1], lambda x, noise: 10000000*x + noise.geometric(1) > 0)`:         "at most 1048576",
		`program([0, 1], circle(eps))`:                                                  "makes the graph of comparisons cyclic",
		`program([0, 1], hold)`:                                                         "frozen list",
		`program([0, 1], lambda x, noise: max(noise.geometric(1), noise.geometric(1)))`: "have no constant ratio",
		`program([0, 1], bits(1)).private(eps)`:                                         "its noise is at numbers",
		`program([0, 1], lambda x, noise: x + noise.geometric(eps)).private(0*eps)`:     "want a positive multiple",
		`program([0, 1], lambda x, noise: x + noise.geometric(eps)).smallest_epsilon`:   "its noise is at a symbol",
		`program([0, 1], bits(1)).mechanism`:                                            "no query",
		`program(q, lambda x, noise: "many").mechanism`:                                 `the output many, want values of the query`,
		`program(q, lambda x, noise: noise.geometric(1)).mechanism`:                     "unbounded outputs",
		`program([0, 1], bits(1)).law(2)`:                                               "x = 2",
		`program([0, 1], bits(1)).probability(0, 7)`:                                    `output = "7"`,
	} {
		if _, err := s.Exec(t.Context(), "programs", call); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %s", call, err, want)
		}
	}
}

// At the prompt, too, a program freezes what its function reaches and nothing else.
func TestProgramsFreezeWhatTheyReach(t *testing.T) {
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	for i, entry := range []struct{ source, want string }{
		{"kept, other = [], []", ""},
		{"def run(x, noise):\n    return len(kept) + noise.integer(2)", ""},
		{"m = program([0, 1], run)", ""},
		{"other.append(m)", ""},
		{"kept.append(m)", "frozen list"},
	} {
		_, err := s.Exec(t.Context(), fmt.Sprintf("<prompt %d>", i), entry.source)
		if entry.want == "" && err != nil || entry.want != "" && (err == nil || !strings.Contains(err.Error(), entry.want)) {
			t.Errorf("%s: %v, want %q", entry.source, err, entry.want)
		}
	}
}
