package actors

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"
)

// SpawnOption changes how an actor is spawned.
type SpawnOption func(*kind)

// MailboxMax caps the messages queued at the actor; the default is the system's.
func MailboxMax(messages int) SpawnOption {
	return func(k *kind) {
		if messages > 0 {
			k.mailboxMax = messages
		}
	}
}

// kind is what actors of one sort share. A Props per actor would cost more than the actor, so a router has one for all.
// It is used by one goroutine, the parent's.
type kind struct {
	system     *System
	producer   func() Actor
	mailboxMax int
	props      *actor.Props
	next       *cell // handed to protoactor as actor and mailbox during spawn
}

func newKind(s *System, producer func() Actor, opts []SpawnOption) *kind {
	k := &kind{system: s, producer: producer, mailboxMax: s.mailboxMax}
	for _, opt := range opts {
		opt(k)
	}
	k.props = actor.PropsFromProducer(
		func() actor.Actor { return k.handOver() },
		actor.WithMailbox(func() actor.Mailbox { return k.handOver() }),
	)
	return k
}

// handOver gives protoactor the one object that is both actor and mailbox. protoactor asks only inside spawn: restarts are ours.
func (k *kind) handOver() *cell {
	if k.next == nil {
		panic("actors: protoactor asked for an actor outside spawn")
	}
	return k.next
}

// namedSpawner is the part of protoactor's contexts that spawns.
type namedSpawner interface {
	SpawnNamed(props *actor.Props, name string) (*actor.PID, error)
}

func (k *kind) spawn(by namedSpawner, name string, parent *cell) (*cell, error) {
	if name == "" {
		return nil, ErrNoName
	}
	c := &cell{kind: k, parent: parent}
	c.context.cell = c
	k.next = c
	_, err := by.SpawnNamed(k.props, name)
	k.next = nil
	if errors.Is(err, actor.ErrNameExists) {
		return nil, fmt.Errorf("spawn %s: %w", name, ErrNameTaken)
	}
	if err != nil {
		return nil, fmt.Errorf("spawn %s: %w", name, err)
	}
	k.system.living.Add(1)
	return c, nil
}
