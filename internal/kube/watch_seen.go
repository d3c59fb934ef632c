package kube

// Seen shows each object that the watch knows, and reports whether it knows all that there are. It knows none where nothing waits.
func (w *Watcher[T]) Seen(show func(object T)) (whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil || !w.whole {
		return false
	}
	for _, object := range w.seen {
		show(object)
	}
	return true
}
