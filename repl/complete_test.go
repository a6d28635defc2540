package repl_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func TestComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	s := repl.NewSession()
	if _, err := s.Exec(context.Background(), "a", `m = purest(graphs(4).count("triangle"), 1)
answer = 42
u = graphs(4)
def own(alpha, beta=1): pass
table([[1]]).save("data.csv")`); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string][]string{
		"pur":                            {"purest"},
		"answ":                           {"answer"},
		"x = answ":                       {"answer"},
		"m.dis":                          {"distortion", "distortions"},
		"m.query.siz":                    {"size"},
		"math.sq":                        {"sqrt"},
		"'abc'.":                         nil,
		"f(x).":                          nil,
		"purest(m.query, de":             {"decay=", "degree_divergence", "degree_overlap", "delta_neighborhood"},
		"own(":                           {"alpha=", "beta="},
		"own(1, bet":                     {"beta="},
		"own([1, al":                     {"all"},
		"own(len(x), bet":                {"beta="},
		"own(f(":                         nil, // f is not defined
		"read_csv(\"da":                  {"data.csv"},
		"retu":                           {"return"},
		`mvg(s, 1, 1e-5, condition="`:    {"theorem2", "theorem3", "tight"},
		`mvg(s, 1, 1e-5, condition = 't`: {"theorem2", "theorem3", "tight"},
		`mvg(s, modal="`:                 {"equi", "uni"},
		`mvg_optimal(s, 1, 0.1, "`:       {"error", "information"},
		`graphs(4).count("`:              {"2-star", "3-star", "4-clique", "4-cycle", "edge", "triangle"},
		`u.count("4-c`:                   {"4-clique", "4-cycle"},
		`dataset("kar`:                   {"karate", "karate_labels"},
		`line_plot([1], log="`:           {"x", "xy", "y"},
		`audit({}, "`:                    {"all"},
		`claim("analytic.corollary3`:     {"analytic.corollary3", "analytic.corollary3.private"},
		`xor_release(a, b, method="`:     {"auto", "closed", "ehmc", "enumerate", "gibbs", "perfect", "printed"},
		`graphs(4).nothing("`:            {"data.csv"},
		`claim("`:                        {"analytic.", "mvg.", "r1smg", "signrp.", "xor."},
		`claim("mvg.theorem`:             {"mvg.theorem1", "mvg.theorem2", "mvg.theorem3", "mvg.theorem4", "mvg.theorem5", "mvg.theorem6", "mvg.theorem7", "mvg.theorem8", "mvg.theorem9"},
		`claim("mvg.nothing`:             nil,
		`print("`:                        {"data.csv"},
		`print(x + "da`:                  {"data.csv"},
		`mvg(f(1, "tight") == "`:         {"data.csv"},
		"own(retu":                       nil,
		"":                               nil,
		"3.":                             nil,
		"x = 1e":                         nil,
		"# pur":                          {"purest"},
		"m.nothing.":                     nil,
		"sorted([], rev":                 {"reverse=", "reversed"},
		"m.smallest_epsilon.ki":          {"kind"},
		"ln(3).confi":                    {"confidence"},
		"matrix([[1]]).shap":             {"shape"},
		"best_radii(q, 1).mechanism.mig": {"migrate", "migration_gains"},
		"matrix([[1]]).nothing(":         nil,
		"purest(m.query, 1).mig":         {"migrate", "migration_gains"},
		"purest(m.query, 1).cu":          {"curve"},
		"purest(m.query, 1).query.siz":   {"size"},
	} {
		if got := s.Complete(source).Candidates; !slices.Equal(got, want) {
			t.Errorf("Complete(%q) = %q, want %q", source, got, want)
		}
	}
	if got := s.Signature("purest(m.query, "); got != "purest(q, decay)" {
		t.Errorf("signature %q", got)
	}
}

// Names bound for one completion are restored afterwards.
func TestChoicesOfBoundNames(t *testing.T) {
	s := repl.NewSession()
	if _, err := s.Exec(context.Background(), "a", "u = graphs(3)\nn = 1"); err != nil {
		t.Fatal(err)
	}
	names := map[string]starlark.Value{"n": s.Get("u"), "v": s.Get("u")}
	for source, want := range map[string][]string{`n.count("tri`: {"triangle"}, `v.count("4`: {"4-clique", "4-cycle"}, `u.count('ed`: {"edge"}, `w.count("`: nil, `n.siz`: nil, `read_csv("`: nil, `"""u.count("`: nil} {
		if got := s.Choices(source, names); !slices.Equal(got.Candidates, want) {
			t.Errorf("%s is completed by %v, want %v", source, got.Candidates, want)
		}
	}
	if s.Get("n") != starlark.MakeInt(1) || s.Get("v") != nil || slices.Contains(s.Names(), "v") {
		t.Errorf("afterwards n is %v and v is %v", s.Get("n"), s.Get("v"))
	}
}

// Completion does not wait for a slow attribute.
func TestCompletionDoesNotWait(t *testing.T) {
	slow := &script.Class[int]{Name: "slow", Attrs: []script.Attr[int]{script.Do("x -> string", "", "", func(c *script.Call, _ int) (any, error) {
		select {
		case <-c.Context.Done():
			return nil, c.Context.Err()
		case <-time.After(10 * time.Minute):
			return "", nil // a string, whose methods could be completed
		}
	})}}
	s := repl.NewSession()
	s.Set("s", slow.Of(&script.Call{Session: s.Session}, 1))
	if got := s.Complete("s.x.up"); got.Candidates != nil {
		t.Errorf("got %v", got)
	}
}
