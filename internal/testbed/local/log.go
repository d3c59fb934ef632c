package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

// logTailBytes bounds the part of a log that an error shows.
const logTailBytes = 3000

// ProgramError adds the end of a program's log to what went wrong when it was started. The log also says whether the
// program has found its port taken: then the error is an [ErrPortTaken].
func ProgramError(program, log string, err error) error {
	content, _ := os.ReadFile(log)
	if bytes.Contains(bytes.ToLower(content), []byte("address already in use")) {
		err = errors.Join(ErrPortTaken, err)
	}
	tail := strings.TrimSpace(string(content[max(0, len(content)-logTailBytes):]))
	if tail == "" {
		tail = "(empty)"
	}
	return fmt.Errorf("%s did not start: %w\nend of its log:\n%s", program, err, tail)
}
