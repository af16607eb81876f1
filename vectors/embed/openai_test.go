package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/vectors"
	"github.com/membrain-db/membrain/vectors/embed"
)

const (
	apiKey = "sk-very-secret"
	secret = "the launch code is 4711"
)

// server is a fake that answers its requests with one step each, the last one for ever, and remembers what it was asked.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []asked
}

type asked struct {
	path string
	head http.Header
	body map[string]any
}

func (s *server) seen() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *server) paths() (out []string) {
	for _, a := range s.seen() {
		out = append(out, a.path)
	}
	return out
}

type step func(w http.ResponseWriter, texts []any)

func serve(t *testing.T, steps ...step) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask map[string]any
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			t.Errorf("request is no JSON: %v", err)
		}
		s.mu.Lock()
		next := steps[min(len(s.asked), len(steps)-1)]
		s.asked = append(s.asked, asked{r.Method + " " + r.URL.Path, r.Header, ask})
		s.mu.Unlock()
		texts, _ := ask["input"].([]any)
		next(w, texts)
	}))
	t.Cleanup(s.Close)
	return s
}

// lengths answers each text with (its length, 1), last text first.
func lengths(w http.ResponseWriter, texts []any) {
	var data []string
	for i := len(texts) - 1; i >= 0; i-- {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(texts[i].(string))))
	}
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"m","usage":{"total_tokens":1}}`, strings.Join(data, ","))
}

func says(body string) step {
	return func(w http.ResponseWriter, _ []any) { fmt.Fprint(w, body) }
}

func fails(status int, header ...string) step {
	return func(w http.ResponseWriter, texts []any) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":"key %s, input %v","type":"bad_thing","code":"%s"}}`, apiKey, texts, apiKey)
	}
}

// client returns an OpenAI that asks s and records its pauses in place of waiting.
func client(t *testing.T, s *server, change func(*embed.OpenAIOptions)) (*embed.OpenAI, *[]time.Duration) {
	var pauses []time.Duration
	o := embed.OpenAIOptions{BaseURL: s.URL + "/v1/", Model: "m", APIKey: apiKey, Dim: 2,
		Wait: func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }}
	if change != nil {
		change(&o)
	}
	c, err := embed.NewOpenAI(o)
	require.NoError(t, err)
	return c, &pauses
}

func requireNoSecrets(t *testing.T, err error) {
	t.Helper()
	for _, hidden := range []string{apiKey, "very-secret", secret, "4711"} {
		require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), hidden)
	}
}

func TestOpenAI_AsksInBatchesAndOrdersByIndex(t *testing.T) {
	s := serve(t, lengths)
	c, _ := client(t, s, func(o *embed.OpenAIOptions) { o.BatchMax = 2 })
	got, err := c.EmbedDocuments(context.Background(), []string{"a", "bb", "ccc", "dddd", "eeeee"})
	require.NoError(t, err)
	for i, e := range got {
		require.Equal(t, vectors.Embedding{Form: vectors.FormFloat32, Float32: []float32{float32(i + 1), 1}}, e)
	}
	require.Len(t, got, 5)
	require.Equal(t, []string{"POST /v1/embeddings", "POST /v1/embeddings", "POST /v1/embeddings"}, s.paths())
	require.Equal(t, map[string]any{"model": "m", "input": []any{"ccc", "dddd"}, "encoding_format": "float"}, s.seen()[1].body)
	require.Equal(t, "Bearer "+apiKey, s.seen()[0].head.Get("Authorization"))
	require.Equal(t, "application/json", s.seen()[0].head.Get("Content-Type"))
}

func TestOpenAI_QueryIgnoresIDF(t *testing.T) {
	c, _ := client(t, serve(t, lengths), nil)
	idf := func(string) ([]embed.WeighedToken, int) { t.Error("idf was asked"); return nil, 0 }
	got, err := c.EmbedQuery(context.Background(), "abc", idf)
	require.NoError(t, err)
	require.Equal(t, []float32{3, 1}, got.Float32)
}

func TestOpenAI_SendsKeyAndDimensionOnlyWhenTold(t *testing.T) {
	s := serve(t, lengths)
	c, _ := client(t, s, func(o *embed.OpenAIOptions) { o.APIKey, o.RequestDim = "", true })
	_, err := c.EmbedQuery(context.Background(), "abc", nil)
	require.NoError(t, err)
	require.Empty(t, s.seen()[0].head.Values("Authorization"))
	require.Equal(t, 2.0, s.seen()[0].body["dimensions"])
}

