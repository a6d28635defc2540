package certificate_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// around returns the float64s next to a number, the number itself twice where it is one.
func around(q *big.Rat) (below, above float64) {
	near := interval.Rat(q)
	return near.Bounds()
}

// smallestDelta is the least δ above 0 that Gaussian noise is computed at.
const smallestDelta = 1e-307

// fallingInDelta encloses what falls as δ rises, or rises, and has a limit as δ falls to 0.
func fallingInDelta(delta string, limit interval.Interval, of func(delta evidence.Delta) interval.Interval) interval.Interval {
	at := deltaOf(delta)
	if !at.IsZero() && at.Value() < smallestDelta {
		return interval.Hull(of(evidencetest.Delta(smallestDelta)), limit)
	}
	return of(at)
}

func deltaOf(text string) evidence.Delta { return must.Be(evidence.RationalDelta("delta", rat(text))) }

func enclosed[N evidence.Number](n N, err error) interval.Interval {
	return evidence.Enclosure(must.Be(n, err))
}

func epsilonHolds(s stated) error {
	p := mechanism.Privacy(s.mechanism())
	return s.Is.meets(enclosed(p.Epsilon(context.Background(), deltaOf(s.Delta))))
}

func tradeoffHolds(s struct {
	Mechanism statedMechanism
	Alpha     string
	Is        statedNumber
}) error {
	of := must.Be(privacy.New(mechanism.Pairs(s.Mechanism.mechanism())).Tradeoff(context.Background()))
	if !of.Exact {
		return errors.New("it is not known exactly")
	}
	alpha, value := rat(s.Alpha), new(big.Rat)
	var before [2]*big.Rat
	for i, c := range of.Corners {
		a, b := c.Alpha.(evidence.Exact).Value, c.Beta.(evidence.Exact).Value
		if a.Cmp(alpha) >= 0 {
			value = b
			if i > 0 && a.Cmp(alpha) > 0 { // before + (alpha − before)·(b − before)/(a − before)
				slope := new(big.Rat).Sub(b, before[1])
				slope.Quo(slope, new(big.Rat).Sub(a, before[0]))
				value = new(big.Rat).Sub(alpha, before[0])
				value.Add(value.Mul(value, slope), before[1])
			}
			break
		}
		before = [2]*big.Rat{a, b}
	}
	return s.Is.allows(evidence.Exact{Value: value})
}

type statedComposition struct {
	Parts []struct {
		Mechanism statedMechanism
		Times     int
	}
	Eps   *statedEpsilon
	Delta string
	Is    statedNumber
}

func compositionHolds(s statedComposition) error {
	ctx := context.Background()
	var parts []*privacy.Account
	var times []int
	for _, p := range s.Parts {
		parts, times = append(parts, privacy.New(mechanism.Pairs(p.Mechanism.mechanism()))), append(times, p.Times)
	}
	c := must.Be(privacy.Compose(ctx, parts, times))
	if s.Eps != nil {
		return s.Is.allows(must.Be(c.Delta(ctx, s.Eps.epsilon())))
	}
	return s.Is.allows(must.Be(c.Epsilon(ctx, deltaOf(s.Delta))))
}

type statedComparison struct {
	First, Second statedMechanism
	Signs         []int
	Margin        string
	Better        int
}

