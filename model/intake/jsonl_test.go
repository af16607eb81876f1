package intake_test

import (
	"strings"
	"testing"

	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/model/intake"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, format, text string) (intake.Batch, error) {
	t.Helper()
	return intake.Parse(format, "notes.jsonl", strings.NewReader(text), "team")
}

func TestParse_ReadsLinesPastMarkAndBlanks(t *testing.T) {
	got, err := parse(t, "JSONL", "\uFEFF{\"text\":\"one\"}\r\n\n  \n{\"text\":\"two\",\"namespace\":\"other\",\"memory_type\":\"Fact\",\"tags\":[\"a\"]}")
	require.NoError(t, err)
	require.Equal(t, intake.FormatJSONL, got.Format)
	require.Zero(t, got.Skipped)
	require.Equal(t, []intake.Row{
		{Line: 1, Namespace: "team", Request: model.EncodeRequest{Namespace: "team", Text: "one"}},
		{Line: 4, Namespace: "other", Request: model.EncodeRequest{Namespace: "other", Text: "two", Type: model.TypeFact, Tags: []string{"a"}}},
	}, got.Rows)
	require.Equal(t, []string{"other", "team"}, got.Namespaces())
	require.Equal(t, "line 4", got.Rows[1].Where())
}

func TestParse_ReadsAnEmptyFileAsNoRows(t *testing.T) {
	got, err := parse(t, "jsonl", "\n\n")
	require.NoError(t, err)
	require.Empty(t, got.Rows)
}

func TestParse_PutsNamespacesIntoNFC(t *testing.T) {
	got, err := parse(t, "jsonl", `{"text":"x","namespace":"cafe\u0301"}`)
	require.NoError(t, err)
	require.Equal(t, "caf\u00e9", got.Rows[0].Namespace)
	require.Equal(t, "caf\u00e9", got.Rows[0].Request.Namespace)
}

// secret stands in every refused file below; no error may repeat it.
const secret = "hunter2secret"

