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

// use opens the store of the global flags, does the work, and closes it.
func (s *session) use(ctx context.Context, work func(*membrain.Store) error) error {
	return s.useWith(ctx, true, work)
}

// useLong is use for a process that stays long enough to leave checkpoints behind.
func (s *session) useLong(ctx context.Context, work func(*membrain.Store) error) error {
	return s.useWith(ctx, false, work)
}

func (s *session) useWith(ctx context.Context, oneShot bool, work func(*membrain.Store) error) error {
	dir, err := s.dataDir()
	if err != nil {
		return err
	}
	return s.useDir(ctx, dir, oneShot, work)
}

func (s *session) useDir(ctx context.Context, dir string, oneShot bool, work func(*membrain.Store) error) error {
	options, err := s.options(oneShot)
	if err != nil {
		return err
	}
	if err := makeDataDir(dir); err != nil {
		return err
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
	if closeErr := store.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (s *session) options(oneShot bool) (membrain.Options, error) {
	embedder, err := s.embedder()
	if err != nil {
		return membrain.Options{}, err
	}
	return membrain.Options{
		Caller:   s.caller(),
		Embedder: embedder,
		Reembed:  s.reembed,
		Logger:   slog.New(slog.NewTextHandler(s.env.Stderr, &slog.HandlerOptions{Level: s.level})),
		LockWait: s.lockWait,
		OneShot:  oneShot,
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
