package projections

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/filters"
	"github.com/membrain-db/membrain/projections/fingerprints"
	"github.com/membrain-db/membrain/projections/graph"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/membrain-db/membrain/vectors"
)

// Names below the data directory.
const (
	indexName  = "index"
	ownerName  = "OWNER"
	wordsDir   = "lexical"
	vectorsDir = "vectors"
	printsDir  = "fingerprints"

	contentsName = "contents" // in events: texts are no file of this package

	temporarySuffix = ".tmp" // of an index file that is being written
)

// load fills a space from its memories and, when useFiles says so, its index files; then it adds to the indexes what is
// live and missing, and removes what is not live.
func (s *Space) load(ctx context.Context, memories []*model.Memory, useFiles bool) error {
	b := s.body
	brain := s.Brain()
	if brain != nil {
		b.embedder = brain.Embedder
		b.filters.Advance(brain.Tick)
	}
	b.vectors = newVectors(b.embedder)
	var files sync.WaitGroup
	if useFiles && len(memories) > 0 { // an index of nothing is not saved, and needs no file
		files.Go(s.loadWords)
		files.Go(s.loadVectors)
		files.Go(s.loadPrints)
	}
	s.loadMemories(memories)
	files.Wait()
	return s.reconcile(ctx)
}

// loadMemories fills everything that follows from state alone. In order of ordinals, because bitmaps grow fastest at their end.
func (s *Space) loadMemories(memories []*model.Memory) {
	b := s.body
	slices.SortFunc(memories, func(x, y *model.Memory) int {
		return cmp.Or(cmp.Compare(x.Content.Number, y.Content.Number), bytes.Compare(x.ID[:], y.ID[:]))
	})
	members := make([]graph.Member, 0, len(memories))
	for _, m := range memories {
		ordinal, _ := filters.OrdinalOf(m)
		b.filters.Put(nil, m)
		members = append(members, memberOf(m, ordinal))
		for _, e := range m.Entities {
			if name, ok := s.symbols.text(e.Mention); ok {
				b.mentions.add(e.Mention, name)
			}
		}
	}
	b.sessions.Add(members)
}

// Paths of the index files.
func (p *Projections) indexPath(parts ...string) string {
	return filepath.Join(append([]string{p.o.Dir, indexName}, parts...)...)
}

func (s *Space) wordsPath() string {
	return s.p.indexPath(wordsDir, fmt.Sprintf("%d.lex", s.ordinal))
}

func (s *Space) vectorsPath() string {
	return s.p.indexPath(vectorsDir, fmt.Sprintf("%d.vec", s.ordinal))
}

func (s *Space) printsPath() string {
	return s.p.indexPath(printsDir, fmt.Sprintf("%d.fp", s.ordinal))
}

// ownIndexes makes the folders of the index files, and empties them when they belong to another store or epoch.
func (p *Projections) ownIndexes() error {
	want := fmt.Sprintf("membrain index, format 1, store %x, epoch %d\n", p.id.StoreID, p.id.Epoch)
	got, err := os.ReadFile(p.indexPath(ownerName))
	if err == nil && string(got) != want {
		p.rebuilt(indexName, 0, errors.New("index files belong to another store or epoch"))
	}
	if err == nil && string(got) == want {
		return p.makeIndexDirs()
	}
	if err := errors.Join(os.RemoveAll(p.indexPath()), p.makeIndexDirs()); err != nil {
		return fmt.Errorf("make index folders: %w", err)
	}
	return fingerprints.WriteFile(p.indexPath(ownerName), []byte(want))
}

// makeIndexDirs makes the folders of the index files, and removes the temporary files that a crash left in them.
func (p *Projections) makeIndexDirs() error {
	for _, dir := range []string{wordsDir, vectorsDir, printsDir} {
		if err := os.MkdirAll(p.indexPath(dir), 0o700); err != nil {
			return err
		}
		leftover, _ := filepath.Glob(p.indexPath(dir, "*"+temporarySuffix)) // the pattern is well formed
		for _, path := range leftover {
			_ = os.Remove(path) // it costs space, and is no reason not to open
		}
	}
	return nil
}

// usable says what is wrong with a file that loaded: it may be of another namespace, or of a log that went on further.
func (s *Space) usable(namespace uint32, seq uint64) error {
	if namespace != uint32(s.ordinal) {
		return fmt.Errorf("of namespace %d", namespace)
	}
	if head := uint64(s.p.o.Log.Head().Seq); seq > head {
		return fmt.Errorf("made at commit %d, the log has %d", seq, head)
	}
	return nil
}

func (s *Space) loadWords() {
	x, h, err := lexical.LoadFile(s.wordsPath())
	if err == nil {
		err = s.usable(h.Namespace, h.Seq)
	}
	if err != nil {
		s.p.rebuilt(wordsDir, s.ordinal, err)
		return
	}
	s.body.words = x
}

