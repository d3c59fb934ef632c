package operator

import (
	"crypto/sha3"
	"encoding/base32"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
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

// Prefix returns the prefix that keeps the names of a request apart from those of the other requests of a Cluster. The operator
// has no prefixes: this one is derived, so that it is the same in every run.
//
// It is empty where the request has the Cluster to itself, and no other request comes to it: the operator has made it for this
// request (exclusive, named for it, with the operator's label), the request's purpose is its only one, and no other request holds it. An
// exclusive Cluster that has another origin is none of these: the operator gives it to any number of shared requests with its purpose.
func Prefix(r Request, c *Cluster) string {
	hash := NameHash(r.Ref.Namespace, r.Ref.Name)
	_, labelled := c.Labels[DeletedWithoutRequests]
	others := slices.ContainsFunc(c.Tenants, func(uid string) bool { return uid != r.UID })
	if c.Tenancy == Exclusive && labelled && strings.HasSuffix(c.Ref.Name, hash) && slices.Equal(c.Purposes, []string{r.Purpose}) && !others {
		return ""
	}
	return hash + "-"
}

// derivedName is a prefix and then the hash of a request; an error where the two are too long for the operator. It would
// shorten the hash and cannot: what is left for it is less than a hash takes.
func derivedName(prefix string, request clusters.Ref) (string, error) {
	hash := NameHash(request.Namespace, request.Name)
	if len(prefix)+len(hash) > maxNameSize {
		return "", fmt.Errorf("%q and a hash of %d characters are longer than %d", prefix, len(hash), maxNameSize)
	}
	return prefix + hash, nil
}

var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// isObjectName reports whether the API server takes a name for a Cluster.
func isObjectName(name string) bool { return len(name) <= maxNameAPI && subdomain.MatchString(name) }
