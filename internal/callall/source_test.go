package callall_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// publicPackages are the packages that a user of the library may import.
var publicPackages = []string{
	"interval", "evidence", "privacy", "gaussian", "query", "mechanism", "layers", "continuous", "discretize",
	"optimize", "mvg", "xor", "ehmc", "signrp", "audit", "matrix", "smooth", "records", "program", "reproductions/networks", "reproductions/matrices",
}

// source collects the lines of the table from the public packages.
type source struct {
	functions, types, methods, optional, constants []string
}

// tableOf returns Go source that fills functions, types, methods, optional and constants with the exports of the
// public packages below root.
func tableOf(root string) ([]byte, error) {
	var s source
	for _, room := range publicPackages {
		if err := s.read(filepath.Join(root, room)); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	b.WriteString("package callall_test\n\nimport (\n\t\"reflect\"\n\n")
	for _, room := range publicPackages {
		fmt.Fprintf(&b, "\t%q\n", "dpworkbench/"+room)
	}
	b.WriteString(")\n\nfunc init() {\n")
	for _, part := range []struct {
		head  string
		lines []string
	}{
		{"functions = []function", s.functions}, {"types = []namedType", s.types},
		{"methods = map[string]signature", s.methods}, {"optional = map[string]bool", s.optional}, {"constants = []any", s.constants},
	} {
		fmt.Fprintf(&b, "%s{\n%s\n}\n", part.head, strings.Join(part.lines, "\n"))
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

func (s *source) read(dir string) error {
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				err = s.function(path.Base(dir), decl)
			case *ast.GenDecl:
				s.general(path.Base(dir), decl)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// function adds an exported function or method to the table. The receiver may be unexported, since a function can
// return it as an interface.
func (s *source) function(room string, f *ast.FuncDecl) error {
	if !f.Name.IsExported() {
		return nil
	}
	call := signatureOf(f.Type, f.Doc)
	if f.Recv != nil {
		s.methods = append(s.methods, fmt.Sprintf("%q: %s,", room+"."+receiver(f.Recv.List[0].Type)+"."+f.Name.Name, call))
		return nil
	}
	name := room + "." + f.Name.Name
	if f.Type.TypeParams != nil {
		var with []string
		for _, field := range f.Type.TypeParams.List {
			var stands string
			switch of := field.Type.(type) {
			case *ast.Ident:
				if stands = of.Name; stands != "any" {
					stands = room + "." + stands
				}
			case *ast.SelectorExpr:
				stands = fmt.Sprintf("%s.%s", of.X, of.Sel.Name)
			case *ast.InterfaceType: // no type here satisfies a constraint with methods
				return nil
			default:
				return fmt.Errorf("%s: what its type parameters stand for is not known", name)
			}
			for range field.Names {
				with = append(with, stands)
			}
		}
		s.functions = append(s.functions, fmt.Sprintf("{%q, reflect.ValueOf(%s[%s]), %s},", name, name, strings.Join(with, ", "), call))
		return nil
	}
	s.functions = append(s.functions, fmt.Sprintf("{%q, reflect.ValueOf(%s), %s},", name, name, call))
	return nil
}

// general adds exported types, constants and variables to the table.
func (s *source) general(room string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() && d.Tok != token.TYPE {
					s.constants = append(s.constants, room+"."+name.Name+",")
				}
			}
		case *ast.TypeSpec:
			if !spec.Name.IsExported() || spec.Assign.IsValid() || spec.TypeParams != nil {
				continue
			}
			doc := spec.Doc
			if doc == nil {
				doc = d.Doc
			}
			name := room + "." + spec.Name.Name
			s.types = append(s.types, fmt.Sprintf("{%q, reflect.TypeFor[%s](), %t, %t},", name, name, says(doc, "panic"), says(doc, "zero value") && !says(doc, "not usable")))
			switch t := spec.Type.(type) {
			case *ast.StructType:
				for _, field := range t.Fields.List {
					for _, id := range field.Names {
						if says(field.Doc, "nil") || says(field.Comment, "nil") {
							s.optional = append(s.optional, fmt.Sprintf("%q: true,", name+"."+id.Name))
						}
					}
				}
			case *ast.InterfaceType:
				for _, m := range t.Methods.List {
					if f, ok := m.Type.(*ast.FuncType); ok && m.Names[0].IsExported() {
						s.methods = append(s.methods, fmt.Sprintf("%q: %s,", name+"."+m.Names[0].Name, signatureOf(f, m.Doc)))
					}
				}
			}
		}
	}
}

// signatureOf returns the source of a signature: the parameter names, and whether the comment mentions a panic.
func signatureOf(f *ast.FuncType, doc *ast.CommentGroup) string {
	var names []string
	for _, field := range f.Params.List {
		if len(field.Names) == 0 {
			names = append(names, `""`)
		}
		for _, name := range field.Names {
			names = append(names, strconv.Quote(name.Name))
		}
	}
	return fmt.Sprintf("signature{[]string{%s}, %t}", strings.Join(names, ", "), says(doc, "panic"))
}

func says(doc *ast.CommentGroup, word string) bool {
	return doc != nil && strings.Contains(strings.Join(strings.Fields(doc.Text()), " "), word)
}

// receiver returns the name of a receiver's type without pointer and type parameters.
func receiver(t ast.Expr) string {
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// isPublicPackage reports whether pkg is the import path of a public package.
func isPublicPackage(pkg string) bool {
	room, ok := strings.CutPrefix(pkg, "dpworkbench/")
	return ok && slices.Contains(publicPackages, room)
}
