package privacy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// Compose returns the account of times[i] uses of each parts[i] on the same dataset. Parts with the same universe share
// the pair of datasets. Otherwise the result is an upper bound. If one part has many pairs, the bound takes the product
// of each of them with the single pairs of the others. If several parts have many pairs, it takes the product of the
// parts' tight dominating pairs. Compose returns an error wrapping evidence.ErrParameter if there are no parts, a
// number of uses is below 1, or there are more than 2³⁰ uses.
//
// Noise known only by the sensitivity Δ of its query can be at the worst pair of any two neighbors x, y of another
// universe, so the product is attained. The query that is Δ at x and 0 elsewhere changes by 0 or ±Δ between neighbors,
// as its sensitivity allows. It has the pair of Δ at (x, y), and at (y, x) the reverse, which is the same pair. Two
// different such queries may depend on each other, so they do not share pairs.
func Compose(ctx context.Context, parts []*Account, times []int) (*Account, error) {
	return compose(ctx, parts, times, false)
}

// compose implements Compose. same reports that the parts are known to share their universe.
func compose(ctx context.Context, parts []*Account, times []int, same bool) (*Account, error) {
	if len(parts) == 0 || len(parts) != len(times) {
		return nil, parameter.Errorf("%d mechanisms and %d numbers of uses, want at least one mechanism and one number for each", len(parts), len(times))
	}
	out := &Account{bracketed: true}
	var names []string
	total := 0
	for i, a := range parts {
		if times[i] < 1 || times[i] > maxUses {
			return nil, parameter.Bad("k", times[i], "1…%d uses", maxUses)
		}
		for _, u := range a.uses {
			if u.Times > maxUses/times[i] || total > maxUses-u.Times*times[i] {
				return nil, parameter.Errorf("the composition has more than %d uses in all, want fewer", maxUses)
			}
			total += u.Times * times[i]
		}
		name := a.name
		if times[i] > 1 {
			name = fmt.Sprintf("%d × %s", times[i], name)
		}
		names = append(names, name)
	}
	out.name = strings.Join(names, " + ")
	shared, many := true, map[*DominatingPairs]bool{} // different families with many pairs
	for i, a := range parts {
		for _, b := range parts[:i] {
			if err := b.reference.compatible(a.reference); err != nil {
				return nil, err
			}
			shared = shared && (same || b.sharesWith(a))
		}
		if f := a.reference; f.rank() == 3 && !slices.ContainsFunc(slices.Collect(maps.Keys(many)), f.sharesWith) {
			many[f] = true
		}
	}
	for i, a := range parts {
		out.bound, out.rounded = out.bound || a.bound, out.rounded || a.rounded
		out.bracketed = out.bracketed && (a.bracketed || !a.rounded)
		uses := a.uses
		if !shared && len(many) > 1 {
			over, err := a.Adaptive(ctx)
			if err != nil {
				return nil, err
			}
			uses = over.uses
		}
		if !shared || a.bound || a.rounded {
			out.lowerBounds = append(out.lowerBounds, a) // the privacy loss of one part is a lower bound for all together
		}
		for _, u := range uses {
			out.addUse(Use{u.Of, u.Times * times[i]})
		}
	}
	if out.rounded && shared {
		if err := out.composeBelow(ctx, parts, times); err != nil {
			return nil, err
		}
	}
	out.bound = out.bound || !shared
	out.assume(parts, total)
	out.reference = out.uses[0].Of
	for _, u := range out.uses {
		if u.Of.rank() >= out.reference.rank() {
			out.reference = u.Of
		}
	}
	return out, nil
}

// composeBelow replaces the lower bounds by the composition of the parts' lower accounts, if every part has one.
func (a *Account) composeBelow(ctx context.Context, parts []*Account, times []int) (err error) {
	low := make([]*Account, len(parts))
	for i, p := range parts {
		if low[i] = p.lowerOrSelf(); low[i] == nil {
			return nil
		}
	}
	if a.lowerAccount, err = compose(ctx, low, times, true); err == nil {
		a.lowerBounds = []*Account{a.lowerAccount} // at least as high as the bound from any single part
	}
	return err
}

// rank orders families by how closely their pairs are tied to particular datasets, from 0 for any datasets to 3.
func (f *DominatingPairs) rank() int {
	switch {
	case f.TranslationInvariant:
		return 0
	case f.SensitivityOnly:
		return 1
	case f.Size == 1:
		return 2
	}
	return 3
}

// sharesWith reports whether the families of all uses of two accounts share their pairs.
func (a *Account) sharesWith(b *Account) bool {
	for _, u := range a.uses {
		for _, v := range b.uses {
			if !u.Of.sharesWith(v.Of) {
				return false
			}
		}
	}
	return true
}

// sharesWith reports whether pair i of both families belongs to the same two datasets. The pair of sampling without
// replacement dominates the pairs of all datasets, but there may be no two datasets that have it.
func (f *DominatingPairs) sharesWith(o *DominatingPairs) bool {
	switch {
	case f == o || f.TranslationInvariant || o.TranslationInvariant:
		return true
	case f.Universe == nil || o.Universe == nil:
		return false
	}
	without := Universe(sampledUniverse(WithoutReplacement))
	return f.Universe.Same(o.Universe) || f.SensitivityOnly != o.SensitivityOnly && !without.Same(f.Universe) && !without.Same(o.Universe)
}

// compatible returns an error if the two families cannot be mechanisms on one dataset.
func (f *DominatingPairs) compatible(o *DominatingPairs) error {
	named := func(r query.Relation) bool { return r != "" && r != query.Any }
	if named(f.Relation) && named(o.Relation) && f.Relation != o.Relation {
		return parameter.Errorf("%s has the neighbors %q and %s has %q, want one relation for all: convert one with under(neighbors)", f.Name, string(f.Relation), o.Name, string(o.Relation))
	}
	if s, ok := f.Universe.(IncompatibleUniverse); ok && o.Universe != nil && !f.sharesWith(o) {
		return s.CheckCompatible(o.Universe)
	}
	return nil
}

// addUse adds uses, and merges them with those of the same family.
func (a *Account) addUse(u Use) {
	for i := range a.uses {
		if a.uses[i].Of == u.Of {
			a.uses[i].Times += u.Times
			return
		}
	}
	a.uses = append(a.uses, u)
}

// maxUses bounds the total number of uses.
const maxUses = 1 << 30