func TestOpenAI_TriesAgain(t *testing.T) {
	const date = "Mon, 02 Jan 2006 15:04:05 GMT"
	for _, c := range []struct {
		name   string
		steps  []step
		pauses []time.Duration
	}{
		{"after a failure of the server", []step{fails(500), fails(503), lengths}, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		{"when too fast", []step{fails(429), lengths}, []time.Duration{250 * time.Millisecond}},
		{"after the seconds asked for", []step{fails(429, "Retry-After", "7"), lengths}, []time.Duration{7 * time.Second}},
		{"after the date asked for", []step{fails(503, "Date", date, "Retry-After", "Mon, 02 Jan 2006 15:04:17 GMT"), lengths}, []time.Duration{12 * time.Second}},
		{"when the date has passed", []step{fails(503, "Date", date, "Retry-After", "Mon, 02 Jan 2006 15:00:00 GMT"), lengths}, []time.Duration{250 * time.Millisecond}},
		{"when Retry-After is no time", []step{fails(429, "Retry-After", "-soon"), lengths}, []time.Duration{250 * time.Millisecond}},
		{"after a broken connection", []step{hangsUp, lengths}, []time.Duration{250 * time.Millisecond}},
		{"after half an answer", []step{breaksOff, lengths}, []time.Duration{250 * time.Millisecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.steps...)
			e, pauses := client(t, s, nil)
			got, err := e.EmbedQuery(context.Background(), "abc", nil)
			require.NoError(t, err)
			require.Equal(t, []float32{3, 1}, got.Float32)
			require.Equal(t, c.pauses, *pauses)
			require.Len(t, s.seen(), len(c.steps))
		})
	}
}

func hangsUp(http.ResponseWriter, []any) { panic(http.ErrAbortHandler) }

func breaksOff(w http.ResponseWriter, _ []any) {
	w.Header().Set("Content-Length", "1000")
	fmt.Fprint(w, `{"data":[`)
}

func TestOpenAI_GivesUp(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		name    string
		retries int
		step    step
		asked   int
		pauses  []time.Duration
	}{
		{"after three retries by default", 0, fails(500), 4, []time.Duration{250 * ms, 500 * ms, 1000 * ms}},
		{"after the retries allowed, at most 8 s apart", 7, fails(429), 8, []time.Duration{250 * ms, 500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms, 8000 * ms}},
		{"at once when told so", -1, fails(502), 1, nil},
		{"at once when the server asks for hours", 5, fails(429, "Retry-After", "7200"), 1, nil},
		{"at once when the server asks for an age", 5, fails(429, "Retry-After", "4294967295"), 1, nil},
		{"on broken connections", 1, hangsUp, 2, []time.Duration{250 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.step)
			e, pauses := client(t, s, func(o *embed.OpenAIOptions) { o.RetriesMax = c.retries })
			_, err := e.EmbedDocuments(context.Background(), []string{secret})
			require.ErrorIs(t, err, embed.ErrUnavailable)
			requireNoSecrets(t, err)
			require.Equal(t, c.pauses, *pauses)
			require.Len(t, s.seen(), c.asked)
		})
	}
}

func TestOpenAI_UnreachableServer(t *testing.T) {
	s := serve(t, lengths)
	e, pauses := client(t, s, func(o *embed.OpenAIOptions) { o.RetriesMax = 2 })
	s.Close()
	_, err := e.EmbedDocuments(context.Background(), []string{secret})
	require.ErrorIs(t, err, embed.ErrUnavailable)
	requireNoSecrets(t, err)
	require.Len(t, *pauses, 2)
}

func TestOpenAI_RefusalIsFinal(t *testing.T) {
	for _, status := range []int{204, 301, 307, 400, 401, 403, 404, 413, 422} {
		s := serve(t, fails(status, "Location", "/elsewhere"))
		e, pauses := client(t, s, nil)
		_, err := e.EmbedDocuments(context.Background(), []string{secret})
		require.ErrorIs(t, err, embed.ErrRefused)
		require.ErrorContains(t, err, fmt.Sprintf("HTTP status %d", status))
		requireNoSecrets(t, err)
		require.Empty(t, *pauses)
		require.Len(t, s.seen(), 1, "status %d: neither repeated nor followed", status)
	}
}

