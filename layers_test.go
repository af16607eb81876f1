package membrain_test

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// floors of the house (docs/architecture.md, "The house"). A package imports only from floors below its own, so siblings
// never meet. A pattern that ends in /... stands for all packages under it, but not for itself.
var floors = []struct {
	floor    int
	packages string
}{
	{0, "text eventlog/eventpb actors/remote/actorpb vectors/internal/kernel vectors/internal/mem"},
	{1, "model/claims vectors/internal/..."}, // what floor 0 names of them apart
	{2, "model eventlog snapshots vectors"},
	{3, "eventlog/codec eventlog/logtest vectors/embed model/intake"},
	{4, "projections/lexical projections/filters projections/graph projections/fingerprints projections/state projections/ranking"},
	{5, "projections"},
	{6, "actors"},
	{7, "actors/memory actors/engram actors/conflict actors/consolidator"},
	{8, "actors/brain"},
	{9, "actors/remote"},
	{10, "membrain"}, // the root package
	{11, "cmd/membraind/internal/httpd cmd/membraind/internal/mcp cmd/membraind/internal/bench"},
	{12, "cmd/membraind/internal/cli"},
	{13, "cmd/membraind examples/... internal/..."},
}

const (
	conformanceSuite = "eventlog/logtest" // what implementations of the log run: the tests of its own floor and below may import it
	protoactor       = "github.com/asynkron/protoactor-go"
)

var (
	mayImportProtoactor = []string{"actors", "actors/remote", ""}
	pureTrees           = []string{"model", "text"} // with all packages under them
	impureImports       = []string{"os", "net", "sync", "math/rand", "log"}
)

// A test built on go list would be cached and stay green; this one reads the sources.
func TestLayers_ImportsPointDownward(t *testing.T) {
	require.Empty(t, violations(ownSources(t)))
}

// violations returns one sentence for each breach of the floors.
func violations(sources []source) []string {
	var found []string
	for _, s := range sources {
		own, ok := floorOf(s.folder)
		if !ok {
			found = append(found, fmt.Sprintf("%s: package %q has no floor", s.name, s.folder))
			continue
		}
		for _, imported := range s.imports() {
			if fault := importFault(s, own, imported); fault != "" {
				found = append(found, s.name+": "+fault)
			}
		}
		if isPure(s) && mentionsNow(s.file) {
			found = append(found, s.name+": time.Now in a pure package")
		}
	}
	return found
}

func importFault(s source, own int, imported string) string {
	inside, isOurs := strings.CutPrefix(imported+"/", modulePath+"/")
	switch {
	case imported == "C":
		return "cgo"
	case isOurs:
		return floorFault(s, own, strings.TrimSuffix(inside, "/"))
	case isUnder(imported, protoactor) && !slices.Contains(mayImportProtoactor, s.folder):
		return "protoactor outside the runtime"
	case isPure(s) && slices.ContainsFunc(impureImports, func(root string) bool { return isUnder(imported, root) }):
		return fmt.Sprintf("%s in a pure package", imported)
	}
	return ""
}

func floorFault(s source, own int, imported string) string {
	floor, ok := floorOf(imported)
	switch {
	case !ok:
		return fmt.Sprintf("imports %q, which has no floor", imported)
	case floor < own, s.isExternalTest() && floor == own:
		return ""
	case s.isExternalTest() && imported == conformanceSuite:
		return ""
	case floor == own:
		return fmt.Sprintf("imports %q sideways, both on floor %d", imported, own)
	}
	return fmt.Sprintf("floor %d imports %q upward, on floor %d", own, imported, floor)
}

// floorOf takes a package path from the module root, "" for the root package.
func floorOf(folder string) (int, bool) {
	if folder == "" {
		folder = "membrain"
	}
	for _, f := range floors {
		for pattern := range strings.FieldsSeq(f.packages) {
			tree, isTree := strings.CutSuffix(pattern, "...")
			if folder == pattern || isTree && strings.HasPrefix(folder, tree) {
				return f.floor, true
			}
		}
	}
	return 0, false
}

// isPure says that the file belongs to code that gets time, ids and randomness as arguments. Its tests may read files.
func isPure(s source) bool {
	return !s.isTest() && slices.ContainsFunc(pureTrees, func(tree string) bool { return isUnder(s.folder, tree) })
}

// isUnder says that a path is root or lies under it.
func isUnder(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// mentionsNow says that time.Now is called, or handed on as a value, under whatever name time is imported.
func mentionsNow(file *ast.File) bool {
	name := ""
	for _, spec := range file.Imports {
		if spec.Path.Value == `"time"` {
			name = "time"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == name && n.Sel.Name == "Now" {
				found = true
			}
		case *ast.Ident:
			found = found || name == "." && n.Name == "Now"
		}
		return !found
	})
	return found
}

