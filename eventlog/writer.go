package eventlog

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Defaults of WriterOptions, and the bounds of the pause after a failure.
const (
	queueMax        = 4096
	batchCommitsMax = 1024
	batchBytesMax   = 1 << 20
	pauseMin        = 50 * time.Millisecond
	pauseMax        = 2 * time.Second
)

// WriterOptions of NewWriter. The zero value is usable.
type WriterOptions struct {
	QueueMax        int              // entries waiting for a batch; 0 means 4,096
	BatchCommitsMax int              // commits in one append; 0 means 1,024
	BatchBytesMax   int              // bytes in one append, exceeded by a single larger commit; 0 means 1 MiB
	Apply           func([]Record)   // told of every batch, in order, before any Done; nil for nobody
	Clock           func() time.Time // time.Now when nil; measures the pauses after a failure
}

func (o WriterOptions) withDefaults() WriterOptions {
	o.QueueMax = orDefault(o.QueueMax, queueMax)
	o.BatchCommitsMax = orDefault(o.BatchCommitsMax, batchCommitsMax)
	o.BatchBytesMax = orDefault(o.BatchBytesMax, batchBytesMax)
	if o.Apply == nil {
		o.Apply = func([]Record) {}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

func orDefault(value, standard int) int {
	if value <= 0 {
		return standard
	}
	return value
}

// Entry is one commit on its way into the log, with the contents that it names.
type Entry struct {
	Commit     *Commit   // owned by the writer until Done; Seq, PrevHash and SameCommit are then assigned
	Contents   []Content // of the commit's namespace; durable before the commit is
	Symbols    []Symbol
	Generation uint64       // as Generation returned it when the commit was decided
	joined     bool         // in the same append as the entry before it: SubmitTogether
	Done       func(Result) // called exactly once, on the writer's goroutine, in order; must not block or call Close; nil for nobody
}

// Result is what became of an entry.
type Result struct {
	Seq    Seq    // the commit's, when Err is nil
	Record Record // as stored, when Err is nil
	Err    error  // ErrUnavailable and its cause: the commit is not in the log, or nobody could tell; then it may turn up
}

// Writer appends commits in the order in which they were submitted, as many per sync as have gathered while the
// last one ran. It owns the log: nobody else appends to it. Safe for concurrent use.
//
// W1: commits enter the log in the order of Submit; Apply and Done are called in that order.
// W2: when one fails, so do all that were submitted after it under the same generation: they were decided on
// the belief that it would succeed.
// W3: Done without an error is called only for what is durable and applied.
// W4: Submit never waits for the disk.
type Writer struct {
	log      Log
	contents Contents
	o        WriterOptions

	wake    chan struct{} // tells run that there is something to do; one token is enough
	stopped chan struct{} // closed when run has returned

	mu         sync.Mutex
	queue      []Entry
	next       Seq // that the next submitted commit will have
	headKnown  bool
	generation uint64
	closing    bool
	applied    Seq
	news       chan struct{} // closed and replaced when applied grows, and when the writer stops
	health     health
}

// NewWriter starts a writer after the head of log. Close stops it; log and contents stay open.
func NewWriter(log Log, contents Contents, o WriterOptions) *Writer {
	head := log.Head().Seq
	w := &Writer{
		log: log, contents: contents, o: o.withDefaults(),
		wake: make(chan struct{}, 1), stopped: make(chan struct{}), news: make(chan struct{}),
		next: head + 1, applied: head, headKnown: true, generation: 1,
	}
	go w.run()
	return w
}

// Generation returns the number that an entry decided from now on has to carry. It grows with every failure.
func (w *Writer) Generation() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.generation
}

// Settled reports whether it is certain of every commit that was answered whether it is in the log. After an append of
// unknown outcome it is not, until the head could be read again; asking sees to it that this is tried.
func (w *Writer) Settled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.headKnown {
		w.kick()
	}
	return w.headKnown
}

