package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

func rat(text string) *big.Rat {
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return q
}

func logClaim(base, delta string) audit.Claim {
	return audit.Claim{Epsilon: must.Be(evidence.LogEpsilon("eps", rat(base))), Delta: evidencetest.RationalDelta(rat(delta))}
}

func floatClaim(eps float64, delta string) audit.Claim {
	return audit.Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", eps)), Delta: evidencetest.RationalDelta(rat(delta))}
}

// tableOf parses "x: a 1/2, b 1/2; y: …".
func tableOf(text string) *audit.Table {
	var t audit.Table
	for law := range strings.SplitSeq(text, ";") {
		name, cells, _ := strings.Cut(law, ":")
		for c := range strings.SplitSeq(cells, ",") {
			f := strings.Fields(c)
			p, rounded, err := audit.ParseNumber(f[1])
			add := t.Add
			if rounded {
				add = t.AddRounded
			}
			if err == nil {
				err = add(strings.TrimSpace(name), f[0], p)
			}
			if err != nil {
				panic(err)
			}
		}
	}
	return &t
}

func ExampleTable_Audit() {
	t := tableOf("x: yes 3/4, no 1/4; y: yes 1/4, no 3/4")
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	r, err := t.Audit(context.Background(), nil, audit.Claim{Epsilon: eps})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict, r.Epsilon.(evidence.ExactLog).Argument.RatString(), r.Delta.(evidence.Exact).Value)
	fmt.Println(r.Witness.First, r.Witness.Second, r.Witness.Event)
	fmt.Println(r.Witness.Script)
	// Output:
	// refuted 3 1/4
	// x y {yes}
	// audit({"x": {"E": "3/4", "not E": "1/4"}, "y": {"E": "1/4", "not E": "3/4"}}, [("x", "y")], ln("2"))
}

// randomLaws returns laws of small rationals with zeros and equal ratios.
func randomLaws(r *rand.Rand, datasets, outputs int) [][]*big.Rat {
	laws := make([][]*big.Rat, datasets)
	for x := range laws {
		w, total := make([]int64, outputs), int64(0)
		for total == 0 {
			for i := range w {
				w[i] = max(0, r.Int64N(6)-1)
				total += w[i]
			}
		}
		for _, v := range w {
			laws[x] = append(laws[x], big.NewRat(v, total))
		}
	}
	return laws
}

// bruteForce visits every event of every directed pair in rational arithmetic, without sorting.
func bruteForce(laws [][]*big.Rat, delta, e *big.Rat) (t *big.Rat, infinite bool, atClaim *big.Rat) {
	t, atClaim = big.NewRat(1, 1), new(big.Rat)
	for x := range laws {
		for y := range laws {
			if x == y {
				continue
			}
			for s := range 1 << len(laws[x]) {
				p, q := new(big.Rat), new(big.Rat)
				for i := range laws[x] {
					if s>>i&1 == 1 {
						p.Add(p, laws[x][i])
						q.Add(q, laws[y][i])
					}
				}
				if v := new(big.Rat).Sub(p, new(big.Rat).Mul(e, q)); v.Cmp(atClaim) > 0 {
					atClaim = v
				}
				if p.Cmp(delta) <= 0 {
					continue
				}
				if q.Sign() == 0 {
					infinite = true
					continue
				}
				if v := new(big.Rat).Quo(new(big.Rat).Sub(p, delta), q); v.Cmp(t) > 0 {
					t = v
				}
			}
		}
	}
	return t, infinite, atClaim
}

func TestTableAuditMatchesBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	deltas := []string{"0", "1/100", "1/10", "1/3", "1/2", "9/10"}
	for n := range 600 {
		laws := randomLaws(r, 2+r.IntN(2), 1+r.IntN(6))
		delta := deltas[r.IntN(len(deltas))]
		claim := logClaim(fmt.Sprintf("%d/2", 3+r.IntN(6)), delta)
		var table audit.Table
		for x, law := range laws {
			for i, p := range law {
				if err := table.Add(fmt.Sprint("d", x), fmt.Sprint("o", i), p); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := must.Be(table.Audit(context.Background(), nil, claim))
		e, _ := claim.Epsilon.Exp()
		want, infinite, atClaim := bruteForce(laws, rat(delta), e)
		verdict := evidence.Confirmed
		if infinite || want.Cmp(e) > 0 {
			verdict = evidence.Refuted
		}
		if got.Verdict != verdict {
			t.Fatalf("case %d, δ = %s, %v: %s, want %s", n, delta, laws, got.Verdict, verdict)
		}
		if infinite {
			if !math.IsInf(got.Epsilon.Float(), 1) {
				t.Fatalf("case %d, δ = %s, %v: ε = %v, want infinity", n, delta, laws, got.Epsilon)
			}
		} else if v := got.Epsilon.(evidence.ExactLog).Argument; v.Cmp(want) != 0 {
			t.Fatalf("case %d, δ = %s, %v: e^ε = %v, want %v", n, delta, laws, v, want)
		}
		if v := got.Delta.(evidence.Exact).Value; v.Cmp(atClaim) != 0 {
			t.Fatalf("case %d, %v: δ = %v at %v, want %v", n, laws, v, claim.Epsilon, atClaim)
		}
		if w := got.Witness; w != nil && !infinite { // the event attains the ratio
			p, q := w.P.(evidence.Exact).Value, w.Q.(evidence.Exact).Value
			if v := new(big.Rat).Quo(new(big.Rat).Sub(p, rat(delta)), q); v.Cmp(want) != 0 {
				t.Fatalf("case %d: the witness has the ratio %v, want %v", n, v, want)
			}
		} else if w == nil && (infinite || want.Cmp(big.NewRat(1, 1)) > 0) {
			t.Fatalf("case %d: no witness of %v", n, want)
		}
	}
}

// A table of the laws rounded to float64 gives an enclosure of the exact answer.
func TestRoundedTableEnclosesTheExactOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		laws := randomLaws(r, 2, 2+r.IntN(5))
		delta := []string{"0", "1/8"}[r.IntN(2)]
		claim := floatClaim(0.1+r.Float64(), delta)
		var table, exact audit.Table
		for x, law := range laws {
			for i, p := range law {
				f, _ := p.Float64()
				v := rat(fmt.Sprint(f * (1 + 4e-13*(r.Float64()-0.5))))
				if v.Cmp(big.NewRat(1, 1)) > 0 {
					v = big.NewRat(1, 1)
				}
				must.Be(0, table.AddRounded(fmt.Sprint(x), fmt.Sprint(i), v))
				must.Be(0, exact.Add(fmt.Sprint(x), fmt.Sprint(i), p))
			}
		}
		table.Rounding = 1e-12
		a := must.Be(table.Audit(context.Background(), nil, claim))
		b := must.Be(exact.Audit(context.Background(), nil, claim))
		lo, hi := a.Epsilon.Bounds()
		if v := b.Epsilon.Float(); v < lo || v > hi || !math.IsInf(hi, 1) && hi-lo > 1e-9 { // hi is infinite if an event may exceed δ by rounding alone
			t.Fatalf("case %d: ε = %v outside [%v, %v]", n, v, lo, hi)
		}
		lo, hi = a.Delta.Bounds()
		if x, y := b.Delta.Bounds(); y < lo || x > hi || hi-lo > 1e-10 {
			t.Fatalf("case %d: δ in [%v, %v] misses [%v, %v]", n, x, y, lo, hi)
		}
		if a.Verdict != evidence.Undecided && a.Verdict != b.Verdict {
			t.Fatalf("case %d: %s, exactly %s", n, a.Verdict, b.Verdict)
		}
		if w := a.Witness; w != nil { // probabilities of the event under the exact laws
			sums := [2]*big.Rat{new(big.Rat), new(big.Rat)}
			for k, at := range [2]string{w.First, w.Second} {
				x, _ := strconv.Atoi(at)
				for _, output := range w.Event.Outputs {
					i, _ := strconv.Atoi(output)
					sums[k].Add(sums[k], laws[x][i])
				}
				want, _ := sums[k].Float64()
				lo, hi := [2]evidence.Number{w.P, w.Q}[k].Bounds()
				if want < lo || want > hi || hi > 1 || hi-lo > 2.1e-12*want+1e-15 {
					t.Fatalf("case %d: the event %v has probability in [%v, %v] at %s, exactly %v", n, w.Event.Outputs, lo, hi, at, want)
				}
			}
		}
	}
}

// Randomized response with printed probabilities has exactly its ε up to rounding, so the claim is neither confirmed
// nor refuted.
func TestRoundedEqualityIsUndecided(t *testing.T) {
	p := math.E / (1 + math.E)
	table := tableOf(fmt.Sprintf("x: a %v, b %v; y: a %v, b %v", p, 1-p, 1-p, p))
	for eps, want := range map[float64]evidence.Verdict{1: evidence.Undecided, 1.0001: evidence.Confirmed, 0.9999: evidence.Refuted} {
		if r := must.Be(table.Audit(context.Background(), nil, floatClaim(eps, "0"))); r.Verdict != want {
			t.Errorf("eps = %v: %s, want %s", eps, r.Verdict, want)
		}
	}
}

