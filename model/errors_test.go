package model_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestError_CodesSurviveWrapping(t *testing.T) {
	err := fmt.Errorf("recall: %w", model.NotFound("id", "x"))
	require.Equal(t, model.CodeNotFound, model.CodeOf(err))
	require.ErrorIs(t, err, &model.Error{Code: model.CodeNotFound})
	require.NotErrorIs(t, err, &model.Error{Code: model.CodeBusy})
	require.Equal(t, model.Code(""), model.CodeOf(nil))
	require.Equal(t, model.CodeInternal, model.CodeOf(errors.New("x")))

	disk := errors.New("disk full")
	failure := model.Failure(model.CodeUnavailable, disk, "append to %s", "events.db")
	require.ErrorIs(t, failure, disk)
	require.Equal(t, "append to events.db: disk full", failure.Error())
}

func TestError_AValueIsShortenedAndStaysText(t *testing.T) {
	for _, long := range []string{strings.Repeat("é", 10_000), strings.Repeat("\xff", 10_000), strings.Repeat("a", 99) + "日本"} {
		e := model.Invalid("field", long, "less")
		require.LessOrEqual(t, len(e.Value), 103)
		require.True(t, utf8.ValidString(e.Value))
		require.NotContains(t, e.Message, strings.Repeat("é", 60))
	}
}

func TestRefusedError_ShowsItsError(t *testing.T) {
	err := model.Transition(model.Archived, model.Labile, model.TransitionRecall)
	require.EqualError(t, err, "a memory that is Archived does not become Labile by recall")
	require.Equal(t, "restore the memory first", fault(t, err).Hint)
}
