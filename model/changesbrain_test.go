package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestChanges_TellWhatABrainRecorded(t *testing.T) {
	id := model.MemoryID{1}
	resolve := func(model.Symbol) (string, bool) { return "static-en-1/abc/tok2", true }
	for name, c := range map[string]struct {
		fact model.Fact
		want map[string]any
	}{
		"namespace": {
			model.NamespaceCreated{Embedder: model.EmbedderRef{ID: 1, Dim: 512}},
			map[string]any{"embedder": "static-en-1/abc/tok2", "dimensions": uint32(512)},
		},
		"refusal by policy": {
			model.RequestRefused{Verb: model.VerbForget, Family: model.FamilyPolicyDenied, Memory: id, Flag: model.FlagLegalHold, Count: 3},
			map[string]any{"verb": "forget", "failure": "policy_denied", "memory": id.String(), "count": uint32(3), "policy_flag": "legal_hold"},
		},
		"refused transition": {
			model.RequestRefused{Verb: model.VerbRestore, Family: model.FamilyValidationFailure, Memory: id, From: model.Labile, To: model.Archived, Count: 1},
			map[string]any{"verb": "restore", "failure": "validation_failure", "memory": id.String(), "count": uint32(1), "from": "Labile", "to": "Archived"},
		},
		"recall": {
			model.RequestAccepted{Verb: model.VerbRecall, ReadSeq: 4, Memories: []model.MemoryID{id}, Recall: &model.RecallReceipt{
				Items: []model.RecallReceiptItem{{Score: 0.5}}, Omitted: []model.OmittedCount{{Reason: model.OmittedLimit, Count: 2}},
			}},
			map[string]any{
				"verb": "recall", "read_seq": uint64(4), "memories": []string{id.String()}, "scores": []float64{0.5},
				"omitted": map[string]uint32{"limit": 2}, "abstained": false,
			},
		},
		"discarded": {
			model.RequestAccepted{Verb: model.VerbEncode, Discarded: &model.DiscardReceipt{Attention: 0.1, Threshold: 0.2}},
			map[string]any{
				"verb": "encode", "read_seq": uint64(0), "memories": []string{}, "discarded": true, "attention": 0.1, "attention_min": 0.2,
			},
		},
		"import": {
			model.RequestAccepted{Verb: model.VerbImport, Import: &model.ImportReceipt{Read: 3, Created: 2, Skipped: 1}},
			map[string]any{
				"verb": "import", "read_seq": uint64(0), "memories": []string{}, "read": uint32(3), "created": uint32(2), "skipped": uint32(1),
			},
		},
	} {
		require.Equal(t, c.want, model.Changes(c.fact, resolve), name)
	}
}
