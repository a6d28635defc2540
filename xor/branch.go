package xor

import (
	"math"
	"slices"
)

// branch is a depth-first branch-and-bound search over sets of candidates, of size at most most, and the values of
// their bits. Flipping S is a chain of single flips. So the loss of S ∪ T is at most the loss of S plus, for each bit
// of T, the largest loss of flipping this bit alone after S. These bounds exclude branches, and are updated
// incrementally from one level to the next.
//
// If all is true, every candidate is flipped, and the search covers only the values of their bits.
type branch struct {
	c          *coupling
	candidates []int // places, in descending order of single loss
	most       int
	all        bool
	levels     []*level // allocated as the search reaches them
	deepest    int      // depth beyond which the search does not go, to limit memory
	set        []int
	sigma      []int8
	best       []bestFlip // best[t] flips at most t bits, or every candidate if all
	open       []float64  // open[t] bounds the unsearched branches of t bits
}

type bestFlip struct {
	value float64
	set   []int
	sigma []int8
}

// level is the state of the search after the bits of a set S have been flipped.
type level struct {
	pull  []float64 // pull[k] = Σ_{j∈S} σ_j 2Π_jk, zero on S
	pos   []float64 // by candidate: Σ of positive couplings to bits outside S
	neg   []float64
	field []float64 // by candidate: Π_jj + couplings to S at its new values
	inner float64   // the part of the loss within S
	value float64   // inner + Σ_k max(pull[k], 0)
	gains []float64 // by candidate: bound on the loss of flipping it alone
}

