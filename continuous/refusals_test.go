package continuous

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// plain is a mechanism that reports only its ε.
type plain struct{ Mechanism }

func (p plain) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return privacy.PureDP(p.Name(), p.Privacy()), nil
}

// Every error wraps the right sentinel and comes without a result.
func TestRefusals(t *testing.T) {
	ctx, one := t.Context(), evidencetest.Epsilon(1)
	points := linearOf(t, rats(t, "1", "1", "3", "3")...)
	far := linearOf(t, rats(t, "1", "1", "70000", "70000")...)
	line := linearOf(t, rats(t, "1", "2")...)
	geometric := must.For(NewGeometric(far, one))(t)
	plane := must.For(NewKNormPlane([]Point{{rat(t, "1"), rat(t, "0")}, {rat(t, "0"), rat(t, "1")}}, one))(t)
	for name, f := range map[string]func() (bool, error){
		"no layer": func() (bool, error) {
			gap, found, err := plane.FindLatticeGap(ctx, 0, 1)
			return gap.Layer == 0 && gap.Norm == nil && !found, err
		},
		"no lattice": func() (bool, error) {
			gap, found, err := plane.FindLatticeGap(ctx, 1, 0)
			return gap.Layer == 0 && gap.Norm == nil && !found, err
		},
		"negative layers": func() (bool, error) {
			v, err := must.For(NewPurest(ctx, points, one))(t).Layers(ctx, -1)
			return v == nil, err
		},
		"negative geometric layers": func() (bool, error) {
			v, err := must.For(NewGeometric(points, one))(t).Layers(ctx, -1)
			return v == nil, err
		},
		"many geometric points": func() (bool, error) {
			v, err := geometric.Layers(ctx, 20)
			return v == nil, err
		},
		"negative Laplace layers": func() (bool, error) {
			v, err := must.For(NewLaplace(points, one))(t).Layers(ctx, -1)
			return v == nil, err
		},
		"losses of many steps": func() (bool, error) {
			f, err := geometric.Pairs(ctx)
			return f == nil, err
		},
		"a large ε on the plane": func() (bool, error) {
			m, err := NewKNormPlane([]Point{{rat(t, "1"), rat(t, "0")}, {rat(t, "0"), rat(t, "1")}}, evidencetest.Epsilon(701))
			return m == nil, err
		},
		"a large ε on the line": func() (bool, error) {
			m, err := NewKNormLine(rats(t, "1"), evidencetest.Epsilon(701))
			return m == nil, err
		},
		"a radius in a grid": func() (bool, error) {
			v, err := Grid(ctx, line, rats(t, "1", "-1"), decaysOf(t, 1))
			return v == nil && strings.Contains(err.Error(), "radii[1]: "), err
		},
	} {
		if nothing, err := f(); !errors.Is(err, evidence.ErrParameter) || !nothing {
			t.Errorf("%s: error %v, no result %v", name, err, nothing)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	f, err := must.For(NewPurest(ctx, linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...), one))(t).Pairs(ended)
	if f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("pairs after the context has ended: %v, error %v", f, err)
	}
}

// If the layers of neighbors differ by more than 1, a layered mechanism has no δ and no pairs.
func TestNoPrivacyWithoutCertificate(t *testing.T) {
	l := sequenceOf(t, new(big.Rat), rats(t, "0", "1", "5", "5", "9", "10")...)
	last := &l.nodes[len(l.nodes)-1].gap
	(*last)[0].level += 5
	m := must.For(NewLayered(l, evidencetest.Epsilon(1)))(t)
	if v, err := m.Privacy().Delta(t.Context(), evidencetest.Epsilon(0.5)); !errors.Is(err, ErrLayerGap) || v != nil {
		t.Errorf("δ = %v, error %v", v, err)
	}
	if f, err := m.Pairs(t.Context()); !errors.Is(err, ErrLayerGap) || f != nil {
		t.Errorf("pairs %v, error %v", f, err)
	}
}

