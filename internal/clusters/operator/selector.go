package operator

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Selector chooses objects by their labels, as Kubernetes does. The zero value chooses all.
type Selector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchExpressions []Expression      `json:"matchExpressions,omitempty"`
}

// Expression is one requirement of a selector.
type Expression struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// The operators of an expression.
const (
	opIn           = "In"
	opNotIn        = "NotIn"
	opExists       = "Exists"
	opDoesNotExist = "DoesNotExist"
)

// combined is a selector with the requirements of another one: both hold, but of one label that both name the other's value counts.
func (s *Selector) combined(other *Selector) *Selector {
	all := &Selector{MatchLabels: map[string]string{}}
	for _, part := range []*Selector{s, other} {
		if part != nil {
			maps.Copy(all.MatchLabels, part.MatchLabels)
			all.MatchExpressions = append(all.MatchExpressions, part.MatchExpressions...)
		}
	}
	return all
}

// matches reports whether the selector chooses an object with these labels.
func (s *Selector) matches(labels map[string]string) bool {
	if s == nil {
		return true
	}
	for key, value := range s.MatchLabels {
		if has, ok := labels[key]; !ok || has != value {
			return false
		}
	}
	return !slices.ContainsFunc(s.MatchExpressions, func(e Expression) bool { return !e.matches(labels) })
}

func (e Expression) matches(labels map[string]string) bool {
	value, has := labels[e.Key]
	switch e.Operator {
	case opIn:
		return has && slices.Contains(e.Values, value)
	case opNotIn:
		return !has || !slices.Contains(e.Values, value)
	case opExists:
		return has
	default:
		return !has
	}
}

// check returns an error for an expression that Kubernetes refuses.
func (s *Selector) check(at string) error {
	if s == nil {
		return nil
	}
	if err := checkLabels(at+".matchLabels", s.MatchLabels); err != nil {
		return err
	}
	for i, e := range s.MatchExpressions {
		at := fmt.Sprintf("%s.matchExpressions[%d]", at, i)
		switch {
		case e.Key == "":
			return misconfigured(at+".key", "it is missing")
		case e.Operator == opIn || e.Operator == opNotIn:
			if len(e.Values) == 0 {
				return misconfigured(at+".values", "%s needs at least one value", e.Operator)
			}
		case e.Operator == opExists || e.Operator == opDoesNotExist:
			if len(e.Values) > 0 {
				return misconfigured(at+".values", "%s takes no values", e.Operator)
			}
		default:
			return misconfigured(at+".operator", "%q is none of %s, %s, %s, %s", e.Operator, opIn, opNotIn, opExists, opDoesNotExist)
		}
		if err := checkLabel(at, e.Key, e.Values...); err != nil {
			return err
		}
	}
	return nil
}

// checkLabels returns an error for labels that Kubernetes refuses.
func checkLabels(at string, labels map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if err := checkLabel(fmt.Sprintf("%s[%s]", at, key), key, labels[key]); err != nil {
			return err
		}
	}
	return nil
}

const maxLabelSize = 63 // of the name in a key, and of a value

// labelWord is what a value of a label, and the name in its key, consist of.
var labelWord = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)

// checkLabel returns an error for a key or a value that no label has.
func checkLabel(at, key string, values ...string) error {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		name = key
	}
	if prefixed && !isObjectName(prefix) || len(name) > maxLabelSize || !labelWord.MatchString(name) {
		return misconfigured(at, "%q is no key of a label", key)
	}
	for _, value := range values {
		if value != "" && (len(value) > maxLabelSize || !labelWord.MatchString(value)) {
			return misconfigured(at, "%q is no value of a label", value)
		}
	}
	return nil
}
