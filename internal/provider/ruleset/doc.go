// Package ruleset is the resource hap_rule_set, which lives in the state alone.
package ruleset
