package callall_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"
)

// maker makes the arguments of one call.
type maker struct {
	rng   *rand.Rand
	pool  *pool
	ctx   context.Context
	size  int                            // largest length and count in a call
	wide  int                            // length of inner slices
	whole bool                           // prefer integers
	same  map[reflect.Type]reflect.Value // a slice of each type made for this call
	wild  float64                        // probability of an extreme value
	few   bool                           // no counts above 1,000
	late  bool                           // the context ends before the call
	// bad is set if an argument is an invalid number, since results may then be invalid too.
	bad *atomic.Bool
}

var (
	contextType  = reflect.TypeFor[context.Context]()
	sourceType   = reflect.TypeFor[rand.Source]()
	readerType   = reflect.TypeFor[io.Reader]()
	stateType    = reflect.TypeFor[fmt.State]()
	errorType    = reflect.TypeFor[error]()
	durationType = reflect.TypeFor[time.Duration]()
	ratType      = reflect.TypeFor[*big.Rat]()
	constantOf   = map[reflect.Type][]reflect.Value{}
)

// errCaller is the error that callbacks return.
var errCaller = errors.New("an error of the caller")

func (m *maker) chance(p float64) bool { return m.rng.Float64() < p }

func pick[T any](m *maker, list ...T) T { return list[m.rng.IntN(len(list))] }

func (m *maker) float(name string) float64 {
	if m.chance(m.wild) {
		return pick(m, math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-308, 1e308,
			-1e308, math.MaxFloat64, -1, 1, 1e-17, 1e17, 710, -745, 0x1p53, 1-0x1p-53, m.rng.NormFloat64()*math.Exp(100*m.rng.NormFloat64()))
	}
	if m.whole && m.chance(0.9) {
		return float64(m.rng.IntN(5))
	}
	switch strings.ToLower(name) {
	case "delta", "alpha", "beta", "tau", "tolerance", "confidence", "probability", "p", "share", "power", "level", "tv":
		return pick(m, m.rng.Float64(), 1e-5, 0.25, 0.5)
	case "theta", "lam", "lambda", "pi":
		return pick(m, m.rng.NormFloat64(), 0.5, -1, 0)
	}
	return pick(m, m.rng.ExpFloat64(), 1, 0.5, 2, 3, float64(m.rng.IntN(6)))
}

func (m *maker) int(name string) int64 {
	if m.chance(m.wild) {
		if m.chance(0.2) && !m.few {
			return pick[int64](m, 1<<31, 1<<62, math.MaxInt64, math.MinInt64, -1<<31)
		}
		return pick[int64](m, 0, -1, 1, 2, 7, 64, 100, -2)
	}
	if name == "r" {
		return int64(m.rng.IntN(max(m.wide, 1)))
	}
	if len(name) == 1 && strings.Contains("xyij", name) || m.chance(0.3) {
		return int64(m.rng.IntN(max(m.size, 1)))
	}
	return int64(m.size)
}

func (m *maker) text() string {
	return pick(m, "a", "b", "x", "eps", "1/2", "0.25", "1e-3", "edge", "triangle", "2-star", "A_", "Bw", "C~", "D?{", "",
		"\x00", "é√", "1e999999999", "-1", "NaN", "%d%s", strings.Repeat("~", 30), "dataset,output,count\na,x,3\nb,x,1\nb,y,2\n",
		"dataset,output,probability\na,x,1/2\na,y,0.5\nb,x,1\n", `{"a": {"x": "1/3", "y": "2/3"}, "b": {"x": 1}}`,
		`{"a": {"x": 10, "y": 5}, "b": {"x": 1}}`, `{"a": 1e400}`, "[[", "a,b\n\"")
}

func (m *maker) rat(name string) *big.Rat {
	if m.chance(m.wild) {
		return pick(m, new(big.Rat), big.NewRat(-1, 3), big.NewRat(math.MaxInt64, 3), big.NewRat(1, math.MaxInt64),
			new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1200)),
			new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 1200)))
	}
	if m.whole && m.chance(0.9) {
		return big.NewRat(int64(m.rng.IntN(5)), 1)
	}
	return pick(m, big.NewRat(int64(m.rng.IntN(7)), 1), big.NewRat(1+int64(m.rng.IntN(5)), 1+int64(m.rng.IntN(5))),
		big.NewRat(1, int64(max(m.size, 1))), big.NewRat(1, 1))
}

