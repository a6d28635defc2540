package repl_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// statements lists the types that state another object's privacy and have none of their own.
var statements = map[string]string{
	"theorem1": "what a theorem says of two mechanisms",
	"finding":  "what an audit found of somebody's tables or samples",

	"zoo_mechanism":    "a sampler and what it claims, which audits are tried on",
	"record_mechanism": "a law at one dataset, whose privacy is claimed, and verified on small universes",
	"recomputation":    "what a small case says",
	"verification":     "what a small universe says of a mechanism",
	"noise_mechanism":  "its δ is known of Laplace noise alone",
	"graph_rival":      "what a paper claims; measured and law have its privacy",
	"degree_rival":     "what a paper claims; measured and law have its privacy",
	"community_rival":  "what a paper claims; measured has its privacy",
}

// olderNames maps older names of δ and ε to the name that their help must mention.
var olderNames = map[string]string{
	"mechanism.delta":        "delta_at",
	"release.public_delta":   "delta_at",
	"release.public_epsilon": "epsilon_at",
}

// Every object with a privacy guarantee has delta_at(eps, …) and epsilon_at(delta, …), and the help of each refers to
// the other.
func TestPrivacyMethodsReferToEachOther(t *testing.T) {
	docs := repl.NewSession().Manual()
	types := make(map[string]bool)
	for name := range docs {
		if name, ok := strings.CutPrefix(name, "type "); ok && !strings.Contains(name, ".") {
			types[name] = true
		}
	}
	private := 0
	for name := range types {
		of := func(attribute string) *script.Doc { return docs["type "+name+"."+attribute] }
		asked := slices.ContainsFunc([]string{"smallest_epsilon", "claimed_epsilon", "claimed_delta", "delta_at", "epsilon_at", "renyi"}, func(a string) bool { return of(a) != nil })
		if !asked || statements[name] != "" {
			continue
		}
		private++
		for attribute, first := range map[string]string{"delta_at": "eps", "epsilon_at": "delta"} {
			d := of(attribute)
			if d == nil {
				t.Errorf("%s has a privacy guarantee but no %s", name, attribute)
			} else if !d.Callable() || d.Parameters()[0] != first {
				t.Errorf("%s is not a method of %s", d.Name, first)
			}
		}
		for _, pair := range [][2]string{{"delta_at", "epsilon_at"}, {"epsilon_at", "delta_at"}, {"smallest_epsilon", "epsilon_at"}, {"epsilon_at", "smallest_epsilon"}} {
			if d := of(pair[0]); d != nil && of(pair[1]) != nil && !strings.Contains(d.Help, pair[1]) {
				t.Errorf("the help of %s does not name %s", d.Name, pair[1])
			}
		}
		if d := of("smallest_epsilon"); d != nil {
			if word := map[bool]string{true: "a method", false: "an attribute"}[d.Callable()]; !strings.Contains(strings.ToLower(d.Help), word) {
				t.Errorf("the help of %s does not contain %q", d.Name, word)
			}
		}
	}
	if private < 10 {
		t.Errorf("only %d types have a privacy guarantee", private)
	}
	for name, now := range olderNames {
		if d := docs["type "+name]; d == nil || !strings.Contains(d.Help, now) {
			t.Errorf("the help of %s does not name %s", name, now)
		}
	}
}