func TestTableErrors(t *testing.T) {
	claim := floatClaim(1, "0")
	for _, c := range []struct {
		table, want string
		neighbors   []audit.Pair
	}{
		{"x: a 0.5, b 0.6; y: a 1", `dataset "x": the probabilities sum to 1.1, off by 0.1`, nil},
		{"x: a 0.3333, b 0.3333, c 0.3333; y: a 1", `off by -0.0001`, nil},
		{"x: a 0.5, a 0.5; y: a 1", `dataset "x" gives output "a" twice`, nil},
		{"x: 1 0.5, 1.0 0.5; y: 1 1", `gives output "1" twice`, nil},
		{"x: a 1", "1 datasets, want at least 2", nil},
		{"x: a 1; y: a 1", `neighbors[0] names dataset "z", want one of x, y`, []audit.Pair{{"x", "z"}}},
		{"x: a 1; y: a 1", `neighbors[0] names "x" twice`, []audit.Pair{{"x", "x"}}},
		{"x: a 1; y: a 1", "neighbors is empty", []audit.Pair{}},
	} {
		_, err := tableOf(c.table).Audit(context.Background(), c.neighbors, claim)
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.table, err, c.want)
		}
	}
	var table audit.Table
	if _, err := table.Audit(context.Background(), nil, claim); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "table_or_samples is empty") {
		t.Errorf("an empty table: %v", err)
	}
	for _, v := range []string{"-1/3", "11/10"} {
		if err := table.Add("x", "a", rat(v)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("probability %s: %v", v, err)
		}
	}
	for _, v := range []string{"nan", "inf", "", "0x1", "1/0", "1e99999", "1_0", "a", "--1"} {
		if p, _, err := audit.ParseNumber(v); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ParseNumber(%q) = %v, %v", v, p, err)
		}
	}
	for _, u := range []float64{-1e-9, math.NaN(), math.Nextafter(.01, 1), math.Inf(1)} {
		table := tableOf("x: a 1; y: a 1")
		table.Rounding = u
		if _, err := table.Audit(context.Background(), nil, claim); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "rounding = ") {
			t.Errorf("rounding = %v: %v", u, err)
		}
	}
	var many audit.Table
	for x := range 5000 {
		must.Be(0, many.Add(fmt.Sprint(x), "a", rat("1")))
	}
	if _, err := many.Audit(context.Background(), nil, claim); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("audit of all pairs of 5000 datasets: error %v, want ErrParameter", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := tableOf("x: a 1; y: a 1").Audit(stopped, nil, claim); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped audit: %v", err)
	}
}

func TestHugeEpsilonAndTinyProbabilities(t *testing.T) {
	table := tableOf("x: a 1e-400, b 1; y: b 1")
	table.Rounding = 1e-9
	if r := must.Be(table.Audit(context.Background(), nil, floatClaim(1e12, "0"))); !math.IsInf(r.Epsilon.Float(), 1) {
		t.Errorf("an output with probability 1e-400, and 0 at the neighbor: ε = %v", r.Epsilon)
	}
	var exact audit.Table
	tiny := rat("1e-400")
	must.Be(0, exact.Add("x", "a", tiny))
	must.Be(0, exact.Add("x", "b", new(big.Rat).Sub(rat("1"), tiny)))
	must.Be(0, exact.Add("y", "a", new(big.Rat).Mul(tiny, rat("1e-3"))))
	must.Be(0, exact.Add("y", "b", new(big.Rat).Sub(rat("1"), new(big.Rat).Mul(tiny, rat("1e-3")))))
	r := must.Be(exact.Audit(context.Background(), nil, floatClaim(6, "0")))
	if v := r.Epsilon.(evidence.ExactLog).Argument; v.Cmp(rat("1000")) != 0 || r.Verdict != evidence.Refuted {
		t.Errorf("e^ε = %v, %s, want 1000, refuted", v, r.Verdict)
	}
	if lo, hi := r.Delta.Bounds(); lo < 0 || hi > 1e-300 {
		t.Errorf("δ in [%v, %v], want about 6e-401", lo, hi)
	}
}

// A rounded probability may be slightly above 1.
func TestRoundedAboveOne(t *testing.T) {
	table := tableOf("x: a 1.0000000000000002; y: a 0.9999999999999999")
	r := must.Be(table.Audit(context.Background(), nil, floatClaim(1, "0")))
	if lo, hi := r.Epsilon.Bounds(); r.Verdict != evidence.Confirmed || lo != 0 || hi > 3e-9 || r.Witness != nil {
		t.Errorf("%s, ε in [%v, %v], witness %v", r.Verdict, lo, hi, r.Witness)
	}
	var other audit.Table
	if err := other.Add("x", "a", rat("1.0000000000000002")); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("an exact probability above 1: %v", err)
	}
}