func (m *maker) dense(rows, cols int) *mat.Dense {
	if m.chance(m.wild) {
		rows, cols = 1+m.rng.IntN(5), 1+m.rng.IntN(5)
	}
	rows, cols = max(rows, 1), max(cols, 1)
	d := mat.NewDense(rows, cols, nil)
	kind := m.rng.IntN(4)
	for i := range rows {
		for j := range cols {
			switch kind {
			case 0:
				d.Set(i, j, m.float(""))
			case 1:
				if i == j {
					d.Set(i, j, 1)
				}
			case 2:
				d.Set(i, j, 1e6/float64(i+j+1)) // ill-conditioned
			default:
				d.Set(i, j, m.rng.NormFloat64())
			}
		}
	}
	return d
}

// length returns the length for a slice: mostly the call's size, but small or 0 deep inside recursive types.
func (m *maker) length(depth int) int {
	switch {
	case depth > 6:
		return 0
	case m.chance(m.wild):
		return m.rng.IntN(6)
	case depth > 2:
		return min(m.wide, 3)
	case depth > 0:
		return min(m.wide, 64)
	}
	return min(m.size, 64)
}

// value returns a value of type t for a parameter or field of the given name, or false if it cannot make one yet.
func (m *maker) value(t reflect.Type, name string, depth int) (reflect.Value, bool) {
	if v, ok := m.foreign(t, name); ok {
		return v, true
	}
	if c := constantOf[t]; len(c) > 0 && !m.chance(m.wild/2) {
		return pick(m, c...), true
	}
	if isOurs(t) || t.Kind() == reflect.Interface {
		if v, ok := m.ours(t, depth); ok {
			return v, true
		}
		if t.Kind() == reflect.Interface || opaque(t) || t.Kind() == reflect.Pointer && opaque(t.Elem()) {
			return reflect.Value{}, false
		}
	}
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(m.chance(0.5))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(m.int(name))
		if t.Kind() == reflect.Int8 && m.chance(0.8) {
			v.SetInt(pick[int64](m, 1, -1))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(m.int(name)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(m.float(name))
	case reflect.String:
		v.SetString(m.text())
	case reflect.Slice:
		if m.chance(m.wild / 4) {
			return v, true
		}
		if old, ok := m.same[t]; ok && m.chance(0.3) {
			return old, true
		}
		n := m.length(depth)
		v.Set(reflect.MakeSlice(t, n, n))
		ok := m.fill(v, name, depth)
		m.same[t] = v
		return v, ok
	case reflect.Array:
		return v, m.fill(v, name, depth)
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range m.length(depth) {
			key, ok := m.value(t.Key(), name, depth+1)
			elem, ok2 := m.value(t.Elem(), name, depth+1)
			if !ok || !ok2 {
				return v, false
			}
			v.SetMapIndex(key, elem)
		}
	case reflect.Struct:
		ok := m.structure(v, depth)
		if ok && badEvidence(v, 0) != "" {
			m.bad.Store(true)
		}
		return v, ok
	case reflect.Pointer:
		e, ok := m.value(t.Elem(), name, depth+1)
		if !ok {
			return v, false
		}
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(e)
	case reflect.Func:
		v.Set(m.callback(t))
	default:
		return v, false
	}
	return v, true
}

// fill sets every element of a slice or array. Elements of an interface type mostly share one type. Sometimes elements
// are equal and sum to 1, or rows hold the distances of their indices.
func (m *maker) fill(v reflect.Value, name string, depth int) bool {
	t := v.Type().Elem()
	if t.Kind() == reflect.Int || t.Kind() == reflect.Int32 {
		name = "r" // mostly an index
	}
	kind := m.rng.IntN(4)
	for i := range v.Len() {
		var e reflect.Value
		switch ok := true; {
		case t == ratType && kind == 0:
			e = reflect.ValueOf(big.NewRat(1, int64(v.Len())))
		case t.Kind() == reflect.Float64 && kind == 0:
			e = reflect.ValueOf(1 / float64(v.Len())).Convert(t)
		default:
			if e, ok = m.value(t, name, depth+1); !ok {
				return false
			}
		}
		v.Index(i).Set(e)
		if t.Kind() == reflect.Interface && m.chance(0.8) {
			t = reflect.ValueOf(e.Interface()).Type()
		}
		if row := v.Index(i); row.Kind() == reflect.Slice && kind == 1 {
			for j := range row.Len() {
				switch d := max(i-j, j-i); row.Type().Elem() {
				case ratType:
					row.Index(j).Set(reflect.ValueOf(big.NewRat(int64(d), 1)))
				case reflect.TypeFor[float64]():
					row.Index(j).SetFloat(float64(d))
				}
			}
		}
	}
	return true
}

// structure fills the exported fields. Slices and maps are sometimes left nil. So are other fields if their comment or
// the type's comment explains nil or the zero value.
func (m *maker) structure(v reflect.Value, depth int) bool {
	zero := zeroWorks(v.Type())
	if zero && m.chance(0.2) {
		return true
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		may := zero || optional[nameOf(v.Type())+"."+f.Name]
		switch f.Type.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Func:
			if may && m.chance(0.5) {
				continue
			}
		case reflect.Map, reflect.Slice:
			if m.chance(0.3) {
				continue
			}
		}
		e, ok := m.value(f.Type, f.Name, depth+1)
		if !ok && !may {
			return false
		}
		if ok {
			v.Field(i).Set(e)
		}
	}
	return true
}

