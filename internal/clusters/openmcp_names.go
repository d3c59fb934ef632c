package clusters

import (
	"crypto/sha3"
	"encoding/base32"
	"fmt"
	"regexp"
)

const (
	hashBytes   = 5  // eight characters of base32
	maxNameSize = 63 // of a derived name, as the operator has it
	maxNameAPI  = 253
)

// lowerCase is base32 with small letters, as names of Kubernetes have them.
var lowerCase = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NameHash returns the eight characters that the operator derives from the namespace and the name of a request: SHAKE128 of
// "namespace/name", 5 bytes in base32.
func NameHash(namespace, name string) string {
	return lowerCase.EncodeToString(sha3.SumSHAKE128([]byte(namespace+"/"+name), hashBytes))
}

// OperatorPrefix returns the prefix that keeps the names of a request apart from those of the other requests of a Cluster; empty on an
// exclusive one. The operator has no prefixes: this one is derived, so that it is the same in every run.
func OperatorPrefix(request Ref, tenancy string) string {
	if tenancy == Exclusive {
		return ""
	}
	return NameHash(request.Namespace, request.Name) + "-"
}

// derivedName is a prefix with the hash of a request behind it; an error where the two are too long for the operator. It would
// shorten the hash and cannot: what is left for it is less than a hash takes.
func derivedName(prefix string, request Ref) (string, error) {
	hash := NameHash(request.Namespace, request.Name)
	if len(prefix)+len(hash) > maxNameSize {
		return "", fmt.Errorf("%q and a hash of %d characters are longer than %d", prefix, len(hash), maxNameSize)
	}
	return prefix + hash, nil
}

var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// isObjectName reports whether the API server takes a name for a Cluster.
func isObjectName(name string) bool { return len(name) <= maxNameAPI && subdomain.MatchString(name) }
