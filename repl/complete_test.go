package repl

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.starlark.net/starlark"
)

func TestComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	s := NewSession()
	if _, err := s.Exec(context.Background(), "a", `m = purest(graphs(4).count("triangle"), 1)
answer = 42
def own(alpha, beta=1): pass
table([[1]]).save("data.csv")`); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string][]string{
		"pur":                   {"purest"},
		"answ":                  {"answer"},
		"x = answ":              {"answer"},
		"m.dis":                 {"distortion", "distortions"},
		"m.query.siz":           {"size"},
		"math.sq":               {"sqrt"},
		"'abc'.":                nil,
		"f(x).":                 nil,
		"purest(m.query, de":    {"decay=", "degree_divergence", "delta_neighborhood"},
		"own(":                  {"alpha=", "beta="},
		"own(1, bet":            {"beta="},
		"own([1, al":            {"all"},
		"own(len(x), bet":       {"beta="},
		"own(f(":                nil, // the inner call is not known
		"read_csv(\"da":         {"data.csv"},
		"retu":                  {"return"},
		"own(retu":              nil,
		"":                      nil,
		"3.":                    nil,
		"x = 1e":                nil,
		"# pur":                 {"purest"},
		"m.nothing.":            nil,
		"sorted([], rev":        {"reverse=", "reversed"},
		"m.smallest_epsilon.ki": {"kind"},
	} {
		if got := s.Complete(source).Candidates; !slices.Equal(got, want) {
			t.Errorf("Complete(%q) = %q, want %q", source, got, want)
		}
	}
	if got := s.Signature("purest(m.query, "); got != "purest(q, decay)" {
		t.Errorf("signature %q", got)
	}
}

// An attribute that takes long is passed over, not waited for.
func TestCompletionDoesNotWait(t *testing.T) {
	slow := &class[int]{name: "slow", attrs: []attr[int]{{name: "x", get: func(c *call, _ int) (starlark.Value, error) {
		select {
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		case <-time.After(time.Minute):
			return starlark.String(""), nil
		}
	}}}}
	s := NewSession()
	s.Set("s", slow.of(&call{session: s}, 1))
	begin := time.Now()
	if got := s.Complete("s.x.up"); got.Candidates != nil || time.Since(begin) > time.Second {
		t.Errorf("got %v after %v", got, time.Since(begin))
	}
}
