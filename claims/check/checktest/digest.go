package checktest

import (
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// digest writes a value to a hash: numbers, strings, slices, arrays, maps, pointers and structs of the claims, of
// evidence and of math/big, with their contents. Functions are skipped. For structs with unexported fields from other
// packages it writes only the type, because caches inside them can grow. A float64 counts to ten digits, because
// machines may fuse products and sums.
func digest(h hash.Hash, v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		fmt.Fprint(h, "nil;")
	case reflect.Bool:
		fmt.Fprint(h, v.Bool(), ";")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(h, v.Int(), ";")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fmt.Fprint(h, v.Uint(), ";")
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(h, "%.10g;", v.Float())
	case reflect.String:
		fmt.Fprintf(h, "%q;", v.String())
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(h, "[%d:", v.Len())
		for i := range v.Len() {
			digest(h, v.Index(i))
		}
	case reflect.Pointer, reflect.Interface:
		digest(h, v.Elem())
	case reflect.Struct:
		fmt.Fprint(h, v.Type().Name(), "{")
		if from := v.Type().PkgPath(); slices.Contains(walked, from) || strings.HasPrefix(from, "dpworkbench/claims/") || open(v.Type()) {
			for i := range v.NumField() {
				digest(h, v.Field(i))
			}
		}
	case reflect.Map:
		keys := make(map[string]reflect.Value)
		for _, key := range v.MapKeys() {
			keys[fmt.Sprint(key)] = v.MapIndex(key)
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			fmt.Fprintf(h, "%q:", key)
			digest(h, keys[key])
		}
	}
}

// walked lists the packages outside claims whose structs are hashed with their contents.
var walked = []string{"", "math/big", "dpworkbench/evidence", "dpworkbench/interval"}

// open reports whether all fields of a struct are exported.
func open(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return false
		}
	}
	return true
}
