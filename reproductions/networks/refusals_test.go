package networks_test

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
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/reproductions/networks"
	"dpworkbench/xor"
)

// The error for an argument out of range names it, with its value and the range. The limits of the range are accepted.
func TestMessages(t *testing.T) {
	ctx, eps, none := t.Context(), evidencetest.LogEpsilon(2, 1), evidence.Epsilon{}
	loop, arc := networks.GraphOf(t, 3), networks.GraphOf(t, 3)
	loop.Set(2, 2, true)
	arc.Set(0, 2, true)
	far := networks.GraphOf(t, 70) // 70 nodes, so that rows have a second word
	far.Set(3, 66, true)
	wide := must.For(xor.NewBits(2, 3))(t)
	src := rand.NewPCG(1, 1)
	pygmalion := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t)
	whole := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true, Whole: true}))(t)
	occur := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t)
	pbcn := must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t)
	decoys := must.For(networks.NewPBCN(eps, networks.PBCNOptions{Decoys: 1}))(t)
	ldpgen := must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 2}))(t)
	many, first := must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 3}))(t), must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Initial: 3, Groups: 2}))(t)
	near := must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{}))(t)
	sequence := must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{Sequence: true}))(t)
	two := must.For(networks.NewDPCD(eps, 2, networks.DPCDOptions{}))(t)
	share := func(q *big.Rat) error { return second(networks.NewLDPGen(eps, networks.LDPGenOptions{Share: q})) }
	huge := new(big.Rat).SetFrac(big.NewInt(1<<61), new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 62), big.NewInt(1))) // 62 and 63 digits
	for k, c := range []struct {
		err  error
		want string
	}{
		{second(networks.NewPygmalion(none, networks.PygmalionOptions{DegreeBound: -1})),
			"eps = 0, want a positive finite number"},
		{second(networks.NewPygmalion(eps, networks.PygmalionOptions{DegreeBound: -1, Partitions: -1})),
			"degree_bound = -1, want at least 1, or 0 for none"},
		{second(networks.NewPygmalion(eps, networks.PygmalionOptions{Partitions: -1})), "partitions = -1, want 0 to 30"},
		{second(networks.NewPygmalion(eps, networks.PygmalionOptions{Partitions: 31})), "partitions = 31, want 0 to 30"},
		{second(networks.NewPBCN(none, networks.PBCNOptions{Clusters: -1})), "eps = 0, want a positive finite number"},
		{second(networks.NewPBCN(eps, networks.PBCNOptions{Clusters: -1})), "clusters = -1, want 0 to 32768"},
		{second(networks.NewPBCN(eps, networks.PBCNOptions{Sensitivity: 32769})), "sensitivity = 32769, want 0 to 32768"},
		{second(networks.NewPBCN(eps, networks.PBCNOptions{Decoys: -2})), "decoys = -2, want 0 to 32768"},
		{second(networks.NewLDPGen(none, networks.LDPGenOptions{Initial: -1})), "eps = 0, want a positive finite number"},
		{second(networks.NewLDPGen(eps, networks.LDPGenOptions{Initial: -1})), "initial = -1, want 1 to 32768"},
		{second(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 32769})), "groups = 32769, want 1 to 32768"},
		{share(new(big.Rat)), "share = 0, want a number between 0 and 1"},
		{share(big.NewRat(-1, 2)), "share = -1/2, want a number between 0 and 1"},
		{share(big.NewRat(1, 1)), "share = 1, want a number between 0 and 1"},
		{share(big.NewRat(3, 2)), "share = 3/2, want a number between 0 and 1"},
		{share(huge), "share = 2305843009213693952/4611686018427387905, want a number between 0 and 1"},
		{second(networks.NewApproxDeg(none, networks.ApproxDegOptions{DegreeBound: -1})),
			"eps = 0, want a positive finite number"},
		{second(networks.NewApproxDeg(eps, networks.ApproxDegOptions{DegreeBound: -1})),
			"degree_bound = -1, want at least 1, or 0 for √N"},
		{second(networks.NewDPCD(none, 0, networks.DPCDOptions{})), "eps = 0, want a positive finite number"},
		{second(networks.NewDPCD(eps, 0, networks.DPCDOptions{})), "communities = 0, want at least 1"},
		{second(networks.NewDPCD(eps, 1, networks.DPCDOptions{Sensitivity: -1})),
			"sensitivity = -1, want a positive finite number"},
		{second(pbcn.Truncated(nil)), "the graph has no nodes, want at least 1"},
		{second(pbcn.Truncated(new(xor.Bits))), "the graph has no nodes, want at least 1"},
		{second(pbcn.Truncated(wide)), "the adjacency matrix is 2 × 3, want a square one"},
		{second(pbcn.Truncated(loop)), "node 2 has a loop, want a graph without loops"},
		{second(pbcn.Truncated(arc)), "entry (0, 2) of the adjacency matrix is 1 and (2, 0) is 0, want a symmetric one"},
		{second(pbcn.Truncated(far)), "entry (3, 66) of the adjacency matrix is 1 and (66, 3) is 0, want a symmetric one"},
		{second(two.Communities(ctx, networks.GraphOf(t, 1), src)), "communities = 2, want 1 to 1, the number of nodes"},
		{second(pygmalion.Measured(ctx, 3, networks.LocalEdge)),
			`neighbors = "edge local", want "edge": the mechanism measures a series of the whole graph`},
		{second(pygmalion.Measured(ctx, 32769, networks.Edge)), "nodes = 32769, want 2 to 32768"},
		{second(pygmalion.Measured(ctx, 1, networks.Edge)), "nodes = 1, want 2 to 6: all graphs are enumerated"},
		{second(whole.Measured(ctx, 7, networks.Edge)), "nodes = 7, want 2 to 6: all graphs are enumerated"},
		{second(occur.Measured(ctx, 0, networks.Edge)), "nodes = 0, want 2 to 6: all graphs are enumerated"},
		{second(pbcn.Measured(ctx, 3, networks.LocalEdge)),
			`neighbors = "edge local", want "edge": the mechanism measures degrees of the whole graph`},
		{second(pbcn.Measured(ctx, 1, networks.Edge)), "nodes = 1, want 2 to 6: all graphs are enumerated"},
		{second(near.Measured(ctx, 3, networks.LocalEdge)),
			`neighbors = "edge local", want "edge": the mechanism measures degrees of the whole graph`},
		{second(near.Measured(ctx, 1, networks.Edge)), "nodes = 1, want 2 to 6: all graphs are enumerated"},
		{second(ldpgen.Measured(ctx, 1, networks.Edge)), "nodes = 1, want at least 2"},
		{second(ldpgen.Measured(ctx, 2, "node")), `neighbors = "node", want "edge" or "edge local"`},
		{second(pbcn.Law(ctx, 1)), "nodes = 1, want 2 to 4"},
		{second(pbcn.Law(ctx, 5)), "nodes = 5, want 2 to 4"},
		{second(decoys.Law(ctx, 2)), "decoys = 1, want 0: the law is one of graphs with the same number of nodes"},
		{second(ldpgen.Law(ctx, 5)), "nodes = 5, want 2 to 4"},
		{second(many.Law(ctx, 2)),
			"2 groups in the first round and 3 in the second, want at most 2 in each to enumerate the law"},
		{second(first.Law(ctx, 2)),
			"3 groups in the first round and 2 in the second, want at most 2 in each to enumerate the law"},
		{second(pbcn.ReleasedEpsilon(ctx, 1)), "nodes = 1, want 2 to 6: all released graphs are enumerated"},
		{second(pbcn.ReleasedEpsilon(ctx, 7)), "nodes = 7, want 2 to 6: all released graphs are enumerated"},
		{second(decoys.ReleasedEpsilon(ctx, 2)), "decoys = 1, want 0: the law is one of graphs with the same number of nodes"},
		{second(near.ReleasedEpsilon(ctx, 7)), "nodes = 7, want 2 to 6: all released graphs are enumerated"},
		{second(sequence.ReleasedEpsilon(ctx, 2)), `statistic = "sequence" adds unbounded noise before smoothing, so its law cannot be enumerated: use measured(nodes) or audit(…) of samples`},
		{second(pygmalion.ReleasedEpsilon(ctx, 5)), "nodes = 5, want 2 to 4: all released graphs are enumerated"},
		{second(occur.ReleasedEpsilon(ctx, 1)), "nodes = 1, want 2 to 4: all released graphs are enumerated"},
		{second(ldpgen.ReleasedEpsilon(ctx, 6)), "nodes = 6, want 2 to 5: all released graphs are enumerated"},
		{second(many.ReleasedEpsilon(ctx, 2)),
			"2 groups in the first round and 3 in the second, want at most 2 in each to enumerate the law"},
		{second(first.ReleasedEpsilon(ctx, 2)),
			"3 groups in the first round and 2 in the second, want at most 2 in each to enumerate the law"},
	} {
		if c.err == nil || c.err.Error() != c.want || !errors.Is(c.err, evidence.ErrParameter) {
			t.Errorf("%d: %v, want %q", k, c.err, c.want)
		}
	}
	half := new(big.Rat).SetFrac(big.NewInt(1<<60), big.NewInt(1<<61+1)) // 62 digits
	for what, err := range map[string]error{
		"partitions":  second(networks.NewPygmalion(eps, networks.PygmalionOptions{Partitions: 30})),
		"clusters":    second(networks.NewPBCN(eps, networks.PBCNOptions{Clusters: 1 << 15, Sensitivity: 1 << 15, Decoys: 1 << 15})),
		"groups":      second(networks.NewLDPGen(eps, networks.LDPGenOptions{Initial: 1 << 15, Groups: 1 << 15})),
		"share":       share(half),
		"communities": second(must.For(networks.NewDPCD(eps, 2, networks.DPCDOptions{}))(t).Communities(ctx, networks.GraphOf(t, 2, [2]int{0, 1}), src)),
		"tuples":      second(occur.Measured(ctx, 1<<15, networks.Edge)),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Names list the options and ε. Unset options have the documented defaults.
func TestNames(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.75))(t)
	promise := func(source string, of networks.Relation) networks.Guarantee {
		return networks.Guarantee{evidence.Claimed{Value: 0.75, Epsilon: eps, Provenance: evidence.From(source)}, of, source}
	}
	type named interface {
		Name() string
		Guarantee() networks.Guarantee
	}
	ldpgen := must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{}))(t)
	pbcn := must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t)
	for name, c := range map[string]struct {
		of     named
		claims networks.Guarantee
	}{
		"Pygmalion(eps=0.75, the largest degree measured, tuples that occur)": {must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t), promise("Sala et al. 2011", networks.Edge)},
		"Pygmalion(eps=0.75, degrees up to 3, all tuples)":                    {must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{DegreeBound: 3, AllTuples: true}))(t), promise("Sala et al. 2011", networks.Edge)},
		"PBCN(eps=0.75, 10 clusters of the true degrees)":                     {pbcn, promise("Huang et al. 2020", networks.Edge)},
		"PBCN(eps=0.75, 4 clusters of the noisy degrees)":                     {must.For(networks.NewPBCN(eps, networks.PBCNOptions{Clusters: 4, NoisyClusters: true}))(t), promise("Huang et al. 2020", networks.Edge)},
		"LDPGen(eps=0.75, 2 groups, then 20)":                                 {ldpgen, promise("Qin et al. 2017", networks.LocalEdge)},
		"LDPGen(eps=0.75, 5 groups, then 6)":                                  {must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Initial: 5, Groups: 6}))(t), promise("Qin et al. 2017", networks.LocalEdge)},
		"ApproxDeg(eps=0.75, histogram)":                                      {must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{}))(t), promise("An XOR Mechanism, footnote 8", networks.Edge)},
		"ApproxDeg(eps=0.75, sequence)":                                       {must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{Sequence: true}))(t), promise("An XOR Mechanism, footnote 8", networks.Edge)},
		"DPCD(eps=0.75, 3 communities)":                                       {must.For(networks.NewDPCD(eps, 3, networks.DPCDOptions{}))(t), promise("An XOR Mechanism, footnote 8", networks.Edge)},
	} {
		if got := c.of.Name(); got != name || c.of.Guarantee() != c.claims {
			t.Errorf("%s with %+v, want %s with %+v", got, c.of.Guarantee(), name, c.claims)
		}
	}
	if ldpgen.Share.Cmp(big.NewRat(1, 2)) != 0 {
		t.Errorf("share %v", ldpgen.Share)
	}
	if pbcn.Sensitivity != 2 || must.For(networks.NewPBCN(eps, networks.PBCNOptions{Sensitivity: 5}))(t).Sensitivity != 5 {
		t.Errorf("sensitivity %d", pbcn.Sensitivity)
	}
	if s := must.For(networks.NewDPCD(eps, 1, networks.DPCDOptions{}))(t).Sensitivity; s != 2 {
		t.Errorf("sensitivity %v", s)
	}
	if s := must.For(networks.NewDPCD(eps, 1, networks.DPCDOptions{Sensitivity: 0.5}))(t).Sensitivity; s != 0.5 {
		t.Errorf("sensitivity %v", s)
	}
	star := networks.GraphOf(t, 4, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3})
	for _, of := range []networks.Rival{ldpgen, pbcn} { // without a degree bound
		if n := must.For(of.Truncated(star))(t); n != 0 {
			t.Errorf("%s: %d nodes exceed the bound", of.Name(), n)
		}
	}
	occur := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t)
	e := must.For(occur.ReleasedEpsilon(t.Context(), 1<<20))(t)
	if (e != evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(occur.Name()).By("no edge and one edge: tuples that do not occur have no noise")}) {
		t.Errorf("only tuples that occur: %+v", e)
	}
}

