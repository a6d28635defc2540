package script

import (
	"errors"
	"fmt"
	"math/big"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
)

// Stored returns a number as a dict from which Restored makes it again, even in another process.
func (e *Evidence) Stored() *starlark.Dict {
	r := evidence.RecordOf(e.number)
	d := starlark.NewDict(16)
	add := func(name string, v starlark.Value) { _ = d.SetKey(starlark.String(name), v) } // d is not frozen
	add("kind", starlark.String(r.Kind))
	add("side", starlark.MakeInt(int(r.Side)))
	for name, x := range map[string]float64{"value": r.Value, "lo": r.Lo, "hi": r.Hi, "confidence": r.Confidence} {
		add(name, starlark.Float(x))
	}
	for name, q := range map[string]*big.Rat{"scale": r.Scale, "base": r.Base} {
		if q != nil {
			add(name, starlark.String(q.RatString()))
		}
	}
	add("draws", starlark.MakeInt(r.Draws))
	add("cases", starlark.MakeUint64(r.Cases))
	for name, text := range map[string]string{"source": r.Source, "method": r.Method, "caveat": r.Caveat, "call": r.Call} {
		add(name, starlark.String(text))
	}
	return d
}

// Restored returns the number that Stored wrote. It is as trustworthy as the file or process that it comes from.
func Restored(v starlark.Value) (*Evidence, error) {
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("a stored number is a dict, not a %s", v.Type())
	}
	var err error
	get := func(name string) starlark.Value {
		v, _, _ := d.Get(starlark.String(name))
		return v
	}
	text := func(name string) string {
		s, _ := starlark.AsString(get(name))
		return s
	}
	float := func(name string) float64 {
		x, ok := starlark.AsFloat(get(name))
		if !ok {
			err = fmt.Errorf("a stored number lacks its %s", name)
		}
		return x
	}
	count := func(name string) int {
		n, e := starlark.AsInt32(get(name))
		err = errors.Join(err, e)
		return n
	}
	rational := func(name string) *big.Rat {
		if get(name) == starlark.None { // missing
			return nil
		}
		q, ok := new(big.Rat).SetString(text(name))
		if !ok {
			err = fmt.Errorf("the %s of a stored number is not a fraction", name)
		}
		return q
	}
	r := evidence.Record{
		Kind: evidence.Kind(text("kind")), Value: float("value"), Lo: float("lo"), Hi: float("hi"), Confidence: float("confidence"),
		Side: evidence.Side(count("side")), Draws: count("draws"), Scale: rational("scale"), Base: rational("base"),
		Source: text("source"), Method: text("method"), Caveat: text("caveat"), Call: text("call"),
	}
	if n, ok := get("cases").(starlark.Int); ok {
		r.Cases, _ = n.Uint64()
	}
	if err != nil {
		return nil, err
	}
	n, err := r.Number()
	if err != nil {
		return nil, err
	}
	return &Evidence{number: evidence.Identify(n)}, nil
}
