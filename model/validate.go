package model

import (
	"strconv"
	"time"
)

// Validate checks the request and completes it in place: namespace in NFC, Limit and Detail by default, labels of the
// filter in NFC. An empty query is refused: listing is a request of its own.
//
// Errors: the first fault, an *Error (validation or too_large) with field, value and what is allowed.
func (r *RecallRequest) Validate() error {
	if err := common(&r.Namespace, r.RequestID); err != nil {
		return err
	}
	if blank(r.Query) {
		err := Invalid("query", r.Query, "a query that is not blank")
		return err.WithHint("use list to see memories without a query")
	}
	if err := body("query", r.Query, QueryBytesMax); err != nil {
		return err
	}
	if err := limit("limit", &r.Limit); err != nil {
		return err
	}
	if r.TokenBudget < 0 {
		return Invalid("token_budget", strconv.Itoa(r.TokenBudget), "0 for none, or a count of tokens")
	}
	if err := known("detail", r.Detail, DetailLabels()); err != nil {
		return err
	}
	if r.Detail == 0 {
		r.Detail = DetailNormal
	}
	return r.Filter.Validate()
}

// Validate checks the request and completes it in place: namespace and tags in NFC. A request that names no change is
// valid and changes nothing.
//
// Errors: as RecallRequest.Validate.
func (r *UpdateRequest) Validate() error {
	if err := first(common(&r.Namespace, r.RequestID), someID(r.ID)); err != nil {
		return err
	}
	if r.Text != nil {
		if blank(*r.Text) {
			return Invalid("text", *r.Text, "a text that is not blank")
		}
		if err := body("text", *r.Text, TextBytesMax); err != nil {
			return err
		}
	}
	if err := first(
		known("memory_type", r.Type, MemoryTypeLabels()),
		known("kind", r.Kind, KindLabels()),
	); err != nil {
		return err
	}
	if r.Tags != nil {
		tags, err := labelList("tags", *r.Tags, TagsMax)
		if err != nil {
			return err
		}
		r.Tags = &tags
	}
	if err := known("retention_class", r.Retention, RetentionLabels()); err != nil {
		return err
	}
	if r.PolicyFlags != nil {
		if _, err := FlagsOf("policy_flags", *r.PolicyFlags); err != nil {
			return err
		}
	}
	return nil
}

// Validate checks the request and puts the namespace into NFC. Errors: as RecallRequest.Validate.
func (r *MemoryRequest) Validate() error {
	return first(common(&r.Namespace, r.RequestID), someID(r.ID))
}

// Validate checks the request and completes it in place, as RecallRequest.Validate does. Errors: the same.
func (r *ListRequest) Validate() error {
	if err := common(&r.Namespace, ""); err != nil {
		return err
	}
	if err := r.Filter.Validate(); err != nil {
		return err
	}
	if err := limit("limit", &r.Limit); err != nil {
		return err
	}
	return reference("cursor", r.Cursor, LabelBytesMax)
}

// Validate checks the request and completes it in place: it must ask about exactly one thing, a query, a past request
// or a memory; WhyNot goes with a query or a past request. Recall.Namespace names the namespace in each case.
//
// Errors: as RecallRequest.Validate.
func (r *ExplainRequest) Validate() error {
	asked := 0
	for _, given := range []bool{r.Recall.Query != "", r.Request != "", !r.ID.Zero()} {
		if given {
			asked++
		}
	}
	if asked != 1 {
		return Invalid("explain", strconv.Itoa(asked)+" subjects", "exactly one of query, request and id")
	}
	if !r.WhyNot.Zero() && !r.ID.Zero() {
		return Invalid("why_not", r.WhyNot.String(), "with a query or a past request")
	}
	if r.Recall.Query != "" {
		return r.Recall.Validate()
	}
	return first(common(&r.Recall.Namespace, r.Recall.RequestID), reference("request", r.Request, RequestIDBytesMax))
}

// Validate checks the filter and completes it in place: labels in NFC, duplicates collapsed. Errors: as
// RecallRequest.Validate.
func (f *Filter) Validate() error {
	if err := first(f.enums(), f.labels(), f.ids()); err != nil {
		return err
	}
	if err := first(f.times(), f.ticks()); err != nil {
		return err
	}
	return first(
		optional("min_strength", f.MinStrength, 0, 1),
		optional("min_confidence", f.MinConfidence, 0, 1),
	)
}

