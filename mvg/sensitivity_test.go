package mvg_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// checkSquareRoot fails unless k contains the square root of square and is at most a few ulps wide.
func checkSquareRoot(t *testing.T, name string, k evidence.Certified, square *big.Rat) {
	t.Helper()
	lo, hi := rat(k.Lo), rat(k.Hi)
	if lo.Mul(lo, lo).Cmp(square) > 0 || hi.Mul(hi, hi).Cmp(square) < 0 || !(k.Hi-k.Lo <= 0x1p-52*k.Hi) {
		t.Errorf("%s: [%.17g, %.17g], want a tight enclosure of √%s", name, k.Lo, k.Hi, square.FloatString(30))
	}
}

func multiplied(v ...float64) *big.Rat {
	out := big.NewRat(1, 1)
	for _, x := range v {
		out.Mul(out, rat(x))
	}
	return out
}

// s₂ and γ of every set agree with their definitions in rational arithmetic.
func TestSensitivitiesInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	for range 100 {
		a, b, c := math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64())
		n := 1 + rng.IntN(5)
		ball := must.Be(mvg.NewBall(2, n, mvg.BallOptions{S2: a, Gamma: a + b}))
		checkSquareRoot(t, "ball", ball.Frobenius(), multiplied(a, a))
		gamma, known := ball.Gamma()
		checkSquareRoot(t, "ball's γ", gamma, multiplied(a+b, a+b))

		box := must.Be(mvg.NewBox(n, []float64{a, b, c}))
		sum := multiplied(a, a)
		sum.Add(sum, multiplied(b, b)).Add(sum, multiplied(c, c))
		checkSquareRoot(t, "box", box.Frobenius(), multiplied(4).Mul(sum, multiplied(4)))
		gamma, some := box.Gamma()
		checkSquareRoot(t, "box's γ", gamma, sum.Mul(sum, big.NewRat(int64(n), 1)))

		records := 2 + rng.IntN(30)
		for order := 1; order <= 3; order++ {
			for _, replace := range []bool{false, true} {
				gram := must.Be(mvg.NewGram(order, a, map[bool]query.Relation{false: query.AddRemove, true: query.Replace}[replace], 1/float64(records)))
				want := multiplied(1/float64(records), a, a)
				if want.Mul(want, want); replace && order > 1 {
					want.Mul(want, big.NewRat(2, 1)) // attained at x ⟂ y
				}
				checkSquareRoot(t, "gram", gram.Frobenius(), want)
				gamma, of := gram.Gamma()
				if checkSquareRoot(t, "gram's γ", gamma, multiplied(a, a, a, a)); !of || !known || !some {
					t.Error("γ of a set is missing")
				}
			}
		}
		x, y := mat.NewDense(2, 2, []float64{a, 0, -b, c}), mat.NewDense(2, 2, []float64{b, b, c, 0})
		first, second := sum, new(big.Rat)
		first.Mul(first, big.NewRat(1, int64(n)))
		for _, v := range []float64{b, b, c} {
			second.Add(second, multiplied(v, v))
		}
		if second.Cmp(first) > 0 {
			first = second
		}
		list := must.Be(mvg.NewDifferences([]*mat.Dense{x, y}))
		checkSquareRoot(t, "list", list.Frobenius(), first)
	}
	for _, scale := range []float64{1, 0.7, 2, 1 / 1.4999999, 1 / 2.5} {
		if _, known := must.Be(mvg.NewGram(2, 1, query.Replace, scale)).Gamma(); known {
			t.Errorf("a Gram matrix of scale %v has a γ, want none", scale)
		}
	}
	if _, known := must.Be(mvg.NewGram(2, 1, query.Replace, 1.0/2)).Gamma(); !known {
		t.Error("γ of a Gram matrix with scale ½ is missing")
	}
	if _, known := listOf(t, 1, 1, []float64{1}).Gamma(); known {
		t.Error("a list of differences has a γ, want none")
	}
}