// ours returns a stored value of a public package's type. It returns false if there is none, and often for a struct
// without unexported fields, so that value makes a new one.
func (m *maker) ours(t reflect.Type, depth int) (reflect.Value, bool) {
	if t.Kind() == reflect.Interface && m.chance(0.3) {
		var fit []reflect.Type
		for _, n := range types {
			if n.of.Kind() != reflect.Interface && n.of.Implements(t) && !opaque(n.of) {
				fit = append(fit, n.of)
			}
		}
		if len(fit) > 0 {
			return m.value(pick(m, fit...), "", depth+1)
		}
	}
	if t.Kind() == reflect.Struct && !opaque(t) && m.chance(0.6) {
		return reflect.Value{}, false
	}
	v, ok := m.pool.get(t, m.rng)
	if !ok || m.chance(m.wild/4) {
		switch {
		case zeroWorks(t):
			return reflect.Zero(t), true
		case t.Kind() == reflect.Pointer && zeroWorks(t.Elem()):
			return reflect.New(t.Elem()), true
		}
	}
	if ok {
		m.measure(v, 0)
	}
	return v, ok
}

// measure takes the sizes of later arguments from a value, so that shapes match.
func (m *maker) measure(v reflect.Value, depth int) {
	if depth > 2 || !v.CanInterface() || v.Kind() == reflect.Pointer && v.IsNil() || m.chance(m.wild/2) {
		return
	}
	size, wide := m.size, 0
	switch v := v.Interface().(type) {
	case interface{ Shape() (n, p int) }:
		size, wide = v.Shape()
	case interface{ Size() int }:
		size = v.Size()
	case interface{ Dim() int }:
		size = v.Dim()
	case interface{ P() int }:
		size = v.P()
	case interface{ Order() int }:
		size = v.Order()
	default:
		if q := result(v, "Query"); q.IsValid() {
			m.measure(q, depth+1)
			return
		}
	}
	if r := result(v.Interface(), "Range"); r.IsValid() && r.Kind() == reflect.Slice {
		wide = r.Len()
	}
	if wide == 0 {
		wide = size
	}
	m.size, m.wide = size, wide
}

// result calls a method without parameters and returns its only result, or the zero Value if v has no such method.
func result(v any, method string) reflect.Value {
	f := reflect.ValueOf(v).MethodByName(method)
	if !f.IsValid() || f.Type().NumIn() != 0 || f.Type().NumOut() != 1 {
		return reflect.Value{}
	}
	return f.Call(nil)[0]
}

