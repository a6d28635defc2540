package networks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// The error for an argument out of range names it, with its value and the range. The limits of the range are accepted.
func TestMessages(t *testing.T) {
	ctx, eps, none := t.Context(), ln(t, 2, 1), evidence.Epsilon{}
	loop, arc := graphOf(t, 3), graphOf(t, 3)
	loop.Set(2, 2, true)
	arc.Set(0, 2, true)
	far := graphOf(t, 70) // in the second word of a row
	far.Set(3, 66, true)
	wide := must.For(xor.NewBits(2, 3))(t)
	src := rand.NewPCG(1, 1)
	pygmalion := must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true}))(t)
	whole := must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true, Whole: true}))(t)
	occur := must.For(NewPygmalion(eps, PygmalionOptions{}))(t)
	pbcn := must.For(NewPBCN(eps, PBCNOptions{}))(t)
	decoys := must.For(NewPBCN(eps, PBCNOptions{Decoys: 1}))(t)
	ldpgen := must.For(NewLDPGen(eps, LDPGenOptions{Groups: 2}))(t)
	many, first := must.For(NewLDPGen(eps, LDPGenOptions{Groups: 3}))(t), must.For(NewLDPGen(eps, LDPGenOptions{Initial: 3, Groups: 2}))(t)
	near := must.For(NewApproxDeg(eps, ApproxDegOptions{}))(t)
	sequence := must.For(NewApproxDeg(eps, ApproxDegOptions{Sequence: true}))(t)
	two := must.For(NewDPCD(eps, 2, DPCDOptions{}))(t)
	share := func(q *big.Rat) error { return second(NewLDPGen(eps, LDPGenOptions{Share: q})) }
	huge := new(big.Rat).SetFrac(big.NewInt(1<<61), new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 62), big.NewInt(1))) // 62 and 63 digits
	for k, c := range []struct {
		err  error
		want string
	}{
		{second(NewPygmalion(none, PygmalionOptions{DegreeBound: -1})), "eps = 0, want a positive finite number"},
		{second(NewPygmalion(eps, PygmalionOptions{DegreeBound: -1, Partitions: -1})), "degree_bound = -1, want at least 1, or 0 for none"},
		{second(NewPygmalion(eps, PygmalionOptions{Partitions: -1})), "partitions = -1, want 0 to 30"},
		{second(NewPygmalion(eps, PygmalionOptions{Partitions: 31})), "partitions = 31, want 0 to 30"},
		{second(NewPBCN(none, PBCNOptions{Clusters: -1})), "eps = 0, want a positive finite number"},
		{second(NewPBCN(eps, PBCNOptions{Clusters: -1})), "clusters = -1, want 0 to 32768"},
		{second(NewPBCN(eps, PBCNOptions{Sensitivity: 32769})), "sensitivity = 32769, want 0 to 32768"},
		{second(NewPBCN(eps, PBCNOptions{Decoys: -2})), "decoys = -2, want 0 to 32768"},
		{second(NewLDPGen(none, LDPGenOptions{Initial: -1})), "eps = 0, want a positive finite number"},
		{second(NewLDPGen(eps, LDPGenOptions{Initial: -1})), "initial = -1, want 1 to 32768"},
		{second(NewLDPGen(eps, LDPGenOptions{Groups: 32769})), "groups = 32769, want 1 to 32768"},
		{share(new(big.Rat)), "share = 0, want a number between 0 and 1"},
		{share(big.NewRat(-1, 2)), "share = -1/2, want a number between 0 and 1"},
		{share(big.NewRat(1, 1)), "share = 1, want a number between 0 and 1"},
		{share(big.NewRat(3, 2)), "share = 3/2, want a number between 0 and 1"},
		{share(huge), "share = 2305843009213693952/4611686018427387905, want a number between 0 and 1"},
		{second(NewApproxDeg(none, ApproxDegOptions{DegreeBound: -1})), "eps = 0, want a positive finite number"},
		{second(NewApproxDeg(eps, ApproxDegOptions{DegreeBound: -1})), "degree_bound = -1, want at least 1, or 0 for √N"},
		{second(NewDPCD(none, 0, DPCDOptions{})), "eps = 0, want a positive finite number"},
		{second(NewDPCD(eps, 0, DPCDOptions{})), "communities = 0, want at least 1"},
		{second(NewDPCD(eps, 1, DPCDOptions{Sensitivity: -1})), "sensitivity = -1, want a positive finite number"},
		{second(readGraph(nil)), "the graph has no nodes, want at least 1"},
		{second(readGraph(new(xor.Bits))), "the graph has no nodes, want at least 1"},
		{second(readGraph(wide)), "the adjacency matrix is 2 × 3, want a square one"},
		{second(readGraph(loop)), "node 2 has a loop, want a graph without loops"},
		{second(readGraph(arc)), "entry (0, 2) of the adjacency matrix is 1 and (2, 0) is 0, want a symmetric one"},
		{second(readGraph(far)), "entry (3, 66) of the adjacency matrix is 1 and (66, 3) is 0, want a symmetric one"},
		{second(two.Communities(ctx, graphOf(t, 1), src)), "communities = 2, want 1 to 1, the number of nodes"},
		{second(pygmalion.Measured(ctx, 3, LocalEdge)), `neighbors = "edge local", want "edge": the mechanism measures a series of the whole graph`},
		{second(pygmalion.Measured(ctx, 32769, Edge)), "nodes = 32769, want 2 to 32768"},
		{second(pygmalion.Measured(ctx, 1, Edge)), "nodes = 1, want 2 to 6: all graphs are enumerated"},
		{second(whole.Measured(ctx, 7, Edge)), "nodes = 7, want 2 to 6: all graphs are enumerated"},
		{second(occur.Measured(ctx, 0, Edge)), "nodes = 0, want 2 to 6: all graphs are enumerated"},
		{second(pbcn.Measured(ctx, 3, LocalEdge)), `neighbors = "edge local", want "edge": the mechanism measures degrees of the whole graph`},
		{second(pbcn.Measured(ctx, 1, Edge)), "nodes = 1, want 2 to 6: all graphs are enumerated"},
		{second(near.Measured(ctx, 3, LocalEdge)), `neighbors = "edge local", want "edge": the mechanism measures degrees of the whole graph`},
		{second(near.Measured(ctx, 1, Edge)), "nodes = 1, want 2 to 6: all graphs are enumerated"},
		{second(ldpgen.Measured(ctx, 1, Edge)), "nodes = 1, want at least 2"},
		{second(ldpgen.Measured(ctx, 2, "node")), `neighbors = "node", want "edge" or "edge local"`},
		{second(pbcn.Law(ctx, 1)), "nodes = 1, want 2 to 4"},
		{second(pbcn.Law(ctx, 5)), "nodes = 5, want 2 to 4"},
		{second(decoys.Law(ctx, 2)), "decoys = 1, want 0: the law is one of graphs with the same number of nodes"},
		{second(ldpgen.Law(ctx, 5)), "nodes = 5, want 2 to 4"},
		{second(many.Law(ctx, 2)), "2 groups in the first round and 3 in the second, want at most 2 in each to enumerate the law"},
		{second(first.Law(ctx, 2)), "3 groups in the first round and 2 in the second, want at most 2 in each to enumerate the law"},
		{second(pbcn.ReleasedEpsilon(ctx, 1)), "nodes = 1, want 2 to 6: all released graphs are enumerated"},
		{second(pbcn.ReleasedEpsilon(ctx, 7)), "nodes = 7, want 2 to 6: all released graphs are enumerated"},
		{second(decoys.ReleasedEpsilon(ctx, 2)), "decoys = 1, want 0: the law is one of graphs with the same number of nodes"},
		{second(near.ReleasedEpsilon(ctx, 7)), "nodes = 7, want 2 to 6: all released graphs are enumerated"},
		{second(sequence.ReleasedEpsilon(ctx, 2)), `statistic = "sequence" adds unbounded noise before smoothing, so its law cannot be enumerated: use measured(nodes) or audit(…) of samples`},
		{second(pygmalion.ReleasedEpsilon(ctx, 5)), "nodes = 5, want 2 to 4: all released graphs are enumerated"},
		{second(occur.ReleasedEpsilon(ctx, 1)), "nodes = 1, want 2 to 4: all released graphs are enumerated"},
		{second(ldpgen.ReleasedEpsilon(ctx, 6)), "nodes = 6, want 2 to 5: all released graphs are enumerated"},
		{second(many.ReleasedEpsilon(ctx, 2)), "2 groups in the first round and 3 in the second, want at most 2 in each to enumerate the law"},
		{second(first.ReleasedEpsilon(ctx, 2)), "3 groups in the first round and 2 in the second, want at most 2 in each to enumerate the law"},
	} {
		if c.err == nil || c.err.Error() != c.want || !errors.Is(c.err, evidence.ErrParameter) {
			t.Errorf("%d: %v, want %q", k, c.err, c.want)
		}
	}
	half := new(big.Rat).SetFrac(big.NewInt(1<<60), big.NewInt(1<<61+1)) // 62 digits
	for what, err := range map[string]error{
		"partitions":  second(NewPygmalion(eps, PygmalionOptions{Partitions: 30})),
		"clusters":    second(NewPBCN(eps, PBCNOptions{Clusters: 1 << 15, Sensitivity: 1 << 15, Decoys: 1 << 15})),
		"groups":      second(NewLDPGen(eps, LDPGenOptions{Initial: 1 << 15, Groups: 1 << 15})),
		"share":       share(half),
		"communities": second(must.For(NewDPCD(eps, 2, DPCDOptions{}))(t).Communities(ctx, graphOf(t, 2, [2]int{0, 1}), src)),
		"tuples":      second(occur.Measured(ctx, 1<<15, Edge)),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Names list the options and ε. Unset options have the documented defaults.
func TestNames(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.75))(t)
	promise := func(source string, of Relation) Guarantee {
		return Guarantee{evidence.Claimed{Value: 0.75, Epsilon: eps, Provenance: evidence.From(source)}, of, source}
	}
	type named interface {
		Name() string
		Guarantee() Guarantee
	}
	ldpgen := must.For(NewLDPGen(eps, LDPGenOptions{}))(t)
	pbcn := must.For(NewPBCN(eps, PBCNOptions{}))(t)
	for name, c := range map[string]struct {
		of     named
		claims Guarantee
	}{
		"Pygmalion(eps=0.75, the largest degree measured, tuples that occur)": {must.For(NewPygmalion(eps, PygmalionOptions{}))(t), promise("Sala et al. 2011", Edge)},
		"Pygmalion(eps=0.75, degrees up to 3, all tuples)":                    {must.For(NewPygmalion(eps, PygmalionOptions{DegreeBound: 3, AllTuples: true}))(t), promise("Sala et al. 2011", Edge)},
		"PBCN(eps=0.75, 10 clusters of the true degrees)":                     {pbcn, promise("Huang et al. 2020", Edge)},
		"PBCN(eps=0.75, 4 clusters of the noisy degrees)":                     {must.For(NewPBCN(eps, PBCNOptions{Clusters: 4, NoisyClusters: true}))(t), promise("Huang et al. 2020", Edge)},
		"LDPGen(eps=0.75, 2 groups, then 20)":                                 {ldpgen, promise("Qin et al. 2017", LocalEdge)},
		"LDPGen(eps=0.75, 5 groups, then 6)":                                  {must.For(NewLDPGen(eps, LDPGenOptions{Initial: 5, Groups: 6}))(t), promise("Qin et al. 2017", LocalEdge)},
		"ApproxDeg(eps=0.75, histogram)":                                      {must.For(NewApproxDeg(eps, ApproxDegOptions{}))(t), promise("An XOR Mechanism, footnote 8", Edge)},
		"ApproxDeg(eps=0.75, sequence)":                                       {must.For(NewApproxDeg(eps, ApproxDegOptions{Sequence: true}))(t), promise("An XOR Mechanism, footnote 8", Edge)},
		"DPCD(eps=0.75, 3 communities)":                                       {must.For(NewDPCD(eps, 3, DPCDOptions{}))(t), promise("An XOR Mechanism, footnote 8", Edge)},
	} {
		if got := c.of.Name(); got != name || c.of.Guarantee() != c.claims {
			t.Errorf("%s with %+v, want %s with %+v", got, c.of.Guarantee(), name, c.claims)
		}
	}
	if fmt.Sprint(ldpgen.Share, ldpgen.rounds()) != "1/2 [1/2 1/2]" || fmt.Sprint(must.For(NewLDPGen(eps, LDPGenOptions{Share: big.NewRat(1, 4)}))(t).rounds()) != "[1/4 3/4]" {
		t.Errorf("shares %v and %v", ldpgen.Share, ldpgen.rounds())
	}
	if pbcn.Sensitivity != 2 || must.For(NewPBCN(eps, PBCNOptions{Sensitivity: 5}))(t).Sensitivity != 5 {
		t.Errorf("sensitivity %d", pbcn.Sensitivity)
	}
	if s := must.For(NewDPCD(eps, 1, DPCDOptions{}))(t).Sensitivity; s != 2 {
		t.Errorf("sensitivity %v", s)
	}
	if s := must.For(NewDPCD(eps, 1, DPCDOptions{Sensitivity: 0.5}))(t).Sensitivity; s != 0.5 {
		t.Errorf("sensitivity %v", s)
	}
	star := graphOf(t, 4, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3})
	for _, of := range []Rival{ldpgen, pbcn} { // without a degree bound
		if n := must.For(of.Truncated(star))(t); n != 0 {
			t.Errorf("%s: %d nodes exceed the bound", of.Name(), n)
		}
	}
	occur := must.For(NewPygmalion(eps, PygmalionOptions{}))(t)
	e := must.For(occur.ReleasedEpsilon(t.Context(), 1<<20))(t)
	if (e != evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(occur.Name()).By("no edge and one edge: tuples that do not occur have no noise")}) {
		t.Errorf("only tuples that occur: %+v", e)
	}
	r := &released{ratio: math.Inf(1), least: 1}
	if e = must.For(r.epsilon(3, "a test"))(t); e != (evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From("a test").By("all graphs on 3 nodes, everything that can come out")}) {
		t.Errorf("an infinite ratio: %+v", e)
	}
	r = &released{ratio: 2, least: 1e-290}
	lo, hi := must.For(r.epsilon(3, ""))(t).Bounds()
	if !(lo < math.Ln2-3*lawError && lo > math.Ln2-5*lawError && hi > math.Ln2+3*lawError && hi < math.Ln2+5*lawError) {
		t.Errorf("a ratio of 2 has ε in [%v, %v]", lo, hi)
	}
	r.least = 0.99e-290
	if _, err := r.epsilon(3, ""); err == nil || err.Error() != "some measurements have a probability of 9.9e-291, want at least 1e-290: choose a smaller eps, or fewer nodes" {
		t.Error(err)
	}
}

