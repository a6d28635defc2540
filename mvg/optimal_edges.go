package mvg

// certified is the bound of a proof, of the planes in it that are proven.
func (g *regions) certified(p *planesProof) float64 {
	e := g.edges(p)
	rest := make([]bound, len(p.l))
	for i := range rest {
		rest[i] = point(1)
	}
	var sum bound
	for n, c := range p.cuts {
		a, b, ok := e.plane(c)
		if !ok {
			continue
		}
		w := point(p.multipliers[n])
		sum = sum.plus(w.times(b))
		for i, v := range a {
			rest[i] = rest[i].minus(w.times(v))
		}
	}
	for i, v := range rest {
		sum = sum.plus(v.times(e.zl[i]).larger(v.times(e.zu[i])))
	}
	return sum.hi
}

// edges are a region's ends in z.
type edges struct {
	*regions
	*planesProof
	zl, zu []bound
}

func (g *regions) edges(p *planesProof) *edges {
	e := &edges{regions: g, planesProof: p}
	for i, l := range g.gains {
		e.zl = append(e.zl, point(l).times(point(p.l[i])).log1p())
		e.zu = append(e.zu, point(l).times(point(p.u[i])).log1p())
	}
	return e
}

// plane returns that of a cut; ok is false where it is not proven.
func (e *edges) plane(c *cut) (a []bound, b bound, ok bool) {
	if c.logarithmic {
		a, b = e.logarithm(c)
		return a, b, true
	}
	return e.quadratic(c)
}

func (e *edges) quadratic(c *cut) (a []bound, b bound, ok bool) {
	m := len(e.l)
	one, two := point(1), point(2)
	form := make([][]bound, m)
	for i := range form {
		form[i] = make([]bound, m)
		for j := range form[i] {
			for _, w := range c.y {
				form[i][j] = form[i][j].plus(point(w.y).times(e.ends[w.k][i*m+j]))
			}
		}
	}
	for _, w := range c.y {
		b = b.plus(point(w.y))
	}
	theta := point(c.theta)
	linear := make([]bound, m)
	h := make([][]bound, m)
	for i, row := range form {
		row[i] = row[i].plus(point(c.d[i]))
		var rest bound
		for j, v := range row {
			if j == i {
				continue
			}
			rest = rest.plus(v.times(point(e.l[j])))
			if c.theta < 1 {
				row[j] = theta.times(v)
				left, corner := one.minus(theta).times(v), e.l
				if c.above(i, j, e.l, e.u) {
					corner = e.u
				}
				linear[i] = linear[i].plus(left.times(point(corner[j])))
				b = b.plus(left.times(point(corner[i])).times(point(corner[j])))
			}
		}
		at := func(p float64) bound {
			x := point(e.gains[i]).times(point(p))
			return point(e.gains[i]).times(rest.plus(row[i].times(point(p)))).over(one.plus(x))
		}
		h[i] = append([]bound(nil), row...)
		h[i][i] = row[i].plus(at(e.l[i]).smaller(at(e.u[i])))
	}
	if !surelyPositive(h) {
		return nil, b, false
	}
	a = make([]bound, m)
	for i, row := range form {
		x, d, gain := point(c.at[i]), point(c.d[i]), point(e.gains[i])
		var sum bound
		for j, v := range row {
			sum = sum.plus(v.times(point(c.at[j])))
		}
		slope := two.times(sum.plus(linear[i])).times(one.plus(gain.times(x))).over(gain)
		l, u := point(e.l[i]), point(e.u[i])
		var chord bound
		if c.d[i] > 0 {
			chord = d.times(u.minus(l)).times(u.plus(l)).over(e.zu[i].minus(e.zl[i]))
		}
		a[i] = slope.minus(chord)
		b = b.plus(slope.times(gain.times(x).log1p())).minus(sum.plus(two.times(linear[i])).times(x))
		b = b.plus(d.times(l).times(l)).minus(chord.times(e.zl[i]))
	}
	return a, b, true
}

func (e *edges) logarithm(c *cut) (a []bound, b bound) {
	m := len(e.l)
	a = make([]bound, m)
	weights := make([]bound, m)
	for _, w := range c.y {
		rows := make([]bound, m)
		var sum bound
		for i := range m {
			if e.l[i] == 0 {
				continue
			}
			for j := range m {
				if e.l[j] > 0 {
					rows[i] = rows[i].plus(e.ends[w.k][i*m+j].times(point(c.at[i])).times(point(c.at[j])))
				}
			}
			sum = sum.plus(rows[i])
		}
		if !(sum.lo > 0) {
			continue
		}
		y := point(w.y)
		b = b.minus(y.times(sum.log()))
		for i, v := range rows {
			if !v.nothing() {
				weights[i] = weights[i].plus(point(2).times(y).times(v).over(sum))
			}
		}
	}
	for i, w := range weights {
		if w.nothing() {
			continue
		}
		low := point(e.l[i]).log()
		a[i] = w.times(point(e.u[i]).log().minus(low)).over(e.zu[i].minus(e.zl[i]))
		b = b.plus(w.times(point(c.at[i]).log().minus(low))).plus(a[i].times(e.zl[i]))
	}
	return a, b
}