// If the search for the worst shift ends early, the growth still has an enclosure. Its upper end is at most 1/(1 +
// z), because g + zg ≤ 1.
func TestGrowthWithEarlyEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(132, 1))
	open := 0
	for trial := range 20 {
		v, radius := randomSet(r, 9, trial%2 == 0)
		if trial%2 == 0 {
			radius = 0
		}
		m := must.For(NewDeltaNeighborhood(t.Context(), must.For(scaledQuery(v, 1))(t), evidencetest.Epsilon(0.5), big.NewRat(int64(radius), 1)))(t)
		most := interval.Int(1).Quo(interval.Int(1).Add(rateOf(m.decay).z))
		want := must.For(m.largestGrowth(t.Context(), worstBudget))(t).Enclosure
		for _, budget := range []int{-1, 0, 5, 20} {
			got := must.For(m.largestGrowth(t.Context(), budget))(t).Enclosure
			if got.Less(want) || want.Less(got) || most.Less(got.Upper()) || got.CmpHi(want) < 0 {
				t.Errorf("V = %v, radius %d, a budget of %d: growth %v, want %v within it", v, radius, budget, got, want)
			}
			if got.CmpHi(want) > 0 {
				open++
			}
			points := map[int]bool{}
			for _, p := range v {
				points[p[0]] = p[0] > 0
			}
			delete(points, 0)
			if budget <= 0 && radius == 0 && trial%2 == 0 && len(points)+budget > 1 && got.CmpHi(most.Upper()) != 0 { // at most one of several shifts is evaluated
				t.Errorf("V = %v, a budget of %d: growth %v, want up to %v", v, budget, got, most)
			}
		}
		s := &shifting[gridInt64]{m: m}
		if got := must.For(s.enclosed(t.Context(), nil, 0, 0))(t).Enclosure; got.CmpLo(interval.Int(0)) != 0 || got.CmpHi(most.Upper()) != 0 {
			t.Errorf("V = %v: without a growth it is %v, want 0 to %v", v, got, most)
		}
	}
	if open == 0 {
		t.Error("every search is complete")
	}
}

// The variation over residues is bounded by the sum of |z^L − z^L'|, with equality if both progressions have the same
// slope.
func TestStepsOfProgressions(t *testing.T) {
	r := rand.New(rand.NewPCG(132, 2))
	m := must.For(NewPurest(t.Context(), linearOf(t, rats(t, "1", "1")...), evidencetest.Epsilon(0.5)))(t)
	s := &shifting[gridInt64]{m: m, rest: -math.Expm1(-0.5)}
	for range 400 {
		draw := func(slope int) progression {
			from := r.IntN(4)
			return progression{from: from, to: from + r.IntN(9), base: 12 + r.IntN(9), slope: slope}
		}
		slope := r.IntN(3) - 1
		p, q := draw(slope), draw(slope)
		if r.IntN(3) == 0 {
			q = draw(r.IntN(3) - 1)
		}
		turn := r.IntN(3)
		want := 0.0
		for j := max(p.from, q.from-turn); j <= min(p.to, q.to-turn); j++ {
			here, there := float64(p.base+p.slope*j), float64(q.base+q.slope*(j+turn))
			want += s.rest * math.Abs(math.Exp(-0.5*here)-math.Exp(-0.5*there))
		}
		got := steps([]progression{p}, []progression{q}, turn, 0.5, s.sum)
		scale := math.Exp(0.5 * float64(m.first))
		if want *= scale; got < want*(1-1e-12) || p.slope == q.slope && got > want*(1+1e-12)+1e-18 {
			t.Errorf("%+v and %+v, shift %d: %v, want %v", p, q, turn, got, want)
		}
	}
}