func TestParse_RefusesWithoutEchoingContent(t *testing.T) {
	for name, c := range map[string]struct{ format, text, want string }{
		"a PNG":               {"jsonl", "\x89PNG\r\n\x1a\n" + secret, "line 1: is not text in UTF-8"},
		"a system file":       {"jsonl", "root:" + secret + ":0:0\nx", "line 1: is no JSON object"},
		"an array":            {"jsonl", `["` + secret + `"]`, "line 1: starts a JSON array"},
		"a later other line":  {"jsonl", "{\"text\":\"a\"}\n" + secret, "line 2: is no JSON object"},
		"a torn line":         {"jsonl", `{"text":"` + secret, "line 1: is not valid JSON, it ends too early"},
		"bad syntax":          {"jsonl", `{"text" "` + secret + `"}`, "line 1: is not valid JSON, at byte"},
		"a second object":     {"jsonl", `{"text":"a"} {"text":"` + secret + `"}`, "line 1: holds more than one JSON object"},
		"an unknown field":    {"jsonl", `{"text":"a","` + secret + `":1}`, "line 1: has an unknown field, its name starts after byte 11; allowed: namespace, request_id"},
		"unknown after array": {"jsonl", `{"tags":["x",{"y":1}],"` + secret + `":1}`, "line 1: "},
		"unknown after value": {"jsonl", `{"text":"x","attention":0.5,"bypass_decay":true,"payload":null,"` + secret + `":1}`, "its name starts after byte 62"},
		"an unknown inner":    {"jsonl", `{"text":"a","tool":{"` + secret + `":1}}`, "line 1: holds an unknown field in observation or tool"},
		"an unknown label":    {"jsonl", `{"text":"a","kind":"` + secret + `"}`, "line 1: kind is refused; allowed: episodic, semantic"},
		"a wrong kind":        {"jsonl", `{"text":["` + secret + `"]}`, "line 1: text needs a string"},
		"a number for a list": {"jsonl", `{"text":"a","tags":3}`, "line 1: tags needs an array"},
		"a word for a number": {"jsonl", `{"text":"a","attention":"` + secret + `"}`, "line 1: attention needs a number"},
		"a bad time":          {"jsonl", `{"text":"a","occurred_at":"` + secret + `"}`, "line 1: occurred_at needs a time"},
		"a number for a time": {"jsonl", `{"text":"a","occurred_at":3}`, "line 1: occurred_at needs a time"},
		"a bad payload":       {"jsonl", `{"text":"a","payload":"` + secret + `!"}`, "line 1: payload needs base64"},
		"a bad id":            {"jsonl", `{"text":"a","lineage":["` + secret + `"]}`, "line 1: id is refused; allowed: a UUID"},
		"a blank text":        {"jsonl", `{"text":" ","context":"` + secret + `"}`, "line 1: text is refused; allowed: a text that is not blank"},
		"out of range":        {"jsonl", `{"text":"` + secret + `","attention":1.5}`, "line 1: attention is refused"},
		"a bad namespace":     {"jsonl", `{"text":"x","namespace":"../` + secret + `"}`, "line 1: namespace is refused"},
		"invalid UTF-8":       {"jsonl", "{\"text\":\"" + secret + "\xff\"}", "line 1: is not text in UTF-8"},
		"half a pair":         {"jsonl", `{"text":"` + secret + `\ud83d"}`, "line 1: holds half a surrogate pair"},
		"another door":        {"jsonl", `{"text":"` + secret + `","source_kind":"repair"}`, "line 1: source_kind is refused; allowed: import, observe"},
		"LoCoMo: a PNG":       {"locomo", "\x89PNG\r\n\x1a\n" + secret, "the file: is not text in UTF-8"},
		"LoCoMo: system file": {"locomo", "root:" + secret, "line 1: is no JSON array of conversations"},
		"LoCoMo: bad syntax":  {"locomo", "[\n{\n\"" + secret + "\" 1}]", "line 3: is not valid JSON"},
		"LoCoMo: empty array": {"locomo", "[]", "the file: holds no conversation"},
		"LoCoMo: other JSON":  {"locomo", `{"password":"` + secret + `"}`, "[0].sample_id: is missing"},
		"LoCoMo: bad name":    {"locomo", `[{"sample_id":"a b ` + secret + `"}]`, "[0].sample_id: namespace is refused"},
		"LoCoMo: no talk":     {"locomo", `[{"sample_id":"a"}]`, "[0].conversation: is missing"},
		"LoCoMo: twice":       {"locomo", `[{"sample_id":"a","conversation":{"x":1}},{"sample_id":"a","conversation":{"x":1}}]`, "[1].sample_id: stands twice"},
		"LoCoMo: wrong kind":  {"locomo", "[\n{\"sample_id\":[\"" + secret + "\"]}]", "line 2, [0].sample_id: needs a string"},
		"LoCoMo: no array":    {"locomo", `[{"sample_id":"a","conversation":{"session_1":"` + secret + `"}}]`, "[0].conversation.session_1: needs an array"},
		"LoCoMo: no turn":     {"locomo", "[{\"sample_id\":\"a\",\"conversation\":{\n\"session_1\":[\n3]}}]", "line 3, [0].conversation.session_1[0]: needs a turn with speaker"},
		"LoCoMo: more after":  {"locomo", "[]\n[\"" + secret + "\"]", "line 2: needs nothing more"},
		"LoCoMo: torn":        {"locomo", "[{\"sample_id\":\"a\",\n\"conversation\":{\"session_1\":[{\"text\":\"" + secret, "line 2: is not valid JSON"},
		"LoCoMo: no object":   {"locomo", "[\"" + secret + "\"]", "line 1, [0]: needs an object"},
		"LoCoMo: no date":     {"locomo", `[{"sample_id":"a","conversation":{"session_1":[{"text":"x"}]}}]`, "[0].conversation.session_1_date_time: is missing"},
		"LoCoMo: bad date":    {"locomo", `[{"sample_id":"a","conversation":{"session_1":[{"text":"x"}],"session_1_date_time":"` + secret + `"}}]`, "session_1_date_time: needs a date such as"},
		"LoCoMo: no speaker":  {"locomo", `[{"sample_id":"a","conversation":{"session_1":[{"text":"x","dia_id":"D1:1"}],"session_1_date_time":"1:00 pm on 1 May, 2023"}}]`, "[0].conversation.session_1[0].speaker: is missing"},
		"LoCoMo: no dia_id":   {"locomo", `[{"sample_id":"a","conversation":{"session_1":[{"text":"x","speaker":"A"}],"session_1_date_time":"1:00 pm on 1 May, 2023"}}]`, "[0].conversation.session_1[0].dia_id: is missing"},
		"LoCoMo: long dia_id": {"locomo", `[{"sample_id":"a","conversation":{"session_1":[{"text":"x","speaker":"A","dia_id":"` + strings.Repeat(secret, 40) + `"}],"session_1_date_time":"1:00 pm on 1 May, 2023"}}]`, "[0].conversation.session_1[0]: source_ref has 520 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(t, c.format, c.text)
			require.Error(t, err)
			require.Equal(t, model.CodeValidation, model.CodeOf(err))
			require.Contains(t, err.Error(), c.want)
			require.NotContains(t, err.Error(), secret)
			require.Empty(t, got.Rows)
		})
	}
}

