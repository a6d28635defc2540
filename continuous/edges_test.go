package continuous

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Layers are apart from each other, and those up to any fill one interval, or its lattice points,
// about 0; each is its own mirror image.
func TestLayersFillAnInterval(t *testing.T) {
	ctx := context.Background()
	line, lattice := linearOf(t, rats(t, "0", "3/2")...), linearOf(t, rats(t, "1", "1", "3", "3")...)
	const upTo = 4
	for name, layers := range map[string]func() ([]Set, error){
		"laplace": func() ([]Set, error) { return must.For(NewLaplace(line, nats(t, 1)))(t).Layers(ctx, upTo) },
		"γ = 2/7": func() ([]Set, error) {
			return must.For(NewStaircase(line, nats(t, 1), rat(t, "2/7")))(t).Layers(ctx, upTo)
		},
		"best γ": func() ([]Set, error) {
			return must.For(NewOptimalStaircase(line, nats(t, 1), CostAbs))(t).Layers(ctx, upTo)
		},
		"purest": func() ([]Set, error) { return must.For(NewPurest(ctx, line, nats(t, 1)))(t).Layers(ctx, upTo) },
		"radius 1/5": func() ([]Set, error) {
			return must.For(NewDeltaNeighborhood(ctx, line, nats(t, 1), rat(t, "1/5")))(t).Layers(ctx, upTo)
		},
		"geometric":   func() ([]Set, error) { return must.For(NewGeometric(lattice, nats(t, 1)))(t).Layers(ctx, upTo) },
		"purest, two": func() ([]Set, error) { return must.For(NewPurest(ctx, lattice, nats(t, 1)))(t).Layers(ctx, upTo) },
	} {
		sets, err := layers()
		if err != nil || len(sets) != upTo+1 {
			t.Fatalf("%s: %d layers, error %v", name, len(sets), err)
		}
		var all Set
		total, points := new(big.Rat), 0
		for i, s := range sets {
			if s.IsEmpty() || !s.Equal(s.Negate()) || (i == 0) != s.Contains(new(big.Rat)) {
				t.Errorf("%s: layer %d is %v", name, i, s)
			}
			all = all.Union(s)
			total.Add(total, s.Length())
			points += s.Points()
		}
		if total.Sign() == 0 {
			if all.Points() != points {
				t.Errorf("%s: %d points, %d with repeats", name, all.Points(), points)
			}
			continue
		}
		if len(all.Segments()) != 1 || all.Length().Cmp(total) != 0 {
			t.Errorf("%s: layers of length %v fill %v", name, total, all)
		}
	}
}

// δ of Laplace noise lies between its ends, which are neighbors or 1 apart in the last place.
func TestLaplaceDeltaEnds(t *testing.T) {
	line := linearOf(t, rats(t, "0", "3/2")...)
	for _, top := range []float64{1e-30, 1e-9, 0.1, 1, 4, 600} {
		m := must.For(NewLaplace(line, nats(t, top)))(t)
		for _, share := range []float64{0, 0.1, 0.5, 0.9, 1 - 0x1p-50} {
			eps := evidence.Epsilon{}
			if share > 0 {
				eps = nats(t, share*top)
			}
			got := must.For(m.Privacy().Delta(context.Background(), eps))(t)
			gap := nats(t, top).Enclosure().Sub(eps.Enclosure()).Quo(interval.Int(2))
			truth := gap.Neg().Expm1().Neg()
			lo, hi := got.Bounds()
			if interval.Float(lo).CmpLo(truth) > 0 || interval.Float(hi).CmpHi(truth) < 0 || hi-lo > 0x1p-51*hi {
				t.Errorf("ε₀ = %v, ε = %v: δ in [%v, %v], want %v", top, share*top, lo, hi, truth)
			}
		}
	}
}

