package analytic

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/claims/check"
	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// figure2Checks returns the checks of the statements about Figure 2 and its queries.
func figure2Checks() check.Checks {
	return check.Checks{
		"analytic.figure2":            figure2Check(staircaseShares()),
		"analytic.figure2.volumes":    figure2Volumes(positivePart).Check,
		"analytic.figure2.everywhere": everywhereBetter(func(eps float64) float64 { return eps }).Check,
	}
}

// panelCase is a point of Figure 2: a privacy parameter ε and a radius δ.
type panelCase struct {
	eps    float64
	radius int64
}

// below reports whether one number is certainly less than another.
func below(a, b evidence.Number) bool {
	_, hi := a.Bounds()
	lo, _ := b.Bounds()
	return hi < lo
}

// figure2Sets are the neighboring sets of the queries of Figure 2, in order of decreasing Δf/Vol.
var figure2Sets = [][][2]int64{{{0, 1}, {1000, 1001}}, {{0, 100}, {1000, 1001}}, {{0, 500}, {1000, 1001}}, {{0, 1001}}}

// volumeCase is a query of Figure 2 with its printed volume.
type volumeCase struct {
	query  int
	volume int64
}

// figure2Volumes checks the statements about the four queries: all have the sensitivity 1001, and the volumes are as
// printed. part selects the part of V_f to measure.
func figure2Volumes(part func(v continuous.Set) continuous.Set) check.Statement[volumeCase] {
	printed := []int64{2, 101, 501, 1001}
	return check.Statement[volumeCase]{
		Family: "V1 … V4",
		Whole:  true,
		Size:   4,
		Each: check.Grid(func(c *volumeCase) []check.Axis {
			return []check.Axis{check.Over(&c.query, 0, 1, 2, 3), check.Let(func() { c.volume = printed[c.query] })}
		}),
		Holds: func(c volumeCase) bool {
			length, largest := new(big.Rat), new(big.Rat)
			v, _ := lineCase{figure2Sets[c.query], 0, 1}.set()
			for _, s := range part(v).Segments() {
				length.Add(length, new(big.Rat).Sub(s.Hi, s.Lo))
				largest = s.Hi // segments are in ascending order
			}
			return largest.Cmp(big.NewRat(1001, 1)) == 0 && length.Cmp(big.NewRat(c.volume, 1)) == 0
		},
	}
}

// positivePart returns the positive half of V_f. The paper writes down only this half.
func positivePart(v continuous.Set) continuous.Set {
	return v.Difference(continuous.NewSet(continuous.Closed(big.NewRat(-1001, 1), new(big.Rat))))
}

// figure2Radii are the radii at which Figure 2 is checked.
var figure2Radii = []int64{5, 10, 20, 30, 50}

// figure2Order checks the conclusion from Figure 2: the larger Δf/Vol, the smaller the distortion relative to
// Staircase. shares returns P/P_S of the four queries.
func figure2Order(shares func(c panelCase) []evidence.Certified) check.Statement[panelCase] {
	return check.Statement[panelCase]{
		Family: "δ = 5, 10, 20, 30, 50 and ε = 3, 4, …, 8",
		Each: check.Grid(func(c *panelCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.radius, figure2Radii...),
				check.Over(&c.eps, 3, 4, 5, 6, 7, 8),
			}
		}),
		Holds: func(c panelCase) bool {
			p := shares(c)
			for k := 1; k < len(p); k++ {
				if !below(p[k-1], p[k]) {
					return false
				}
			}
			return true
		},
	}
}

// staircaseShares returns a function that computes P/P_S of the four queries. It caches the layers, which do not
// depend on ε.
func staircaseShares() func(c panelCase) []evidence.Certified {
	known := make(map[int64][]*continuous.Sequence)
	return func(c panelCase) []evidence.Certified {
		eps := check.BudgetOf(c.eps)
		if known[c.radius] == nil {
			var built []*continuous.Sequence
			for _, ends := range figure2Sets {
				built = append(built, check.Must(layersOf(lineCase{ends, c.radius, 1})))
			}
			known[c.radius] = built
		}
		var out []evidence.Certified
		for _, l := range known[c.radius] {
			s := check.Must(continuous.NewStaircase(l.Query(), eps, nil))
			out = append(out, shareOf(l.Distortion(eps), s.Distortion()))
		}
		return out
	}
}

// shareOf encloses the quotient of two positive distortions.
func shareOf(own, rival evidence.Number) evidence.Certified {
	share := interval.EndsOf(own.Bounds()).Quo(interval.EndsOf(rival.Bounds()))
	return evidence.Certified{Lo: share.Lo, Hi: share.Hi, Provenance: evidence.From("Figure 2").By("quotient of two certified distortions")}
}

// figure2Check checks figure2Order and adds the ratios at three selected points to the evidence.
func figure2Check(shares func(c panelCase) []evidence.Certified) check.Checker {
	return check.Loose(figure2Order(shares).Check, func(context.Context) (out []check.Item) {
		for _, c := range []panelCase{{4, 10}, {3, 20}, {3, 0}} {
			for k, share := range shares(c) {
				out = append(out, check.Item{Label: fmt.Sprintf("P/P_S of V%d at ε = %g, δ = %d", k+1, c.eps, c.radius), Number: share})
			}
		}
		return out
	})
}

// everywhereCase is one of Figure 2's queries at a point of its panel.
type everywhereCase struct {
	panelCase
	query int
}

// everywhereBetter states the paper's last sentence on Figure 2: a δ-neighborhood mechanism can have less distortion
// than the purest mechanism at every dataset. For a linear query, a mechanism has the same distortion at all datasets.
// own returns the ε of the purest mechanism, in the paper the same ε.
func everywhereBetter(own func(eps float64) float64) check.Statement[everywhereCase] {
	known := make(map[[2]int64]*continuous.Sequence)
	at := func(c everywhereCase, radius int64, e float64) evidence.Number {
		key := [2]int64{int64(c.query), radius}
		if known[key] == nil {
			known[key] = check.Must(layersOf(lineCase{figure2Sets[c.query], radius, 1}))
		}
		return known[key].Distortion(check.BudgetOf(e))
	}
	return check.Statement[everywhereCase]{
		Family: "V1 … V4, δ = 5, 10, 20, 30, 50 and ε = 1, 2, …, 8",
		Each: check.Grid(func(c *everywhereCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.query, 0, 1, 2, 3),
				check.Over(&c.radius, figure2Radii...),
				check.Over(&c.eps, 1, 2, 3, 4, 5, 6, 7, 8),
			}
		}),
		Holds: func(c everywhereCase) bool { return below(at(c, c.radius, c.eps), at(c, 0, own(c.eps))) },
	}
}