func TestParse_TellsTheFirstTwentyFaultsWithTheirLines(t *testing.T) {
	text := strings.Repeat("{\"text\":\"fine\"}\n{\"text\":\"\"}\n", 23)
	_, err := parse(t, "jsonl", text)
	require.Equal(t, 20, strings.Count(err.Error(), "\n  line "))
	require.Contains(t, err.Error(), "\n  line 2: ")
	require.Contains(t, err.Error(), "\n  line 40: ")
	require.Contains(t, err.Error(), "\n  and 3 more")
	var e *model.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "notes.jsonl", e.Value)
}

func TestParse_RefusesUnknownFormat(t *testing.T) {
	_, err := parse(t, "csv", "")
	var e *model.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "format", e.Field)
	require.Equal(t, "jsonl, locomo", e.Allowed)
}

func TestParse_PassesOverALineThatIsTooLong(t *testing.T) {
	long := `{"text":"` + strings.Repeat("a", intake.LineBytesMax) + `"}`
	_, err := parse(t, "jsonl", "{\"text\":\"a\"}\n"+long+"\n{\"text\":\"\"}\n"+long)
	require.ErrorContains(t, err, "\n  line 2: the line has more than 33554432 bytes")
	require.ErrorContains(t, err, "\n  line 3: text")
	require.ErrorContains(t, err, "\n  line 4: the line has more than")
}

func TestParse_RefusesTooManyRowsOfOneNamespace(t *testing.T) {
	text := strings.Repeat("{\"text\":\"a\"}\n", model.ImportRowsMax+1)
	_, err := parse(t, "jsonl", text)
	require.ErrorContains(t, err, "line 100001: the namespace has more than 100000 rows")
	got, err := parse(t, "jsonl", strings.TrimPrefix(text, "{\"text\":\"a\"}\n"))
	require.NoError(t, err)
	require.Len(t, got.Rows, model.ImportRowsMax)
}

func TestParse_KeepsWholeSurrogatePairsAndEscapedBackslashes(t *testing.T) {
	got, err := parse(t, "jsonl", `{"text":"\ud83d\ude00 \\ud83d \u00e9"}`)
	require.NoError(t, err)
	require.Equal(t, "😀 \\ud83d é", got.Rows[0].Request.Text)
	for _, bad := range []string{`\ude00`, `\ud83d\ud83d\ude00`, `\ud83d \ude00`, `\ud83d\n\ude00`, `\uD83D\u0041`} {
		_, err := parse(t, "jsonl", `{"text":"`+bad+`"}`)
		require.ErrorContains(t, err, "surrogate", bad)
	}
}

func TestParse_LeavesTheAgentOfARowToTheStore(t *testing.T) {
	got, err := parse(t, "jsonl", `{"text":"x","agent_id":"bot"}`)
	require.NoError(t, err)
	require.Equal(t, "bot", got.Rows[0].Request.AgentID)
}