func comparisonHolds(s statedComparison) error {
	a, b := s.First.mechanism(), s.Second.mechanism()
	if !a.Query().Space().SameNeighbors(b.Query().Space()) {
		return errors.New("their datasets are others")
	}
	if len(s.Signs) != a.Query().Size() {
		return errors.New("there are more or fewer datasets")
	}
	least := new(big.Rat).Sub(big.NewRat(1, 1), rat(s.Margin))
	surely, possibly := 0, 0
	for x, sign := range s.Signs {
		p, q := mechanism.Distortion(a, x), mechanism.Distortion(b, x)
		if got, known := orderOf(p, q, big.NewRat(1, 1)); known && got != sign {
			return fmt.Errorf("the distortions at %d are %v and %v", x, p, q)
		}
		got, known := orderOf(p, q, least)
		if known && got < 0 {
			surely++
		}
		if !known || got < 0 {
			possibly++
		}
	}
	if s.Better < surely || s.Better > possibly {
		return fmt.Errorf("the first is better at %d to %d datasets", surely, possibly)
	}
	if c, err := mechanism.Compare(context.Background(), a, b); err == nil && least.Cmp(new(big.Rat).Sub(big.NewRat(1, 1), mechanism.BetterMargin)) == 0 {
		if signs, better, err := c.Signs(context.Background()); err == nil && (!slices.Equal(signs, s.Signs) || better != s.Better) {
			return fmt.Errorf("the signs are %d, and %d are better", signs, better)
		}
	}
	return nil
}

// orderOf returns the sign of a − share·b, where it is known.
func orderOf(a, b evidence.Number, share *big.Rat) (sign int, known bool) {
	p, exactP := a.(evidence.Exact)
	q, exactQ := b.(evidence.Exact)
	if exactP && exactQ {
		return p.Value.Cmp(new(big.Rat).Mul(share, q.Value)), true
	}
	x, y := evidence.Enclosure(a), evidence.Enclosure(b).Mul(interval.Rat(share))
	switch {
	case x.Less(y):
		return -1, true
	case y.Less(x):
		return 1, true
	}
	return 0, false
}

type statedLayers struct {
	Query   statedQuery
	Decay   statedEpsilon
	Spread  string
	Initial statedInitial
	Levels  [][]*int
	After   [][]*int
	Move    *struct{ X, R, Layer int }
}

func layersHold(s statedLayers) error {
	ctx := context.Background()
	m := must.Be(layers.NewGeneral(ctx, s.Query.query(), s.Decay.epsilon(), s.Initial.sets(), layers.Rule(s.Spread)))
	if err := areLevels(m, s.Levels); err != nil || s.Move == nil {
		return err
	}
	return areLevels(must.Be(m.Migrate(ctx, layers.Move{Dataset: s.Move.X, Value: s.Move.R, Layer: s.Move.Layer})), s.After)
}

// areLevels returns an error where other levels than those of a mechanism are given.
func areLevels(m *layers.Mechanism, given [][]*int) error {
	if len(given) != m.Query().Size() {
		return errors.New("there are more or fewer datasets")
	}
	for x, row := range given {
		if len(row) != len(m.Query().Range()) {
			return errors.New("there are more or fewer values")
		}
		for r, level := range row {
			if known := m.Layer(x, r); level == nil && known != query.Unreached || level != nil && known != *level {
				return fmt.Errorf("value %d is in layer %d at %d", r, known, x)
			}
		}
	}
	return nil
}

type statedUniverse struct {
	Nodes         int
	Classes       []string
	Automorphisms []uint64
	Neighbors     [][2]int
}

func universeHolds(s statedUniverse) error {
	g := must.Be(query.NewGraphs(context.Background(), s.Nodes))
	var at []int
	for x, class := range s.Classes {
		i := must.Be(g.Index(class))
		if at = append(at, i); s.Automorphisms[x] != g.Automorphisms(i) {
			return fmt.Errorf("%s has %d automorphisms", class, g.Automorphisms(i))
		}
	}
	if sorted := slices.Sorted(slices.Values(at)); len(slices.Compact(sorted)) != g.Size() || len(at) != g.Size() || len(s.Automorphisms) != g.Size() {
		return errors.New("these are not all graphs")
	}
	seen := make(map[[2]int]bool)
	for _, pair := range s.Neighbors {
		seen[pair] = true
		if g.Space().Distance(at[pair[0]], at[pair[1]]) != 1 {
			return fmt.Errorf("%d are no neighbors", pair)
		}
	}
	if n := g.Space().Pairs(); int64(len(seen)) != n || int64(len(s.Neighbors)) != n {
		return fmt.Errorf("there are %d pairs of neighbors", n)
	}
	return nil
}
