package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model/intake"
)

// space is the namespace of generated stores.
const space = "bench"

// importRows makes memories of rows, at most as many as one import takes.
func importRows(ctx context.Context, s *membrain.Store, namespace string, rows []membrain.EncodeRequest) error {
	var lines strings.Builder
	encoder := json.NewEncoder(&lines)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return fmt.Errorf("write a row: %w", err)
		}
	}
	_, err := s.Import(ctx, membrain.ImportRequest{Format: intake.FormatJSONL, Reader: strings.NewReader(lines.String()), Name: "rows", Namespace: namespace})
	return err
}

// fill imports generated stories into an empty namespace, a session to every 20.
func fill(ctx context.Context, s *membrain.Store, namespace string, seed uint64, n int) ([]story, error) {
	w := newWriter(seed)
	stories, rows := make([]story, n), make([]membrain.EncodeRequest, n)
	for i := range stories {
		stories[i] = w.write()
		rows[i] = membrain.EncodeRequest{
			Type: membrain.Event, Text: stories[i].text, SessionID: fmt.Sprintf("session-%d", i/20), Entities: []string{stories[i].who},
		}
	}
	return stories, importRows(ctx, s, namespace, rows)
}
