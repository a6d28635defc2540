package networks_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/reproductions/networks"
	"dpworkbench/xor"
)

// edgesOf formats the edges of a graph.
func edgesOf(g *xor.Bits) string {
	n, _ := g.Shape()
	var out []string
	for u := range n {
		for v := u + 1; v < n; v++ {
			if g.At(u, v) {
				out = append(out, fmt.Sprintf("%d-%d", u, v))
			}
		}
	}
	return strings.Join(out, " ")
}

// The graphs of a seed never change, for every mechanism with every option.
func TestGraphsOfASeed(t *testing.T) {
	eps := evidencetest.LogEpsilon(20, 1)
	g := networks.GraphOf(t, 8, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2}, [2]int{2, 3}, [2]int{3, 4}, [2]int{4, 5}, [2]int{5, 6}, [2]int{4, 6}, [2]int{2, 7})
	for _, c := range []struct {
		of   networks.Rival
		want string
	}{
		{must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t), "0-1 0-3 0-4 0-5 0-6 0-7 2-3 2-4 2-5 2-7 3-4 3-5 3-7 4-5 4-7 5-7"},
		{must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{Rough: true}))(t), "0-1 0-3 0-4 0-5 0-6 0-7 2-4 2-5 2-7 4-5 4-7 5-7"},
		{must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{Whole: true}))(t), "0-1 0-3 0-4 0-5 0-6 0-7 2-3 2-4 2-5 2-7 3-4 3-5 3-7 4-5 4-7 5-7"},
		{must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true, DegreeBound: 3}))(t), "0-1 0-2 0-3 0-6 0-7 1-2 1-5 1-6 1-7 2-3 2-4 2-5 2-6 2-7 3-4 5-6 6-7"},
		{must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{DegreeBound: 2, Partitions: 1}))(t), "0-2 0-5 0-6 0-7 1-2 1-5 2-5 2-6 2-7"},
		{must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t), "0-2 1-2 2-3 2-4 2-5 4-6 4-7"},
		{must.For(networks.NewPBCN(eps, networks.PBCNOptions{Clusters: 2, NoisyClusters: true, Sensitivity: 1}))(t), "0-1 0-2 1-2 2-3 2-4 3-5 4-5 4-6 4-7 6-7"},
		{must.For(networks.NewPBCN(eps, networks.PBCNOptions{OwnDegrees: true, Decoys: 2}))(t), "0-2 0-4 0-9 1-2 1-4 2-3 2-4 2-7 4-8 6-9 7-8"},
		{must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{}))(t), "0-1 1-2 2-3 3-4 4-5 4-6 5-6"},
		{must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Initial: 3, Groups: 2, Share: big.NewRat(1, 4)}))(t), "0-3 0-5 1-2 1-3 1-6 2-3 3-4 3-5 4-5 4-6 5-6"},
	} {
		if got := edgesOf(must.For(c.of.Release(t.Context(), g, rand.NewPCG(9, 1)))(t)); got != c.want {
			t.Errorf("%s draws %q, want %q", c.of.Name(), got, c.want)
		}
	}
	for _, c := range []struct {
		opts networks.ApproxDegOptions
		want string
	}{{networks.ApproxDegOptions{}, "[0 1 2 2 2 2 3 3]"}, {networks.ApproxDegOptions{Sequence: true}, "[1 2 2 2 2 3 3 3]"}, {networks.ApproxDegOptions{DegreeBound: 2}, "[0 1 2 2 2 2 2 2]"}} {
		if got := fmt.Sprint(must.For(must.For(networks.NewApproxDeg(eps, c.opts))(t).Degrees(t.Context(), g, rand.NewPCG(9, 2)))(t)); got != c.want {
			t.Errorf("degrees %s, want %s", got, c.want)
		}
	}
	d := must.For(networks.NewDPCD(eps, 2, networks.DPCDOptions{}))(t)
	if got := fmt.Sprint(must.For(d.Communities(t.Context(), g, rand.NewPCG(9, 4)))(t)); got != "[[0 2] [4 5]]" {
		t.Errorf("communities %s", got)
	}
}

