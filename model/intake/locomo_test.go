package intake_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"time"

	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/model/intake"
	"github.com/stretchr/testify/require"
)

func TestParse_ReadsConversationsInOrderOfSessions(t *testing.T) {
	file, err := os.Open("testdata/two.json")
	require.NoError(t, err)
	defer file.Close()
	got, err := intake.Parse("locomo", "two.json", file, "unused")
	require.NoError(t, err)
	require.Equal(t, 1, got.Skipped)
	turn := func(line int, path, namespace, session, ref, speaker, text string, at time.Time) intake.Row {
		return intake.Row{Line: line, Path: path, Namespace: namespace, Request: model.EncodeRequest{
			Namespace: namespace, Type: model.TypeEvent, Text: text, SessionID: session, SourceRef: ref,
			SourceKind: model.SourceImport, Entities: []string{speaker}, OccurredAt: &at,
		}}
	}
	may, september := time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC), time.Date(2023, 9, 13, 0, 9, 0, 0, time.UTC)
	require.Equal(t, []intake.Row{
		turn(9, "[0].conversation.session_1[0]", "talk-1", "session_1", "D1:1", "Ada", "Ada: I adopted a cat.", may),
		turn(10, "[0].conversation.session_1[1]", "talk-1", "session_1", "D1:2", "Bo", "Bo: Look! [image: a photo of a boat]", may.Add(time.Second)),
		turn(11, "[0].conversation.session_1[2]", "talk-1", "session_1", "D1:3", "Ada", "Ada: [image: a red cat]", may.Add(2*time.Second)),
		turn(6, "[0].conversation.session_2[0]", "talk-1", "session_2", "D2:1", "Bo", "Bo: Morning.", september),
		turn(25, "[1].conversation.session_1[0]", "talk-2", "session_1", "D1:1", "Cy", "Cy: Hi.", time.Date(2023, 6, 27, 10, 37, 0, 0, time.UTC)),
	}, got.Rows)
	require.Equal(t, "line 10, [0].conversation.session_1[1]", got.Rows[1].Where())
}

func TestParse_ReadsOneConversationAlone(t *testing.T) {
	got, err := intake.Parse("locomo", "x", bytes.NewReader([]byte(
		`{"sample_id":"a","conversation":{"session_1_date_time":"1:00 pm on 1 May, 2023","session_1":[{"speaker":"A","dia_id":"D1:1","text":"x"}]}}`)), "")
	require.NoError(t, err)
	require.Len(t, got.Rows, 1)
}

func TestParse_PassesOnAReaderThatFails(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, format := range intake.Formats() {
		_, err := intake.Parse(format, "x", io.MultiReader(bytes.NewReader([]byte("{")), iotest.ErrReader(broken)), "team")
		require.ErrorIs(t, err, broken)
		require.Equal(t, model.CodeUnavailable, model.CodeOf(err))
	}
}

func TestLocomoQuestions_ReadsEvidenceLeniently(t *testing.T) {
	file, err := os.Open("testdata/two.json")
	require.NoError(t, err)
	defer file.Close()
	got, err := intake.LocomoQuestions(file)
	require.NoError(t, err)
	require.Equal(t, []intake.Question{
		{Namespace: "talk-1", Text: "What did Ada adopt?", Category: 4, Evidence: []string{"D1:1"}},
		{Namespace: "talk-1", Text: "Which two?", Category: 1, Evidence: []string{"D8:6", "D9:17", "D9:1", "D4:4", "D30:5", "D11:26"}},
		{Namespace: "talk-1", Text: "Nothing?", Category: 5, Evidence: []string{}},
	}, got)
}

func TestLocomoQuestions_RefusesAQuestionWithoutText(t *testing.T) {
	_, err := intake.LocomoQuestions(bytes.NewReader([]byte(`[{"sample_id":"a","qa":[{"question":"x"},{"category":1}]}]`)))
	require.ErrorContains(t, err, "[0].qa[1].question: is missing")
}

// locomoDev finds the real set: under MEMBRAIN_DATASETS, or in a folder shared/data beside the project.
func locomoDev(t *testing.T) *os.File {
	t.Helper()
	folders := []string{os.Getenv("MEMBRAIN_DATASETS")}
	for up, _ := os.Getwd(); filepath.Dir(up) != up; up = filepath.Dir(up) {
		folders = append(folders, filepath.Join(up, "shared", "data"))
	}
	for _, f := range folders {
		if file, err := os.Open(filepath.Join(f, "locomo-dev.json")); f != "" && err == nil {
			t.Cleanup(func() { file.Close() })
			return file
		}
	}
	t.Skip("no locomo-dev.json; set MEMBRAIN_DATASETS to its folder")
	return nil
}

func TestParse_ReadsTheRealSet(t *testing.T) {
	file := locomoDev(t)
	got, err := intake.Parse("locomo", "locomo-dev.json", file, "")
	require.NoError(t, err)
	require.Equal(t, []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"}, got.Namespaces())
	require.Equal(t, 2760, len(got.Rows)+got.Skipped)

	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	questions, err := intake.LocomoQuestions(file)
	require.NoError(t, err)
	require.Len(t, questions, 999)
	turns := map[string]bool{}
	for _, r := range got.Rows {
		turns[r.Namespace+" "+r.Request.SourceRef] = true
	}
	missing := 0
	for _, q := range questions {
		for _, e := range q.Evidence {
			if !turns[q.Namespace+" "+e] {
				missing++
			}
		}
	}
	require.LessOrEqual(t, missing, 5, "evidence that names no imported turn")
}