// Accounts have their mechanism's name and report whether they are only upper bounds.
func TestMeasuredNames(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.75))(t)
	ctx := t.Context()
	all := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t)
	bound := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true, DegreeBound: 3, Whole: true}))(t)
	occur := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t)
	near := must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{}))(t)
	pbcn := must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t)
	noisy := must.For(networks.NewPBCN(eps, networks.PBCNOptions{NoisyClusters: true}))(t)
	own := must.For(networks.NewPBCN(eps, networks.PBCNOptions{OwnDegrees: true}))(t)
	local := must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{}))(t)
	type measured interface {
		Name() string
		Measured(ctx context.Context, n int, of networks.Relation) (*privacy.Account, error)
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
		a := must.For(c.of.Measured(ctx, c.n, networks.Edge))(t)
		e := must.For(a.Epsilon(ctx, evidence.Delta{}))(t).Float() / 0.75
		if want := fmt.Sprintf(c.as, c.of.Name()); a.Name() != want || a.IsBound() != c.bound || !(e >= c.least*(1-1e-11) && e <= c.most*(1+1e-11)) {
			t.Errorf("%d: %q, bound %t, %v ε; want %q, bound %t, from %v to %v", k, a.Name(), a.IsBound(), e, want, c.bound, c.least, c.most)
		}
	}
}

