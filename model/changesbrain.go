package model

// brainChanges lists what a fact of a namespace's own stream says.
func brainChanges(f Fact, r Resolver) map[string]any {
	switch f := f.(type) {
	case NamespaceCreated:
		return embedderChanges(f.Embedder, r)
	case EmbedderChanged:
		return embedderChanges(f.Embedder, r)
	case ParamsChanged:
		return map[string]any{"params": f.Params}
	case ImportStarted:
		return map[string]any{"contents_from": uint64(f.First), "contents_to": uint64(f.Last)}
	case ImportAborted:
		return map[string]any{"aborted": true}
	case RequestAccepted:
		return acceptedChanges(f)
	case RequestRefused:
		return refusedChanges(f)
	}
	return map[string]any{}
}

func embedderChanges(e EmbedderRef, r Resolver) map[string]any {
	return map[string]any{"embedder": shown(r, e.ID), "dimensions": e.Dim}
}

func acceptedChanges(f RequestAccepted) map[string]any {
	out := map[string]any{"verb": f.Verb.String(), "read_seq": f.ReadSeq, "memories": idTexts(f.Memories)}
	if f.Recall != nil {
		scores := make([]float64, len(f.Recall.Items))
		for i, item := range f.Recall.Items {
			scores[i] = item.Score
		}
		omitted := map[string]uint32{}
		for _, o := range f.Recall.Omitted {
			omitted[o.Reason.String()] = o.Count
		}
		out["scores"], out["omitted"], out["abstained"] = scores, omitted, f.Recall.Abstained
	}
	if f.Import != nil {
		out["read"], out["created"], out["skipped"] = f.Import.Read, f.Import.Created, f.Import.Skipped
	}
	if f.Discarded != nil {
		out["discarded"], out["attention"], out["attention_min"] = true, f.Discarded.Attention, f.Discarded.Threshold
	}
	return out
}

func refusedChanges(f RequestRefused) map[string]any {
	out := map[string]any{"verb": f.Verb.String(), "failure": f.Family.String(), "memory": f.Memory.String(), "count": f.Count}
	if f.From != 0 || f.To != 0 {
		out["from"], out["to"] = f.From.String(), f.To.String()
	}
	if f.Flag != 0 {
		out["policy_flag"] = f.Flag.String()
	}
	return out
}