// Draws that float64 has no room for are refused with the scale of the noise.
func TestNoiseSaysItsScale(t *testing.T) {
	huge := linearOf(t, rats(t, "1e300", "1e300")...)
	long := linearOf(t, rats(t, "0", "1e300")...)
	for name, c := range map[string]struct {
		draw func() error
		want string
	}{
		"geometric": {func() error {
			_, err := must.For(NewGeometric(huge, nats(t, 1e-20)))(t).Noise(3, rand.NewPCG(1, 1))
			return err
		}, "noise of scale [1.000000000000000054"},
		"laplace": {func() error {
			_, err := must.For(NewLaplace(long, nats(t, 1e-20)))(t).Noise(3, rand.NewPCG(1, 1))
			return err
		}, "noise of scale [1.000000000000000054"},
		"staircase": {func() error {
			_, err := must.For(NewStaircase(long, nats(t, 1e-20), rat(t, "1/2")))(t).Noise(3, rand.NewPCG(1, 1))
			return err
		}, "noise of scale [1.000000000000000054"},
	} {
		err := c.draw()
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// A hull's corners are those points that lie in no triangle and on no edge of others, each once,
// however often it is given, counterclockwise from the leftmost lowest.
func TestHullOfRepeatedPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(116, 1))
	for range 200 {
		var points []Point
		for range 3 + rng.IntN(7) {
			p := Point{big.NewRat(int64(rng.IntN(5)), 1), big.NewRat(int64(rng.IntN(5)), 1)}
			for range 1 + rng.IntN(3) {
				points = append(points, p)
			}
		}
		got := hull(points)
		flat := true
		for _, p := range points {
			flat = flat && got[0].minus(p).cross(got[min(1, len(got)-1)].minus(p)).Sign() == 0
		}
		if flat {
			continue
		}
		for i, p := range got {
			q, r := got[(i+1)%len(got)], got[(i+2)%len(got)]
			if q.minus(p).cross(r.minus(q)).Sign() <= 0 {
				t.Fatalf("corners %v do not turn left at %v", got, q)
			}
			for _, x := range points {
				if q.minus(p).cross(x.minus(p)).Sign() < 0 {
					t.Fatalf("corners %v leave out %v", got, x)
				}
			}
			if c := p[0].Cmp(got[0][0]); c < 0 || c == 0 && p[1].Cmp(got[0][1]) < 0 {
				t.Fatalf("corners %v do not begin at the leftmost lowest", got)
			}
		}
	}
}

// Whenever a context ends before all is done, what is returned is its error alone.
func TestEndsAtAnyQuestion(t *testing.T) {
	line := linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...)
	for name, f := range map[string]func(ctx context.Context) (any, error){
		"a grid": func(ctx context.Context) (any, error) {
			v, err := Grid(ctx, line, rats(t, "1/7")[:1], decaysOf(t, 1))
			return v == nil, err
		},
		"two layers": func(ctx context.Context) (any, error) {
			v, err := NewPurest(ctx, line, nats(t, 1))
			return v == nil, err
		},
		"a certificate": func(ctx context.Context) (any, error) {
			l := must.For(NewSequence(context.Background(), line, new(big.Rat)))(t)
			n, err := l.Certify(ctx)
			return n < 1<<40, err
		},
		"some layers": func(ctx context.Context) (any, error) {
			v, err := must.For(NewPurest(context.Background(), line, nats(t, 1)))(t).Layers(ctx, 3)
			return v == nil, err
		},
		"best radii": func(ctx context.Context) (any, error) {
			v, err := BestRadii(ctx, line, decaysOf(t, 1), rat(t, "1"), 2)
			return v == nil, err
		},
	} {
		whole := looks.After(context.Background(), 1<<40)
		if _, err := f(whole); err != nil || whole.Looks() == 0 && name != "a certificate" {
			t.Fatalf("%s: %d questions, error %v", name, whole.Looks(), err)
		}
		all := whole.Looks()
		for n := 1; n < all; n += 1 + n/16 {
			if none, err := f(looks.After(context.Background(), n-1)); !errors.Is(err, context.Canceled) || none != true {
				t.Errorf("%s, ended at question %d of %d: error %v", name, n, all, err)
			}
		}
	}
}

