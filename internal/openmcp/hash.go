package openmcp

import (
	"crypto/sha3"
	"encoding/base32"
)

// lowerCase is base32 with small letters, as names of Kubernetes have them.
var lowerCase = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// HashOf returns the eight characters that the operator derives from the namespace and the name of a request, for the name of its
// Cluster: SHAKE128 of "namespace/name", 5 bytes in base32 (openmcp-operator v1.3.0).
func HashOf(namespace, name string) string {
	const size = 5
	return lowerCase.EncodeToString(sha3.SumSHAKE128([]byte(namespace+"/"+name), size))
}
