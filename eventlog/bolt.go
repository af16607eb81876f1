package eventlog

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

const (
	eventsName   = "events.db"
	contentsName = "contents.db"
	blobsName    = "blobs"
	// unfinished ends the name of a file that is being made; whatever has it may be deleted at open.
	unfinished = ".new"
)

var headerKey = []byte("header")
var metaBucket = []byte("meta")

// Options of OpenBolt. The zero value is what a server wants.
type Options struct {
	Socket      string           // address on which this process listens, told to others that find the lock held
	LockTimeout time.Duration    // how long to wait for another holder; 0 means 1 s, below 0 not at all
	Clock       func() time.Time // time.Now when nil
	Rand        io.Reader        // source of a new store's id and secret; crypto/rand when nil
	Identity    *Identity        // of a new store, when it is a restored one; never changes an existing one
	Salvage     bool             // open although one meta page is damaged; the last transaction may then be missing
	MmapBytes   int              // address space reserved per file; 0 means 16 GiB on 64-bit systems
	AllocBytes  int              // by how much a file grows at a time; 0 means 64 MiB (a hole until written)
}

func (o Options) now() time.Time {
	if o.Clock == nil {
		return time.Now()
	}
	return o.Clock()
}

// Bolt is the store on disk: events.db, contents.db and blobs/ of one data directory, under one lock.
// Safe for concurrent use.
type Bolt struct {
	lock     *dirLock
	log      *boltLog
	contents *boltContents
}

// OpenBolt opens the store in dir, and makes one there when there is none. It verifies what can be verified
// without reading everything: meta pages, the tree of pages, headers, the first and the last commit.
// Errors: ErrLocked (LockedError), ErrUnsupportedVersion, ErrCorrupt (CorruptError), ErrUnavailable.
func OpenBolt(dir string, o Options) (*Bolt, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", unavailable(err))
	}
	lock, err := lockDir(dir, o.Socket, lockTimeout(o), o.now())
	if err != nil {
		return nil, err
	}
	store, err := openLocked(dir, o)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	store.lock = lock
	return store, nil
}

func openLocked(dir string, o Options) (*Bolt, error) {
	if err := makeStore(dir, o); err != nil {
		return nil, fmt.Errorf("make store in %s: %w", dir, err)
	}
	contents, contentsID, err := openBoltContents(dir, o)
	if err != nil {
		return nil, err
	}
	log, err := openBoltLog(dir, o)
	if err != nil {
		return nil, errors.Join(err, contents.Close())
	}
	if log.id.StoreID != contentsID.StoreID {
		mixed := &CorruptError{File: contentsName, What: "store id", Want: hexOf(log.id.StoreID[:]), Got: hexOf(contentsID.StoreID[:])}
		return nil, errors.Join(mixed, log.Close(), contents.Close())
	}
	return &Bolt{log: log, contents: contents}, nil
}

// Log returns the commits. Closing it closes this half only.
func (b *Bolt) Log() Log { return b.log }

// Contents returns the erasable half. Closing it closes this half only.
func (b *Bolt) Contents() Contents { return b.contents }

// Identity returns the store's id, epoch, secret and creation time, as a backup has to keep them.
func (b *Bolt) Identity() Identity {
	id := b.log.id
	id.Secret = b.contents.secret
	return id
}

// Announce tells later openers on which address this process listens; "" when it stops.
func (b *Bolt) Announce(socket string) error { return b.lock.announce(socket) }

// Close closes both halves and frees the directory. Calls under way finish first. A second call does nothing.
func (b *Bolt) Close() error {
	return errors.Join(b.log.Close(), b.contents.Close(), b.lock.release())
}

// makeStore makes what a directory without a store lacks. contents.db is made before events.db, and each takes its
// name only when it is complete, so a file that has its name is never half made: a missing or empty one is damage.
func makeStore(dir string, o Options) error {
	if err := os.MkdirAll(filepath.Join(dir, blobsName), 0o700); err != nil {
		return unavailable(err)
	}
	for _, name := range []string{eventsName, contentsName} {
		if err := removeIfThere(filepath.Join(dir, name+unfinished)); err != nil {
			return err
		}
	}
	events, err := exists(filepath.Join(dir, eventsName))
	if err != nil || events {
		return err
	}
	contents, err := exists(filepath.Join(dir, contentsName))
	if err != nil {
		return err
	}
	var id Identity
	if contents {
		id, err = identityOfUnfinished(dir, o)
	} else {
		id, err = newIdentity(o)
	}
	if err != nil {
		return err
	}
	if !contents {
		if err := makeBoltFile(dir, contentsName, contentsMagic, id, contentsBucket, symbolsBucket); err != nil {
			return err
		}
	}
	id.Secret = [32]byte{} // only what erasure reaches may know it
	return makeBoltFile(dir, eventsName, eventsMagic, id, commitsBucket)
}

// identityOfUnfinished returns the identity of a contents.db whose events.db was never made. Contents are only
// ever written for commits, so contents without a log mean that the log has been lost.
func identityOfUnfinished(dir string, o Options) (Identity, error) {
	contents, id, err := openBoltContents(dir, o)
	if err != nil {
		return Identity{}, err
	}
	empty, err := contents.empty()
	if err = errors.Join(err, contents.Close()); err != nil {
		return Identity{}, err
	}
	if !empty {
		return Identity{}, &CorruptError{File: eventsName, What: "file", Want: "present beside " + contentsName, Got: "missing"}
	}
	return id, nil
}

func newIdentity(o Options) (Identity, error) {
	if o.Identity != nil {
		return *o.Identity, nil
	}
	source := o.Rand
	if source == nil {
		source = rand.Reader
	}
	id := Identity{Epoch: 1, CreatedMillis: o.now().UnixMilli()}
	if _, err := io.ReadFull(source, id.StoreID[:]); err != nil {
		return id, fmt.Errorf("draw store id: %w", err)
	}
	if _, err := io.ReadFull(source, id.Secret[:]); err != nil {
		return id, fmt.Errorf("draw secret: %w", err)
	}
	return id, nil
}

func makeBoltFile(dir, name, magic string, id Identity, buckets ...[]byte) error {
	path := filepath.Join(dir, name)
	db, err := bbolt.Open(path+unfinished, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, NoStatistics: true})
	if err != nil {
		return unavailable(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, bucket := range buckets {
			if _, err := tx.CreateBucket(bucket); err != nil {
				return err
			}
		}
		meta, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		return meta.Put(headerKey, encodeHeader(magic, id))
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return unavailable(err)
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return unavailable(err)
	}
	return syncDir(dir)
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, unavailable(err)
}

// readHeader returns the identity that a file carries. Errors: ErrCorrupt, ErrUnsupportedVersion.
func (f *boltFile) readHeader(magic string) (id Identity, err error) {
	err = f.view(func(tx *bbolt.Tx) error {
		bucket, err := bucketOf(tx, metaBucket)
		if err != nil {
			return err
		}
		id, err = decodeHeader(magic, bucket.Get(headerKey))
		return err
	})
	return id, inFile(err, f.name, 0)
}

func bucketOf(tx *bbolt.Tx, name []byte) (*bbolt.Bucket, error) {
	bucket := tx.Bucket(name)
	if bucket == nil {
		return nil, damaged("bucket "+string(name), "present", "missing")
	}
	return bucket, nil
}
