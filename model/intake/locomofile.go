package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// locomoSample is one conversation; fields that nobody here needs are passed over.
type locomoSample struct {
	line      int // of its beginning
	id        string
	talks     bool // has a conversation at all
	sessions  map[int]locomoSession
	questions []locomoQuestion
}

// locomoSession is session_N and session_N_date_time.
type locomoSession struct {
	line  int // of its turns
	date  string
	dated int // line of the date, 0 without one
	turns []locomoTurn
}

// locomoTurn is what one speaker said, perhaps beside a picture.
type locomoTurn struct {
	Speaker string `json:"speaker"`
	DiaID   string `json:"dia_id"` // D<session>:<turn>
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`

	line int
}

// locomoQuestion is a question as the file has it.
type locomoQuestion struct {
	Question string            `json:"question"`
	Category int               `json:"category"`
	Evidence []json.RawMessage `json:"evidence"`

	line int
}

// locomoFile walks through a file value by value, so that it knows the line of each.
type locomoFile struct {
	raw    []byte
	d      *json.Decoder
	line   int // of offset
	offset int64
}

// shapeFault stands for a value that is not of the kind that its place demands.
type shapeFault struct {
	where string
	needs string
}

func (s shapeFault) Error() string { return s.where + ": needs " + s.needs }

// readLocomo decodes a file: an array of conversations, or one conversation alone. Faults of form go to faults, and
// then there are no samples; an error is the reader's own.
func readLocomo(r io.Reader, faults *Faults) ([]locomoSample, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimPrefix(raw, byteOrderMark)
	start := bytes.TrimSpace(raw)
	switch {
	case !utf8.Valid(raw):
		faults.Add("the file", misshapen("is not text in UTF-8"))
		return nil, nil
	case len(start) == 0 || start[0] != '[' && start[0] != '{':
		faults.Add("line 1", misshapen("is no JSON array of conversations"))
		return nil, nil
	}
	f := &locomoFile{raw: raw, d: json.NewDecoder(bytes.NewReader(raw)), line: 1}
	samples, err := f.samples(start[0] == '{')
	var shape shapeFault
	switch {
	case errors.As(err, &shape):
		faults.Add(shape.where, misshapen("needs %s", shape.needs))
	case err != nil:
		faults.Add(where(f.next()), misshapen("is not valid JSON"))
	case len(samples) == 0:
		faults.Add("the file", misshapen("holds no conversation"))
	default:
		return samples, nil
	}
	return nil, nil
}

func (f *locomoFile) samples(alone bool) ([]locomoSample, error) {
	var samples []locomoSample
	one := func(path string) error {
		s, err := f.sample(path)
		samples = append(samples, s)
		return err
	}
	var err error
	if alone {
		err = one("[0]")
	} else {
		err = f.array("", func(i int) error { return one(fmt.Sprintf("[%d]", i)) })
	}
	if err != nil {
		return nil, err
	}
	if _, err := f.d.Token(); !errors.Is(err, io.EOF) {
		return nil, shapeFault{where(f.next()), "nothing more: the JSON ended before"}
	}
	return samples, nil
}

func (f *locomoFile) sample(path string) (locomoSample, error) {
	s := locomoSample{line: f.next(), sessions: map[int]locomoSession{}}
	err := f.object(path, func(key string) error {
		switch path := path + "." + key; key {
		case "sample_id":
			return f.value(path, &s.id, "a string")
		case "conversation":
			s.talks = true
			return f.object(path, func(key string) error { return f.talk(path, key, s.sessions) })
		case "qa":
			return f.array(path, func(i int) error {
				q := locomoQuestion{line: f.next()}
				err := f.value(fmt.Sprintf("%s[%d]", path, i), &q, "a question with category and evidence")
				s.questions = append(s.questions, q)
				return err
			})
		}
		return f.skip()
	})
	return s, err
}

// talk reads one field of a conversation.
func (f *locomoFile) talk(path, key string, sessions map[int]locomoSession) error {
	name, isDate := strings.CutSuffix(key, "_date_time")
	n, ok := sessionNumber(name)
	if !ok {
		return f.skip()
	}
	s := sessions[n]
	defer func() { sessions[n] = s }()
	path += "." + key
	if isDate {
		s.dated = f.next()
		return f.value(path, &s.date, "a string")
	}
	s.line, s.turns = f.next(), nil
	return f.array(path, func(i int) error {
		t := locomoTurn{line: f.next()}
		err := f.value(fmt.Sprintf("%s[%d]", path, i), &t, "a turn with speaker, dia_id and text")
		s.turns = append(s.turns, t)
		return err
	})
}

// sessionNumber reads the N of session_N.
func sessionNumber(key string) (int, bool) {
	digits, is := strings.CutPrefix(key, "session_")
	n, err := strconv.Atoi(digits)
	return n, is && err == nil && n >= 0 && strconv.Itoa(n) == digits
}

// value decodes the next value.
func (f *locomoFile) value(path string, into any, needs string) error {
	line := f.next()
	err := f.d.Decode(into)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return shapeFault{placed(line, path), needs}
	}
	return err
}

func (f *locomoFile) skip() error {
	var passed json.RawMessage
	return f.d.Decode(&passed)
}

func (f *locomoFile) array(path string, each func(i int) error) error {
	if err := f.enter('[', path, "an array"); err != nil {
		return err
	}
	for i := 0; f.d.More(); i++ {
		if err := each(i); err != nil {
			return err
		}
	}
	_, err := f.d.Token()
	return err
}

func (f *locomoFile) object(path string, each func(key string) error) error {
	if err := f.enter('{', path, "an object"); err != nil {
		return err
	}
	for f.d.More() {
		key, err := f.d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string) // the decoder lets nothing else stand here
		if err := each(name); err != nil {
			return err
		}
	}
	_, err := f.d.Token()
	return err
}

func (f *locomoFile) enter(want json.Delim, path, needs string) error {
	line := f.next()
	token, err := f.d.Token()
	if err == nil && token != want {
		return shapeFault{placed(line, path), needs}
	}
	return err
}

// next returns the line on which the next value begins.
func (f *locomoFile) next() int {
	at := f.d.InputOffset()
	for at < int64(len(f.raw)) && strings.IndexByte(" \t\r\n,:", f.raw[at]) >= 0 {
		at++
	}
	if at > f.offset {
		f.line += bytes.Count(f.raw[f.offset:at], []byte{'\n'})
		f.offset = at
	}
	return f.line
}

// placed names a place by line and path.
func placed(line int, path string) string {
	if path == "" {
		return where(line)
	}
	return where(line) + ", " + path
}
