package signrp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/privacy"
)

// family adds what a family of pairs says of itself.
func (r *record) family(what string, f *privacy.DominatingPairs, err error) {
	if err != nil {
		r.lines = append(r.lines, fmt.Sprint(what, " ", err))
		return
	}
	r.lines = append(r.lines, fmt.Sprint(what, " ", f.Name, " | ", f.Source, " | ", f.Size, f.Bound, f.Universe != nil && f.Universe.Same(f.Universe)))
	if f.Datasets != nil {
		for i := range f.Size {
			u, v := f.Datasets(i)
			r.lines = append(r.lines, fmt.Sprint("  where ", u, v))
		}
	}
}

// readings are those of every release, around vectors of random and of short numbers.
func (r *record) readings(t *testing.T) {
	ctx := context.Background()
	for n, c := range []struct {
		p, k int
		beta float64
		eps  evidence.Epsilon
	}{{2, 3, 0.5, eps(t, 1)}, {4, 5, 0.25, lnEps(t, 27, 1)}, {3, 2, 3, eps(t, 0.4)}, {13, 2, 0.4, eps(t, 2)}} {
		rng := rand.New(rand.NewPCG(44, uint64(n)))
		r.brief = n > 0
		for _, w := range allKinds(t, c.p, c.k, uint64(n)+5) {
			releases := everyRelease(t, w, c.eps, c.beta)
			if w.nonZero() > 0 {
				releases = append(releases, must(NewRP(ctx, w, c.eps, evidencetest.Delta(1e-3), RPOptions{Beta: c.beta})), must(NewClassicRP(ctx, w, c.eps, evidencetest.Delta(1e-3), RPOptions{Beta: c.beta})))
			}
			for _, release := range releases {
				u := edgyVector(rng, c.p, n)
				v := slices.Clone(u)
				v[c.p-1] = math.Max(-1, u[c.p-1]-c.beta)
				name := fmt.Sprint(release.name, " ", w.kind)
				if release.HasSigma() {
					r.number(name+" σ", must(release.Sigma()), nil)
				}
				for reading, curve := range []privacy.Profile{release.Pair(u, v), release.Neighbors(u), release.Ball(u), release.Public()} {
					e, err := curve.Epsilon(ctx, evidence.Delta{})
					r.number(fmt.Sprint(name, " ", reading, " ε"), e, err)
					if release.rule == numbers {
						e, err = curve.Epsilon(ctx, evidencetest.Delta(1e-3))
						r.number(fmt.Sprint(name, " ", reading, " ε(δ)"), e, err)
					}
					d, err := curve.Delta(ctx, eps(t, 0.3))
					r.number(fmt.Sprint(name, " ", reading, " δ"), d, err)
				}
				r.number(name+" claimed", release.ClaimedEpsilon(), nil)
				if n == 0 {
					r.lines = append(r.lines, fmt.Sprint("  ", release.Label()))
					f, err := release.PairsBetween(ctx, u, v)
					r.family("pairs", f, err)
					f, err = release.Pairs(ctx)
					r.family("public", f, err)
					f, err = release.NeighborPairs(ctx, u)
					r.family("neighbors", f, err)
				}
				worst := worstOf(t, release, u)
				r.add(name+" worst", float64(worst.Coordinate), worst.To)
				if n, err := release.Variance(u, v); err == nil {
					r.number(name+" variance", n, nil)
				}
			}
		}
	}
}
