package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

const epsilon = 1e-6 // of every golden value

// symbols interns strings as a namespace does, and resolves them.
type symbols struct{ texts []string }

func (s *symbols) intern(text string) model.Symbol {
	for i, have := range s.texts {
		if have == text {
			return model.Symbol(i + 1)
		}
	}
	s.texts = append(s.texts, text)
	return model.Symbol(len(s.texts))
}

func (s *symbols) resolve(sym model.Symbol) (string, bool) {
	if sym == 0 || int(sym) > len(s.texts) || s.texts[sym-1] == "" {
		return "", false
	}
	return s.texts[sym-1], true
}

// erase forgets a string, as a purge does.
func (s *symbols) erase(text string) {
	for i, have := range s.texts {
		if have == text {
			s.texts[i] = ""
		}
	}
}

func id(n byte) model.MemoryID { return model.MemoryID{0: 1, 6: 0x70, 8: 0x80, 15: n} }

func ptr[T any](v T) *T { return &v }

// agent is a caller bound to everything that a door can bind.
func agent() model.Caller {
	return model.Caller{
		Agent: "planner", Door: model.SourceMCP, Session: "s1", Task: "t1", Workspace: "w1", Handle: "mcp/42",
	}
}

func request(text string) model.EncodeRequest {
	return model.EncodeRequest{Namespace: "team", Text: text}
}

func normalised(t *testing.T, req model.EncodeRequest, c model.Caller) model.Envelope {
	t.Helper()
	e, err := model.Normalise(req, c, model.DefaultParams())
	require.NoError(t, err)
	return e
}

// born encodes a request at a tick and returns the memory's first state.
func born(t *testing.T, req model.EncodeRequest, tick model.Tick) *model.Memory {
	t.Helper()
	return bornWith(t, req, tick, model.Findings{}, &symbols{})
}

func bornWith(t *testing.T, req model.EncodeRequest, tick model.Tick, f model.Findings, s *symbols) *model.Memory {
	t.Helper()
	cmd := normalised(t, req, agent()).Command(id(1), s.intern)
	cmd.Findings = f
	return model.Apply(nil, encoded(t, cmd, tick))
}

func encoded(t *testing.T, cmd model.Encode, tick model.Tick) model.MemoryEncoded {
	t.Helper()
	fact, err := model.DecideEncode(cmd, content(1), model.PayloadRef{}, model.DefaultParams(), moment(tick))
	require.NoError(t, err)
	return fact
}

func content(n model.ContentNumber) model.ContentRef {
	return model.ContentRef{Number: n, Digest: [16]byte{byte(n)}, TextBytes: 10}
}

// moment is tick t at a wall time that has nothing to do with it.
func moment(t model.Tick) model.Moment {
	return model.Moment{Tick: t, Now: model.Millis(1_700_000_000_000 + int64(t)*7_001)}
}

// done decides a command and folds its facts; it must be accepted.
func done(t *testing.T, m *model.Memory, cmd model.Command, tick model.Tick) *model.Memory {
	t.Helper()
	facts, err := model.Decide(m, cmd, model.DefaultParams(), moment(tick))
	require.NoError(t, err, "%T", cmd)
	for _, f := range facts {
		m = model.Apply(m, f)
	}
	return m
}

// refused decides a command that must be refused with a code, and returns the refusal.
func refused(t *testing.T, m *model.Memory, cmd model.Command, tick model.Tick, code model.Code) error {
	t.Helper()
	facts, err := model.Decide(m, cmd, model.DefaultParams(), moment(tick))
	require.Equal(t, code, model.CodeOf(err), "%T: %v", cmd, err)
	require.Empty(t, facts)
	return err
}

// fault returns the field-level error.
func fault(t *testing.T, err error) *model.Error {
	t.Helper()
	var e *model.Error
	require.ErrorAs(t, err, &e)
	return e
}