func TestOpenAI_ErrorNamesTheServersCode(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"x","type":"requests","code":"invalid_api_key"}}`: "status 401, code invalid_api_key",
		`{"error":{"message":"x","type":"auth_error","code":401}}`:             "status 401, code auth_error",
		`{"error":"` + apiKey + `"}`:                                           "status 401",
		`<html>` + apiKey + `</html>`:                                          "status 401",
	} {
		s := serve(t, func(w http.ResponseWriter, _ []any) { w.WriteHeader(401); io.WriteString(w, body) })
		e, _ := client(t, s, nil)
		_, err := e.EmbedQuery(context.Background(), "abc", nil)
		require.True(t, strings.HasSuffix(err.Error(), want), "%v, want the end %q", err, want)
	}
}

func TestOpenAI_WrongAnswers(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no JSON", `<html>`, "no JSON answer"},
		{"NaN", `{"data":[{"index":0,"embedding":[NaN,1]},{"index":1,"embedding":[1,1]}]}`, "no JSON answer"},
		{"overflow", `{"data":[{"index":0,"embedding":[1e99,1]},{"index":1,"embedding":[1,1]}]}`, "not a list of finite"},
		{"null in a vector", `{"data":[{"index":0,"embedding":[null,1]},{"index":1,"embedding":[1,1]}]}`, "not a list of finite"},
		{"null for a vector", `{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[1,1]}]}`, "not a list of finite"},
		{"base64", `{"data":[{"index":0,"embedding":"AACAPwAAgD8="},{"index":1,"embedding":[1,1]}]}`, "not a list of finite"},
		{"no vector", `{"data":[{"index":0},{"index":1,"embedding":[1,1]}]}`, "not a list of finite"},
		{"other dimension", `{"data":[{"index":0,"embedding":[1,1]},{"index":1,"embedding":[1,1,1]}]}`, "vector of index 1: embedding server answered wrongly: invalid embedding: 3 dimensions, allowed are exactly 2"},
		{"zero vector", `{"data":[{"index":0,"embedding":[0,-0]},{"index":1,"embedding":[1,1]}]}`, "all 2 numbers are 0"},
		{"too few", `{"data":[{"index":0,"embedding":[1,1]}]}`, "1 vectors, want 2"},
		{"too many", `{"data":[{"index":0,"embedding":[1,1]},{"index":1,"embedding":[1,1]},{"index":2,"embedding":[1,1]}]}`, "3 vectors, want 2"},
		{"none", `{}`, "0 vectors, want 2"},
		{"an index twice", `{"data":[{"index":1,"embedding":[1,1]},{"index":1,"embedding":[1,1]}]}`, "index 1 comes twice"},
		{"index too high", `{"data":[{"index":0,"embedding":[1,1]},{"index":2,"embedding":[1,1]}]}`, "vector 1 has no index from 0 to 1"},
		{"negative index", `{"data":[{"index":-1,"embedding":[1,1]},{"index":1,"embedding":[1,1]}]}`, "vector 0 has no index"},
		{"no index", `{"data":[{"embedding":[1,1]},{"index":1,"embedding":[1,1]}]}`, "vector 0 has no index"},
		{"endless", `{"data":[` + strings.Repeat(" ", 2<<20), "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, says(c.body))
			e, pauses := client(t, s, nil)
			got, err := e.EmbedDocuments(context.Background(), []string{secret, "two"})
			require.ErrorIs(t, err, embed.ErrAnswer)
			require.ErrorContains(t, err, c.want)
			requireNoSecrets(t, err)
			require.Nil(t, got)
			require.Empty(t, *pauses, "a wrong answer is not asked for again")
		})
	}
}

func TestOpenAI_OneBadBatchFailsTheCall(t *testing.T) {
	s := serve(t, lengths, fails(400))
	e, _ := client(t, s, func(o *embed.OpenAIOptions) { o.BatchMax = 1 })
	got, err := e.EmbedDocuments(context.Background(), []string{"a", "b", "c"})
	require.ErrorIs(t, err, embed.ErrRefused)
	require.ErrorContains(t, err, "embed texts 1 to 1 of 3")
	require.Nil(t, got)
	require.Len(t, s.seen(), 2)
}

func TestOpenAI_EmptyTextsAndEmptyCallsAreNotSent(t *testing.T) {
	s := serve(t, lengths)
	e, _ := client(t, s, nil)
	_, err := e.EmbedDocuments(context.Background(), []string{"a", ""})
	require.ErrorIs(t, err, embed.ErrEmptyText)
	require.ErrorContains(t, err, "text 1 of 2")
	got, err := e.EmbedDocuments(context.Background(), nil)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Empty(t, s.seen())
}

// A silent server is an http.RoundTripper that answers when the request's context ends: no real time needs to pass.
type silent struct{ asked chan struct{} }

func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked <- struct{}{}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestOpenAI_AttemptsEndAfterTheTimeout(t *testing.T) {
	s := serve(t, lengths)
	asked := make(chan struct{}, 10)
	e, pauses := client(t, s, func(o *embed.OpenAIOptions) {
		o.Timeout, o.RetriesMax, o.HTTPClient = time.Millisecond, 2, &http.Client{Transport: silent{asked}}
	})
	_, err := e.EmbedQuery(context.Background(), secret, nil)
	require.ErrorIs(t, err, embed.ErrUnavailable)
	require.NotErrorIs(t, err, context.DeadlineExceeded, "the caller's own time is not over")
	require.ErrorContains(t, err, "no answer within 1ms")
	require.Len(t, *pauses, 2)
	require.Len(t, asked, 3)
}

func TestOpenAI_StopsWithItsContext(t *testing.T) {
	s := serve(t, fails(500))
	t.Run("while it asks", func(t *testing.T) {
		asked := make(chan struct{})
		e, pauses := client(t, s, func(o *embed.OpenAIOptions) { o.HTTPClient = &http.Client{Transport: silent{asked}} })
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-asked; cancel() }()
		_, err := e.EmbedQuery(ctx, secret, nil)
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, *pauses)
	})
	t.Run("while it pauses", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		e, _ := client(t, s, func(o *embed.OpenAIOptions) { o.Wait = nil; o.HTTPClient = &http.Client{Transport: ends{cancel}} })
		_, err := e.EmbedQuery(ctx, secret, nil)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// ends answers 500 and asks for a minute, which the cancelled caller does not wait for.
type ends struct{ cancel func() }

func (e ends) RoundTrip(*http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	rec.Header().Set("Retry-After", "60")
	rec.WriteHeader(500)
	resp := rec.Result()
	resp.Body = cancelling{resp.Body, e.cancel}
	return resp, nil
}

type cancelling struct {
	io.ReadCloser
	cancel func()
}

func (c cancelling) Close() error {
	c.cancel()
	return c.ReadCloser.Close()
}

func TestNewOpenAI_ReportsAllFaultsTogether(t *testing.T) {
	_, err := embed.NewOpenAI(embed.OpenAIOptions{BaseURL: "https://me:" + apiKey + "@host/v1", APIKey: apiKey + "\n", Dim: 99999,
		Timeout: -1, RetriesMax: 11, BatchMax: 2049})
	require.ErrorIs(t, err, embed.ErrOptions)
	requireNoSecrets(t, err)
	for _, want := range []string{"BaseURL holds a user", "Model is empty", "APIKey holds a line break", "Dim is 99999, allowed are 1 to 16384",
		"Timeout is -1ns", "RetriesMax is 11", "BatchMax is 2049, allowed are 0 (the default) to 2048"} {
		require.ErrorContains(t, err, want)
	}
	for _, url := range []string{"", "host/v1", "ftp://host", "https://", "http://host/v1?key=" + apiKey, "http://host/#x", "http://bad host", "://" + apiKey} {
		_, err := embed.NewOpenAI(embed.OpenAIOptions{BaseURL: url, Model: "m", Dim: 2})
		require.ErrorIs(t, err, embed.ErrOptions, url)
		require.ErrorContains(t, err, "BaseURL")
		requireNoSecrets(t, err)
	}
}

func TestOpenAI_IDTellsServersModelsAndDimensionsApart(t *testing.T) {
	id := func(url, model string, dim int) string {
		c, err := embed.NewOpenAI(embed.OpenAIOptions{BaseURL: url, Model: model, Dim: dim, APIKey: apiKey})
		require.NoError(t, err)
		require.Equal(t, dim, c.Dim())
		return c.ID()
	}
	one := id("https://api.openai.com/v1", "text-embedding-3-small", 512)
	require.Regexp(t, `^openai:[0-9a-f]{12}:text-embedding-3-small:512$`, one)
	require.Equal(t, one, id("https://API.openai.com/v1/", "text-embedding-3-small", 512))
	for _, other := range []string{
		id("https://api.openai.com/v2", "text-embedding-3-small", 512),
		id("https://api.openai.com/v1", "text-embedding-3-large", 512),
		id("https://api.openai.com/v1", "text-embedding-3-small", 256),
	} {
		require.NotEqual(t, one, other)
	}
	require.NotContains(t, one, apiKey)
}

func TestOpenAI_WaitErrorKeepsItsCause(t *testing.T) {
	gone := errors.New("host is closing")
	e, _ := client(t, serve(t, fails(503)), func(o *embed.OpenAIOptions) {
		o.Wait = func(context.Context, time.Duration) error { return gone }
	})
	_, err := e.EmbedQuery(context.Background(), "abc", nil)
	require.ErrorIs(t, err, gone)
	require.ErrorIs(t, err, embed.ErrUnavailable)
}