// A decoy is joined to as many nodes as the mean degree, rounded half up.
func TestDecoys(t *testing.T) {
	much := must.For(networks.NewPBCN(evidencetest.LogEpsilon(1<<60, 1), networks.PBCNOptions{Decoys: 3, OwnDegrees: true}))(t)
	for _, c := range []struct {
		g    *xor.Bits
		mean int
	}{
		{networks.GraphOf(t, 4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), 2}, // mean 6/4
		{networks.GraphOf(t, 5, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), 1}, // mean 6/5
		{networks.GraphOf(t, 3, [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2}), 2},
		{networks.GraphOf(t, 5, [2]int{0, 1}), 0},
		{networks.GraphOf(t, 1), 0},
	} {
		n, _ := c.g.Shape()
		out := must.For(much.Release(t.Context(), c.g, rand.NewPCG(1, 1)))(t)
		if all, _ := out.Shape(); all != n+3 {
			t.Errorf("%d nodes, want %d", all, n+3)
		}
		for d := n; d < n+3; d++ {
			var near []int
			for u := range n + 3 {
				if out.At(d, u) {
					near = append(near, u)
				}
			}
			if len(near) != c.mean || c.mean > 0 && near[c.mean-1] >= n {
				t.Errorf("%s: a decoy is joined to %v, want %d of the nodes", edgesOf(c.g), near, c.mean)
			}
		}
	}
}

// Every release and law stops at each poll of its context. The reported progress never decreases.
func TestReleasesStop(t *testing.T) {
	g := networks.GraphOf(t, 5, [2]int{0, 1}, [2]int{1, 2}, [2]int{3, 4})
	eps := evidencetest.LogEpsilon(4, 1)
	for k, c := range []struct {
		of    networks.Rival
		least int
	}{
		{must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t), 1},
		{must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t), 1},
		{must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{}))(t), 2},
	} {
		places := ctxtest.EachPoll(t, c.least, func(ctx context.Context) error {
			out, err := c.of.Release(ctx, g, rand.NewPCG(1, 1))
			if err != nil && out != nil {
				t.Errorf("case %d: a graph is returned with an error", k)
			}
			return err
		})
		if places != c.least {
			t.Errorf("%s polls at %d places, want %d", c.of.Name(), places, c.least)
		}
	}
	near := must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{}))(t)
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		out, err := near.Degrees(ctx, g, rand.NewPCG(1, 1))
		if err != nil && out != nil {
			t.Error("degrees are returned with an error")
		}
		return err
	})
	pbcn, local := must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t), must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 2}))(t)
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return second(pbcn.Law(ctx, 3)) })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return second(local.Law(ctx, 3)) })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return second(near.Measured(ctx, 3, networks.Edge)) })
	series := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t)
	for k, c := range []struct {
		do   func(ctx context.Context) error
		want string
	}{
		{func(ctx context.Context) error { return second(pbcn.ReleasedEpsilon(ctx, 3)) }, "0/8 graphs that can come out, 1/8 graphs that can come out, 2/8 graphs that can come out, 3/8 graphs that can come out"},
		{func(ctx context.Context) error { return second(local.ReleasedEpsilon(ctx, 3)) }, "0/4 groups of 4, 1/4 groups of 4, 2/4 groups of 4, 3/4 groups of 4"},
		{func(ctx context.Context) error { return second(series.ReleasedEpsilon(ctx, 3)) }, "0/4 , 1/4 , 2/4 , 3/4 "},
	} {
		var told []string
		last := int64(0)
		if err := c.do(parallel.WithProgress(t.Context(), func(done, total int64, what string) {
			if done < last || done > total {
				t.Errorf("case %d: progress %d of %d after %d", k, done, total, last)
			}
			last = done
			if s := fmt.Sprintf("%d/%d %s", done, total, what); len(told) < 4 {
				told = append(told, s)
			}
		})); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(told, ", "); got != c.want {
			t.Errorf("case %d reports %q, want %q", k, got, c.want)
		}
	}
}
