package tfvalue

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Texts returns the texts of a map; empty for a null or unknown one.
func Texts(m types.Map) map[string]string {
	all := map[string]string{}
	for key, value := range m.Elements() {
		if text, ok := value.(types.String); ok {
			all[key] = text.ValueString()
		}
	}
	return all
}

// TextMap returns a map of texts.
func TextMap(texts map[string]string) types.Map {
	values := make(map[string]attr.Value, len(texts))
	for key, text := range texts {
		values[key] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, values)
}

// TextList returns a list of texts.
func TextList(texts []string) types.List {
	values := make([]attr.Value, len(texts))
	for i, text := range texts {
		values[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, values)
}

// TextSet returns a set of texts, without those that are twice in what a server sends.
func TextSet(texts []string) types.Set {
	once := slices.Compact(slices.Sorted(slices.Values(texts)))
	return types.SetValueMust(types.StringType, TextList(once).Elements())
}

// SetTexts returns the texts of a set; none for a null or unknown one. Texts that are unknown are none of them.
func SetTexts(s types.Set) (texts []string) {
	for _, value := range s.Elements() {
		if text, ok := value.(types.String); ok && !text.IsUnknown() {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}

// Standing is what an object has of the labels or annotations that a configuration wants: those of others are none of its business.
func Standing(wanted types.Map, live map[string]string) types.Map {
	if wanted.IsNull() {
		return wanted
	}
	left := map[string]string{}
	for key := range Texts(wanted) {
		if value, ok := live[key]; ok {
			left[key] = value
		}
	}
	return TextMap(left)
}