// embedderID binds vectors to store, epoch and embedder.
func (s *Space) embedderID() string {
	name, _ := s.symbols.text(s.body.embedder.ID)
	return fmt.Sprintf("%x/%d/%d/%s", s.p.id.StoreID, s.p.id.Epoch, s.body.embedder.ID, name)
}

func (s *Space) loadVectors() {
	b := s.body
	if b.vectors == nil {
		return
	}
	want := vectors.Header{Namespace: uint32(s.ordinal), EmbedderID: s.embedderID()}
	x, h, err := vectors.LoadIndex(s.vectorsPath(), want, vectors.Options{})
	if err == nil {
		err = s.usable(h.Namespace, h.Seq)
	}
	if err == nil && (x.Dim() != b.vectors.Dim() || x.Form() != b.vectors.Form()) {
		err = fmt.Errorf("vectors of dimension %d and form %v", x.Dim(), x.Form())
	}
	if err != nil {
		s.p.retire(x)
		s.p.rebuilt(vectorsDir, s.ordinal, err)
		return
	}
	b.vectors = x
}

func (s *Space) printsHeader(seq eventlog.Seq) fingerprints.Header {
	return fingerprints.Header{Namespace: uint32(s.ordinal), StoreID: s.p.id.StoreID, Epoch: s.p.id.Epoch, Seq: uint64(seq)}
}

func (s *Space) loadPrints() {
	x, h, err := fingerprints.LoadFile(s.printsPath(), s.printsHeader(0))
	if err == nil {
		err = s.usable(h.Namespace, h.Seq)
	}
	if err != nil {
		s.p.rebuilt(printsDir, s.ordinal, err)
		return
	}
	s.body.prints = x
}

// reconcile makes the indexes hold the live ordinals and no others. A content never changes, so a difference of sets is all that can be
// wrong with a file that is whole.
func (s *Space) reconcile(ctx context.Context) error {
	b := s.body
	live := b.filters.Live()
	b.removeExtras(live)
	missing := roaring.AndNot(live, b.words.Live())
	missing.Or(roaring.AndNot(live, b.prints.Keys()))
	if b.vectors != nil {
		missing.Or(roaring.AndNot(live, b.vectors.Keys()))
	}
	if missing.IsEmpty() {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var unreadable error
	for chunk := range s.readRecords(ctx, missing) {
		unreadable = cmp.Or(unreadable, s.addRecords(chunk))
	}
	if unreadable != nil {
		s.p.o.Listener(Event{Kind: EventUnreadable, What: contentsName, Namespace: s.ordinal, Cause: unreadable})
	}
	return ctx.Err()
}

func (b *body) removeExtras(live *roaring.Bitmap) {
	if extra := roaring.AndNot(b.words.Live(), live).ToArray(); len(extra) > 0 {
		b.words.Purge(extra) // whose words they were is not known any more
		b.changed += len(extra)
	}
	for _, ordinal := range roaring.AndNot(b.prints.Keys(), live).ToArray() {
		b.prints.Remove(ordinal)
	}
	if b.vectors == nil {
		return
	}
	for _, ordinal := range roaring.AndNot(b.vectors.Keys(), live).ToArray() {
		b.vectors.Remove(ordinal)
	}
}

// addRecords puts records into every index that lacks them, and returns why the first of those is damaged that are.
func (s *Space) addRecords(chunk []numbered) (unreadable error) {
	b := s.body
	docs := make([]lexical.Doc, 0, len(chunk))
	for _, c := range chunk {
		if errors.Is(c.err, eventlog.ErrErased) {
			continue
		}
		if c.err != nil {
			b.unreadable.Add(c.ordinal)
			unreadable = cmp.Or(unreadable, c.err)
			continue
		}
		docs = append(docs, lexical.Doc{Ordinal: c.ordinal, Text: lexicalTextAt(b.filters.Hot(c.ordinal).OccurredAt, c.record)})
		b.prints.Add(c.ordinal, c.record.Fingerprint)
		addVector(b.vectors, b.embedder, c.ordinal, c.record)
	}
	b.words.Add(docs)
	b.changed += len(docs)
	return unreadable
}

// numbered is a record under its ordinal, or why it cannot be read.
type numbered struct {
	ordinal uint32
	record  *model.Record
	err     error
}

// readRecords reads ahead of whoever indexes, in chunks, ascending. It ends early with ctx.
func (s *Space) readRecords(ctx context.Context, ordinals *roaring.Bitmap) <-chan []numbered {
	out := make(chan []numbered, 2)
	wanted := ordinals.ToArray()
	go func() {
		defer close(out)
		for batch := range slices.Chunk(wanted, catchUpBatch) {
			chunk := make([]numbered, len(batch))
			for i, ordinal := range batch {
				chunk[i].ordinal = ordinal
				r, err := s.Record(model.ContentNumber(ordinal))
				chunk[i].record, chunk[i].err = &r, err
			}
			select {
			case out <- chunk:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
