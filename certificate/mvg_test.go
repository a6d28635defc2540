package certificate_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// noises makes random designs.
type noises struct {
	t   *testing.T
	src *rand.Rand
}

func (g noises) dense(m, n int) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, g.src.NormFloat64())
		}
	}
	return a
}

// powers returns numbers between 10^(−decades/2) and 10^(decades/2).
func (g noises) powers(n int, decades float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Pow(10, decades*(g.src.Float64()-0.5))
	}
	return v
}

// covariance returns a random covariance whose condition number is about 10^decades.
func (g noises) covariance(n int, decades float64) mvg.Covariance {
	var qr mat.QR
	qr.Factorize(g.dense(n, n))
	var q mat.Dense
	qr.QTo(&q)
	return must.For(mvg.NewDirectional(g.powers(n, decades), &q))(g.t)
}

func (g noises) diagonal(n int, decades float64) mvg.Covariance {
	return must.For(mvg.NewDirectional(g.powers(n, decades), nil))(g.t)
}

func (g noises) isotropic(n int, v float64) mvg.Covariance {
	return must.For(mvg.NewIsotropic(n, v))(g.t)
}

// design adds certificates of the numbers of a design, and returns the last certificate.
func (g noises) design(j *checkerCases, s mvg.Sensitivity, err error, sigma, psi mvg.Covariance) *document {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
	ctx := context.Background()
	d := must.For(mvg.NewDesign(ctx, s, sigma, psi))(g.t)
	e := must.For(evidence.NewEpsilon("eps", math.Pow(10, 2*g.src.Float64()-1)))(g.t)
	j.accepted(d.Privacy().Delta(ctx, e))
	j.accepted(d.Privacy().Epsilon(ctx, evidencetest.Delta(math.Pow(10, -1-30*g.src.Float64()))))
	return j.number(d.WhitenedSensitivity(), nil)
}

// TestMVG checks matrix-variate Gaussian noise for every kind of sensitivity, including ill-conditioned covariances.
func TestMVG(t *testing.T) { checkAll(t, designs) }

// designs adds certificates for matrix-variate Gaussian noise.
func designs(j *checkerCases) {
	t := j.t
	g := noises{t, rand.New(rand.NewPCG(26, 2))}
	var balls, boxes, wides, replaced *document
	rounds := 3 // well- and ill-conditioned designs; all certificates are forged
	if j.dir == "" {
		rounds = 1
	}
	for k := range rounds {
		if !cases.Every(2, k) {
			continue
		}
		decades := 7 * float64(k)
		s, err := mvg.NewBall(3+k, 4, mvg.BallOptions{S2: 2, Gamma: 1})
		balls = g.design(j, s, err, g.covariance(3+k, decades), g.covariance(4, 2))
		g.design(j, s, err, g.diagonal(3+k, decades), g.isotropic(4, 1))
		b, err := mvg.NewBox(5, g.powers(4+k, 2))
		boxes = g.design(j, b, err, g.covariance(4+k, decades/2), g.isotropic(5, 3))
		g.design(j, b, err, g.diagonal(4+k, decades), g.covariance(5, decades))
		for _, replace := range []bool{false, true} {
			r, err := mvg.NewGram(4, 1.5, map[bool]query.Relation{false: query.AddRemove, true: query.Replace}[replace], 0.01)
			c := g.covariance(4, decades)
			g.design(j, r, err, c, c)
			replaced = g.design(j, r, err, c, g.isotropic(4, 2))
			g.design(j, r, err, g.isotropic(4, 2), g.diagonal(4, 2))
		}
		r, err := mvg.NewGram(2, 1, query.Replace, 1)
		g.design(j, r, err, g.covariance(2, 3), g.covariance(2, 3))
		l, err := mvg.NewDifferences([]*mat.Dense{g.dense(3, 5), g.dense(3, 5), g.dense(3, 5)})
		g.design(j, l, err, g.covariance(3, decades), g.covariance(5, 3))
		g.design(j, l, err, g.diagonal(3, decades), g.covariance(5, decades/2))
		g.design(j, l, err, g.diagonal(3, decades), g.isotropic(5, 1))
	}
	b, err := mvg.NewBox(2, g.powers(12, 2))
	g.design(j, b, err, g.covariance(12, 2), g.isotropic(2, 1))
	b, err = mvg.NewBox(2, g.powers(23, 2))
	wides = g.design(j, b, err, g.covariance(23, 2), g.isotropic(2, 1))
	s, err := mvg.NewBall(16, 248, mvg.BallOptions{S2: 1, Gamma: 1})
	g.design(j, s, err, g.covariance(16, 6), g.isotropic(248, 1))
	unit, err := mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 1})
	g.design(j, unit, err, g.isotropic(2, 1), g.isotropic(2, 1)) // μ is exactly 1
	g.design(j, unit, err, g.isotropic(2, 1e-150), g.isotropic(2, 1e-150))
	g.design(j, unit, err, g.isotropic(2, 1e150), g.isotropic(2, 1e150))

	j.add(balls.proving("sigma", nil), "no proof for sigma")
	j.add(balls.proving("sigma", list{list{"0", "1/1000000"}}), "a bound that is too low")
	j.add(balls.proving("sigma", list{list{"1000000000000000000000000000", "1000000000000000000000000001"}}), "a bound that is too high")
	j.add(balls.proving("signs", list{1}), "signs for a ball")
	j.add(balls.saying("differences", object{"ball": "1"}), "a smaller ball")
	j.add(balls.saying("psi", object{"order": 4, "variance": "1000"}), "more noise")
	j.add(balls.saying("psi", object{"order": 4, "variance": "0"}), "no noise")
	j.add(balls.saying("psi", object{"matrix": list{list{"1", "2"}, list{"2", "1"}}}), "an indefinite covariance")
	j.add(boxes.saying("differences", object{"box": list{"1", "1", "1", "1", "1", "1", "1"}}), "another box")
	j.add(boxes.proving("signs", list{1, 1, 1, 1, 1, 1, 1}), "signs without a diagonal")
	signs := append(list{}, wides.proof["signs"].(list)...)
	signs[0] = -signs[0].(int)
	j.add(wides.proving("signs", signs), "another vertex")
	diagonal := append(list{}, wides.proof["diagonal"].(list)...)
	diagonal[3] = "1/1000"
	j.add(wides.proving("diagonal", diagonal), "a diagonal that does not dominate")
	diagonal = append(list{}, wides.proof["diagonal"].(list)...)
	diagonal[3] = "1000000"
	j.add(wides.proving("diagonal", diagonal), "a diagonal that is too large")
	j.add(wides.proving("diagonal", nil), "no diagonal")
	gram := replaced.statement["differences"].(object)["gram"].(object)
	j.add(replaced.saying("differences", object{"gram": object{"row_norm": gram["row_norm"], "scale": "1/1000", "neighbors": "bounded"}}), "a smaller scale")
	j.add(replaced.saying("differences", object{"gram": object{"row_norm": gram["row_norm"], "scale": gram["scale"], "neighbors": "unbounded"}}), "other neighbors")
}
