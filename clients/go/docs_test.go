package flowhooks

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

func TestDescribesEveryPublicName(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files, parsed := token.NewFileSet(), []*ast.File{}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
	}
	documented, err := doc.NewFromFiles(files, parsed, "flowhooks")
	if err != nil {
		t.Fatal(err)
	}
	check := func(name, text string) {
		if text == "" || strings.Contains(text, " defines model for ") {
			t.Errorf("%s is not described", name)
		}
	}
	check("the package", documented.Doc)
	for _, function := range documented.Funcs {
		check(function.Name, function.Doc)
	}
	for _, values := range [][]*doc.Value{documented.Consts, documented.Vars} {
		for _, value := range values {
			check(strings.Join(value.Names, ", "), value.Doc)
		}
	}
	equal(t, len(documented.Types) > 20, true)
	for _, each := range documented.Types {
		check(each.Name, each.Doc)
		for _, functions := range [][]*doc.Func{each.Funcs, each.Methods} {
			for _, function := range functions {
				check(each.Name+"."+function.Name, function.Doc)
			}
		}
	}
}
