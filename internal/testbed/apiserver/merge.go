package apiserver

import "maps"

// merged applies a JSON merge patch (RFC 7386). Neither the value nor the patch is changed.
func merged(value, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	fields, _ := value.(map[string]any)
	result := maps.Clone(fields)
	if result == nil {
		result = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(result, name)
		} else {
			result[name] = merged(result[name], change)
		}
	}
	return result
}
