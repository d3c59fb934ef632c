package adr

import "fmt"

// InputError says that a request or a landscape contradicts itself or lacks something, so that nothing can be decided. It is
// no denial: a denial answers a request that is well formed.
type InputError struct {
	// Field is the part at fault: "request.traits[1]", "purposes.mcp.traits[0]", "landscape.clusters[2]".
	Field string
	// Message says what is wrong and what to write instead.
	Message string
}

func (e *InputError) Error() string { return e.Field + ": " + e.Message }

func wrong(field, format string, args ...any) *InputError {
	return &InputError{Field: field, Message: fmt.Sprintf(format, args...)}
}