// The element's standard deviation, the precision squares and the trace of a design agree with rational arithmetic on
// its matrices.
func TestNoiseOfADesignInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 1))
	for k := range 40 {
		m, n := 1+rng.IntN(3), 1+rng.IntN(4)
		sigma, psi := IllConditioned(t, m, 8*rng.Float64(), rng), IllConditioned(t, n, 8*rng.Float64(), rng)
		if k%2 == 0 {
			sigma = must.Be(mvg.NewDirectional(sigma.Variances(), nil))
		}
		d := must.Be(mvg.NewDesign(ctx, must.Be(mvg.NewBall(m, n, mvg.BallOptions{S2: 1, Gamma: 1})), sigma, psi))
		a, b := rationals(sigma.Matrix()), rationals(psi.Matrix())
		mean := new(big.Rat).Mul(a.trace(), b.trace())
		mean.Quo(mean, big.NewRat(int64(m*n), 1))
		checkSquareRoot(t, "noise", d.NoiseSD(), mean)
		if sd, _ := mean.Float64(); !near(d.ElementSD(), math.Sqrt(sd), 1e-15) {
			t.Errorf("element sd %v, want %v", d.ElementSD(), math.Sqrt(sd))
		}
		p, _, _ := a.eliminated()
		squares := p.times(p).trace()
		got := d.PrecisionSquares()
		if rat(got.Lo).Cmp(squares) > 0 || rat(got.Hi).Cmp(squares) < 0 || got.Hi > got.Lo*(1+1e-11) {
			t.Errorf("Σ p² in [%v, %v], want %s", got.Lo, got.Hi, squares.FloatString(20))
		}
		off := d.DrawError()
		both := (1 + sigma.DrawError()) * (1 + psi.DrawError())
		if off.Lo != 0 || !near(1+off.Hi, both, 1e-15) || off.Hi < 8*0x1p-53 || off.Hi > 1e-6 || off.Side != evidence.Up {
			t.Errorf("the relative error of draws is %v, want %v", off, both-1)
		}
		trace, _ := a.trace().Float64()
		if !near(sigma.Trace(), trace, 1e-14) {
			t.Errorf("trace %v, want %v", sigma.Trace(), trace)
		}
		if w := d.WhitenedSensitivity(); !(w.Lo <= w.Hi) || w.Side != evidence.Up {
			t.Errorf("whitened sensitivity %+v", w)
		}
	}
	for _, c := range []struct {
		v    []float64
		want bool
	}{{[]float64{2, 2}, true}, {[]float64{2, 3}, false}, {[]float64{3, 2}, false}} {
		if got := must.Be(mvg.NewDirectional(c.v, nil)).IsIsotropic(); got != c.want {
			t.Errorf("variances %v are isotropic: %v", c.v, got)
		}
	}
}

