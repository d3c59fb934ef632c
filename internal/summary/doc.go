// Package summary writes an overview of the pool for machines and for people: as metrics that Prometheus reads, and as a
// report in Markdown. It is pure text.
package summary
