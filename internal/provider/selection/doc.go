// Package selection is the data source hap_binding_selection: which account the next cluster goes to.
package selection