// An error names the reason, and no result comes with it.
func TestErrorsNameTheReason(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ball := must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 1}))
	gram := must.Be(mvg.NewGram(2, 1, query.Replace, 1))
	two := must.Be(mvg.NewIsotropic(2, 1))
	design := must.Be(mvg.NewDesign(ctx, ball, two, two))
	full := must.Be(mvg.NewDense(mat.NewDense(2, 2, []float64{2, 1, 1, 2})))
	correlated := must.Be(mvg.NewDesign(ctx, ball, full, full))
	recipe := mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}
	with := func(f func(r *mvg.Params)) mvg.Params { r := recipe; f(&r); return r }
	eye := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	list := func(d ...*mat.Dense) error { _, err := mvg.NewDifferences(d); return err }
	claim := func(s mvg.Sensitivity, theorem mvg.Theorem, r mvg.Params) error {
		c, err := mvg.NewClaim(ctx, s, theorem, mvg.ZetaRoot, r)
		if err != nil && c != nil {
			t.Errorf("a claim is returned with the error %v", err)
		}
		return err
	}
	tight := func(s mvg.Sensitivity, r mvg.Params) error {
		d, err := mvg.NewTight(ctx, s, r)
		if err != nil && d != nil {
			t.Errorf("a design is returned with the error %v", err)
		}
		return err
	}
	published := func(f func(p *mvg.Premises)) error {
		p := mvg.Premises{Theorem: mvg.Theorem2, Rows: 2, Columns: 3, Gamma: 1, S2: 1, Epsilon: one, Delta: evidencetest.Delta(0.1)}
		f(&p)
		_, err := mvg.Published(p)
		return err
	}
	kronecker := func(f func(k *mvg.KroneckerProblem)) error {
		k := mvg.KroneckerProblem{Rows: []float64{1}, Columns: []float64{1}, Budget: 1}
		f(&k)
		_, err := mvg.FillKronecker(ctx, k, rand.NewPCG(1, 1))
		return err
	}
	nearest := func(k mat.Matrix, m, n int) error { _, _, _, err := mvg.NearestKronecker(k, m, n); return err }
	directional := func(v []float64, w mat.Matrix) error { _, err := mvg.NewDirectional(v, w); return err }
	of := func(_ any, err error) error { return err }
	optimal := func(s mvg.Sensitivity, goal mvg.Goal, r mvg.Params) error { return of(mvg.Optimal(ctx, s, goal, r)) }
	pnr := func(d *mvg.Design, k mat.Matrix) error {
		_, a := d.PNR(k)
		_, b := d.LogPNR(k)
		_, c := d.MutualInformation(k)
		if a == nil || b == nil || c == nil || a.Error() != b.Error() || b.Error() != c.Error() {
			t.Errorf("PNR fails with %v, LogPNR with %v, MutualInformation with %v", a, b, c)
		}
		return a
	}
	for want, errs := range map[string][]error{
		"query is 0×2, want 1 to 1048576":             {of(mvg.NewBall(0, 2, mvg.BallOptions{S2: 1, Gamma: 1})), of(mvg.NewBox(2, nil))},
		"query is 2×1048577":                          {of(mvg.NewBall(2, 1<<20+1, mvg.BallOptions{S2: 1, Gamma: 1})), of(mvg.NewBox(1<<20+1, []float64{1, 1}))},
		"query is 1048577×2":                          {of(mvg.NewBall(1<<20+1, 2, mvg.BallOptions{S2: 1, Gamma: 1}))},
		"query is 2×0":                                {of(mvg.NewBall(2, 0, mvg.BallOptions{S2: 1, Gamma: 1})), of(mvg.NewBox(0, []float64{1, 1}))},
		"query is 0×0":                                {of(mvg.NewGram(0, 1, query.Replace, 1)), list(new(mat.Dense))},
		"s2 = NaN":                                    {of(mvg.NewBall(2, 2, mvg.BallOptions{S2: nan, Gamma: 1}))},
		"gamma = +Inf":                                {of(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: inf}))},
		"at least s2/2 = 0.5":                         {of(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 0.49}))},
		"is square, not 2×3":                          {of(mvg.NewBall(2, 3, mvg.BallOptions{S2: 1, Gamma: 1, PSD: true})), published(func(p *mvg.Premises) { p.Theorem = mvg.Theorem3 })},
		"half_width[1] = 0":                           {of(mvg.NewBox(2, []float64{1, 0}))},
		"row_norm = -1":                               {of(mvg.NewGram(2, -1, query.Replace, 1))},
		"scale = 0":                                   {of(mvg.NewGram(2, 1, query.Replace, 0))},
		"the list of differences is empty":            {list()},
		"a difference is nil":                         {list(eye, nil)},
		"difference 1 is 1×2, the first is 2×2":       {list(eye, mat.NewDense(1, 2, nil))},
		"difference 1 is 2×1, the first is 2×2":       {list(eye, mat.NewDense(2, 1, nil))},
		"difference 0 has the entry NaN":              {list(mat.NewDense(2, 2, []float64{0, 0, 0, nan}))},
		"difference 1 has the entry -Inf":             {list(eye, mat.NewDense(2, 2, []float64{0, 0, -inf, 0}))},
		"every difference is zero":                    {list(mat.NewDense(2, 2, nil), mat.NewDense(2, 2, nil))},
		"there is no sensitivity set":                 {tight(nil, recipe), claim(nil, mvg.Theorem2, recipe), of(mvg.NewDesign(ctx, nil, two, two))},
		"no optimum for a sensitivity set of type":    {optimal(nil, mvg.Goal{}, recipe)},
		"mode 3, want 0 to 2":                         {tight(ball, with(func(r *mvg.Params) { r.Mode = 3 }))},
		"mode -1, want 0 to 2":                        {tight(ball, with(func(r *mvg.Params) { r.Mode = -1 }))},
		"theta has 1 entries, want 2":                 {tight(ball, with(func(r *mvg.Params) { r.Theta = []float64{1} }))},
		"theta[1] = 0, want a positive number":        {tight(ball, with(func(r *mvg.Params) { r.Theta = []float64{1, 0} }))},
		"theta[0] = NaN":                              {claim(ball, mvg.Theorem2, with(func(r *mvg.Params) { r.Theta = []float64{nan, 1} }))},
		"theta sums to 1.00000001":                    {tight(ball, with(func(r *mvg.Params) { r.Theta = []float64{0.5, 0.50000001} }))},
		"theta sums to 0.99999999":                    {tight(ball, with(func(r *mvg.Params) { r.Theta = []float64{0.5, 0.49999999} }))},
		"tau = 1, want 0 < tau < 1":                   {of(mvg.BinaryTheta(2, []int{0}, 1))},
		"tau = 0":                                     {of(mvg.BinaryTheta(2, []int{0}, 0))},
		"m = 1048577":                                 {of(mvg.BinaryTheta(1<<20+1, []int{0}, 0.5))},
		"0 of 2 directions are important":             {of(mvg.BinaryTheta(2, nil, 0.5))},
		"2 of 2 directions are important":             {of(mvg.BinaryTheta(2, []int{0, 1}, 0.5))},
		"important direction 2, want":                 {of(mvg.BinaryTheta(2, []int{2}, 0.5))},
		"important direction -1, want":                {of(mvg.BinaryTheta(2, []int{-1}, 0.5))},
		"important direction 1, want":                 {of(mvg.BinaryTheta(3, []int{1, 1}, 0.5))},
		"Theorems 2 and 3 need γ":                     {claim(gram, mvg.Theorem2, recipe)},
		"it needs equi-modal noise":                   {claim(ball, mvg.Theorem3, recipe)},
		"needs a symmetric positive semi-definite":    {claim(ball, mvg.Theorem3, with(func(r *mvg.Params) { r.Mode = mvg.Equimodal }))},
		"these parameters give one":                   {tight(ball, with(func(r *mvg.Params) { r.Mode = mvg.Bimodal })), claim(ball, mvg.Theorem2, with(func(r *mvg.Params) { r.Mode = mvg.Bimodal }))},
		"the theorem's precision budget is":           {claim(must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1e200, Gamma: 1e200})), mvg.Theorem2, recipe)},
		"the variances would be from":                 {tight(must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1e-200, Gamma: 1})), recipe)},
		"Theorem 1, want 2 or 3":                      {published(func(p *mvg.Premises) { p.Theorem = 1 })},
		"eps = 0":                                     {published(func(p *mvg.Premises) { p.Epsilon = evidence.Epsilon{} }), of(mvg.ClassicSigma(evidence.Epsilon{}, evidencetest.Delta(0.1), big.NewRat(1, 1))), of(mvg.NewRankOne(4, 1, evidence.Epsilon{}, evidencetest.Delta(0.1)))},
		"covariance of order 0, want":                 {of(mvg.NewIsotropic(0, 1))},
		"variances are empty":                         {directional(nil, nil)},
		"variances[1] = -1":                           {directional([]float64{1, -1}, nil)},
		"variances[0] = +Inf":                         {directional([]float64{inf, 1}, eye)},
		"directions are 2×1, want 2×2":                {directional([]float64{1, 2}, mat.NewDense(2, 1, []float64{1, 0})), optimal(ball, mvg.Goal{}, with(func(r *mvg.Params) { r.Directions = mat.NewDense(2, 1, []float64{1, 0}) }))},
		"directions are 3×2, want 2×2":                {directional([]float64{1, 2}, mat.NewDense(3, 2, nil))},
		"directions are not orthonormal":              {directional([]float64{1, 2}, mat.NewDense(2, 2, []float64{1, 1, 0, 1})), tight(ball, with(func(r *mvg.Params) { r.Directions = mat.NewDense(2, 2, []float64{1, 1, 0, 1}) })), claim(ball, mvg.Theorem2, with(func(r *mvg.Params) { r.Directions = mat.NewDense(2, 2, []float64{1, 1, 0, 1}) })), optimal(ball, mvg.Goal{}, with(func(r *mvg.Params) { r.Directions = mat.NewDense(2, 2, []float64{1, 1, 0, 1}) }))},
		"in these directions, rounded to a matrix":    {directional([]float64{1, 1e-40}, mat.NewDense(2, 2, []float64{math.Sqrt2 / 2, math.Sqrt2 / 2, math.Sqrt2 / 2, -math.Sqrt2 / 2}))},
		"the smallest eigenvalue is 0":                {of(mvg.NewDense(mat.NewDense(2, 2, []float64{1, 0, 0, 0})))},
		"sigma is of order 2 and psi of order 1":      {of(mvg.NewDesign(ctx, ball, two, must.Be(mvg.NewIsotropic(1, 1))))},
		"sigma is of order 1 and psi of order 2":      {of(mvg.NewDesign(ctx, ball, must.Be(mvg.NewIsotropic(1, 1)), two))},
		"the largest whitened difference is between":  {of(mvg.NewDesign(ctx, must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1e154, Gamma: 1e154})), two, two))},
		"noise for 1×2 elements, want 2×2":            {design.Noise(mat.NewDense(1, 2, nil), rand.NewPCG(1, 1))},
		"noise for 2×1 elements, want 2×2":            {design.Noise(mat.NewDense(2, 1, nil), rand.NewPCG(1, 1))},
		"f(X) is 1×2, want 2×2":                       {of(design.Simulate(mat.NewDense(1, 2, nil), rand.NewPCG(1, 1)))},
		"f(X) is 2×1, want 2×2":                       {of(design.Simulate(mat.NewDense(2, 1, nil), rand.NewPCG(1, 1)))},
		"eigenvalues[1] = -1, want 0 or a number":     {of(mvg.Waterfill([]float64{1, -1}, 1, mvg.L1)), of(mvg.Waterfill([]float64{1, -1}, 1, mvg.L2))},
		"eigenvalues[0] = NaN":                        {of(mvg.Waterfill([]float64{nan}, 1, mvg.L2))},
		"every number of eigenvalues is 0":            {of(mvg.Waterfill([]float64{0, 0}, 1, mvg.L2))},
		"weights[0] = 0, want a number":               {of(mvg.WaterfillWeighted([]float64{1}, []float64{0}, 1))},
		"2 weights for 1 eigenvalues":                 {of(mvg.WaterfillWeighted([]float64{1}, []float64{1, 1}, 1))},
		"budget = 0, want a number":                   {of(mvg.Waterfill([]float64{1}, 0, mvg.L1)), of(mvg.Waterfill([]float64{1}, 0, mvg.L2)), kronecker(func(k *mvg.KroneckerProblem) { k.Budget = 0 })},
		"norm 2, want 0 or 1":                         {of(mvg.Waterfill([]float64{1}, 1, 2)), kronecker(func(k *mvg.KroneckerProblem) { k.Norm = 2 })},
		"rows[0] = -1":                                {kronecker(func(k *mvg.KroneckerProblem) { k.Rows = []float64{-1} })},
		"columns[0] = -1":                             {kronecker(func(k *mvg.KroneckerProblem) { k.Columns = []float64{-1} })},
		"starts = -1":                                 {kronecker(func(k *mvg.KroneckerProblem) { k.Starts = -1 })},
		"starts = 1073741825":                         {kronecker(func(k *mvg.KroneckerProblem) { k.Starts = 1<<30 + 1 })},
		"K is 2×2, want order m·n = 2·2":              {nearest(eye, 2, 2)},
		"K is 2×4, want order m·n = 2·1":              {nearest(mat.NewDense(2, 4, nil), 2, 1)},
		"not symmetric":                               {nearest(mat.NewDense(2, 2, []float64{1, 2, 3, 4}), 2, 1), pnr(design, mat.NewDense(2, 2, []float64{1, 2, 3, 4}))},
		"every entry of K is 0":                       {nearest(mat.NewDense(2, 2, nil), 2, 1)},
		"which cannot be scaled to trace 2":           {nearest(mat.NewDense(2, 2, []float64{1, 0, 0, -1}), 2, 1)},
		"signal covariance is 3×3, want order 2 or 4": {pnr(design, mat.NewDense(3, 3, nil))},
		"signal covariance is 2×3, want order 2 or 4": {pnr(design, mat.NewDense(2, 3, nil))},
		"eigenvalue -0.5 after whitening":             {pnr(design, mat.NewDense(2, 2, []float64{1, 0, 0, -0.5})), pnr(design, mat.NewDense(4, 4, []float64{1, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))},
		"is not positive semi-definite: eigenvalue":   {pnr(correlated, mat.NewDense(2, 2, []float64{1, 0, 0, -0.5}))},
		"dimension = 2, want at least 3":              {of(mvg.NewRankOne(2, 1, one, evidencetest.Delta(0.1)))},
		"dimension = 1, want at least 2":              {of(mvg.RankOne{Dimension: 1, Sensitivity: 1, Variance: 1}.Privacy(1).Delta(ctx, one))},
		"is 1e+101 standard deviations of the noise":  {of(mvg.RankOne{Dimension: 3, Sensitivity: 1e101, Variance: 1}.Privacy(1).Delta(ctx, one)), of(mvg.RankOne{Dimension: 3, Sensitivity: 1e101, Variance: 1}.Privacy(1).Epsilon(ctx, evidence.Delta{}))},
		"tolerance = 0":                               {of(mvg.RankOne{Dimension: 3, Sensitivity: 1, Variance: 1}.Privacy(0).Delta(ctx, one)), of(mvg.RankOne{Dimension: 3, Sensitivity: 1, Variance: 1}.Privacy(0).Epsilon(ctx, evidence.Delta{}))},
		"sensitivity = 0":                             {of(mvg.RankOne{Dimension: 3, Variance: 1}.Privacy(1).Delta(ctx, one)), of(mvg.NewRankOne(3, 0, one, evidencetest.Delta(0.1))), of(mvg.ClassicSigma(one, evidencetest.Delta(0.1), big.NewRat(0, 1)))},
		"variance = 0":                                {of(mvg.RankOne{Dimension: 3, Sensitivity: 1}.Privacy(1).Delta(ctx, one))},
		"the variance is +Inf, want a positive":       {of(mvg.NewRankOne(3, 1e200, one, evidencetest.Delta(1e-5)))},
		"the variance is 0, want a positive":          {of(mvg.NewRankOne(3, 1e-200, one, evidencetest.Delta(0.5)))},
		"delta = 0, want":                             {of(mvg.ClassicSigma(one, evidence.Delta{}, big.NewRat(1, 1))), of(mvg.NewRankOne(3, 1, one, evidence.Delta{}))},
		"objective 2, want 0":                         {optimal(ball, mvg.Goal{Objective: 2}, recipe)},
		"weights are missing, want the signal's eigenvalues for the most information": {optimal(ball, mvg.Goal{Objective: mvg.MostInformation}, recipe)},
		"1 weights, want one for each of 2":                                           {optimal(ball, mvg.Goal{Weights: []float64{1}}, recipe)},
		"weights[1] = 0, want a positive":                                             {optimal(ball, mvg.Goal{Weights: []float64{1, 0}}, recipe)},
		"weights[0] = +Inf":                                                           {optimal(ball, mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{inf, 1}}, recipe)},
		"every weight is 0, want a positive one":                                      {optimal(ball, mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{0, 0}}, recipe)},
	} {
		for k, err := range errs {
			if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
				t.Errorf("case %d: error %v, want %q", k, err, want)
			}
		}
	}
}

