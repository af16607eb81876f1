package model

import "strings"

// labels is the closed vocabulary of one enum: the field it stands in and its names by value.
// Value 0 is "not set" and has no name.
type labels struct {
	field string
	names []string // names[v] is the label of value v; names[0] is ""
}

func (l *labels) name(v uint8) string {
	if int(v) < len(l.names) {
		return l.names[v]
	}
	return ""
}

// parse matches s without regard to case, with or without the underscores, and answers the value.
func (l *labels) parse(s string) (uint8, error) {
	want := plain(s)
	for v, name := range l.names {
		if v > 0 && plain(name) == want {
			return uint8(v), nil
		}
	}
	return 0, Invalid(l.field, s, strings.Join(l.names[1:], ", "))
}

func plain(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

func (l *labels) marshal(v uint8) ([]byte, error) { return []byte(l.name(v)), nil }

func unmarshal[E ~uint8](l *labels, dst *E, b []byte) error {
	if len(b) == 0 {
		*dst = 0
		return nil
	}
	v, err := l.parse(string(b))
	*dst = E(v)
	return err
}
