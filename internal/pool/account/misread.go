package account

import (
	"fmt"
	"slices"
	"strings"
)

// separators are what differs, besides case, between the keys of the label schemes.
var separators = strings.NewReplacer("-", "", "_", "", ".", "")

// PlainKey is the key of a label without case and separators. Two keys that are alike have the same one.
func PlainKey(key string) string { return separators.Replace(strings.ToLower(key)) }

// Misread is a label whose key is alike to that of a label of the pool, or is the usual one where the provider is set to another. The
// provider does not read it, and the label may be what it looks like: the provider may be set to other keys than the landscape has.
type Misread struct {
	Key, Value string
	// Says is what the account is if the label counts: held, shared, dirty or internal. Empty = nothing that its own labels do not say.
	Says Class
	// Others says that the label looks like one that the pool's owner never writes: that of the Global Account, or dirty.
	Others bool
}

func (m Misread) String() string { return m.Key + "=" + m.Value }

// mayBe reports whether a misread label says that the account is of a class.
func (a *Account) mayBe(class Class) bool {
	return slices.ContainsFunc(a.Misread, func(m Misread) bool { return m.Says == class })
}

// ofOthers reports whether the key is that of a misread label which the pool's owner never writes.
func (a *Account) ofOthers(key string) bool {
	return slices.ContainsFunc(a.Misread, func(m Misread) bool { return m.Others && m.Key == key })
}

// OwnerLabels are the Labels that the pool's owner may write.
func (a *Account) OwnerLabels() map[string]string {
	labels := map[string]string{}
	for key, value := range a.Labels {
		if !a.ofOthers(key) {
			labels[key] = value
		}
	}
	return labels
}

// ownDoubts are the labels and annotations of the object itself for which it is in doubt whose the account is.
func (a *Account) ownDoubts() (doubts []string) {
	for _, m := range a.Misread {
		if m.Says != "" {
			doubts = append(doubts, m.String())
		}
	}
	if a.SameAsUnread != "" {
		doubts = append(doubts, SameAnnotation+"="+a.SameAsUnread)
	}
	return doubts
}

// Doubts are the LabelDoubts, and the bindings of other namespaces, which may bring clusters that are not counted.
func (a *Account) Doubts() []string {
	doubts := a.LabelDoubts()
	for _, twin := range a.twins {
		if twin.Outside != "" {
			doubts = append(doubts, twin.Name+" of another namespace")
		}
	}
	return doubts
}

// LabelDoubts are the labels and annotations of all bindings of the cloud account for which it is in doubt whose the account is.
func (a *Account) LabelDoubts() []string {
	doubts := a.ownDoubts()
	for _, twin := range a.twins {
		for _, doubt := range twin.ownDoubts() {
			doubts = append(doubts, doubt+" of "+twin.Name)
		}
	}
	return doubts
}

// doubtsFor are the Doubts, and the annotation of another binding by which others than the tenant may use the cloud account.
func (a *Account) doubtsFor(tenant string) []string {
	doubts := a.Doubts()
	if s := a.strayFor(tenant); s != nil {
		said := s.SameAsUnread
		if said == "" {
			said = s.SameAs.Namespace + "/" + s.SameAs.Name
		}
		doubts = append(doubts, fmt.Sprintf("%s=%s of %s", SameAnnotation, said, s.Name))
	}
	return doubts
}

// Contests are the labels under other keys, of all bindings of the cloud account, that say one of these of it. Those by which it is held by
// the tenant are none.
func (a *Account) Contests(tenant string, says ...Class) (labels []string) {
	for _, m := range a.Misread {
		if m.contests(tenant, says) {
			labels = append(labels, m.String())
		}
	}
	for _, twin := range a.twins {
		for _, m := range twin.Misread {
			if m.contests(tenant, says) {
				labels = append(labels, m.String()+" of "+twin.Name)
			}
		}
	}
	return labels
}

func (m Misread) contests(tenant string, says []Class) bool {
	return slices.Contains(says, m.Says) && (m.Says != ClassHeld || m.Value != tenant)
}

// contested are the labels under other keys for which no cluster of the Global Account that holds the cloud account may come to it.
func (a *Account) contested(holder string) []string {
	return a.Contests(holder, ClassHeld, ClassShared, ClassDirty)
}

// InDoubt names the account with what leaves it in doubt, as in "aws-1 (tenant-name=ga-b)".
func (a *Account) InDoubt() string { return a.inDoubtFor("") }

func (a *Account) inDoubtFor(tenant string) string {
	return fmt.Sprintf("%s (%s)", a.Name, strings.Join(a.doubtsFor(tenant), ", "))
}

// says lists what the labels of the object itself say that keeps claims away from the account, and what leaves that in doubt.
func (a *Account) says() (said []string) {
	if a.Tenant != "" {
		said = append(said, "held by Global Account "+a.Tenant)
	}
	if a.Dirty != Clean {
		said = append(said, "dirty="+string(a.Dirty))
	}
	return append(said, a.ownDoubts()...)
}

// OfLabelled says that the credentials of a supply have labels of an account that is not free: in a pool of Secrets a Secret is an account.
// Its binding would be free. Nil = they have none.
func (s Supply) OfLabelled(credentials Account) error {
	said := credentials.says()
	if credentials.Shared && !s.Shared {
		said = append(said, "shared")
	}
	if credentials.Internal && !s.Internal {
		said = append(said, "internal")
	}
	if len(said) == 0 {
		return nil
	}
	return &SupplyError{Account: s.Name, Obstacle: ObstacleLabelled, Credentials: s.Credentials.Ref, Doubts: said}
}