// If ε is below the decay by less than enclosures resolve, δ is still positive: 1 − √(1 − 10⁻¹⁰⁰/3) for Laplace
// noise, and at least a fraction of that for the others.
func TestDeltaJustBelowTheDecay(t *testing.T) {
	q := linearOf(t, rats(t, "1", "1", "3", "3")...)
	three := big.NewRat(3, 1)
	little := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(100), nil))
	top := must.For(evidence.LogEpsilon("eps", three))(t)
	below, above := must.For(evidence.LogEpsilon("eps", new(big.Rat).Sub(three, little)))(t), must.For(evidence.LogEpsilon("eps", new(big.Rat).Add(three, little)))(t)
	for _, m := range []Mechanism{
		must.For(NewLaplace(q, top))(t), must.For(NewGeometric(q, top))(t), must.For(NewStaircase(q, top, big.NewRat(1, 3)))(t), must.For(NewPurest(t.Context(), q, top))(t),
	} {
		for eps, least := range map[evidence.Epsilon]float64{below: 1e-102, top: 0, above: 0} {
			lo, hi := must.For(m.Privacy().Delta(t.Context(), eps))(t).Bounds()
			if !(hi >= least && lo <= 1e-100 && hi <= 1e-60) || eps == top && hi != 0 {
				t.Errorf("%s: δ from %v to %v, want %v at least", m.Name(), lo, hi, least)
			}
		}
	}
}

