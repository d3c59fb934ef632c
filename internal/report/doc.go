// Package report writes an overview of the pool in two forms: [Markdown] for a terminal and for the summary page of a
// pipeline, and the metrics of [Prometheus]. It is pure text: the same overview gives the same text.
package report
