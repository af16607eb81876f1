package embed

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/membrain-db/membrain/vectors"
)

const (
	backoffFirst  = 250 * time.Millisecond // doubled for each further attempt
	backoffMax    = 8 * time.Second
	retryAfterMax = time.Minute // a server that asks for more patience is reported as unavailable at once
)

// retryError marks a failure that another attempt may mend.
type retryError struct {
	err   error
	after time.Duration // what the server asked for; 0 when it did not
}

func (e *retryError) Error() string { return e.err.Error() }
func (e *retryError) Unwrap() error { return e.err }

// askPatiently asks until an answer or a refusal, at most 1 + RetriesMax times.
func (c *OpenAI) askPatiently(ctx context.Context, texts []string) ([]vectors.Embedding, error) {
	pause := backoffFirst
	for attempt := 0; ; attempt++ {
		answer, err := c.ask(ctx, texts)
		var again *retryError
		if err == nil || !errors.As(err, &again) {
			return answer, err
		}
		if attempt >= c.o.RetriesMax || again.after > retryAfterMax {
			return nil, again.err
		}
		if err := c.o.Wait(ctx, max(pause, again.after)); err != nil {
			return nil, errors.Join(err, again.err)
		}
		pause = min(2*pause, backoffMax)
	}
}

// wait sleeps for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter reads the header Retry-After: seconds or a date. A date is measured from the server's own Date, so that
// its clock need not agree with ours. It is 0 when missing or unreadable. Source: RFC 9110, section 10.2.3.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	from, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return max(0, until.Sub(from))
}
