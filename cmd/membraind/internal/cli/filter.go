package cli

import (
	"github.com/spf13/pflag"

	"github.com/membrain-db/membrain/model"
)

// bindFilter adds the flags that narrow recall, list and timeline.
func bindFilter(f *pflag.FlagSet, to *model.Filter) {
	several(f, &to.Types, "type", model.ParseMemoryType, model.MemoryTypeLabels(), "only these types")
	several(f, &to.Kinds, "kind", model.ParseKind, model.KindLabels(), "only these kinds")
	texts(f, &to.Tags, "tag", "TAG", "only with the tag")
	texts(f, &to.Sessions, "session", "ID", "only of session")
	texts(f, &to.Tasks, "task", "ID", "only of task")
	texts(f, &to.Workspaces, "workspace", "ID", "only of workspace")
	texts(f, &to.Agents, "written-by", "ID", "only written by agent")
	texts(f, &to.Entities, "entity", "NAME", "only what mentions")
	texts(f, &to.SourceRefs, "source-ref", "REF", "only from source")
	several(f, &to.SourceKinds, "source-kind", model.ParseSourceKind, model.SourceKindLabels(), "only what came by these paths")
	several(f, &to.Lifecycles, "lifecycle", model.ParseLifecycle, model.LifecycleLabels(), "only these states")
	several(f, &to.Tiers, "tier", model.ParseTier, model.TierLabels(), "only these tiers")
	several(f, &to.Visibilities, "visibility", model.ParseVisibility, model.VisibilityLabels(), "only these visibilities")
	several(f, &to.Retentions, "retention", model.ParseRetention, model.RetentionLabels(), "only these retention classes")
	several(f, &to.PolicyFlags, "policy-flag", model.ParsePolicyFlag, model.PolicyFlagLabels(), "only with these governance flags")
	several(f, &to.Conflicts, "conflict", model.ParseConflictState, model.ConflictStateLabels(), "only these conflict states")
	ids(f, &to.Families, "family", "only of this duplicate family")
	moment(f, &to.Since, "since", "only what happened at or after")
	moment(f, &to.Until, "until", "only what happened before")
	tick(f, &to.SinceTick, "since-tick", "only what was encoded at or after")
	tick(f, &to.UntilTick, "until-tick", "only what was encoded before")
	fraction(f, &to.MinStrength, "min-strength", "least effective strength, 0 to 1")
	fraction(f, &to.MinConfidence, "min-confidence", "least confidence, 0 to 1")
	several(f, &to.Include, "include", model.ParseLifecycle, []string{model.Archived.String(), model.Superseded.String()}, "also those that are no longer active")
}

func requestID(f *pflag.FlagSet, at *string) {
	f.StringVar(at, "request-id", "", "`ID` of the request: a retry with the same one is answered, not repeated")
}
