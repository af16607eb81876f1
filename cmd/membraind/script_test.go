package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/membrain-db/membrain"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"membraind": main})
}

// The scenarios in testdata/script are the promises of the command line, for people to read. Beside the commands of
// testscript they have:
//
//	exits N membraind ...             runs it and demands exit code N
//	refused N CODE FIELD membraind ... demands exit code N and, with --json, an error of that code and field
//	get VAR PATH                      sets VAR to a value of the JSON on stdout, such as results.0.id
//	has PATH...                       demands that the JSON on stdout has each path, null or not
//	commits N                         demands that the log in $MEMBRAIN_DATA has N commits
//	hold DIR                          opens the store in DIR in another process (this one) until the script ends
//	garble FILE                       flips a bit in every page of FILE
//	sameexport A B                    demands two equal exports, but for the time at which they were made
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("MEMBRAIN_DATA", e.WorkDir+"/data")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "refused": refused, "get": get, "has": has, "commits": commits, "hold": hold, "garble": garble, "sameexport": sameExport,
		},
	})
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := run1(ts, args[1:]); got != want {
		ts.Fatalf("%s exits with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// run1 runs a command and returns its exit code.
func run1(ts *testscript.TestScript, command []string) int {
	err := ts.Exec(command[0], command[1:]...)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode()
	}
	ts.Check(err)
	return 0
}

func refused(ts *testscript.TestScript, _ bool, args []string) {
	want, code, field, command := args[0], args[1], args[2], slices.Insert(slices.Clone(args[3:]), 1, "--json")
	got := run1(ts, command)
	if strconv.Itoa(got) != want {
		ts.Fatalf("%q exits with %d, want %s", command, got, want)
	}
	var doc struct {
		Error struct{ Code, Field, Value, Allowed, Message, Hint *string }
	}
	told := ts.ReadFile("stderr")
	if err := json.Unmarshal([]byte(told), &doc); err != nil {
		ts.Fatalf("stderr is no JSON document: %v", err)
	}
	e := doc.Error
	if e.Code == nil || e.Field == nil || e.Value == nil || e.Allowed == nil || e.Message == nil || e.Hint == nil {
		ts.Fatalf("the error lacks a field: %s", told)
	}
	if *e.Code != code || *e.Field != field || *e.Message == "" || (code == "validation" && *e.Allowed == "") {
		ts.Fatalf("error is %s, want code %s, field %s, a message and what is allowed", told, code, field)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout of a refused command is %q", out)
	}
}

func get(ts *testscript.TestScript, _ bool, args []string) {
	v, ok := lookUp(ts, args[1])
	if !ok {
		ts.Fatalf("stdout has no %s", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}

func has(ts *testscript.TestScript, neg bool, args []string) {
	for _, path := range args {
		if _, ok := lookUp(ts, path); ok == neg {
			ts.Fatalf("stdout has %s: %v", path, ok)
		}
	}
}

// lookUp follows a path of keys and indexes through the JSON on stdout.
func lookUp(ts *testscript.TestScript, path string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	var at any
	ts.Check(d.Decode(&at))
	if d.More() {
		ts.Fatalf("stdout holds more than one document")
	}
	for key := range strings.SplitSeq(path, ".") {
		switch node := at.(type) {
		case map[string]any:
			v, ok := node[key]
			if !ok {
				return nil, false
			}
			at = v
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			at = node[i]
		default:
			return nil, false
		}
	}
	return at, true
}

func commits(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("membraind", "stats", "--json"))
	if got, _ := lookUp(ts, "commits"); fmt.Sprint(got) != args[0] {
		ts.Fatalf("the log has %v commits, want %s", got, args[0])
	}
}

func hold(ts *testscript.TestScript, _ bool, args []string) {
	store, err := membrain.Open(context.Background(), ts.MkAbs(args[0]), membrain.Options{})
	ts.Check(err)
	ts.Defer(func() { ts.Check(store.Close()) })
	ts.Setenv("HOLDER", strconv.Itoa(os.Getpid()))
}

func sameExport(ts *testscript.TestScript, _ bool, args []string) {
	made := regexp.MustCompile(`"exported_at":"[^"]*"`)
	a, b := made.ReplaceAllString(ts.ReadFile(args[0]), ""), made.ReplaceAllString(ts.ReadFile(args[1]), "")
	if a != b || a == "" {
		ts.Fatalf("the exports differ:\n%s\n%s", a, b)
	}
}

func garble(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	raw, err := os.ReadFile(name)
	ts.Check(err)
	for i := 100; i < len(raw); i += 512 {
		raw[i] ^= 0x10
	}
	ts.Check(os.WriteFile(name, raw, 0o600))
}
