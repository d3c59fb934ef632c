// Package status is the data source hap_pool_status: who holds what, what is free, what is stuck.
package status
