package networks_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/reproductions/networks"
)

// releasing is a mechanism whose law is enumerated.
type releasing interface {
	Name() string
	ReleasedEpsilon(ctx context.Context, n int) (evidence.Number, error)
}

// The smallest ε of the release, computed outcome by outcome, equals that of its law.
func TestReleasedEpsilonAgainstLaw(t *testing.T) {
	type lawful interface {
		releasing
		Law(ctx context.Context, n int) (mechanism.Mechanism, error)
	}
	eps := evidencetest.LogEpsilon(4, 1)
	for _, of := range []lawful{
		must.For(networks.NewPBCN(eps, networks.PBCNOptions{}))(t),
		must.For(networks.NewPBCN(eps, networks.PBCNOptions{NoisyClusters: true, Clusters: 2}))(t),
		must.For(networks.NewPBCN(eps, networks.PBCNOptions{OwnDegrees: true, Sensitivity: 3}))(t),
		must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Groups: 2}))(t),
		must.For(networks.NewLDPGen(eps, networks.LDPGenOptions{Initial: 1, Groups: 1}))(t),
	} {
		for n := 2; n <= 4; n++ {
			want := must.For(mechanism.Privacy(must.For(of.Law(t.Context(), n))(t)).Epsilon(t.Context(), evidence.Delta{}))(t).Float()
			lo, hi := must.For(of.ReleasedEpsilon(t.Context(), n))(t).Bounds()
			if math.IsInf(want, 1) != math.IsInf(lo, 1) || !math.IsInf(want, 1) && !(lo <= want+1e-9 && want-1e-9 <= hi && hi-lo < 1e-9) {
				t.Errorf("%s, %d nodes: [%v, %v], want %v", of.Name(), n, lo, hi, want)
			}
		}
	}
}

// The ε of the release is at most that of the noisy statistics, on all graphs small enough to enumerate.
func TestReleasedEpsilonAtMostMeasured(t *testing.T) {
	eps := evidencetest.LogEpsilon(2, 1)
	near := must.For(networks.NewApproxDeg(eps, networks.ApproxDegOptions{}))(t)
	series := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{AllTuples: true}))(t)
	occur := must.For(networks.NewPygmalion(eps, networks.PygmalionOptions{}))(t)
	for n := 2; n <= 6; n++ {
		e := must.For(near.ReleasedEpsilon(t.Context(), n))(t).Float()
		most := must.For(must.For(near.Measured(t.Context(), n, networks.Edge))(t).Epsilon(t.Context(), evidence.Delta{}))(t).Float()
		if !(e > 0 && e <= most+1e-9) {
			t.Errorf("ApproxDeg, %d nodes: %v, want at most %v", n, e, most)
		}
		if n > 3 {
			continue
		}
		e = must.For(series.ReleasedEpsilon(t.Context(), n))(t).Float()
		most = must.For(must.For(series.Measured(t.Context(), n, networks.Edge))(t).Epsilon(t.Context(), evidence.Delta{}))(t).Float()
		if !(e > 0 && e <= most+1e-9) {
			t.Errorf("Pygmalion, %d nodes: %v, want at most %v", n, e, most)
		}
		if e = must.For(occur.ReleasedEpsilon(t.Context(), n))(t).Float(); !math.IsInf(e, 1) {
			t.Errorf("Pygmalion on the tuples that occur, %d nodes: %v, want ∞", n, e) // a graph without edges has no tuple
		}
	}
	if lo, hi := must.For(near.ReleasedEpsilon(t.Context(), 2))(t).Bounds(); !(lo <= degreesOfTwo(0.5) && degreesOfTwo(0.5) <= hi) {
		t.Errorf("ApproxDeg, two nodes: [%v, %v], want %v", lo, hi, degreesOfTwo(0.5))
	}
}

// degreesOfTwo returns the smallest ε of ApproxDeg's degrees on two nodes, for z = e^−ε. Each histogram entry is the
// number of nodes with that degree: 0, 1 or 2.
func degreesOfTwo(z float64) float64 {
	z = math.Pow(z, 0.25)
	law := func(v int) (out [3]float64) { // the values are truncated to 0 … 2
		for k := range out {
			out[k] = math.Pow(z, math.Abs(float64(k-v))) / (1 + z)
		}
		out[1] *= 1 - z
		return out
	}
	chances := func(a, b int) map[int]float64 {
		p, q, out := law(a), law(b), map[int]float64{}
		for i := range 3 {
			for j := range 3 {
				zeros := 2 // an empty histogram leaves degree 0 for all nodes
				if i+j > 0 {
					zeros = int(2*float64(i)/float64(i+j) + 0.5)
				}
				out[zeros] += p[i] * q[j]
			}
		}
		return out
	}
	worst, x, y := 0.0, chances(2, 0), chances(0, 2)
	for k := range x {
		worst = max(worst, math.Abs(math.Log(x[k]/y[k])))
	}
	return worst
}