// If an event has probability 0 at the neighbor and about δ here, rounding leaves the lower bound on ε at 0.
func TestRoundedEventOfDelta(t *testing.T) {
	table := tableOf("x: a 0.125, b 0.875; y: b 1")
	table.Rounding = 1e-6
	must.Be(0, table.AddRounded("y", "a", new(big.Rat)))
	r := must.Be(table.Audit(context.Background(), nil, floatClaim(1, "1/8")))
	if lo, hi := r.Epsilon.Bounds(); r.Verdict != evidence.Undecided || lo != 0 || !math.IsInf(hi, 1) || r.Witness != nil {
		t.Errorf("%s, ε in [%v, %v], witness %v", r.Verdict, lo, hi, r.Witness)
	}
}

// Bounds from rounded laws are clipped to 1, both the probability of an event and δ. The script line that replays the
// audit has no negative probabilities.
func TestRoundedBoundsAreClippedToOne(t *testing.T) {
	for _, text := range []string{"x: a 1.0000000000000002; y: b 1.0000000000000002", "x: a 0.9999999999999999; y: b 1"} {
		table := tableOf(text)
		r := must.Be(table.Audit(context.Background(), nil, floatClaim(1, "0")))
		lo, hi := r.Delta.Bounds()
		if hi != 1 || lo > 1-.9e-9 || lo < 1-1.1e-9 || r.Verdict != evidence.Refuted || r.Witness == nil {
			t.Fatalf("%s: %s, δ in [%v, %v]", text, r.Verdict, lo, hi)
		}
		if least, most := r.Witness.P.Bounds(); most != 1 || least > 1-.9e-9 || least < 1-1.1e-9 {
			t.Errorf("%s: the event has a probability in [%v, %v]", text, least, most)
		}
		if strings.Contains(r.Witness.Script, `"-`) {
			t.Errorf("%s: %s", text, r.Witness.Script)
		}
	}
}

// The audit finds the largest ratio for every order of the pairs, also for ratios that are infinite, outside float64,
// or of subnormal numbers.
func TestExtremeRatiosInAnyOrder(t *testing.T) {
	ten := func(n int) *big.Rat { return rat("1/1" + strings.Repeat("0", n)) }
	times := func(k int64, q *big.Rat) *big.Rat { return q.Mul(q, big.NewRat(k, 1)) }
	half := big.NewRat(1, 2)
	for name, first := range map[string][]*big.Rat{ // probability of one output at each dataset
		"underflow, smaller": {half, ten(400), ten(500)},
		"underflow, then 0":  {half, ten(400), new(big.Rat)},
		// 7.5e-324 and 8e-324 round to the same float64.
		"subnormal": {ten(200), times(8, ten(324)), times(75, ten(325))},
	} {
		for _, order := range [][2]int{{1, 2}, {2, 1}} {
			var table audit.Table
			largest, infinite := new(big.Rat), false
			for x, k := range []int{0, order[0], order[1]} {
				rest := new(big.Rat).Sub(big.NewRat(1, 1), first[k])
				must.Be(0, table.Add(string(rune('x'+x)), "a", first[k]))
				must.Be(0, table.Add(string(rune('x'+x)), "b", rest))
				if infinite = infinite || first[k].Sign() == 0; k > 0 && !infinite {
					if q := new(big.Rat).Quo(first[0], first[k]); q.Cmp(largest) > 0 {
						largest = q
					}
				}
			}
			r := must.Be(table.Audit(context.Background(), []audit.Pair{{"x", "y"}, {"x", "z"}}, floatClaim(1, "0")))
			lo, hi := r.Epsilon.Bounds()
			if infinite {
				if !math.IsInf(hi, 1) {
					t.Errorf("%s: ε = %v, want infinity", name, r.Epsilon)
				}
				continue
			}
			least, most := interval.Rat(largest).Log().Bounds()
			if lo > least || hi < most {
				t.Errorf("%s: ε in [%v, %v], want %v", name, lo, hi, least)
			}
		}
	}
}

func ExampleResult_String() {
	t := tableOf("x: yes 3/4, no 1/4; y: yes 1/4, no 3/4")
	fmt.Println(must.Be(t.Audit(context.Background(), []audit.Pair{{"x", "y"}}, logClaim("2", "1/8"))))
	// Output:
	// refuted: claimed epsilon ln(2), delta 0.125 (exhaustive: 1 pair, both directions, every event)
	//   epsilon: 0.916290731874156 (exact: ln(5/2))
	//   delta at the claimed epsilon: 0.25 (exact: 1/4)
	//   event: {yes}, 0.75 (exact) at x, 0.25 (exact) at y
	//   replay: audit({"x": {"E": "3/4", "not E": "1/4"}, "y": {"E": "1/4", "not E": "3/4"}}, [("x", "y")], ln("2"), 0.125)
}
