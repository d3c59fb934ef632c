// Package shoot offers clusters on claimed accounts: the resource hap_shoot, its list, and the ephemeral resource hap_shoot_access.
package shoot
