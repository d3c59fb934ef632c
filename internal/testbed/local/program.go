package local

import (
	"os"
	"syscall"
)

// WriteProgram writes a script that its owner can run at once, whatever else the process starts meanwhile. A child that is
// forked while the file is open for writing holds it open until it becomes another program, and to run the script until then
// fails with "text file busy" (https://go.dev/issue/22315).
func WriteProgram(path, script string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(script), 0o700)
}