// whitenedNorm computes ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F with float64 inverses and traces.
func whitenedNorm(t *testing.T, sigma, psi, delta mat.Matrix) float64 {
	var p, q, left, right, all mat.Dense
	if p.Inverse(sigma) != nil || q.Inverse(psi) != nil {
		t.Fatal("singular")
	}
	left.Mul(&p, delta)
	right.Mul(&q, delta.T())
	all.Mul(&left, &right)
	return math.Sqrt(mat.Trace(&all))
}

func outer(x, y []float64) *mat.Dense {
	d := mat.NewDense(len(x), len(y), nil)
	d.Outer(1, mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y))
	return d
}

// Random members of each sensitivity set never exceed the upper bound. The best of many, improved by random ascent,
// comes close to the lower bound.
func TestWhitenedSensitivityAgainstSearch(t *testing.T) {
	src := rand.New(rand.NewPCG(7, 7))
	sphere := func(n int, r float64) []float64 {
		x := make([]float64, n)
		s := 0.0
		for i := range x {
			x[i] = src.NormFloat64()
			s += x[i] * x[i]
		}
		for i := range x {
			x[i] *= r / math.Sqrt(s)
		}
		return x
	}
	h := []float64{0.5, 2, 1}
	box := must.Be(mvg.NewBox(4, h))
	ball := must.Be(mvg.NewBall(3, 4, mvg.BallOptions{S2: 1.5, Gamma: 3}))
	add := must.Be(mvg.NewGram(3, 1.3, query.AddRemove, 0.5))
	replace := must.Be(mvg.NewGram(3, 1.3, query.Replace, 0.5))
	list := must.Be(mvg.NewDifferences([]*mat.Dense{outer(sphere(3, 1), sphere(4, 1)), outer(sphere(3, 2), sphere(4, 1))}))
	gram := func(x, y []float64) *mat.Dense {
		d := outer(x, x)
		d.Sub(d, outer(y, y))
		d.Scale(0.5, d)
		return d
	}
	for _, c := range []struct {
		name       string
		s          mvg.Sensitivity
		psi        int // 0: identity, 1: equal to Σ, 2: another covariance
		directions bool
		draw       func() *mat.Dense
		exact      bool
	}{
		{"ball", ball, 2, true, func() *mat.Dense { return outer(sphere(3, 1.5), sphere(4, 1)) }, true},
		{"box in its axes", box, 0, false, func() *mat.Dense { return outer(vertex(src, h), unitVector(4, src.IntN(4))) }, true},
		{"box, any directions", box, 2, true, func() *mat.Dense { return outer(vertex(src, h), unitVector(4, src.IntN(4))) }, true},
		{"list", list, 2, true, nil, true},
		{"gram, equal", add, 1, true, func() *mat.Dense { return gram(sphere(3, 1.3), make([]float64, 3)) }, true},
		{"gram, crossed", add, 2, true, func() *mat.Dense { return gram(sphere(3, 1.3), make([]float64, 3)) }, true},
		{"replacement, equal", replace, 1, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, true},
		{"replacement, one mode", replace, 0, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, true},
		{"replacement, crossed", replace, 2, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, false},
	} {
		m, n := c.s.Shape()
		sigma := must.Be(mvg.NewDense(covariance(m, 3)))
		if !c.directions {
			sigma = must.Be(mvg.NewDirectional([]float64{0.3, 2, 5}, nil))
		}
		psi := sigma
		switch c.psi {
		case 0:
			psi = must.Be(mvg.NewIsotropic(n, 1))
		case 2:
			psi = must.Be(mvg.NewDense(covariance(n, 4)))
		}
		d := must.Be(mvg.NewDesign(ctx, c.s, sigma, psi))
		k := d.WhitenedSensitivity()
		if c.exact && !(k.Hi-k.Lo <= 1e-9*k.Hi) {
			t.Errorf("%s: [%v, %v] is not tight", c.name, k.Lo, k.Hi)
		}
		if c.draw == nil {
			continue
		}
		best := 0.0
		for range 20000 {
			best = max(best, whitenedFast(sigma, psi, c.draw()))
		}
		if best > k.Hi || best < 0.96*k.Lo {
			t.Errorf("%s: search finds %v, enclosure [%v, %v]", c.name, best, k.Lo, k.Hi)
		}
		if s := c.s.Frobenius().Lo; s <= 0 {
			t.Errorf("%s: Frobenius %v", c.name, s)
		}
	}
}

// whitenedFast returns tr(Σ⁻¹ΔΨ⁻¹Δᵀ)^½ with the precisions that the package reports.
func whitenedFast(sigma, psi mvg.Covariance, delta *mat.Dense) float64 {
	p, q := sigma.Precision(), psi.Precision()
	var a mat.Dense
	a.Mul(p, delta)
	a.Mul(&a, q)
	m, n := delta.Dims()
	s := 0.0
	for i := range m {
		for j := range n {
			s += a.At(i, j) * delta.At(i, j)
		}
	}
	return math.Sqrt(s)
}

func vertex(src *rand.Rand, h []float64) []float64 {
	v := make([]float64, len(h))
	for i, w := range h {
		v[i] = 2 * w
		if src.IntN(2) == 0 {
			v[i] = -v[i]
		}
	}
	return v
}

func unitVector(n, j int) []float64 {
	e := make([]float64, n)
	e[j] = 1
	return e
}
