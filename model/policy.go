package model

// Sees reports whether a viewer may see a memory of that visibility whose agent is agent. Private is for the agent
// that wrote it and for operators; what nobody in particular wrote (agent 0) is seen by the whole namespace, as are
// shared and public memories. An unknown visibility is seen by nobody. Source: INH-2, GOV-2, architecture section 8.
func (v Viewer) Sees(visibility Visibility, agent Symbol) bool {
	switch visibility {
	case Private:
		return agent == 0 || v.Operator || v.Agent == agent
	case Shared, Public:
		return true
	}
	return false
}

// CanSee reports whether a viewer may see the memory.
func (v Viewer) CanSee(m *Memory) bool { return v.Sees(m.Visibility, m.Agent.Symbol) }

// removalFlags forbid archive, prune and delete (GOV-3), contentFlags a new text as well.
var (
	removalFlags = [...]PolicyFlag{FlagLegalHold, FlagComplianceLock, FlagDeletionHold}
	contentFlags = [...]PolicyFlag{FlagLegalHold, FlagComplianceLock}
)

// Held returns the first flag that forbids to archive, prune or delete; 0 when none does.
func (p PolicyFlags) Held() PolicyFlag {
	for _, f := range removalFlags {
		if p.Has(f) {
			return f
		}
	}
	return 0
}

// contentHeld returns the first flag that forbids a new text; 0 when none does.
func (p PolicyFlags) contentHeld() PolicyFlag {
	for _, f := range contentFlags {
		if p.Has(f) {
			return f
		}
	}
	return 0
}

// Without returns the set with f removed.
func (p PolicyFlags) Without(f PolicyFlag) PolicyFlags { return p &^ (1 << f) }

// removable refuses what a pin or a hold protects.
func (m *Memory) removable(action string) error {
	if flag := m.PolicyFlags.Held(); flag != 0 {
		return denied(flag, action)
	}
	if m.Retention == RetainPinned {
		return deniedByPin(action)
	}
	return nil
}
