// Package memory is the actor of one memory. It holds the memory's state, decides commands on it, and keeps
// what it has proposed apart from what is durable.
//
// Propose, commit, settle: the brain asks with Propose; the actor decides on its tentative state (committed plus
// everything proposed since) and answers with the facts. When the commit that holds them is durable the brain
// sends Settle and the oldest proposal becomes committed; when it failed, Revert drops all proposals. So an actor
// never waits for a disk, and two requests for one memory need no retry.
//
// The types to know: Actor, Propose, Proposed.
//
// The actor activates itself by loading its committed state when it starts; a stream that cannot be loaded is
// quarantined. It never writes, never reads a clock, and never speaks to another memory. Files on disk: none.
package memory