func newBranch(c *coupling, set []int, most int, all bool) *branch {
	w := &branch{c: c, candidates: slices.Clone(set), most: most, all: all}
	slices.SortStableFunc(w.candidates, func(i, j int) int {
		a, _ := c.single(i)
		b, _ := c.single(j)
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	const memory = 1 << 26 // numbers
	w.deepest = memory / (len(c.bits) + 4*len(w.candidates) + 1)
	root := w.level(0)
	for i, j := range w.candidates {
		root.pos[i], root.neg[i], root.field[i] = c.pos[j], c.neg[j], c.own[j]
		root.gains[i], _ = c.single(j)
	}
	w.best, w.open = make([]bestFlip, most+1), make([]float64, most+1)
	for t := range w.best {
		w.best[t].value = math.Inf(-1)
	}
	if !all {
		w.best[0].value = 0
	}
	return w
}

// level returns the state at a depth, and allocates it on first use.
func (w *branch) level(depth int) *level {
	if depth == len(w.levels) {
		n := len(w.candidates)
		w.levels = append(w.levels, &level{
			pull: make([]float64, len(w.c.bits)), pos: make([]float64, n), neg: make([]float64, n),
			field: make([]float64, n), gains: make([]float64, n),
		})
	}
	return w.levels[depth]
}

func (w *branch) run() error { return w.descend(0, 0) }

// descend extends the current set by candidates from index start on.
func (w *branch) descend(depth, start int) error {
	if err := w.c.search.ctx.Err(); err != nil {
		return err
	}
	at := w.level(depth)
	left := w.most - depth
	if !w.promising(at, depth, start) {
		return nil
	}
	if w.c.search.work < 0 || depth > w.deepest {
		w.c.search.gaveUp = true
		w.postpone(at, depth, start)
		return nil
	}
	end := len(w.candidates)
	if w.all {
		end = start + 1
	}
	for i := start; i < end; i++ {
		row := w.c.row(w.candidates[i])
		for _, sigma := range [2]int8{1, -1} {
			if left > 1 && !w.promisingChild(at, depth, i) {
				continue
			}
			if left == 1 && at.value+at.gains[i] <= w.best[w.most].value {
				continue
			}
			w.set, w.sigma = append(w.set, w.candidates[i]), append(w.sigma, sigma)
			var err error
			if left == 1 {
				w.leaf(at, i, row, sigma)
			} else {
				w.extend(at, w.level(depth+1), i, row, sigma)
				err = w.descend(depth+1, i+1)
			}
			w.set, w.sigma = w.set[:len(w.set)-1], w.sigma[:len(w.sigma)-1]
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// promising reports whether some extension of the set at this level could
// improve a best value.
func (w *branch) promising(at *level, depth, start int) bool {
	return w.reach(at, depth, start, func(t int, bound float64) bool { return bound > w.best[t].value })
}

// promisingChild reports whether some extension by candidate i or later ones could improve a best value. It is always
// true if all is set.
func (w *branch) promisingChild(at *level, depth, i int) bool {
	return w.all || w.promising(at, depth, i)
}

// postpone records the bounds of a branch that is not searched.
func (w *branch) postpone(at *level, depth, start int) {
	w.reach(at, depth, start, func(t int, bound float64) bool {
		w.open[t] = math.Max(w.open[t], bound)
		return false
	})
}

// reach calls test with every number t of bits that an extension by candidates from start on can reach, and a bound on
// its loss, until test returns true. It reports whether test did.
func (w *branch) reach(at *level, depth, start int, test func(t int, bound float64) bool) bool {
	gains := at.gains[start:]
	if w.all {
		bound := at.value
		for _, g := range gains {
			bound += g
		}
		return test(w.most, bound)
	}
	if len(gains) == 0 {
		return false
	}
	left := min(w.most-depth, len(gains))
	if left == 1 {
		return test(depth+1, at.value+slices.Max(gains))
	}
	top := slices.Clone(gains)
	slices.Sort(top)
	bound := at.value
	for r := 1; r <= left; r++ {
		bound += top[len(top)-r]
		if test(depth+r, bound) {
			return true
		}
	}
	return false
}

// inner returns the part of the loss within the set after candidate i is flipped as well: a pair of flipped bits
// changes 2Π_jk b_j b_k by 2Π_jk (σ_j + σ_k)/2.
func (w *branch) inner(at *level, i int, row []float64, sigma int8) float64 {
	v := at.inner + float64(sigma)*w.c.own[w.candidates[i]]
	for q, j := range w.set {
		if w.sigma[q] == sigma {
			v += float64(sigma) * row[j]
		}
	}
	return v
}

// leaf evaluates the current set, which candidate i completes, without computing a further level.
func (w *branch) leaf(at *level, i int, row []float64, sigma int8) {
	last := len(w.set) - 1
	w.set, w.sigma = w.set[:last], w.sigma[:last]
	v := w.inner(at, i, row, sigma)
	w.set, w.sigma = w.set[:last+1], w.sigma[:last+1]

	pull := at.pull[:len(row)]
	var sum, abs float64
	if sigma > 0 {
		for k, r := range row {
			c := pull[k] + r
			sum += c
			abs += math.Abs(c)
		}
	} else {
		for k, r := range row {
			c := pull[k] - r
			sum += c
			abs += math.Abs(c)
		}
	}
	v += (sum + abs) / 2
	for _, j := range w.set { // bits of the set are not free
		v -= math.Max(pull[j]+float64(sigma)*row[j], 0)
	}
	w.c.search.work -= float64(len(row))
	w.offer(last+1, v)
}

// extend fills next with the state after flipping candidate i as well.
func (w *branch) extend(at, next *level, i int, row []float64, sigma int8) {
	last := len(w.set) - 1
	w.set, w.sigma = w.set[:last], w.sigma[:last]
	next.inner = w.inner(at, i, row, sigma)
	w.set, w.sigma = w.set[:last+1], w.sigma[:last+1]

	var sum, abs float64
	for k, r := range row {
		next.pull[k] = at.pull[k] + float64(sigma)*r
	}
	for _, j := range w.set {
		next.pull[j] = 0
	}
	for _, c := range next.pull {
		sum += c
		abs += math.Abs(c)
	}
	next.value = next.inner + (sum+abs)/2
	for q := i + 1; q < len(w.candidates); q++ {
		r := row[w.candidates[q]]
		next.pos[q], next.neg[q] = at.pos[q]-math.Max(r, 0), at.neg[q]-math.Min(r, 0)
		next.field[q] = at.field[q]
		if sigma > 0 {
			next.field[q] += r
		}
		next.gains[q] = math.Max(0, math.Max(next.field[q]+next.pos[q], -next.field[q]-next.neg[q]))
	}
	w.c.search.work -= float64(len(row)) + 3*float64(len(w.candidates)-i)
	w.offer(last+1, next.value)
}

// offer compares the current set of t bits with the best.
func (w *branch) offer(t int, v float64) {
	if w.all && t < w.most {
		return
	}
	if v <= w.best[t].value {
		return
	}
	kept := bestFlip{v, slices.Clone(w.set), slices.Clone(w.sigma)}
	for ; t <= w.most && w.best[t].value < v; t++ {
		w.best[t] = kept
	}
}

// result returns the best flip of at most t bits.
func (w *branch) result(t int) found {
	b := w.best[t]
	most := b.value
	for _, bound := range w.open[:t+1] {
		most = math.Max(most, bound)
	}
	if math.IsInf(b.value, -1) { // nothing was searched: 0 is a lower bound, and any values do
		sigma := make([]int8, len(w.candidates))
		for i := range sigma {
			sigma[i] = 1
		}
		return found{0, most, w.c.flip(w.candidates, sigma)}
	}
	return found{b.value, most, w.c.flip(b.set, b.sigma)}
}
