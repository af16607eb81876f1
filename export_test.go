package membrain_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (h *host) export(namespace string) []byte {
	h.t.Helper()
	var out bytes.Buffer
	require.NoError(h.t, h.s.Export(context.Background(), membrain.ExportRequest{Namespace: namespace, Writer: &out}))
	return out.Bytes()
}

func (h *host) restore(file []byte, namespace string) (membrain.ImportReply, error) {
	return h.s.Import(context.Background(), membrain.ImportRequest{
		Format: membrain.FormatExport, Name: "backup.jsonl", Reader: bytes.NewReader(file), Namespace: namespace,
	})
}

// exportedAt is the only thing that may differ between two exports of one state.
var exportedAt = regexp.MustCompile(`"exported_at":"[^"]*"`)

func withoutTime(export []byte) string { return exportedAt.ReplaceAllString(string(export), "") }

// TestExport_RoundTripIsByteIdentical is case 72: export, import into an empty directory, export again.
func TestExport_RoundTripIsByteIdentical(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	ids := h.grow(30)
	long := h.put(membrain.EncodeRequest{Text: strings.Repeat("A long text about the quay. ", 4000), Payload: bytes.Repeat([]byte{0, 255}, 50_000)}).ID
	_, err := h.s.Restore(ctx, one(ids[0]))
	requireCode(t, model.CodeStateConflict, err) // a refusal is part of the history
	h.put(membrain.EncodeRequest{Namespace: "other", Text: "Another namespace."})
	file := h.export("")

	again := newHost(t)
	again.clock.Add(1 << 30)
	got, err := again.restore(file, "")
	require.NoError(t, err)
	require.Equal(t, map[string]int{team: 31, "other": 1}, got.Namespaces)
	require.Equal(t, withoutTime(file), withoutTime(again.export("")))
	require.NotEqual(t, string(file), string(again.export("")))
	require.Equal(t, h.answers(append(ids, long)), again.answers(append(ids, long)), "with every history")
	require.Equal(t, h.digest(), again.digest())
	again.verified()
	again.deleteAndOpen()
	require.Equal(t, withoutTime(file), withoutTime(again.export("")))

	_, err = again.restore(file, "")
	requireCode(t, model.CodeStateConflict, err)
	next := again.encode("Life goes on.")
	require.Equal(t, h.tick(team)+1, next.Tick)
	require.Equal(t, uint64(2), again.inspectAfterReinforce(next.ID))
	again.verified()
}

func (h *host) inspectAfterReinforce(id membrain.MemoryID) uint64 {
	h.t.Helper()
	h.must(h.s.Reinforce(context.Background(), one(id)))
	return h.inspect(id).Version
}

func TestExport_UnderAnotherName(t *testing.T) {
	h := newHost(t)
	h.grow(10)
	_, err := h.restore(h.export(team), "copy")
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(withoutTime(h.export(team)), `"namespace":"team"`, `"namespace":"copy"`), withoutTime(h.export("copy")))
	h.verified()
	h.put(membrain.EncodeRequest{Namespace: "other", Text: "x"})
	head := h.seq()
	_, err = h.restore(h.export(""), "both")
	requireCode(t, model.CodeValidation, err) // two namespaces cannot have one name
	require.Equal(t, head, h.seq())
}

// edited is an export without the sum of its lines, as one who changes it by hand leaves it.
func edited(file string) string {
	return regexp.MustCompile(`,"sha256":"[0-9a-f]+"`).ReplaceAllString(file, "")
}

// TestExport_DamageIsRefusedAndWritesNothing cuts and changes an export.
func TestExport_DamageIsRefusedAndWritesNothing(t *testing.T) {
	from := newHost(t)
	from.grow(6)
	file := from.export(team)
	lines := strings.SplitAfter(string(file), "\n")
	for name, bad := range map[string]string{
		"empty":           "",
		"cut":             strings.Join(lines[:len(lines)-2], ""),
		"a commit less":   strings.Join(append(append([]string{}, lines[:len(lines)-3]...), lines[len(lines)-2:]...), ""),
		"no header":       strings.Join(lines[1:], ""),
		"an unknown key":  strings.Replace(string(file), `"symbol":`, `"symbool":`, 1),
		"a newer version": strings.Replace(string(file), `"membrain_export":1`, `"membrain_export":9`, 1),
		"no export":       "\x89PNG\r\n\x1a\nsecret",
		"a changed text":  strings.Replace(string(file), `"text":"s0"`, `"text":"s9"`, 1),
		"a changed time":  edited(strings.Replace(string(file), `"millis":1750000000000`, `"millis":1950000000000`, 1)),
		"a changed tick":  edited(strings.Replace(string(file), `"tick":3`, `"tick":33`, 1)),
		"a changed mark":  edited(strings.Replace(string(file), `"symbol_high":`, `"symbol_high":9`, 1)),
		"a lost number":   edited(strings.Replace(string(file), `{"content":{"number":2,`, `{"content":{"number":1,`, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, edited(string(file)), edited(bad))
			h := newHost(t)
			_, err := h.restore([]byte(bad), "")
			require.Error(t, err)
			require.Contains(t, []model.Code{model.CodeValidation, model.CodeUnsupportedVersion}, model.CodeOf(err), "%v", err)
			require.NotContains(t, err.Error(), "secret")
			require.Zero(t, h.seq())
			h.encode("It works all the same.")
			h.verified()
		})
	}
}

// TestExport_LineEndsAndHandEditsAreRead restores a file that a tool has changed without harm.
func TestExport_LineEndsAndHandEditsAreRead(t *testing.T) {
	from := newHost(t)
	from.grow(6)
	file := string(from.export(team))
	h := newHost(t)
	for name, text := range map[string]string{
		"crlf": strings.ReplaceAll(file, "\n", "\r\n"),
		"cut":  strings.TrimSuffix(file, "\n"),
		"hand": edited(strings.Replace(file, `"text":"s0"`, `"text":"s9"`, 1)),
	} {
		_, err := h.restore([]byte(text), name)
		require.NoError(t, err, name)
	}
	h.verified()
}

func TestExport_OnlyTheOperator(t *testing.T) {
	h := newHost(t)
	h.encode("x")
	a := h.as("a")
	requireCode(t, model.CodePolicyDenied, a.s.Export(context.Background(), membrain.ExportRequest{Writer: &bytes.Buffer{}}))
	_, err := a.restore(h.export(team), "copy")
	requireCode(t, model.CodePolicyDenied, err)
	requireCode(t, model.CodeNotFound, h.s.Export(context.Background(), membrain.ExportRequest{Namespace: "none", Writer: &bytes.Buffer{}}))
}