// Submit queues an entry and returns the number that its commit will have if all before it succeed. It never
// blocks. When it returns an error, Done is not called. Errors: ErrBusy when the queue is full; ErrUnavailable
// for an older generation, and for a short time after a failure; ErrTooLarge; ErrClosed.
func (w *Writer) Submit(e Entry) (Seq, error) {
	if err := e.prepare(); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.admits(e); err != nil {
		return 0, err
	}
	if err := storableCommit(e.Commit, w.next); err != nil {
		return 0, err // here, because in a batch it would fail its neighbours too
	}
	w.queue = append(w.queue, e)
	w.next++
	w.kick()
	return w.next - 1, nil
}

// prepare checks the sizes of an entry and gives it a Done.
func (e *Entry) prepare() error {
	if size := roughBytes(e.Commit); size > CommitBytesMax {
		return fmt.Errorf("commit of %d bytes, at most %d: %w", size, CommitBytesMax, ErrTooLarge)
	}
	if e.Done == nil {
		e.Done = func(Result) {}
	}
	return checkSizes(e.contentBatch())
}

func (w *Writer) admits(e Entry) error {
	switch {
	case w.closing:
		return ErrClosed
	case e.Generation != w.generation:
		return fmt.Errorf("decided under generation %d, now %d: %w", e.Generation, w.generation, ErrUnavailable)
	case w.health.resting(w.o.Clock()):
		return fmt.Errorf("resting after a failure: %w", w.health.cause)
	case !w.headKnown:
		w.kick() // run reads the head again, and a later Submit is the probe
		return fmt.Errorf("head is not known: %w", w.health.cause)
	case len(w.queue) >= w.o.QueueMax:
		return fmt.Errorf("%d commits are waiting: %w", len(w.queue), ErrBusy)
	}
	return nil
}

func (w *Writer) kick() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Close appends what is queued and stops. Later Submits get ErrClosed; calling it again waits for the same end.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closing = true
	w.kick()
	w.mu.Unlock()
	<-w.stopped
	return nil
}

func (e Entry) contentBatch() []ContentBatch {
	if len(e.Contents) == 0 && len(e.Symbols) == 0 {
		return nil
	}
	return []ContentBatch{{Namespace: e.Commit.Namespace, Contents: e.Contents, Symbols: e.Symbols}}
}

// roughBytes is at least the stored size of a commit, and not much more.
func roughBytes(c *Commit) int {
	size := recordFrame + 160 + len(c.Door) + len(c.Verb)
	for i := range c.Facts {
		size += 80 + len(c.Facts[i].Type) + len(c.Facts[i].Body)
	}
	return size
}

// run is the writer's goroutine: take what has gathered, write it, say so.
func (w *Writer) run() {
	defer close(w.stopped)
	for {
		batch, stop := w.take()
		switch {
		case len(batch) > 0:
			w.write(batch)
		case stop:
			w.mu.Lock()
			close(w.news)
			w.mu.Unlock()
			return
		default:
			<-w.wake
			w.findHead()
		}
	}
}

// take removes the next batch from the queue. stop says that nothing is left and nothing will come.
func (w *Writer) take() (batch []Entry, stop bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := 0
	for _, e := range w.queue {
		size += roughBytes(e.Commit)
		full := len(batch) >= w.o.BatchCommitsMax || (len(batch) > 0 && size > w.o.BatchBytesMax)
		if full && !e.joined {
			break
		}
		batch = append(batch, e)
	}
	clear(w.queue[:len(batch)]) // the commits must not be kept alive by the array
	w.queue = w.queue[len(batch):]
	if len(w.queue) == 0 {
		w.queue = nil
	}
	return batch, len(batch) == 0 && w.closing
}

// write makes a batch durable and tells everybody, or fails it.
func (w *Writer) write(batch []Entry) {
	records, err := w.append(batch)
	if err != nil {
		w.fail(batch, err)
		return
	}
	w.o.Apply(records)
	w.publish(records[len(records)-1].Seq)
	for i, e := range batch {
		e.Done(Result{Seq: records[i].Seq, Record: records[i]})
	}
}

