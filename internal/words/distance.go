package words

// Distance counts the typing errors between two words: a byte too much, missing, wrong, or two neighbours exchanged
// (optimal string alignment).
func Distance(a, b string) int {
	const far = 1 << 10
	if len(a) > 64 || len(b) > 64 {
		return far // no name is that long
	}
	var rows [3][65]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, aboveThat := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], aboveThat[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
