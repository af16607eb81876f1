package codec

import (
	"math"

	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

func encodeNamespaceCreated(f *model.NamespaceCreated) []byte {
	return sound((&eventpb.NamespaceCreatedFact{
		Params:   paramsState(&f.Params),
		Embedder: embedderState(f.Embedder),
	}).MarshalVT())
}

func decodeNamespaceCreated(body []byte) (fact, error) {
	var p eventpb.NamespaceCreatedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	return c.result(model.NamespaceCreated{Params: c.params(p.Params), Embedder: c.embedder(p.Embedder)})
}

func encodeParamsChanged(f *model.ParamsChanged) []byte {
	return sound((&eventpb.ParamsChangedFact{Params: paramsState(&f.Params)}).MarshalVT())
}

func decodeParamsChanged(body []byte) (fact, error) {
	var p eventpb.ParamsChangedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	return c.result(model.ParamsChanged{Params: c.params(p.Params)})
}

func encodeEmbedderChanged(f model.EmbedderChanged) []byte {
	return sound((&eventpb.EmbedderChangedFact{Embedder: embedderState(f.Embedder)}).MarshalVT())
}

func decodeEmbedderChanged(body []byte) (fact, error) {
	var p eventpb.EmbedderChangedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	var c checker
	return c.result(model.EmbedderChanged{Embedder: c.embedder(p.Embedder)})
}

func embedderState(e model.EmbedderRef) *eventpb.EmbedderState {
	return &eventpb.EmbedderState{Id: uint64(e.ID), Dim: e.Dim, Form: uint32(e.Form)}
}

func (c *checker) embedder(p *eventpb.EmbedderState) model.EmbedderRef {
	if p == nil {
		c.fail("the embedder is missing")
		return model.EmbedderRef{}
	}
	if p.Form > math.MaxUint8 {
		c.fail("form is %d, over 255", p.Form)
	}
	return model.EmbedderRef{ID: model.Symbol(p.Id), Dim: p.Dim, Form: uint8(p.Form)}
}

func encodeImportStarted(f model.ImportStarted) []byte {
	return sound(importStarted(f).MarshalVT())
}

func decodeImportStarted(body []byte) (fact, error) {
	var p eventpb.ImportStartedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	return importOf(&p), nil
}

func importStarted(f model.ImportStarted) *eventpb.ImportStartedFact {
	return &eventpb.ImportStartedFact{First: uint64(f.First), Last: uint64(f.Last), At: int64(f.At)}
}

func importOf(p *eventpb.ImportStartedFact) model.ImportStarted {
	return model.ImportStarted{First: model.ContentNumber(p.First), Last: model.ContentNumber(p.Last), At: model.Millis(p.At)}
}

func encodeImportAborted(f model.ImportAborted) []byte {
	return sound((&eventpb.ImportAbortedFact{At: int64(f.At)}).MarshalVT())
}

func decodeImportAborted(body []byte) (fact, error) {
	var p eventpb.ImportAbortedFact
	if err := p.UnmarshalVT(body); err != nil {
		return nil, malformed("%v", err)
	}
	return model.ImportAborted{At: model.Millis(p.At)}, nil
}
