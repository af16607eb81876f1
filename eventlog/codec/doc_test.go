package codec_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/membrain-db/membrain/eventlog/codec"
)

// formatSections returns the text of docs/formats/facts.md below each heading.
func formatSections(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/formats/facts.md")
	require.NoError(t, err)
	sections, heading := map[string]string{}, ""
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(line, "#"); ok {
			heading = strings.Trim(name, "# \n")
			continue
		}
		sections[heading] += line
	}
	return sections
}

func TestFormatPage_MIG_6_ListsEveryStoredField(t *testing.T) {
	sections := formatSections(t)
	rows := map[string]int{}
	storedFields(func(name string, field protoreflect.FieldDescriptor) {
		message, _, _ := strings.Cut(name, ".")
		row := fmt.Sprintf("| %d | %s | %s |", field.Number(), field.Name(), protoType(field))
		require.Contains(t, sections[message], row, "section %s of docs/formats/facts.md", message)
		rows[message]++
	})
	for message, n := range rows {
		require.Equal(t, n+2, strings.Count(sections[message], "\n|"), "rows of section %s", message)
	}
}

func protoType(field protoreflect.FieldDescriptor) string {
	name := field.Kind().String()
	if field.Message() != nil {
		name = string(field.Message().Name())
	}
	switch {
	case field.IsList():
		return "repeated " + name
	case field.HasOptionalKeyword():
		return "optional " + name
	}
	return name
}

func TestFormatPage_MIG_6_ListsEveryStoredName(t *testing.T) {
	sections := formatSections(t)
	facts := exampleFacts()
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		encoded, err := codec.EncodeFact(facts[name])
		require.NoError(t, err)
		require.Contains(t, sections[encoded.Type], fmt.Sprintf("Schema %d, body ", encoded.Schema), encoded.Type)
	}
}
