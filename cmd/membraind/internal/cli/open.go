package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors/embed"
)

// opening says how a verb opens its store.
type opening struct {
	stays bool // the process works long enough to leave checkpoints behind
	there bool // a store must be there already: the verb is about what it holds
}

// use opens the store of the global flags, does the work, and closes it. Without a store it makes one.
func (s *session) use(ctx context.Context, work func(*membrain.Store) error) error {
	return s.useAs(ctx, opening{}, work)
}

// useOld is use for verbs that make no sense without a store.
func (s *session) useOld(ctx context.Context, work func(*membrain.Store) error) error {
	return s.useAs(ctx, opening{there: true}, work)
}

func (s *session) useAs(ctx context.Context, how opening, work func(*membrain.Store) error) error {
	dir, err := s.dataDir()
	if err != nil {
		return err
	}
	return s.useDir(ctx, dir, how, work)
}

func (s *session) useDir(ctx context.Context, dir string, how opening, work func(*membrain.Store) error) error {
	options, err := s.options(how)
	if err != nil {
		return err
	}
	if !how.there {
		if err := makeDataDir(dir); err != nil {
			return err
		}
	}
	bars := s.bars()
	options.Progress = bars.show
	store, err := membrain.Open(ctx, dir, options)
	if err != nil {
		bars.clear()
		return err
	}
	err = work(store)
	bars.clear()
	if closeErr := store.Close(); closeErr != nil {
		// What was answered is on disk; what could not be written is derived.
		options.Logger.Warn("what is derived could not be saved; the next open makes it anew", "error", closeErr)
	}
	return err
}

func (s *session) options(how opening) (membrain.Options, error) {
	if s.lockWait < 0 {
		return membrain.Options{}, model.Invalid("lock-wait", s.lockWait.String(), "a duration from 0 on")
	}
	embedder, err := s.embedder()
	if err != nil {
		return membrain.Options{}, err
	}
	return membrain.Options{
		Caller:   s.caller(),
		Embedder: embedder,
		Reembed:  s.reembed,
		Logger:   slog.New(slog.NewTextHandler(s.env.Stderr, &slog.HandlerOptions{Level: s.level})),
		LockWait: max(s.lockWait, 1), OneShot: !how.stays, MustExist: how.there,
	}, nil
}

// caller is whom the process speaks for: the operator of the data directory, or the agent that --agent binds.
func (s *session) caller() model.Caller {
	return model.Caller{Agent: s.agent, Operator: s.agent == "", Door: model.SourceCLI, Handle: "cli/" + rand.Text()}
}

// embedder is the server that the flags name; nil is the built-in one.
func (s *session) embedder() (embed.Embedder, error) {
	if s.embedURL == "" {
		if s.embedModel != "" || s.embedDim != 0 {
			return nil, model.Invalid("embed-url", "", "the server's URL beside --embed-model and --embed-dim")
		}
		return nil, nil
	}
	e, err := embed.NewOpenAI(embed.OpenAIOptions{
		BaseURL: s.embedURL, Model: s.embedModel, Dim: s.embedDim, APIKey: s.env.Getenv("MEMBRAIN_EMBED_KEY"),
	})
	if errors.Is(err, embed.ErrOptions) {
		return nil, model.Failure(model.CodeValidation, err, "--embed-url, --embed-model, --embed-dim")
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}
