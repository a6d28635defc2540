package discretize

import (
	"context"
	"maps"
	"math"
	"slices"

	"dpworkbench/layers"
)

// Initial returns the initial values {R_0^x, R̃_I^x} by (33): R̃_i^x, i ≥ 1, holds the values of R_i^x that are not
// in any R_0^y with i−1 < d̄(x, y) ≤ i.
func (d *Discretization) Initial(ctx context.Context) (layers.Sets, error) {
	q := d.Query()
	sets := layers.Sets{At: make([]map[int][]int, q.Size())}
	first := make([][]int, q.Size())
	for x := range first {
		if top := d.NonemptyLayers(x)[0]; top.Index == 0 {
			first[x] = top.Values
		}
	}
	for x := range sets.At {
		if err := ctx.Err(); err != nil {
			return layers.Sets{}, err
		}
		spread := make(map[[2]int]bool) // layers and values that some R_0^y implies
		for y, dist := range q.Space().Distances(x) {
			if dist <= maxLayers { // no layer is deeper
				for _, r := range first[y] {
					spread[[2]int{int(math.Ceil(dist)), r}] = true
				}
			}
		}
		sets.At[x] = map[int][]int{0: first[x]}
		for _, layer := range d.NonemptyLayers(x) {
			i := layer.Index
			for _, r := range layer.Values {
				if i > 0 && !spread[[2]int{i, r}] {
					sets.At[x][i] = append(sets.At[x][i], r)
				}
			}
		}
	}
	return sets, nil
}

// Extra is a value that makes a mechanism general: it lies in R̃_Layer^Dataset.
type Extra struct{ Dataset, Value, Layer int }

// Extras returns the values of R̃_I over all datasets (33), ordered by dataset and layer.
func (d *Discretization) Extras(ctx context.Context) ([]Extra, error) {
	sets, err := d.Initial(ctx)
	if err != nil {
		return nil, err
	}
	var out []Extra
	for x, at := range sets.At {
		for _, i := range slices.Sorted(maps.Keys(at)) {
			for _, r := range at[i] {
				if i > 0 {
					out = append(out, Extra{x, r, i})
				}
			}
		}
	}
	return out, nil
}

// IsBasic reports whether the mechanism is basic (Definition 15): R̃_i^x is empty for all x and all i ≥ 1.
func (d *Discretization) IsBasic(ctx context.Context) (bool, error) {
	extras, err := d.Extras(ctx)
	return len(extras) == 0, err
}

// Reconstruction compares the layers with those rebuilt from the initial values by a rule.
type Reconstruction struct {
	Rule   layers.Rule
	Equal  bool
	Differ []Extra // values whose rebuilt layer differs, with the rebuilt layer or query.Unreached
}

// Reconstruct rebuilds the layers from the initial values of (33) by a rule. layers.Published is (34), which gives back
// the original layers according to Theorem 3; layers.Closure is the min-plus closure.
func (d *Discretization) Reconstruct(ctx context.Context, rule layers.Rule) (Reconstruction, error) {
	sets, err := d.Initial(ctx)
	if err != nil {
		return Reconstruction{}, err
	}
	built, err := layers.NewGeneral(ctx, d.Query(), d.Decay(), sets, rule)
	if err != nil {
		return Reconstruction{}, err
	}
	out := Reconstruction{Rule: rule}
	for x := range d.Query().Size() {
		for r := range d.Query().Range() {
			if l := built.Layer(x, r); l != d.Layer(x, r) {
				out.Differ = append(out.Differ, Extra{x, r, l})
			}
		}
	}
	out.Equal = len(out.Differ) == 0
	return out, nil
}