// Pieces of the front over equal arcs are joined where their positions touch, and count as old only
// where both do; pieces that touch at equal positions are one, with the ends of the outer ones.
func TestFrontsAreJoined(t *testing.T) {
	at := func(lo, hi gridInt64, from, to int, oldLo, oldHi bool) ringPiece[gridInt64] {
		return ringPiece[gridInt64]{lo, hi, ringSpan{from, to}, oldLo, oldHi}
	}
	for _, flags := range [][4]bool{{true, true, true, true}, {true, true, true, false}, {true, true, false, true}, {true, false, true, true}, {false, true, true, true}} {
		b := &ringBuilder[gridInt64]{front: []ringPiece[gridInt64]{at(3, 5, 1, 1, flags[2], flags[3]), at(3, 5, 0, 0, flags[0], flags[1]), at(3, 5, 4, 4, true, true)}}
		b.coalesce()
		want := []ringPiece[gridInt64]{at(3, 5, 0, 1, flags[0] && flags[2], flags[1] && flags[3]), at(3, 5, 4, 4, true, true)}
		if !slices.Equal(b.front, want) {
			t.Errorf("old ends %v: %v, want %v", flags, b.front, want)
		}
		b.front = []ringPiece[gridInt64]{at(5, 9, 0, 0, flags[2], flags[3]), at(3, 5, 0, 0, flags[0], flags[1]), at(4, 6, 0, 0, true, true), at(9, 9, 1, 1, false, false)}
		b.coalesce()
		want = []ringPiece[gridInt64]{at(3, 9, 0, 0, flags[0], flags[3]), at(9, 9, 1, 1, false, false)}
		if !slices.Equal(b.front, want) {
			t.Errorf("old ends %v: %v, want %v", flags, b.front, want)
		}
	}
	list := nodeList[gridInt64]{}
	list.insert(0, 0, ringNode[gridInt64]{at: 0})
	for i := gridInt64(1); i < 1000; i++ {
		c := list.last(i - 1)
		list.insert(c.block, c.index+1, ringNode[gridInt64]{at: i})
	}
	seen := gridInt64(0)
	for c := list.last(0); c.ok(); c = list.next(c) {
		if list.at(c).at != seen || list.last(seen) != c {
			t.Fatalf("node %v is %v", seen, list.at(c).at)
		}
		seen++
	}
	if seen != 1000 || list.count != 1000 {
		t.Errorf("%v nodes of %d", seen, list.count)
	}
}

// The Minkowski sum of two polygons is the hull of the sums of their corners.
func TestMinkowskiSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(116, 2))
	draw := func() []Point {
		for {
			var points []Point
			for range 3 + rng.IntN(6) {
				points = append(points, Point{big.NewRat(int64(rng.IntN(9)-4), 2), big.NewRat(int64(rng.IntN(9)-4), 3)})
			}
			if h := hull(points); len(h) > 2 {
				return h
			}
		}
	}
	for range 200 {
		a, b := draw(), draw()
		var all []Point
		for _, p := range a {
			for _, q := range b {
				all = append(all, p.plus(q))
			}
		}
		if got, want := minkowski(a, b), hull(all); !slices.EqualFunc(got, want, Point.equal) {
			t.Fatalf("%v + %v = %v, want %v", a, b, got, want)
		}
	}
}

// What is asked of a mechanism that cannot be gives its error and nothing else.
func TestErrorsComeAlone(t *testing.T) {
	if err := checkRate("eps", evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "eps") {
		t.Errorf("an ε of 0: error %v", err)
	}
	l := sequenceOf(t, new(big.Rat), rats(t, "0", "1", "5", "5", "9", "10")...)
	for i := range l.nodes {
		for k, s := range l.nodes[i].gap {
			if s.level > 0 {
				l.nodes[i].gap = slices.Clone(l.nodes[i].gap)
				l.nodes[i].gap[k].level += 2
			}
		}
	}
	m := must.For(NewLayered(l, nats(t, 1)))(t)
	if e, err := m.Privacy().Epsilon(context.Background(), evidence.Delta{}); e != nil || !errors.Is(err, ErrLayerGap) {
		t.Errorf("layers with a gap have ε = %v, error %v", e, err)
	}
	// Sums are rational as long as the longer of the two polynomials is.
	var short, long int
	for _, ends := range [][]string{{"0", "1"}, {"1", "1"}, {"1", "1", "3", "3"}, {"0", "1/3", "1", "1"}, {"2", "2", "7", "7"}} {
		l = sequenceOf(t, new(big.Rat), rats(t, ends...)...)
		short, long = min(len(l.weights.second), len(l.moments.second)), max(len(l.weights.second), len(l.moments.second))
		if short < long {
			break
		}
	}
	if short == long {
		t.Fatal("take other queries")
	}
	for _, c := range []struct {
		bits int
		want bool
	}{{maxExactBits / long, true}, {maxExactBits/long + 1, false}} {
		base := new(big.Rat).SetInt(new(big.Int).SetBit(big.NewInt(1), c.bits-1, 1))
		eps := must.For(evidence.LogEpsilon("eps", base))(t)
		if _, exact := l.exactly(eps); exact != c.want {
			t.Errorf("sums of %d and %d terms of %d bits are exact: %v", short, long, c.bits, exact)
		}
	}
}