// An invalid decay is rejected before layers are built, and invalid draws before any is made.
func TestBadInputIsRejectedFirst(t *testing.T) {
	over, end := context.WithCancel(context.Background())
	end()
	q := linearOf(t, rats(t, "0", "1")...)
	for _, e := range []float64{701, 1e300} {
		for what, err := range map[string]error{
			"purest":  func() error { _, err := NewPurest(over, q, evidencetest.Epsilon(e)); return err }(),
			"layered": func() error { _, err := NewLayered(nil, evidencetest.Epsilon(e)); return err }(),
			"geometric": func() error {
				_, err := NewGeometric(linearOf(t, rats(t, "1", "1")...), evidencetest.Epsilon(e))
				return err
			}(),
			"staircase": func() error { _, err := NewOptimalStaircase(q, evidencetest.Epsilon(e), CostAbs); return err }(),
			"given γ":   func() error { _, err := NewStaircase(q, evidencetest.Epsilon(e), big.NewRat(1, 2)); return err }(),
			"norm":      func() error { _, err := NewKNormLine(rats(t, "1"), evidencetest.Epsilon(e)); return err }(),
			"plane": func() error {
				_, err := NewKNormPlane([]Point{{rat(t, "1"), rat(t, "0")}}, evidencetest.Epsilon(e))
				return err
			}(),
		} {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s at ε = %g: %v", what, e, err)
			}
		}
	}
	if _, err := NewLaplace(q, evidencetest.Epsilon(700)); err != nil {
		t.Errorf("ε = 700: %v", err)
	}
	drawn := false
	if _, err := Draw(context.Background(), -1, rand.NewPCG(1, 1), func(int, rand.Source) ([]float64, error) { drawn = true; return nil, nil }); !errors.Is(err, evidence.ErrParameter) || drawn {
		t.Errorf("−1 draws: %v", err)
	}
	broken := errors.New("broken")
	if _, err := Draw(context.Background(), 3, rand.NewPCG(1, 1), func(int, rand.Source) ([]float64, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("draws that break: %v", err)
	}
	for what, err := range map[string]error{
		"2³² steps": func() error {
			_, err := NewGeometric(linearOf(t, rats(t, "1", "1", "4294967297", "4294967297")...), evidencetest.Epsilon(1))
			return err
		}(),
		"swapped ends":  func() error { _, err := NewLinear([][2]*big.Rat{{rat(t, "2"), rat(t, "1")}}); return err }(),
		"{0}":           func() error { _, err := NewLinear([][2]*big.Rat{{rat(t, "0"), rat(t, "0")}}); return err }(),
		"nothing":       func() error { _, err := NewLinear(nil); return err }(),
		"a huge radius": func() error { _, err := NewSequence(context.Background(), q, rat(t, "1e13")); return err }(),
		"largest 0": func() error {
			_, err := BestRadii(context.Background(), q, decaysOf(t, 1), new(big.Rat), 3)
			return err
		}(),
		"no steps": func() error {
			_, err := BestRadii(context.Background(), q, decaysOf(t, 1), rat(t, "1"), 0)
			return err
		}(),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A mechanism reports its name and its ε. The ε is proved, so it has no cases.
func TestMechanismDescriptions(t *testing.T) {
	q := linearOf(t, rats(t, "1", "1", "3", "3")...)
	nine := must.For(evidence.LogEpsilon("eps", big.NewRat(9, 1)))(t)
	for _, m := range []Mechanism{
		must.For(NewLaplace(q, nine))(t), must.For(NewGeometric(q, nine))(t), must.For(NewStaircase(q, nine, big.NewRat(1, 3)))(t),
	} {
		v := must.For(m.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t)
		if got, ok := v.(evidence.ExactLog); !ok || got.Argument.Cmp(big.NewRat(9, 1)) != 0 || got.Cases != 0 {
			t.Errorf("%s: ε = %v, want ln 9 without cases", m.Name(), v)
		}
		if at, ok := m.(interface{ Epsilon() evidence.Epsilon }); !ok || at.Epsilon() != nine {
			t.Errorf("%s: Epsilon differs", m.Name())
		}
		if got, want := m.ClaimedEpsilon().Float(), nine.Value(); got != want {
			t.Errorf("%s claims %v, want %v", m.Name(), got, want)
		}
		for _, law := range []Mechanism{m, plain{m}} {
			f := must.For(law.Pairs(t.Context()))(t)
			got, want := must.For(privacy.New(f).Delta(t.Context(), evidencetest.Epsilon(0.5)))(t), must.For(m.Privacy().Delta(t.Context(), evidencetest.Epsilon(0.5)))(t)
			if f.Name != m.Name() || got.Float() != want.Float() {
				t.Errorf("%s: pairs of %s have δ %v, want %v", m.Name(), f.Name, got, want)
			}
		}
	}
	if m := must.For(NewPurest(t.Context(), q, nine))(t); m.ClaimedEpsilon().Float() != nine.Value() || q.String() != "linear query with neighboring set "+q.NeighboringSet().String() {
		t.Errorf("%s claims %v for %s", m.Name(), m.ClaimedEpsilon(), q)
	}
	// K-norm noise reports its ε, and a bound that follows from it.
	plane := must.For(NewKNormPlane([]Point{{rat(t, "1"), rat(t, "0")}, {rat(t, "0"), rat(t, "1")}}, nine))(t)
	v := must.For(plane.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t)
	if got, ok := v.(evidence.ExactLog); !ok || got.Argument.Cmp(big.NewRat(9, 1)) != 0 || got.Cases != 0 || plane.Dimension() != 2 {
		t.Errorf("ε = %v in %d dimensions, want ln 9 in 2", v, plane.Dimension())
	}
	// Randomized response at ln 9 has δ(0) = (9 − 1)/(9 + 1).
	if got := must.For(must.For(privacy.Of(t.Context(), plane))(t).Delta(t.Context(), evidence.Epsilon{}))(t); got.Float() < 0.8-1e-15 || got.Float() > 0.8+1e-15 {
		t.Errorf("δ(0) = %v, want 0.8", got)
	}
	for _, c := range []struct {
		set  Set
		want string
	}{
		{NewSet(), "∅"}, {NewSet(Closed(rat(t, "1"), rat(t, "2"))), "[1, 2]"},
		{NewSet(Segment{Lo: rat(t, "1"), Hi: rat(t, "2"), OpenLo: true}), "(1, 2]"}, {NewSet(Segment{Lo: rat(t, "1"), Hi: rat(t, "2"), OpenHi: true}), "[1, 2)"},
	} {
		if got := c.set.String(); got != c.want {
			t.Errorf("a set prints %q, want %q", got, c.want)
		}
	}
	// The normalizer is rational if z is. For {0, ±1, …} it is 1 + 2z/(1 − z) by counting.
	unit := must.For(NewPurest(t.Context(), linearOf(t, rats(t, "1", "1")...), nine))(t)
	if got, ok := unit.Normalizer().(evidence.Exact); !ok || got.Value.Cmp(big.NewRat(10, 8)) != 0 || got.Cases == 0 {
		t.Errorf("normalizer %v, want 5/4", unit.Normalizer())
	}
	part := must.For(newSequence(t.Context(), linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...), rat(t, "1/700"), ringBudget{maxNodes: 9, enough: 1 << 30, maxWork: 1 << 30}))(t)
	if p, ok := part.Periodicity(); ok || p != (Periodicity{}) {
		t.Errorf("unknown layers are periodic: %v", p)
	}
}

// Error messages give the parameter, its value and its range, at both ends of the range.
func TestErrorMessages(t *testing.T) {
	ctx, one := t.Context(), evidencetest.Epsilon(1)
	line, points := linearOf(t, rats(t, "1", "2")...), linearOf(t, rats(t, "1", "1", "3", "3")...)
	far := linearOf(t, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 32)), new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 32)), rat(t, "1"), rat(t, "1"))
	var columns []Point
	for i := range 12 {
		columns = append(columns, Point{big.NewRat(1, int64(i)+7), big.NewRat(1, int64(i*i)+31)})
	}
	many := must.For(NewKNormPlane(columns, one))(t)
	gauss := must.For(NewDiscreteGaussian(points, big.NewRat(3, 1000)))(t)
	part := must.For(newSequence(ctx, linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...), rat(t, "1/700"), ringBudget{maxNodes: 9, enough: 1 << 30, maxWork: 1 << 30}))(t)
	unknown := must.For(NewLayered(part, one))(t)
	for want, do := range map[string]func() error{
		fmt.Sprintf("neighboring set is %v, want points only", line.NeighboringSet()):              func() error { _, err := NewGeometric(line, one); return err },
		"neighboring set extends over 4294967296 steps of its lattice, want at most 2^31":          func() error { _, err := NewGeometric(far, one); return err },
		"layer = 6 of 12 columns has more than 2^17 values, want a smaller layer or fewer columns": func() error { _, err := many.images(ctx, 6); return err },
		"sigma = 29/10000, want 3/1000…1125899906842624: from a thousandth of the sensitivity to 2^50 steps of the lattice": func() error {
			_, err := NewDiscreteGaussian(points, big.NewRat(29, 10000))
			return err
		},
		"sigma = 1125899906842625, want 3/1000…1125899906842624: from a thousandth of the sensitivity to 2^50 steps of the lattice": func() error {
			_, err := NewDiscreteGaussian(points, big.NewRat(1<<50+1, 1))
			return err
		},
	} {
		err := do()
		if err == nil || err.Error() != want || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if m, err := NewDiscreteGaussian(line, big.NewRat(1, 1)); m != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a discrete Gaussian of an interval: %v, %v", m, err)
	}
	if _, err := NewDiscreteGaussian(points, big.NewRat(1<<50, 1)); err != nil {
		t.Errorf("2^50 steps: %v", err)
	}
	if v, err := gauss.Noise(-1, rand.NewPCG(1, 2)); v != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("−1 draws: %v, %v", v, err)
	}
	// A mechanism with only some layers known has no exact sampler.
	want := fmt.Sprintf("%v: %s has no exact sampler, because only its layers up to %d are known; for a radius with a smaller denominator all of them may be", ErrUnknownLayer, unknown.Name(), unknown.known)
	if _, err := unknown.Sampler(); !errors.Is(err, ErrUnknownLayer) || err.Error() != want {
		t.Errorf("a sampler of unknown layers: %v, want %q", err, want)
	}
	if v, err := Release(ctx, unknown, new(big.Rat), 3, nil, rand.NewPCG(1, 2)); v != nil || !errors.Is(err, ErrUnknownLayer) {
		t.Errorf("a release of unknown layers: %v, %v", v, err)
	}
}

// Methods that goroutines share wait for their lock.
func TestSharedStateIsLocked(t *testing.T) {
	k := new(Cache)
	locks.Awaited(t, "storing layers", &k.mu, func() { k.put("1", new(Sequence)) })
	locks.Awaited(t, "reading layers", &k.mu, func() {
		if k.get("1") == nil {
			t.Error("the cached value is not found")
		}
	})
}
