package actors

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/asynkron/protoactor-go/actor"
)

// isOurDeadLetter keeps the host's own dead letters and protoactor's system messages out of our count.
func (s *System) isOurDeadLetter(event any) bool {
	letter, ok := event.(*actor.DeadLetterEvent)
	if !ok || letter.PID == nil {
		return false
	}
	if _, system := letter.Message.(actor.SystemMessage); system {
		return false
	}
	return letter.PID.Id == s.name || strings.HasPrefix(letter.PID.Id, s.name+"/")
}

// deadLetter runs on the publisher's goroutine. protoactor itself answers the sender.
func (s *System) deadLetter(event any) {
	s.undelivered(event.(*actor.DeadLetterEvent).Message, ErrStopped)
}

// undelivered ends a message that no actor will handle.
func (s *System) undelivered(msg any, err error) {
	if _, mark := msg.(retirement); mark {
		return
	}
	s.deadLetters.Add(1)
	if f, ok := msg.(foreign); ok {
		msg = actor.UnwrapEnvelopeMessage(f.message)
		s.refuse(actor.UnwrapEnvelopeSender(f.message))
	}
	s.answer(msg, err)
}

// refuse tells a sender of the host that nobody handled its message, in protoactor's way.
func (s *System) refuse(sender *actor.PID) {
	if sender != nil {
		s.host.Root.Send(sender, &actor.DeadLetterResponse{})
	}
}

// panicked logs a panic, without the message or the panic's value, and answers the message.
func (s *System) panicked(msg any, err *PanicError) {
	s.panics.Add(1)
	s.logger.Warn("actor panicked", slog.String("actor", err.Name), slog.String("message", fmt.Sprintf("%T", msg)),
		slog.String("error", err.Error()), slog.String("stack", string(err.Stack)))
	s.answer(msg, err)
}

func (s *System) answer(msg any, err error) {
	u, ok := msg.(Undeliverable)
	if !ok {
		return
	}
	defer func() {
		if recover() != nil {
			s.panics.Add(1)
			s.logger.Error("message panicked in Undelivered", slog.String("message", fmt.Sprintf("%T", msg)))
		}
	}()
	u.Undelivered(err)
}