// Where γ is not rational, a number within its enclosure is not told from the first step's end.
func TestUndecidedSteps(t *testing.T) {
	line := linearOf(t, rats(t, "0", "3/2")...)
	s := must.For(NewOptimalStaircase(line, nats(t, 1), CostAbs))(t)
	at, _ := s.gamma.Enclosure.MidFloat(interval.Prec).Rat(nil)
	at.Mul(at, rat(t, "3/2"))
	if in, err := s.StepExceeds(at); in || !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("the end itself: %v, error %v", in, err)
	}
	if d, err := s.Density(at); d != nil || !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("the density at the end: %v, error %v", d, err)
	}
	for _, c := range []struct {
		off  string
		want bool
	}{{"-1e-60", true}, {"1e-60", false}} {
		if in, err := s.StepExceeds(new(big.Rat).Add(at, rat(t, c.off))); err != nil || in != c.want {
			t.Errorf("%s beside the end: %v, error %v", c.off, in, err)
		}
	}
}

// Sums are those of rational numbers where z is so near to 1 that second differences cancel, and
// just not so near that its powers are one.
func TestSumsWhereDifferencesCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(116, 3))
	one := big.NewRat(1, 1)
	for trial := range 30 {
		v, radius := randomSet(r, 4+r.IntN(12), trial%3 == 0)
		l := must.For(NewSequence(context.Background(), must.For(scaledQuery(v, 3))(t), big.NewRat(int64(radius), 3)))(t)
		for bits := uint(90); bits < 104; bits++ {
			rest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
			z := new(big.Rat).Sub(one, rest)
			weight, moment := l.polynomials(rate{interval.Rat(z), interval.Rat(rest)})
			w, m := l.weights.rational(z), l.moments.rational(z)
			for range l.first {
				w.Quo(w, z)
				m.Quo(m, z)
			}
			holdsRat(t, "the weights", weight, w, 60)
			holdsRat(t, "the moments", moment, m, 60)
		}
	}
	// Where nothing but the terms themselves is left, each of them counts, the first one too.
	l := sequenceOf(t, rat(t, "1/3"), rats(t, "0", "1/7", "1", "3/2")...)
	for bits := uint(194); bits < 240; bits += 5 {
		rest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		z := new(big.Rat).Sub(one, rest)
		holdsRat(t, "the weights by themselves", l.weights.total(rate{interval.Rat(z), interval.Rat(rest)}, 0), l.weights.rational(z), 60)
	}
	// What a ring starts from is joined.
	for _, radius := range []gridInt64{0, 1, 4, 5, 9, 10} {
		b := newRingBuilder(gridInt64(4), radius, [][2]gridInt64{{-4, 4}})
		front := slices.Clone(b.front)
		if b.coalesce(); !slices.Equal(front, b.front) {
			t.Errorf("radius %d: a front of %v, joined %v", radius, front, b.front)
		}
	}
}

// The layers of Laplace are told to be those of the paper that defines them, and Laplace itself is not.
func TestLayersOfLaplaceHaveTheirSource(t *testing.T) {
	l := must.For(NewLaplace(linearOf(t, rats(t, "1", "2")...), nats(t, 1)))(t)
	for want, n := range map[bool]evidence.Number{true: l.Discretized().Distortion(), false: l.Distortion()} {
		if c, ok := n.(evidence.Certified); !ok || strings.Contains(c.Source, "Definition 13") != want {
			t.Errorf("%#v, its source is Definition 13: want %t", n, want)
		}
	}
}

// Layers of a lattice are listed up to 2²⁰ points of either sign, and refused beyond before any is.
func TestLatticesOfManyPoints(t *testing.T) {
	m := must.For(NewGeometric(linearOf(t, rats(t, "1", "1", "524288", "524288")...), nats(t, 1)))(t)
	for _, upTo := range []int{2, 3, 100} {
		if out, err := m.Layers(t.Context(), upTo); out != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "lists more than 2^20 points") {
			t.Errorf("%d layers of 2^19 points: %d, %v", upTo, len(out), err)
		}
	}
}
