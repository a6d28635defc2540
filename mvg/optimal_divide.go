package mvg

import (
	"math"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// divide searches for better precisions and a lower limit, by branch and bound, where value, which p
// has, and the limit are apart. Directions without a signal stay as they are.
func (o *optimizer) divide(p []float64, value float64, limit interval.Interval, list []*mat.Dense) ([]float64, interval.Interval, error) {
	if _, hi := limit.Bounds(); !(hi > value*(1+closest)) {
		return p, limit, nil
	}
	var rows []int
	for i, w := range o.goal.Weights {
		if w > 0 {
			rows = append(rows, i)
		}
	}
	m := len(rows)
	forms := make([][][]interval.Interval, len(list))
	most := make([]interval.Interval, m) // B_ii
	for i := range most {
		most[i] = interval.Int(0)
	}
	for k, delta := range list {
		f, err := o.squares(delta)
		if err != nil {
			return nil, limit, err
		}
		forms[k] = f
		for i, r := range rows {
			most[i] = interval.Max(most[i], f[r][r])
		}
	}
	// In units in which a direction alone has a precision of about 1.
	g := &regions{ctx: o.ctx, best: value}
	units, u := make([]int, m), make([]float64, m)
	for i, r := range rows {
		if sign, _ := most[i].Sign(); sign <= 0 {
			return p, limit, nil
		}
		units[i] = -most[i].MidFloat(64).MantExp(nil) / 2
		gain := math.Ldexp(o.goal.Weights[r], units[i])
		_, u[i] = interval.Int(1).Quo(most[i].Mul(powerOfTwo(2 * units[i])).Sqrt()).Bounds()
		if !(gain > 1e-100 && gain < 1e100) {
			return p, limit, nil
		}
		g.gains = append(g.gains, gain)
	}
	for _, f := range forms {
		form, ends := make([]float64, 0, m*m), make([]bound, 0, m*m)
		for i, r := range rows {
			for j, c := range rows {
				v := f[r][c].Mul(powerOfTwo(units[i] + units[j]))
				form, ends = append(form, v.Mid()), append(ends, outward(v))
			}
		}
		for _, x := range form {
			if !(x < 1e100) {
				return p, limit, nil
			}
		}
		g.forms, g.ends = append(g.forms, form), append(g.ends, ends)
	}
	if err := g.search(u); err != nil {
		return nil, limit, err
	}
	if g.bestAt != nil {
		p = append([]float64(nil), p...)
		for i, r := range rows {
			p[r] = math.Ldexp(g.bestAt[i], units[i])
		}
	}
	if g.limit < math.Inf(1) {
		limit = least(limit, interval.Float(g.limit))
	}
	return p, limit, nil
}