// Bad input gives a parameter error.
func TestBadInput(t *testing.T) {
	ctx := t.Context()
	loop := networks.GraphOf(t, 3, [2]int{0, 1})
	loop.Set(2, 2, true)
	arc := networks.GraphOf(t, 3)
	arc.Set(0, 1, true)
	wide := must.For(xor.NewBits(2, 3))(t)
	for name, g := range map[string]*xor.Bits{"a loop": loop, "an arc": arc, "no square": wide, "no graph": nil, "the zero graph": {}} {
		for _, of := range graphMechanisms(t, evidencetest.LogEpsilon(2, 1)) {
			if _, err := of.Release(ctx, g, rand.NewPCG(1, 2)); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s: %s: %v, want ErrParameter", of.Name(), name, err)
			}
			if _, err := of.Truncated(g); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s: %s: %v, want ErrParameter", of.Name(), name, err)
			}
		}
		a := must.For(networks.NewApproxDeg(evidencetest.LogEpsilon(2, 1), networks.ApproxDegOptions{}))(t)
		if _, err := a.Degrees(ctx, g, rand.NewPCG(1, 2)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ApproxDeg: %s: %v", name, err)
		}
		if _, err := a.Truncated(g); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ApproxDeg: %s: %v", name, err)
		}
		d := must.For(networks.NewDPCD(evidencetest.LogEpsilon(2, 1), 1, networks.DPCDOptions{}))(t)
		if _, err := d.Communities(ctx, g, rand.NewPCG(1, 2)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("DPCD: %s: %v", name, err)
		}
	}
	eps, none := evidencetest.LogEpsilon(2, 1), evidence.Epsilon{}
	for name, err := range map[string]error{
		"Pygmalion's ε":    second(networks.NewPygmalion(none, networks.PygmalionOptions{})),
		"the bound":        second(networks.NewPygmalion(eps, networks.PygmalionOptions{DegreeBound: -1})),
		"the partitions":   second(networks.NewPygmalion(eps, networks.PygmalionOptions{Partitions: 31})),
		"PBCN's ε":         second(networks.NewPBCN(none, networks.PBCNOptions{})),
		"the clusters":     second(networks.NewPBCN(eps, networks.PBCNOptions{Clusters: -1})),
		"the sensitivity":  second(networks.NewPBCN(eps, networks.PBCNOptions{Sensitivity: -1})),
		"the decoys":       second(networks.NewPBCN(eps, networks.PBCNOptions{Decoys: -1})),
		"LDPGen's ε":       second(networks.NewLDPGen(none, networks.LDPGenOptions{})),
		"all of the share": second(networks.NewLDPGen(eps, networks.LDPGenOptions{Share: big.NewRat(1, 1)})),
		"no share":         second(networks.NewLDPGen(eps, networks.LDPGenOptions{Share: new(big.Rat)})),
		"the groups":       second(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: -2})),
		"ApproxDeg's ε":    second(networks.NewApproxDeg(none, networks.ApproxDegOptions{})),
		"its bound":        second(networks.NewApproxDeg(eps, networks.ApproxDegOptions{DegreeBound: -1})),
		"DPCD's ε":         second(networks.NewDPCD(none, 2, networks.DPCDOptions{})),
		"no communities":   second(networks.NewDPCD(eps, 0, networks.DPCDOptions{})),
		"DPCD's noise":     second(networks.NewDPCD(eps, 1, networks.DPCDOptions{Sensitivity: math.NaN()})),
		"many nodes":       second(must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true, Whole: true}))(t).Measured(ctx, 7, networks.Edge)),
		"one node":         second(must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t).Measured(ctx, 1, networks.Edge)),
		"lists":            second(must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t).Measured(ctx, 3, networks.LocalEdge)),
		"nodes":            second(must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{}))(t).Measured(ctx, 3, "node")),
		"a large law":      second(must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t).Law(ctx, 5)),
		"a law of decoys":  second(must.For(networks.NewPBCN(eps, networks.PBCNOptions{Decoys: 1}))(t).Law(ctx, 2)),
		"a law of groups":  second(must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 3}))(t).Law(ctx, 2)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Bad input gives a parameter error, and a cancelled context its error.