func (w *Writer) append(batch []Entry) ([]Record, error) {
	// Not the callers' contexts: a commit that has been promised a number is not given up.
	ctx := context.Background()
	if contents := contentBatches(batch); len(contents) > 0 {
		if err := w.contents.Put(ctx, contents); err != nil {
			return nil, err
		}
	}
	commits := make([]*Commit, len(batch))
	for i, e := range batch {
		commits[i] = e.Commit
	}
	before := w.log.Head().Seq
	head, err := w.log.Append(ctx, before, commits)
	if err != nil {
		return w.landed(before, commits, err)
	}
	return recordsOf(commits, head), nil
}

func contentBatches(batch []Entry) []ContentBatch {
	var contents []ContentBatch
	for _, e := range batch {
		contents = append(contents, e.contentBatch()...)
	}
	return contents
}

// recordsOf makes the records of commits that Append has just assigned: each chains to the one before.
func recordsOf(commits []*Commit, head Head) []Record {
	records := make([]Record, len(commits))
	for i, commit := range commits {
		records[i] = Record{Commit: *commit, Hash: head.Hash, Size: storedBytes(commit)}
		if i > 0 {
			records[i-1].Hash = commit.PrevHash
		}
	}
	return records
}

// landed finds out whether a failed append is in the log after all. When it is not, it returns cause.
func (w *Writer) landed(before Seq, commits []*Commit, cause error) ([]Record, error) {
	head, err := w.log.Reload()
	if err != nil || head.Seq != before+Seq(len(commits)) {
		return nil, cause // fail looks at the head again
	}
	records := make([]Record, len(commits))
	for i, commit := range commits {
		if records[i], err = w.log.At(before + Seq(i) + 1); err != nil {
			return nil, fmt.Errorf("%w, and then: %w", cause, err)
		}
		assign(commit, records[i].Seq, records[i].PrevHash)
	}
	return records, nil
}

// publish says that commits up to seq are durable and applied.
func (w *Writer) publish(seq Seq) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health.recovered()
	w.show(seq)
}

// show tells subscribers that commits up to seq are durable and applied. mu is held.
func (w *Writer) show(seq Seq) {
	w.applied = seq
	close(w.news)
	w.news = make(chan struct{})
}

// fail ends a batch and everything behind it (W2).
func (w *Writer) fail(batch []Entry, cause error) {
	cause = unavailable(cause)
	head, err := w.log.Reload()
	if err == nil {
		_, err = w.catchUp(head)
	}
	w.mu.Lock()
	dropped := append(batch, w.queue...)
	w.queue = nil
	w.generation++
	w.health.failed(cause, w.o.Clock())
	w.headKnown = err == nil
	w.next = head.Seq + 1
	w.mu.Unlock()
	for _, e := range dropped {
		e.Done(Result{Err: cause})
	}
}

// catchUp applies what has landed although its append failed, before anything is decided on the new head.
func (w *Writer) catchUp(head Head) (landed bool, err error) {
	w.mu.Lock()
	applied := w.applied
	w.mu.Unlock()
	var records []Record
	for seq := applied + 1; seq <= head.Seq; seq++ {
		record, err := w.log.At(seq)
		if err != nil {
			return false, err
		}
		records = append(records, record)
	}
	if len(records) == 0 {
		return false, nil
	}
	w.o.Apply(records)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.show(head.Seq)
	return true, nil
}

// findHead reads the head again while it is not known, at most once a pause. When commits turn out to have landed,
// what was decided without them is of an older generation.
func (w *Writer) findHead() {
	w.mu.Lock()
	leave := w.headKnown || w.closing || w.health.resting(w.o.Clock())
	w.mu.Unlock()
	if leave {
		return
	}
	head, err := w.log.Reload()
	landed := false
	if err == nil {
		landed, err = w.catchUp(head)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.health.failed(unavailable(err), w.o.Clock())
		return
	}
	if landed {
		w.generation++
	}
	w.headKnown, w.next = true, head.Seq+1
}
