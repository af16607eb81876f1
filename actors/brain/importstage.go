package brain

import (
	"context"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// stage reserves the content numbers by a commit of their own and writes the contents in chunks.
func (p *importPlan) stage(ctx context.Context) error {
	p.started = &importStart{e: p.e, numbers: p.numbers(), namespace: p.rows.Namespace}
	start := request{verb: model.VerbImport, caller: p.caller, id: "start/" + p.e.o.NewID().String()}
	if _, err := p.e.run(ctx, p.rows.Namespace, start, p.started); err != nil {
		p.started = nil
		return err
	}
	chunk := eventlog.ContentBatch{Namespace: p.started.ns}
	size := 0
	flush := func() error {
		err := p.e.o.Contents.Put(ctx, []eventlog.ContentBatch{chunk})
		chunk.Contents, size = nil, 0
		return failure(err, "stage the contents")
	}
	next := p.started.first
	for i := range p.envs {
		bodies, err := p.bodies(i, next)
		if err != nil {
			return err
		}
		next += model.ContentNumber(len(bodies))
		chunk.Contents = append(chunk.Contents, bodies...)
		for _, b := range bodies {
			size += len(b.Body)
		}
		if size >= stageBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// numbers is how many content numbers the rows take.
func (p *importPlan) numbers() int {
	n := len(p.envs)
	for i := range p.envs {
		if len(p.envs[i].Payload) > 0 {
			n++
		}
	}
	return n
}

// bodies makes the content records of a row and remembers how the facts will name them.
func (p *importPlan) bodies(i int, n model.ContentNumber) ([]eventlog.Content, error) {
	env := &p.envs[i]
	var salts [2][16]byte
	for k := range salts {
		var err error
		if salts[k], err = p.e.salt(); err != nil {
			return nil, failure(err, "draw a salt")
		}
	}
	record := model.Record{
		Salt: salts[0], Text: env.Text, Context: env.Context, Fingerprint: env.Fingerprint(),
		Embeddings: []model.Embedded{{Embedder: p.started.embedder, Vector: p.vectors[i].AppendBinary(nil)}},
	}
	content := model.ContentRef{Number: n, Digest: codec.ContentDigest(record), TextBytes: uint64(len(env.Text)), OutOfLine: env.OutOfLine()}
	out := []eventlog.Content{{Number: uint64(n), Body: codec.EncodeRecord(record)}}
	var payload model.PayloadRef
	switch {
	case len(env.Payload) > 0:
		out = append(out, eventlog.Content{Number: uint64(n + 1), Body: codec.EncodePayload(salts[1], env.Payload)})
		payload = model.PayloadRef{Number: n + 1, State: model.PayloadAttached, Bytes: uint64(len(env.Payload)), Digest: codec.PayloadDigest(salts[1], env.Payload)}
	case content.OutOfLine:
		payload = model.PayloadRef{Number: n, State: model.PayloadAttached, Bytes: content.TextBytes, Digest: content.Digest}
	}
	p.contents, p.payloads = append(p.contents, content), append(p.payloads, payload)
	return out, nil
}