func TestReleasedBadInput(t *testing.T) {
	eps := evidencetest.LogEpsilon(2, 1)
	small := must.For(networks.NewPBCN(eps, networks.PBCNOptions{NoisyClusters: true}))(t)
	for name, err := range map[string]error{
		"one node":    second(small.ReleasedEpsilon(t.Context(), 1)),
		"seven nodes": second(small.ReleasedEpsilon(t.Context(), 7)),
		"decoys":      second(must.For(networks.NewPBCN(eps, networks.PBCNOptions{Decoys: 1}))(t).ReleasedEpsilon(t.Context(), 3)),
		"groups":      second(must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{}))(t).ReleasedEpsilon(t.Context(), 3)),
		"lists":       second(must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 2}))(t).ReleasedEpsilon(t.Context(), 6)),
		"no node":     second(must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t).ReleasedEpsilon(t.Context(), 1)),
		"series":      second(must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t).ReleasedEpsilon(t.Context(), 5)),
		"sequence":    second(must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{Sequence: true}))(t).ReleasedEpsilon(t.Context(), 3)),
		"large ε":     second(must.For(networks.NewPBCN(must.For(evidence.NewEpsilon("eps", 900))(t), networks.PBCNOptions{NoisyClusters: true}))(t).ReleasedEpsilon(t.Context(), 3)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	for i, of := range []releasing{small, must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 2}))(t), must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t), must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{}))(t)} {
		ctxtest.EachPoll(t, []int{2, 1, 1, 1}[i], func(ctx context.Context) error { return second(of.ReleasedEpsilon(ctx, 3)) })
	}
}
