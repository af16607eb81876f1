package cli

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/membrain-db/membrain/model"
)

// parsed is a flag whose text becomes a T.
type parsed[T any] struct {
	at    *T
	kind  string // stands for the value in the help
	parse func(string) (T, error)
	show  func(T) string // nil: no default is shown
}

// Set implements pflag.Value.
func (p *parsed[T]) Set(s string) error {
	v, err := p.parse(s)
	if err == nil {
		*p.at = v
	}
	return err
}

// String implements pflag.Value.
func (p *parsed[T]) String() string {
	if p.show == nil || p.at == nil {
		return ""
	}
	return p.show(*p.at)
}

// Type implements pflag.Value.
func (p *parsed[T]) Type() string { return p.kind }

// many is a flag that may be given several times, or once with commas.
type many[T any] struct {
	at    *[]T
	kind  string
	parse func(string) (T, error)
}

// Set implements pflag.Value.
func (m *many[T]) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		v, err := m.parse(strings.TrimSpace(part))
		if err != nil {
			return err
		}
		*m.at = append(*m.at, v)
	}
	return nil
}

// String implements pflag.Value.
func (m *many[T]) String() string { return "" }

// Type implements pflag.Value.
func (m *many[T]) Type() string { return m.kind }

// one adds a flag that takes one label of a vocabulary.
func one[T any](f *pflag.FlagSet, at *T, name string, parse func(string) (T, error), labels []string, usage string) {
	f.Var(&parsed[T]{at: at, kind: strings.ToUpper(name), parse: parse}, name, usage+": "+strings.Join(labels, ", "))
}

// several adds a flag that takes labels of a vocabulary.
func several[T any](f *pflag.FlagSet, at *[]T, name string, parse func(string) (T, error), labels []string, usage string) {
	f.Var(&many[T]{at: at, kind: strings.ToUpper(name) + ",...", parse: parse}, name, usage+": "+strings.Join(labels, ", "))
}

// texts adds a flag for strings as they are, commas and all; it may be given several times.
func texts(f *pflag.FlagSet, at *[]string, name, kind, usage string) {
	f.StringArrayVar(at, name, nil, usage+" `"+kind+"`; may be repeated")
}

// id adds a flag for one id.
func id(f *pflag.FlagSet, at *model.MemoryID, name, usage string) {
	f.Var(&parsed[model.MemoryID]{at: at, kind: "ID", parse: idParser(name)}, name, usage)
}

// ids adds a flag for ids.
func ids(f *pflag.FlagSet, at *[]model.MemoryID, name, usage string) {
	f.Var(&many[model.MemoryID]{at: at, kind: "ID", parse: idParser(name)}, name, usage+"; may be repeated")
}

func idParser(field string) func(string) (model.MemoryID, error) {
	return func(s string) (model.MemoryID, error) { return model.ParseMemoryID(field, s) }
}

// fraction adds a flag for a number that may be absent; the engine checks its range.
func fraction(f *pflag.FlagSet, at **float64, name, usage string) {
	f.Var(&parsed[*float64]{at: at, kind: "X", parse: func(s string) (*float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, model.Invalid(name, s, "a number such as 0.5")
		}
		return &v, nil
	}}, name, usage)
}

// tick adds a flag for a tick that may be absent.
func tick(f *pflag.FlagSet, at **model.Tick, name, usage string) {
	f.Var(&parsed[*model.Tick]{at: at, kind: "TICK", parse: func(s string) (*model.Tick, error) {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return nil, model.Invalid(name, s, "a whole number from 0")
		}
		t := model.Tick(v)
		return &t, nil
	}}, name, usage)
}

// moment adds a flag for a time that may be absent.
func moment(f *pflag.FlagSet, at **time.Time, name, usage string) {
	f.Var(&parsed[*time.Time]{at: at, kind: "TIME", parse: func(s string) (*time.Time, error) {
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if t, err := time.Parse(layout, s); err == nil {
				return &t, nil
			}
		}
		return nil, model.Invalid(name, s, "a time such as 2026-05-01T12:00:00Z or a date such as 2026-05-01 (UTC)")
	}}, name, usage)
}