// Accounts have their mechanism's name and report whether they are only upper bounds.
func TestMeasuredNames(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.75))(t)
	ctx := t.Context()
	all := must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true}))(t)
	bound := must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true, DegreeBound: 3, Whole: true}))(t)
	occur := must.For(NewPygmalion(eps, PygmalionOptions{}))(t)
	near := must.For(NewApproxDeg(eps, ApproxDegOptions{}))(t)
	pbcn := must.For(NewPBCN(eps, PBCNOptions{}))(t)
	noisy := must.For(NewPBCN(eps, PBCNOptions{NoisyClusters: true}))(t)
	own := must.For(NewPBCN(eps, PBCNOptions{OwnDegrees: true}))(t)
	local := must.For(NewLDPGen(eps, LDPGenOptions{}))(t)
	type measured interface {
		Name() string
		Measured(ctx context.Context, n int, of Relation) (*privacy.Account, error)
	}
	for k, c := range []struct {
		of    measured
		n     int
		as    string
		bound bool
		least float64 // of ε(0), in units of ε
		most  float64
	}{
		{all, 5, "what %s measures of graphs with 5 nodes", false, 0.5, 1},
		{all, 7, "what %s measures of graphs with 7 nodes", true, 0.9, 1},
		{bound, 4, "what %s measures of graphs with 4 nodes", false, 9. / 13, 9. / 13},
		{bound, 7, "what %s measures of graphs with 7 nodes", true, 11. / 13, 11. / 13}, // 2·(3 + 2) + 1 edges at 1/13
		{occur, 7, "what %s measures of graphs with 7 nodes", false, math.Inf(1), math.Inf(1)},
		{near, 6, "what %s measures of graphs with 6 nodes", false, 1, 1},
		{near, 7, "what %s measures of graphs with 7 nodes", true, 1, 1},
		{pbcn, 5, "what %s measures of graphs with 5 nodes", false, math.Inf(1), math.Inf(1)},
		{pbcn, 7, "what %s measures of graphs with 7 nodes", false, math.Inf(1), math.Inf(1)},
		{noisy, 7, "what %s measures of graphs with 2 nodes", false, 1, 1},
		{own, 7, "what %s measures of graphs with 2 nodes", false, 1, 1},
		{local, 7, "the reports of %s for neighbors \"edge\"", false, 2, 2},
	} {
		a := must.For(c.of.Measured(ctx, c.n, Edge))(t)
		e := must.For(a.Epsilon(ctx, evidence.Delta{}))(t).Float() / 0.75
		if want := fmt.Sprintf(c.as, c.of.Name()); a.Name() != want || a.IsBound() != c.bound || !(e >= c.least*(1-1e-11) && e <= c.most*(1+1e-11)) {
			t.Errorf("%d: %q, bound %t, %v ε; want %q, bound %t, from %v to %v", k, a.Name(), a.IsBound(), e, want, c.bound, c.least, c.most)
		}
	}
}

