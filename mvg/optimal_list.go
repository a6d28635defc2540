package mvg

import (
	"math"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// differences returns the optimum for a finite list.
func (o *optimizer) differences(d Differences) (*Optimum, error) {
	if err := o.spanned(d); err != nil {
		return nil, err
	}
	all := d.list // a zero difference constrains nothing
	d.list = nil
	for _, a := range all {
		if mat.Norm(a, math.Inf(1)) > 0 {
			d.list = append(d.list, a)
		}
	}
	mode, information := o.recipe.Mode, o.goal.Objective == MostInformation
	switch {
	case mode == Unimodal && o.recipe.FreeAxes:
		return o.free(d.list, nil)
	case mode == Unimodal:
		return o.cut(o.listOracle(d), planesMethod)
	case mode == Equimodal && information:
		return nil, parameter.Errorf("most information with the same noise for rows and columns (equi) over a list of %d differences, want "+
			"noise of the rows alone (uni) or of both apart (both), the least error, or a ball, box or Gram matrix", len(d.list))
	case information:
		return o.pairs(d)
	case mode == Equimodal:
		return o.geodesic(&geodesic{mode: mode, diagonal: !o.recipe.FreeAxes}, d.list, nil, o.recipe.FreeAxes)
	}
	return o.geodesic(&geodesic{mode: Bimodal}, d.list, nil, true)
}

// spanned returns an error unless the differences span all directions of the rows. For Bimodal noise they must also
// span those of the columns, and for Equimodal noise the rows and columns need to span them only together. Otherwise
// the noise in some direction can tend to 0 and there is no optimum.
func (o *optimizer) spanned(d Differences) error {
	d.list = normalizedEach(d.list)
	turned := lists.Each(d.list, func(a *mat.Dense) *mat.Dense { return mat.DenseCopyOf(a.T()) })
	check := func(what string, order int, list []*mat.Dense) error {
		s := mat.NewSymDense(order, nil)
		for _, a := range list {
			s.SymRankK(s, 1, a)
		}
		if wellSpanned(s) {
			return nil
		}
		var sum *symmetric.Enclosure
		for _, a := range list {
			e := symmetric.Exactly(a)
			sum = plus(sum, e.Mul(e.T()))
		}
		if _, ok := sum.Factorize(); ok {
			return nil
		}
		return parameter.Errorf("all differences are zero in some direction of the %s, which needs no noise, so there is no optimum", what)
	}
	switch o.recipe.Mode {
	case Equimodal:
		return check("rows and columns", d.m, slices.Concat(d.list, turned))
	case Bimodal:
		if err := check("columns", d.n, turned); err != nil {
			return err
		}
	}
	return check("rows", d.m, d.list)
}

// normalizedEach multiplies each difference by a power of two such that its largest entry is about 1. The span stays
// the same, and squares do not overflow.
func normalizedEach(list []*mat.Dense) []*mat.Dense {
	out := make([]*mat.Dense, len(list))
	for k, a := range list {
		_, exp := math.Frexp(largest(a))
		out[k] = mat.DenseCopyOf(a)
		out[k].Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) }, out[k])
	}
	return out
}

// wellSpanned reports whether a sum of squares is so far from singular that its rounding does not matter: with rows
// scaled equally, its least eigenvalue is above 1e-9.
func wellSpanned(s *mat.SymDense) bool {
	n := s.SymmetricDim()
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			c.SetSym(i, j, s.At(i, j)/math.Sqrt(s.At(i, i))/math.Sqrt(s.At(j, j)))
		}
		c.SetSym(i, i, 1-1e-9)
	}
	return symmetric.Positive(c)
}
