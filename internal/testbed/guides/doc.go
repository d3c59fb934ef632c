// Package guides follows the pages of the documentation as a reader does: it writes the blocks that a page shows to the files that the page
// names, runs its shell blocks in order in one folder, and compares what the page shows as output.
package guides