// What the test above would be worth without this one: each row plants one thing in a tree of its own.
func TestLayers_NoticeEachPlantedViolation(t *testing.T) {
	const ours = modulePath + "/"
	tests := []struct{ name, file, text, want string }{
		{"upward", "model/x.go", `package model; import _ "` + ours + `actors"`, `model/x.go: floor 2 imports "actors" upward, on floor 6`},
		{"upward to the root", "actors/x.go", `package actors; import _ "` + modulePath + `"`, `actors/x.go: floor 6 imports "" upward, on floor 10`},
		{"sideways", "snapshots/x.go", `package snapshots; import _ "` + ours + `eventlog"`, `snapshots/x.go: imports "eventlog" sideways, both on floor 2`},
		{"sideways between trees", "internal/a/x.go", `package main; import _ "` + ours + `examples/b"`, `internal/a/x.go: imports "examples/b" sideways, both on floor 13`},
		{"downward", "actors/brain/x.go", `package brain; import _ "` + ours + `model"`, ""},
		{"no floor", "util/x.go", `package util`, `util/x.go: package "util" has no floor`},
		{"a parent has no floor of its own", "internal/x.go", `package internal`, `internal/x.go: package "internal" has no floor`},
		{"import without a floor", "model/x.go", `package model; import _ "` + ours + `util"`, `model/x.go: imports "util", which has no floor`},
		{"generated", "model/x_gen.go", "// Code generated by hand. DO NOT EDIT.\npackage model; import _ \"" + ours + "vectors\"", `model/x_gen.go: imports "vectors" sideways, both on floor 2`},
		{"another system", "eventlog/x_plan9.go", "//go:build plan9\n\npackage eventlog; import _ \"" + ours + "actors\"", `eventlog/x_plan9.go: floor 2 imports "actors" upward, on floor 6`},
		{"internal test sideways", "model/x_test.go", `package model; import _ "` + ours + `vectors"`, `model/x_test.go: imports "vectors" sideways, both on floor 2`},
		{"external test sideways", "model/x_test.go", `package model_test; import _ "` + ours + `vectors"`, ""},
		{"external test of its own package", "model/x_test.go", `package model_test; import _ "` + ours + `model"`, ""},
		{"external test upward", "model/x_test.go", `package model_test; import _ "` + ours + `actors"`, `model/x_test.go: floor 2 imports "actors" upward, on floor 6`},
		{"external test and the suite", "eventlog/x_test.go", `package eventlog_test; import _ "` + ours + `eventlog/logtest"`, ""},
		{"code and the suite", "eventlog/x.go", `package eventlog; import _ "` + ours + `eventlog/logtest"`, `eventlog/x.go: floor 2 imports "eventlog/logtest" upward, on floor 3`},
		{"protoactor", "actors/brain/x.go", `package brain; import _ "` + protoactor + `/actor"`, `actors/brain/x.go: protoactor outside the runtime`},
		{"protoactor in a test", "projections/x_test.go", `package projections_test; import _ "` + protoactor + `/actor"`, `projections/x_test.go: protoactor outside the runtime`},
		{"protoactor in the runtime", "actors/x.go", `package actors; import _ "` + protoactor + `/actor"`, ""},
		{"protoactor in the gate", "actors/remote/x.go", `package remote; import _ "` + protoactor + `/remote"`, ""},
		{"protoactor in the root", "x.go", `package membrain; import _ "` + protoactor + `/actor"`, ""},
		{"cgo", "vectors/internal/kernel/x.go", `package kernel; import "C"`, `vectors/internal/kernel/x.go: cgo`},
		{"os", "text/x.go", `package text; import _ "os"`, `text/x.go: os in a pure package`},
		{"os/exec", "text/x.go", `package text; import _ "os/exec"`, `text/x.go: os/exec in a pure package`},
		{"net", "model/x.go", `package model; import _ "net"`, `model/x.go: net in a pure package`},
		{"net/http", "model/claims/x.go", `package claims; import _ "net/http"`, `model/claims/x.go: net/http in a pure package`},
		{"sync", "model/x.go", `package model; import _ "sync"`, `model/x.go: sync in a pure package`},
		{"sync/atomic", "model/x.go", `package model; import _ "sync/atomic"`, `model/x.go: sync/atomic in a pure package`},
		{"math/rand", "model/x.go", `package model; import _ "math/rand"`, `model/x.go: math/rand in a pure package`},
		{"math/rand/v2", "model/x.go", `package model; import _ "math/rand/v2"`, `model/x.go: math/rand/v2 in a pure package`},
		{"log", "model/x.go", `package model; import _ "log"`, `model/x.go: log in a pure package`},
		{"log/slog", "model/intake/x.go", `package intake; import _ "log/slog"`, `model/intake/x.go: log/slog in a pure package`},
		{"math", "model/x.go", `package model; import _ "math"`, ""},
		{"os in a test of text", "text/x_test.go", `package text_test; import _ "os"`, ""},
		{"os elsewhere", "eventlog/x.go", `package eventlog; import _ "os"`, ""},
		{"time.Now called", "model/x.go", `package model; import "time"; var a = time.Now()`, `model/x.go: time.Now in a pure package`},
		{"time.Now handed on", "model/x.go", `package model; import "time"; var a = time.Now`, `model/x.go: time.Now in a pure package`},
		{"time.Now renamed", "text/x.go", `package text; import clock "time"; var a = clock.Now()`, `text/x.go: time.Now in a pure package`},
		{"time.Now by dot", "text/x.go", `package text; import . "time"; var a = Now()`, `text/x.go: time.Now in a pure package`},
		{"time.Now elsewhere", "eventlog/x.go", `package eventlog; import "time"; var a = time.Now()`, ""},
		{"time without Now", "model/x.go", `package model; import "time"; var a time.Time`, ""},
		{"testdata is no package", "util/testdata/x.go", `package x`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sources, err := readSources(fstest.MapFS{test.file: {Data: []byte(test.text)}})
			require.NoError(t, err)
			got := strings.Join(violations(sources), "\n")
			require.Equal(t, test.want, got)
		})
	}
}

func TestLayers_ModulesInsideTheTreeAreNotOurs(t *testing.T) {
	sources, err := readSources(fstest.MapFS{
		"go.mod":                {Data: []byte("module x")},
		"internal/tools/go.mod": {Data: []byte("module y")},
		"internal/tools/x.go":   {Data: []byte("package tools")},
		"model/x.go":            {Data: []byte("package model")},
	})
	require.NoError(t, err)
	require.Len(t, sources, 1)
	require.Equal(t, "model", sources[0].folder)
}
