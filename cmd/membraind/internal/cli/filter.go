package cli

import (
	"github.com/spf13/pflag"

	"github.com/membrain-db/membrain/model"
)

// bindFilter adds the flags that narrow recall, list and timeline.
func bindFilter(f *pflag.FlagSet, to *model.Filter) {
	several(f, &to.Types, "type", model.ParseMemoryType, "memory types")
	several(f, &to.Kinds, "kind", model.ParseKind, "kinds")
	texts(f, &to.Tags, "tag", "TAG", "with any of the tags")
	texts(f, &to.Sessions, "session", "ID", "of the session")
	texts(f, &to.Tasks, "task", "ID", "of the task")
	texts(f, &to.Workspaces, "workspace", "ID", "of the workspace")
	texts(f, &to.Agents, "written-by", "ID", "written by the agent")
	texts(f, &to.Entities, "entity", "NAME", "that mention the entity")
	texts(f, &to.SourceRefs, "source-ref", "REF", "from the source")
	several(f, &to.SourceKinds, "source-kind", model.ParseSourceKind, "paths that they came by")
	several(f, &to.Lifecycles, "lifecycle", model.ParseLifecycle, "lifecycle states")
	several(f, &to.Tiers, "tier", model.ParseTier, "tiers")
	several(f, &to.Visibilities, "visibility", model.ParseVisibility, "visibilities")
	several(f, &to.Retentions, "retention", model.ParseRetention, "retention classes")
	several(f, &to.PolicyFlags, "policy-flag", model.ParsePolicyFlag, "governance flags")
	several(f, &to.Conflicts, "conflict", model.ParseConflictState, "conflict states")
	ids(f, &to.Families, "family", "of the duplicate family")
	moment(f, &to.Since, "since", "happened at or after")
	moment(f, &to.Until, "until", "happened before")
	tick(f, &to.SinceTick, "since-tick", "encoded at or after")
	tick(f, &to.UntilTick, "until-tick", "encoded before")
	fraction(f, &to.MinStrength, "min-strength", "least effective strength, 0 to 1")
	fraction(f, &to.MinConfidence, "min-confidence", "least confidence, 0 to 1")
	several(f, &to.Include, "include", model.ParseLifecycle, "also archived, superseded")
}

func requestID(f *pflag.FlagSet, at *string) {
	f.StringVar(at, "request-id", "", "`ID` of the request: a retry with the same one is answered, not repeated")
}