// Every type that privacy(x) accepts has both methods, also types that are added later.
func TestPrivateTypesHaveDeltaAndEpsilon(t *testing.T) {
	seen := make(map[string]bool)
	for name, d := range repl.NewSession().Manual() {
		if !strings.HasPrefix(name, "type ") || strings.Contains(name, ".") || name == "type claim" {
			continue
		}
		s := repl.NewSession()
		s.Stdout, s.Stderr = io.Discard, io.Discard
		t.Chdir(t.TempDir())
		if _, err := s.Exec(t.Context(), "example", d.Example); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, defined := range s.Defined() {
			v, ok := s.Get(defined).(*script.Object)
			if !ok || seen[v.Type()] {
				continue
			}
			seen[v.Type()] = true
			if _, err := s.Exec(t.Context(), "privacy", "privacy("+defined+")"); err != nil && strings.Contains(err.Error(), "is not known") {
				continue
			}
			for _, attribute := range []string{"delta_at", "epsilon_at"} {
				if !slices.Contains(v.AttrNames(), attribute) {
					t.Errorf("privacy accepts a %s, which has no %s", v.Type(), attribute)
				}
			}
		}
		s.Close()
	}
	for _, name := range []string{"mechanism", "line_mechanism", "mvg design", "bernoulli", "privacy"} {
		if !seen[name] {
			t.Errorf("no example has a %s", name)
		}
	}
}

// delta_at and epsilon_at are inverse to each other on every type, and agree with privacy(x, …).
func TestDeltaAndEpsilonAgree(t *testing.T) {
	t.Parallel()
	for setup, more := range map[string]string{
		`x = purest(graphs(3).count("edge"), 1)`:                                  "",
		`x = staircase(linear_query([1]), 1)`:                                     "",
		`x = discrete_gaussian(linear_query([1]), 2)`:                             "",
		`x = gaussian("1/3", 0.2)`:                                                "",
		`x = knorm([(1, 0), (0, 1)], 1)`:                                          "",
		`x = mvg(l2_sensitivity(2, 3, 1, 2), 1, 1e-3)`:                            "",
		`x = known(1, 0.01)`:                                                      "",
		`x = compose(purest(graphs(3).count("edge"), 1), 3)`:                      "",
		`x = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0]]}, 2)`: "sensitivity=2",
		`x = bernoulli_uniform(3, 2, -1, 0.1)`:                                    `neighbors="row"`,
		`x = optimal_xor(2, 2, 1)`:                                                "sensitivity=2",
		`x = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)`:        "",
		`x = dp_signrp(projection(5, 3), 2)`:                                      "u=[0.5] * 5, v=[-0.5] + [0.5] * 4",
		`x = dp_rp(projection(5, 3), 2, 0.01)`:                                    "u=[0.5] * 5",
		`x = dp_rp(projection(5, 3), 3, 0.01)`:                                    "",
		`x = r1smg(10, 1, 1e-5)`:                                                  "tolerance=0.01",
	} {
		if strings.Contains(setup, "r1smg") && !cases.All() {
			continue // takes half a minute
		}
		s := repl.NewSession()
		s.Stdout, s.Stderr = io.Discard, io.Discard
		comma := ""
		if more != "" {
			comma = ", " + more
		}
		source := fmt.Sprintf(`%s
d = x.delta_at(0.25%s)
e = x.epsilon_at(d.hi%s)
back = x.delta_at(max(e.lo, 1e-9)%s)
[d.lo >= 0, d.hi <= 1, e.lo <= 0.25 * 1.001 + 1e-9, back.hi >= d.lo * 0.98 - 0.01]`, setup, comma, comma, comma)
		v, err := s.Exec(t.Context(), "agree", source)
		if err != nil || v.String() != "[True, True, True, True]" {
			t.Errorf("%s: %v, %v (δ %v, ε %v, back %v)", setup, v, err, s.Get("d"), s.Get("e"), s.Get("back"))
		}
		if strings.Contains(setup, "r1smg") {
			continue
		}
		v, err = s.Exec(t.Context(), "same", fmt.Sprintf("p = privacy(x%s)\n[p.delta_at(0.25).lo <= d.hi * 1.001 + 1e-12, d.lo <= p.delta_at(0.25).hi * 1.001 + 1e-12]", comma))
		if err != nil || v.String() != "[True, True]" {
			t.Errorf("%s: privacy(x) gives %v, %v, not %v", setup, s.Get("p"), v, s.Get("d"))
		}
	}
}
