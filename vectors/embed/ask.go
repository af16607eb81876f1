package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"

	"github.com/membrain-db/membrain/vectors"
)

// Bounds of an answer: 32 characters a number are more than any float32 needs.
const (
	numberBytesMax    = 32
	envelopeBytesMax  = 1 << 20
	complaintBytesMax = 16 << 10
)

type askBody struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type answerBody struct {
	Data []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
}

// ask sends one request. A failure that another attempt may mend comes as a retryError.
func (c *OpenAI) ask(ctx context.Context, texts []string) ([]vectors.Embedding, error) {
	attempt, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := c.request(attempt, texts)
	if err != nil {
		return nil, err
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, complaint(resp)
	}
	limit := int64(len(texts)*c.o.Dim*numberBytesMax + envelopeBytesMax)
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes for %d texts", ErrAnswer, limit, len(texts))
	}
	return parseAnswer(body, len(texts), c.o.Dim)
}

func (c *OpenAI) request(ctx context.Context, texts []string) (*http.Request, error) {
	ask := askBody{Model: c.o.Model, Input: texts, Format: "float"}
	if c.o.RequestDim {
		ask.Dimensions = c.o.Dim
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.o.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.APIKey)
	}
	return req, nil
}

// unreachable sorts a failure of the connection: the caller's context ended, or another attempt may help.
// The end of an attempt's own time must not look like the end of the caller's, and the URL stays out of the error.
func (c *OpenAI) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &retryError{err: fmt.Errorf("%w: no answer within %v", ErrUnavailable, c.o.Timeout)}
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &retryError{err: fmt.Errorf("%w: %w", ErrUnavailable, err)}
}

// codeShape is what an error code looks like, such as "invalid_api_key". Servers quote keys and texts in their
// messages, so nothing else of an answer reaches an error.
var codeShape = regexp.MustCompile(`^[a-z][a-z_]{2,47}$`)

// complaint makes an error of an answer that is not 200.
func complaint(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, complaintBytesMax))
	if err != nil {
		body = nil // the status says enough
	}
	said := fmt.Sprintf("HTTP status %d", resp.StatusCode)
	if code := complaintCode(body); code != "" {
		said += ", code " + code
	}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		after := retryAfter(resp.Header)
		if after > 0 {
			said += fmt.Sprintf(", to be asked again in %v", after)
		}
		return &retryError{err: fmt.Errorf("%w: %s", ErrUnavailable, said), after: after}
	}
	return fmt.Errorf("%w: %s", ErrRefused, said)
}

func complaintCode(body []byte) string {
	var said struct {
		Error struct {
			Code any    `json:"code"` // some servers send a number
			Type string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	if code, ok := said.Error.Code.(string); ok && codeShape.MatchString(code) {
		return code
	}
	if codeShape.MatchString(said.Error.Type) {
		return said.Error.Type
	}
	return ""
}