// zeroWorks reports whether the comment of t mentions the zero value.
func zeroWorks(t reflect.Type) bool {
	return slices.ContainsFunc(types, func(n namedType) bool { return n.of == t && n.zero })
}

// foreign returns a value of a type from outside the public packages, or false for other types.
func (m *maker) foreign(t reflect.Type, name string) (reflect.Value, bool) {
	switch t {
	case contextType:
		return reflect.ValueOf(m.ctx), true
	case sourceType:
		return reflect.ValueOf(rand.NewPCG(m.rng.Uint64(), 0)), true
	case readerType:
		return reflect.ValueOf(strings.NewReader(m.text())), true
	case stateType:
		return reflect.ValueOf(&state{m: m}), true
	case errorType:
		return reflect.ValueOf(errCaller), true
	case durationType:
		return reflect.ValueOf(pick(m, time.Duration(0), time.Millisecond, 5*time.Millisecond, -time.Second)), true
	case reflect.TypeFor[mat.Matrix](), reflect.TypeFor[*mat.Dense]():
		return reflect.ValueOf(m.dense(min(m.size, 64), min(m.wide, 64))), true
	case reflect.TypeFor[*mat.SymDense](), reflect.TypeFor[mat.Symmetric]():
		var s mat.Dense
		d := m.dense(min(m.size, 64), min(m.size, 64))
		s.Mul(d, d.T())
		n, _ := s.Dims()
		return reflect.ValueOf(mat.NewSymDense(n, s.RawMatrix().Data)), true
	case reflect.TypeFor[*mat.VecDense](), reflect.TypeFor[mat.Vector]():
		data := make([]float64, max(1, min(m.size, 64)))
		for i := range data {
			data[i] = m.float(name)
		}
		return reflect.ValueOf(mat.NewVecDense(len(data), data)), true
	case ratType:
		return reflect.ValueOf(m.rat(name)), true
	case reflect.TypeFor[*big.Int]():
		return reflect.ValueOf(new(big.Int).Set(m.rat(name).Num())), true
	case reflect.TypeFor[*big.Float]():
		if m.chance(m.wild) {
			return reflect.ValueOf(pick(m, new(big.Float), new(big.Float).SetInf(false), new(big.Float).SetInf(true),
				new(big.Float).SetMantExp(big.NewFloat(0.7), 1<<30), new(big.Float).SetMantExp(big.NewFloat(-0.7), -(1<<30)))), true
		}
		return reflect.ValueOf(big.NewFloat(m.rng.NormFloat64())), true
	case reflect.TypeFor[any]():
		return pick(m, reflect.ValueOf(1), reflect.ValueOf("a"), reflect.ValueOf(math.NaN()), reflect.ValueOf(m.rat(""))), true
	}
	return reflect.Value{}, false
}

// callback returns a function whose results are made like arguments, mostly without an error.
func (m *maker) callback(t reflect.Type) reflect.Value {
	own := *m
	own.rng = rand.New(rand.NewPCG(m.rng.Uint64(), 1))
	own.wild /= 4
	own.same = map[reflect.Type]reflect.Value{}
	var mu sync.Mutex // several goroutines may call it
	return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
		mu.Lock()
		defer mu.Unlock()
		fail := own.chance(0.1)
		out := make([]reflect.Value, t.NumOut())
		for i := range out { // an error is the last result
			out[i] = reflect.New(t.Out(i)).Elem()
			if t.Out(i) == errorType && !fail {
				continue
			}
			v, ok := own.value(t.Out(i), "", 1)
			if fail = fail || !ok; ok {
				out[i].Set(v)
			}
		}
		return out
	})
}

// state is the fmt.State passed to a Format method.
type state struct {
	strings.Builder
	m *maker
}

func (s *state) Width() (int, bool)     { return s.m.rng.IntN(30), s.m.chance(0.5) }
func (s *state) Precision() (int, bool) { return s.m.rng.IntN(20), s.m.chance(0.5) }
func (s *state) Flag(int) bool          { return s.m.chance(0.3) }
