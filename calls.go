package membrain

import (
	"context"

	"github.com/membrain-db/membrain/model"
)

// Encode remembers one thing. When it returns, the memory is on disk and recall finds it. Errors: *Error.
func (s *Store) Encode(ctx context.Context, r EncodeRequest) (EncodeReply, error) {
	return s.engine.Encode(ctx, s.caller, r)
}

// Recall answers a query with what is remembered, best first, and strengthens what it returns unless NoReinforce
// is set. Errors: *Error.
func (s *Store) Recall(ctx context.Context, r RecallRequest) (RecallReply, error) {
	return s.engine.Recall(ctx, s.caller, r)
}

// Update changes text, type, kind, tags, retention or flags of one memory in place. Errors: *Error.
func (s *Store) Update(ctx context.Context, r UpdateRequest) (MutationReply, error) {
	return s.engine.Update(ctx, s.caller, r)
}

// Reinforce strengthens one memory as a recall would. Errors: *Error.
func (s *Store) Reinforce(ctx context.Context, r MemoryRequest) (MutationReply, error) {
	return s.engine.Mutate(ctx, s.caller, model.VerbReinforce, r)
}

// Pin holds a memory against forgetting. Errors: *Error.
func (s *Store) Pin(ctx context.Context, r MemoryRequest) (MutationReply, error) {
	return s.engine.Mutate(ctx, s.caller, model.VerbPin, r)
}

// Unpin returns a memory to the retention class that it had. Errors: *Error.
func (s *Store) Unpin(ctx context.Context, r MemoryRequest) (MutationReply, error) {
	return s.engine.Mutate(ctx, s.caller, model.VerbUnpin, r)
}

// Forget archives a memory: it leaves default recall, stays inspectable, and Restore brings it back. Errors: *Error;
// policy_denied for pinned and held memories.
func (s *Store) Forget(ctx context.Context, r MemoryRequest) (MutationReply, error) {
	return s.engine.Mutate(ctx, s.caller, model.VerbForget, r)
}

// Restore brings an archived memory back to the state it had. Errors: *Error.
func (s *Store) Restore(ctx context.Context, r MemoryRequest) (MutationReply, error) {
	return s.engine.Mutate(ctx, s.caller, model.VerbRestore, r)
}

// Inspect shows one memory with every field. It takes no tick. Errors: *Error.
func (s *Store) Inspect(ctx context.Context, r MemoryRequest) (View, error) {
	return s.engine.Inspect(ctx, s.caller, r)
}

// List pages through memories. Errors: *Error.
func (s *Store) List(ctx context.Context, r ListRequest) (ListReply, error) {
	return s.engine.List(ctx, s.caller, r)
}

// History returns every fact of one memory, oldest first. Errors: *Error.
func (s *Store) History(ctx context.Context, r MemoryRequest) (HistoryReply, error) {
	return s.engine.History(ctx, s.caller, r)
}

// Explain says why: for a query, a past request, or one memory. It takes no tick. Errors: *Error.
func (s *Store) Explain(ctx context.Context, r ExplainRequest) (ExplainReply, error) {
	return s.engine.Explain(ctx, s.caller, r)
}

// Params returns the parameters of a namespace. Errors: *Error.
func (s *Store) Params(_ context.Context, namespace string) (Params, error) {
	return s.engine.Params(namespace)
}

// SetParams replaces the parameters of a namespace from now on. Errors: *Error.
func (s *Store) SetParams(ctx context.Context, namespace string, p Params) error {
	return s.engine.SetParams(ctx, s.caller, namespace, p)
}
