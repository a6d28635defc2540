package certificate_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// about adds the certificate of an object that is not a number.
func (j *checkerCases) about(x any) *document {
	j.t.Helper()
	return j.original(certificate.About(context.Background(), x))
}

func TestUniverses(t *testing.T) { checkAll(t, universes) }

// universes adds certificates of all graphs on few nodes.
func universes(j *checkerCases) {
	t := j.t
	for n := 1; n <= cases.Of(5, 6); n++ {
		g := must.For(query.NewGraphs(context.Background(), n))(t)
		f := j.about(g)
		if n < 4 {
			continue
		}
		edit := func(key string, change func(list) list) *document {
			return f.saying(key, change(append(list{}, f.statement[key].(list)...)))
		}
		j.add(edit("classes", func(l list) list { l[3] = l[4]; return l }), "a class twice")
		j.add(edit("classes", func(l list) list { return l[1:] }), "a class left out")
		j.add(edit("automorphisms", func(l list) list { l[2] = l[2].(int) * 2; return l }), "another group")
		j.add(edit("neighbors", func(l list) list { return l[:len(l)-1] }), "neighbors left out")
		j.add(edit("neighbors", func(l list) list { return append(l, list{0, len(f.statement["classes"].(list)) - 1}) }), "no neighbors")
	}
}

func TestLayersAndMigrations(t *testing.T) { checkAll(t, layersAndMigrations) }

// layersAndMigrations adds certificates of the layers of mechanisms and of their migrations.
func layersAndMigrations(j *checkerCases) {
	t := j.t
	s := generator{t, rand.New(rand.NewPCG(26, 14))}
	ctx := context.Background()
	changed := func(f *document, key string) *document {
		rows := append(list{}, f.statement[key].(list)...)
		row := append(list{}, rows[0].(list)...)
		if row[0] == nil {
			row[0] = 3
		} else {
			row[0] = row[0].(int) + 1
		}
		rows[0] = row
		return f.saying(key, rows)
	}
	for range j.rounds(25) {
		q, eps := s.query(), s.anyEps()
		sets := layers.Sets{At: make([]map[int][]int, q.Size())}
		for x := range sets.At {
			sets.At[x] = map[int][]int{0: {s.rng.IntN(len(q.Range()))}, 1 + s.rng.IntN(3): {s.rng.IntN(len(q.Range()))}}
		}
		for _, rule := range []layers.Rule{layers.Closure, layers.Published} {
			m, err := layers.NewGeneral(ctx, q, eps, sets, rule)
			s.fail(err)
			j.add(changed(j.about(m), "levels"), "another layer")
			moved, err := m.Migrate(ctx, layers.Move{Dataset: s.rng.IntN(q.Size()), Value: s.rng.IntN(len(q.Range())), Layer: s.rng.IntN(3)})
			s.fail(err)
			f := j.about(moved)
			j.add(changed(f, "levels"), "another layer before")
			j.add(changed(f, "after"), "another layer after")
			j.add(f.saying("move", object{"x": 0, "r": len(q.Range()), "layer": 0}), "no value moved")
		}
	}
}

func TestComparisons(t *testing.T) { checkAll(t, comparisons) }

// comparisons adds certificates of comparisons of two mechanisms.
func comparisons(j *checkerCases) {
	t := j.t
	s := generator{t, rand.New(rand.NewPCG(26, 15))}
	for range j.rounds(6) {
		q, eps := s.query(), s.anyEps()
		m := s.mechanisms(q, eps)
		m = append(m, s.mechanisms(q, eps.Ratio(1, 2))[0])
		for _, a := range m {
			b := m[s.rng.IntN(len(m))]
			c, err := mechanism.Compare(context.Background(), a, b)
			s.fail(err)
			f := j.about(c)
			signs := append(list{}, f.statement["signs"].(list)...)
			x := s.rng.IntN(len(signs))
			signs[x] = (signs[x].(int)+2)%3 - 1
			j.add(f.saying("signs", signs), "another sign")
			j.add(f.saying("better", (f.statement["better"].(int)+1)%(len(signs)+1)), "another count")
		}
	}
}