func (f *Filter) enums() error {
	for _, l := range f.Include {
		if l != Archived && l != Superseded {
			return Invalid("include", orNumber(l.String(), uint8(l)), list([]string{Archived.String(), Superseded.String()}))
		}
	}
	return first(
		in("types", &f.Types, MemoryTypeLabels()),
		in("kinds", &f.Kinds, KindLabels()),
		in("lifecycle_states", &f.Lifecycles, LifecycleLabels()),
		in("tiers", &f.Tiers, TierLabels()),
		in("visibilities", &f.Visibilities, VisibilityLabels()),
		in("retention_classes", &f.Retentions, RetentionLabels()),
		in("policy_flags", &f.PolicyFlags, PolicyFlagLabels()),
		in("source_kinds", &f.SourceKinds, SourceKindLabels()),
		in("conflict_states", &f.Conflicts, ConflictStateLabels()),
		in("include", &f.Include, LifecycleLabels()),
	)
}

func (f *Filter) labels() error {
	for _, l := range []struct {
		field string
		list  *[]string
		check func(field string, in []string, most int) ([]string, error)
	}{
		{"tags", &f.Tags, labelList},
		{"session_ids", &f.Sessions, labelList},
		{"task_ids", &f.Tasks, labelList},
		{"workspace_ids", &f.Workspaces, labelList},
		{"agent_ids", &f.Agents, labelList},
		{"source_refs", &f.SourceRefs, referenceList},
		{"entities", &f.Entities, labelList},
	} {
		checked, err := l.check(l.field, *l.list, FilterValuesMax)
		if err != nil {
			return err
		}
		*l.list = checked
	}
	return nil
}

func (f *Filter) ids() (err error) {
	if f.Families, err = idList("duplicate_families", f.Families, FilterValuesMax); err != nil {
		return err
	}
	f.Eras, err = idList("era_ids", f.Eras, FilterValuesMax)
	return err
}

func (f *Filter) times() error {
	for _, t := range []struct {
		field string
		at    *time.Time
	}{{"since", f.Since}, {"until", f.Until}} {
		if t.at != nil && (t.at.UTC().Year() < 1 || t.at.UTC().Year() > 9999) {
			return Invalid(t.field, t.at.UTC().String(), "a time in the years 1 to 9999")
		}
	}
	if f.Since != nil && f.Until != nil && !f.Since.Before(*f.Until) {
		return Invalid("since", f.Since.UTC().Format(time.RFC3339Nano), "a time before until, "+f.Until.UTC().Format(time.RFC3339Nano))
	}
	return nil
}

func (f *Filter) ticks() error {
	if f.SinceTick != nil && f.UntilTick != nil && *f.SinceTick >= *f.UntilTick {
		return Invalid("since_tick", tickText(*f.SinceTick), "a tick before until_tick, "+tickText(*f.UntilTick))
	}
	return nil
}

func tickText(t Tick) string { return strconv.FormatUint(uint64(t), 10) }

// in checks one enum field of a filter in place.
func in[E interface {
	~uint8
	String() string
}](field string, at *[]E, labels []string) error {
	checked, err := values(field, *at, labels)
	if err == nil {
		*at = checked
	}
	return err
}

// common checks what every request carries.
func common(namespace *string, requestID string) error {
	n, err := ParseNamespace(*namespace)
	if err != nil {
		return err
	}
	*namespace = n
	return reference("request_id", requestID, RequestIDBytesMax)
}

func someID(id MemoryID) error {
	if id.Zero() {
		return Invalid("id", "", "a UUID such as 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55")
	}
	return nil
}

// limit refuses what is out of range and puts the default for 0.
func limit(field string, n *int) error {
	if *n < 0 || *n > LimitMax {
		return Invalid(field, strconv.Itoa(*n), "1 to "+strconv.Itoa(LimitMax))
	}
	if *n == 0 {
		*n = DefaultLimit
	}
	return nil
}

func orNumber(label string, v uint8) string {
	if label == "" {
		return strconv.Itoa(int(v))
	}
	return label
}
