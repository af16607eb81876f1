package vectors

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/cold"
)

// ColdSource is what SealCold makes a shard of: vectors, their keys and, where there is one, the graph of their neighbours.
type ColdSource = cold.Source

// ColdInfo describes a shard that has been sealed.
type ColdInfo = cold.Info

// ColdStats describes an open shard.
type ColdStats = cold.Stats

// ColdOptions say how to seal. The zero value is sane.
type ColdOptions struct {
	// Recall is the share of the 10 nearest vectors that a search finds on average, in (0, 1); 0 means 0.98.
	Recall float64
	// ResidentBytesMax, when it is positive, bounds the memory of an open shard: above it, codes of one bit a component are kept
	// in memory in place of four.
	ResidentBytesMax int64
	// Inexact saves the rows of float32: similarities are then those of codes of eight bits. Int8 is always exact.
	Inexact bool
}

// SealCold writes the vectors of a source to an immutable file at path, of which a search reads a few pages. It replaces
// what was there whole or not at all; shards that are open keep the old file. Concurrent calls with one path are the
// caller's to prevent. Errors: the context's, the file system's, and what the source is refused for.
func SealCold(ctx context.Context, path string, h Header, s ColdSource, o ColdOptions) (ColdInfo, error) {
	return cold.Seal(ctx, path, s, cold.Options{
		Recall: o.Recall, ResidentBytesMax: o.ResidentBytesMax, Exact: !o.Inexact, Meta: h.coldMeta(),
	})
}

// coldMeta is what the owner of a shard wants to find again: namespace 4, seq 8, SHA-256 of the embedder's id 32.
func (h Header) coldMeta() []byte {
	b := binary.LittleEndian.AppendUint32(nil, h.Namespace)
	b = binary.LittleEndian.AppendUint64(b, h.Seq)
	embedder := sha256.Sum256([]byte(h.EmbedderID))
	return append(b, embedder[:]...)
}

// Cold is an index that cannot be changed, in a file that SealCold wrote. Safe for concurrent use. The zero value is not
// usable; see OpenCold.
type Cold struct {
	shard     *cold.Shard
	scratches sync.Pool
}

// OpenCold maps a shard. want names the namespace and embedder that it must be of; its Seq is not looked at. The returned
// header carries the Seq up to which the shard is complete.
// Errors: ErrRebuild, which also wraps fs.ErrNotExist when there is no file.
func OpenCold(path string, want Header) (*Cold, Header, error) {
	shard, err := cold.Open(path)
	if err != nil {
		return nil, Header{}, fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	got, err := coldHeader(shard.Meta(), want)
	if err != nil {
		return nil, Header{}, errors.Join(fmt.Errorf("open %s: %w: %w", path, ErrRebuild, err), shard.Close())
	}
	c := &Cold{shard: shard}
	c.scratches.New = func() any { return cold.NewScratch() }
	return c, got, nil
}

func coldHeader(meta []byte, want Header) (Header, error) {
	wanted := want.coldMeta()
	if len(meta) != len(wanted) {
		return Header{}, fmt.Errorf("%d bytes of meta, want %d", len(meta), len(wanted))
	}
	if got := binary.LittleEndian.Uint32(meta); got != want.Namespace {
		return Header{}, fmt.Errorf("namespace %d, want %d", got, want.Namespace)
	}
	if string(meta[12:]) != string(wanted[12:]) {
		return Header{}, fmt.Errorf("vectors of another embedder than %q", want.EmbedderID)
	}
	return Header{Namespace: want.Namespace, Seq: binary.LittleEndian.Uint64(meta[4:]), EmbedderID: want.EmbedderID}, nil
}

// Dim returns the number of components of every vector.
func (c *Cold) Dim() int { return c.shard.Dim() }

// Form returns the form of every vector.
func (c *Cold) Form() Form { return Form(c.shard.Form()) }

// Len returns the number of vectors.
func (c *Cold) Len() int { return c.shard.Len() }

// Keys returns a new bitmap of the keys in the index; the caller owns it.
func (c *Cold) Keys() *roaring.Bitmap { return c.shard.Keys() }

// Stats returns figures for people.
func (c *Cold) Stats() ColdStats { return c.shard.Stats() }

// Err returns the first damage that a search met, wrapping ErrRebuild, or nil.
func (c *Cold) Err() error { return rebuilt(c.shard.Err()) }

// Close lets go of the file once running searches are done.
func (c *Cold) Close() error { return c.shard.Close() }

// Search returns the k vectors nearest to q among those whose key is in filter (among all when filter is nil): always
// min(k, matches) of them, best first, ties by lower key. The filter is only read, and must not be changed meanwhile. A
// query of another form or dimension, or without a direction, finds nothing.
// Errors: ErrRebuild when the file has been cut or damaged since it was opened.
func (c *Cold) Search(q Embedding, k int, filter *roaring.Bitmap) ([]Hit, error) {
	scratch := c.scratches.Get().(*cold.Scratch)
	defer c.scratches.Put(scratch)
	found, err := c.shard.Search(coldRow(q), k, filter, scratch)
	if errors.Is(err, cold.ErrQuery) {
		return nil, nil
	}
	if err != nil {
		return nil, rebuilt(err)
	}
	hits := make([]Hit, len(found))
	for i, f := range found {
		hits[i] = Hit(f)
	}
	return hits, nil
}

// Similarity appends to dst the cosine of q with the vector of each key, in order; NaN for a key that is absent, and for
// all of them when Search would find nothing for q. Errors: as Search.
func (c *Cold) Similarity(q Embedding, keys []uint32, dst []float32) ([]float32, error) {
	scratch := c.scratches.Get().(*cold.Scratch)
	defer c.scratches.Put(scratch)
	got, err := c.shard.Similarity(coldRow(q), keys, dst, scratch)
	if errors.Is(err, cold.ErrQuery) {
		for range keys {
			dst = append(dst, float32(math.NaN()))
		}
		return dst, nil
	}
	return got, rebuilt(err)
}

// coldRow returns the numbers of an embedding; the shard knows its form and refuses another.
func coldRow(e Embedding) cold.Row { return cold.Row{Int8: e.Int8, Float32: e.Float32} }

// rebuilt gives an error of the shard this package's class.
func rebuilt(err error) error {
	if errors.Is(err, cold.ErrRebuild) {
		return fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	return err
}
