package continuous

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
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
		v, radius := RandomSet(r, 9, trial%2 == 0)
		if trial%2 == 0 {
			radius = 0
		}
		m := must.For(NewDeltaNeighborhood(t.Context(), must.For(ScaledQuery(v, 1))(t), evidencetest.Epsilon(0.5), big.NewRat(int64(radius), 1)))(t)
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
			if budget <= 0 && radius == 0 && trial%2 == 0 && len(points)+budget > 1 && got.CmpHi(most.Upper()) != 0 { // a search that stops at once evaluates at most one shift
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

// steps returns an upper bound on the sum of |z^L − z^L'|. The two are equal if both progressions have the same slope.
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

// A mechanism reports its name and its ε. The ε is proved, so the evidence counts no cases.
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
	// K-norm noise reports its ε, and the bound on δ that follows from ε.
	plane := must.For(NewKNormPlane([]Point{{rat(t, "1"), rat(t, "0")}, {rat(t, "0"), rat(t, "1")}}, nine))(t)
	v := must.For(plane.Privacy().Epsilon(t.Context(), evidence.Delta{}))(t)
	if got, ok := v.(evidence.ExactLog); !ok || got.Argument.Cmp(big.NewRat(9, 1)) != 0 || got.Cases != 0 || plane.Dimension() != 2 {
		t.Errorf("ε = %v in %d dimensions, want ln 9 in 2", v, plane.Dimension())
	}
	// Randomized response at ε = ln 9 has δ(0) = (9 − 1)/(9 + 1).
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
	// The normalizer is rational if z is. For V = {0, ±1} it is 1 + 2z/(1 − z) points.
	unit := must.For(NewPurest(t.Context(), linearOf(t, rats(t, "1", "1")...), nine))(t)
	if got, ok := unit.Normalizer().(evidence.Exact); !ok || got.Value.Cmp(big.NewRat(10, 8)) != 0 || got.Cases == 0 {
		t.Errorf("normalizer %v, want 5/4", unit.Normalizer())
	}
	part := must.For(newSequence(t.Context(), linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...), rat(t, "1/700"), ringBudget{maxNodes: 9, enough: 1 << 30, maxWork: 1 << 30}))(t)
	if p, ok := part.Periodicity(); ok || p != (Periodicity{}) {
		t.Errorf("unknown layers are periodic: %v", p)
	}
}

// Error messages name the parameter, its value and its range, at both ends of the range.
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
	// If only some layers of a mechanism are known, it has no exact sampler.
	want := fmt.Sprintf("%v: %s has no exact sampler, because only its layers up to %d are known: use a radius with a smaller denominator, for which all layers may be known", ErrUnknownLayer, unknown.Name(), unknown.known)
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
