package ledger

// Lose notes that an object of the state does not exist any more, and why nothing is made in its place by itself.
func (l *Ledger) Lose(o Object, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.lost = map[Object]string{}
	}
	l.lost[o.name()] = why
}

// Lost returns why nothing is made by itself in the place of an object that is gone; empty = nothing is known of it.
func (l *Ledger) Lost(o Object) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost[o.name()]
}
