package embed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/membrain-db/membrain/vectors"
)

// Defaults and bounds of OpenAIOptions.
const (
	timeoutDefault    = 30 * time.Second
	timeoutMax        = 10 * time.Minute
	retriesMaxDefault = 3
	retriesMaxMax     = 10
	batchMaxDefault   = 64
	batchMaxMax       = 2048
)

// OpenAIOptions says which server and model to ask. BaseURL, Model and Dim are needed; the rest has defaults.
type OpenAIOptions struct {
	BaseURL    string        // for example "https://api.openai.com/v1" or "http://localhost:11434/v1"; "/embeddings" is added
	Model      string        // for example "text-embedding-3-small"
	APIKey     string        // sent as a bearer token; empty sends none
	Dim        int           // dimensions of the model's vectors, 1 to vectors.EmbeddingDimMax; other answers are refused
	RequestDim bool          // ask the server to shorten its vectors to Dim; not every server and model can
	Timeout    time.Duration // of one attempt, to 10 minutes; 0 is 30 seconds
	RetriesMax int           // attempts after the first, to 10; 0 is 3, negative is none
	BatchMax   int           // texts in one request, to 2,048; 0 is 64
	HTTPClient *http.Client  // nil is one of its own; redirects are not followed either way

	// Wait pauses between attempts; nil is a timer. It returns the context's error when that ends first.
	Wait func(ctx context.Context, d time.Duration) error
}

// OpenAI asks a server that speaks the OpenAI embeddings call. Its vectors are float32, as the server sent them.
// Safe for concurrent use; each call sends its batches one after the other.
type OpenAI struct {
	id       string
	endpoint string
	o        OpenAIOptions
	client   http.Client
}

var _ Embedder = (*OpenAI)(nil)

// NewOpenAI checks the options without asking the server. Errors: ErrOptions, naming every fault, and never the key.
func NewOpenAI(o OpenAIOptions) (*OpenAI, error) {
	base, baseErr := parseBaseURL(o.BaseURL)
	if err := errors.Join(baseErr, o.check()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	o.fill()
	client := http.Client{}
	if o.HTTPClient != nil {
		client = *o.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	sum := sha256.Sum256([]byte(base))
	return &OpenAI{
		id:       fmt.Sprintf("openai:%x:%s:%d", sum[:6], o.Model, o.Dim),
		endpoint: base + "/embeddings",
		o:        o,
		client:   client,
	}, nil
}

// parseBaseURL returns the URL in the one spelling that the id is made of. Credentials do not belong into a URL, which
// ends up in errors and logs, so the error does not repeat it.
func parseBaseURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", errors.New("BaseURL is no absolute http or https URL, such as https://api.openai.com/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("BaseURL holds a user, a query or a fragment; allowed are scheme, host and path, and the key goes into APIKey")
	}
	u.Host = strings.ToLower(u.Host)
	return strings.TrimRight(u.String(), "/"), nil
}

func (o OpenAIOptions) check() error {
	var errs []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(o.Model == "", "Model is empty")
	fault(strings.ContainsAny(o.APIKey, "\r\n\x00"), "APIKey holds a line break")
	fault(o.Dim < 1 || o.Dim > vectors.EmbeddingDimMax, "Dim is %d, allowed are 1 to %d", o.Dim, vectors.EmbeddingDimMax)
	fault(o.Timeout < 0 || o.Timeout > timeoutMax, "Timeout is %v, allowed are 0 (the default) to %v", o.Timeout, timeoutMax)
	fault(o.RetriesMax > retriesMaxMax, "RetriesMax is %d, allowed are at most %d", o.RetriesMax, retriesMaxMax)
	fault(o.BatchMax < 0 || o.BatchMax > batchMaxMax, "BatchMax is %d, allowed are 0 (the default) to %d", o.BatchMax, batchMaxMax)
	return errors.Join(errs...)
}

// fill puts the defaults in.
func (o *OpenAIOptions) fill() {
	if o.Timeout == 0 {
		o.Timeout = timeoutDefault
	}
	if o.RetriesMax == 0 {
		o.RetriesMax = retriesMaxDefault
	}
	o.RetriesMax = max(o.RetriesMax, 0)
	if o.BatchMax == 0 {
		o.BatchMax = batchMaxDefault
	}
	if o.Wait == nil {
		o.Wait = wait
	}
}

// ID returns "openai:<12 hex digits of the base URL's sha256>:<model>:<dimensions>".
func (c *OpenAI) ID() string { return c.id }

// Dim returns the configured dimension.
func (c *OpenAI) Dim() int { return c.o.Dim }

// EmbedDocuments asks for the vectors of all texts, BatchMax in a request. When one request fails for good, nothing is
// returned. Errors: ErrEmptyText before anything is sent, ErrUnavailable, ErrRefused, ErrAnswer, the context's.
func (c *OpenAI) EmbedDocuments(ctx context.Context, texts []string) ([]vectors.Embedding, error) {
	for i, t := range texts {
		if t == "" {
			return nil, fmt.Errorf("%w: text %d of %d", ErrEmptyText, i, len(texts))
		}
	}
	out := make([]vectors.Embedding, 0, len(texts))
	for start := 0; start < len(texts); start += c.o.BatchMax {
		batch := texts[start:min(start+c.o.BatchMax, len(texts))]
		answer, err := c.askPatiently(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("embed texts %d to %d of %d: %w", start, start+len(batch)-1, len(texts), err)
		}
		out = append(out, answer...)
	}
	return out, nil
}

// EmbedQuery asks for the vector of a search text; idf is not used. Errors: as EmbedDocuments.
func (c *OpenAI) EmbedQuery(ctx context.Context, query string, _ IDF) (vectors.Embedding, error) {
	out, err := c.EmbedDocuments(ctx, []string{query})
	if err != nil {
		return vectors.Embedding{}, err
	}
	return out[0], nil
}
