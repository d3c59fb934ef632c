// Package tfvalue converts between the values of Terraform and those of Go: null and unknown, durations, labels.
package tfvalue
