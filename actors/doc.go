// Package actors is the runtime of membrain's actors: mailbox, spawning, routing by key, passivation, supervision. It stands on
// protoactor-go, whose registry, PIDs, tree and stopping it uses; packages above see only the types of this one.
//
// Types to know: System (a tree of actors), Actor with its Context, Ref (a handle of one actor), Router (children found by key),
// Promise (a pooled one-shot answer).
//
//	System ── root "membrain" ── top-level actor ──┬── child
//	                                               └── Router: one child per key, activated and passivated
//
// Promises:
//   - An actor handles one message at a time; messages of one sender arrive in order; system messages go first.
//   - Tell never blocks. A message that was refused gives ErrBusy or ErrStopped; one that was accepted is handled, or its Undelivered is
//     called and Stats.DeadLetters counts it. Nothing vanishes.
//   - A panic answers the message at hand and restarts that actor alone, at most 3 times within 10 seconds; the next panic stops it for
//     good and tells its parent (Quarantined). Queued messages wait for the restart.
//   - A passivated actor loses no message, and messages for one key keep their order.
//   - An idle actor holds no goroutine and less than 1,000 bytes.
//
// What it never does: log a message or a panic's value (they may hold memory text), shut down a host's ActorSystem, use protoactor's
// ReceiveTimeout, Stash, Future, bounded mailboxes, supervision strategies or metrics (each loses messages, races or blocks).
//
// Restarts are made here and not by protoactor, because its restart goes through the parent, drops the message without an answer, and
// allows eleven panics. Stopping is protoactor's: Stopping, children, Stopped, Terminated to the parent.
//
// Files on disk: none.
package actors