// Bad input gives a parameter error.
func TestBadInput(t *testing.T) {
	ctx := t.Context()
	loop := graphOf(t, 3, [2]int{0, 1})
	loop.Set(2, 2, true)
	arc := graphOf(t, 3)
	arc.Set(0, 1, true)
	wide := must.For(xor.NewBits(2, 3))(t)
	for name, g := range map[string]*xor.Bits{"a loop": loop, "an arc": arc, "no square": wide, "no graph": nil, "the zero graph": {}} {
		for _, of := range graphMechanisms(t, ln(t, 2, 1)) {
			if _, err := of.Release(ctx, g, rand.NewPCG(1, 2)); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s: %s: %v, want ErrParameter", of.Name(), name, err)
			}
			if _, err := of.Truncated(g); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s: %s: %v, want ErrParameter", of.Name(), name, err)
			}
		}
		a := must.For(NewApproxDeg(ln(t, 2, 1), ApproxDegOptions{}))(t)
		if _, err := a.Degrees(ctx, g, rand.NewPCG(1, 2)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ApproxDeg: %s: %v", name, err)
		}
		if _, err := a.Truncated(g); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ApproxDeg: %s: %v", name, err)
		}
		d := must.For(NewDPCD(ln(t, 2, 1), 1, DPCDOptions{}))(t)
		if _, err := d.Communities(ctx, g, rand.NewPCG(1, 2)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("DPCD: %s: %v", name, err)
		}
	}
	eps, none := ln(t, 2, 1), evidence.Epsilon{}
	for name, err := range map[string]error{
		"Pygmalion's ε":    second(NewPygmalion(none, PygmalionOptions{})),
		"the bound":        second(NewPygmalion(eps, PygmalionOptions{DegreeBound: -1})),
		"the partitions":   second(NewPygmalion(eps, PygmalionOptions{Partitions: 31})),
		"PBCN's ε":         second(NewPBCN(none, PBCNOptions{})),
		"the clusters":     second(NewPBCN(eps, PBCNOptions{Clusters: -1})),
		"the sensitivity":  second(NewPBCN(eps, PBCNOptions{Sensitivity: -1})),
		"the decoys":       second(NewPBCN(eps, PBCNOptions{Decoys: -1})),
		"LDPGen's ε":       second(NewLDPGen(none, LDPGenOptions{})),
		"all of the share": second(NewLDPGen(eps, LDPGenOptions{Share: big.NewRat(1, 1)})),
		"no share":         second(NewLDPGen(eps, LDPGenOptions{Share: new(big.Rat)})),
		"the groups":       second(NewLDPGen(eps, LDPGenOptions{Groups: -2})),
		"ApproxDeg's ε":    second(NewApproxDeg(none, ApproxDegOptions{})),
		"its bound":        second(NewApproxDeg(eps, ApproxDegOptions{DegreeBound: -1})),
		"DPCD's ε":         second(NewDPCD(none, 2, DPCDOptions{})),
		"no communities":   second(NewDPCD(eps, 0, DPCDOptions{})),
		"DPCD's noise":     second(NewDPCD(eps, 1, DPCDOptions{Sensitivity: math.NaN()})),
		"many nodes":       second(must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true, Whole: true}))(t).Measured(ctx, 7, Edge)),
		"one node":         second(must.For(NewPBCN(eps, PBCNOptions{}))(t).Measured(ctx, 1, Edge)),
		"lists":            second(must.For(NewPBCN(eps, PBCNOptions{}))(t).Measured(ctx, 3, LocalEdge)),
		"nodes":            second(must.For(NewLDPGen(eps, LDPGenOptions{}))(t).Measured(ctx, 3, "node")),
		"a large law":      second(must.For(NewPBCN(eps, PBCNOptions{}))(t).Law(ctx, 5)),
		"a law of decoys":  second(must.For(NewPBCN(eps, PBCNOptions{Decoys: 1}))(t).Law(ctx, 2)),
		"a law of groups":  second(must.For(NewLDPGen(eps, LDPGenOptions{Groups: 3}))(t).Law(ctx, 2)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Bad input gives a parameter error, and a cancelled context its error.
func TestReleasedBadInput(t *testing.T) {
	eps := ln(t, 2, 1)
	small := must.For(NewPBCN(eps, PBCNOptions{NoisyClusters: true}))(t)
	for name, err := range map[string]error{
		"one node":    second(small.ReleasedEpsilon(t.Context(), 1)),
		"seven nodes": second(small.ReleasedEpsilon(t.Context(), 7)),
		"decoys":      second(must.For(NewPBCN(eps, PBCNOptions{Decoys: 1}))(t).ReleasedEpsilon(t.Context(), 3)),
		"groups":      second(must.For(NewLDPGen(eps, LDPGenOptions{}))(t).ReleasedEpsilon(t.Context(), 3)),
		"lists":       second(must.For(NewLDPGen(eps, LDPGenOptions{Groups: 2}))(t).ReleasedEpsilon(t.Context(), 6)),
		"no node":     second(must.For(NewPygmalion(eps, PygmalionOptions{}))(t).ReleasedEpsilon(t.Context(), 1)),
		"series":      second(must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true}))(t).ReleasedEpsilon(t.Context(), 5)),
		"sequence":    second(must.For(NewApproxDeg(eps, ApproxDegOptions{Sequence: true}))(t).ReleasedEpsilon(t.Context(), 3)),
		"large ε":     second(must.For(NewPBCN(must.For(evidence.NewEpsilon("eps", 900))(t), PBCNOptions{NoisyClusters: true}))(t).ReleasedEpsilon(t.Context(), 3)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	for i, of := range []releasing{small, must.For(NewLDPGen(eps, LDPGenOptions{Groups: 2}))(t), must.For(NewPygmalion(eps, PygmalionOptions{AllTuples: true}))(t), must.For(NewApproxDeg(eps, ApproxDegOptions{}))(t)} {
		ctxtest.EachPoll(t, []int{2, 1, 1, 1}[i], func(ctx context.Context) error { return second(of.ReleasedEpsilon(ctx, 3)) })
	}
}
