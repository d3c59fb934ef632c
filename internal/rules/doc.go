// Package rules turns a cluster request (plan and regions) into the labels of the pool that serves it, and finds what is
// wrong with a rule set before it reaches production. It is pure: no client, no clock, no environment.
//
// The way of a rule set: [Compile] has each entry of a [Source] read into a draft, gives the draft its plan, checks it and
// puts it into the index of that plan; the same index answers [Set.Match] and the checks for ambiguous and shadowed
// entries. The four [Legacy] properties (ADR 003) only produce other drafts for that index: entries of the arrow syntax,
// which can say all that the properties can. [Set.RuleFile] writes any set as the broker reads it, and [Set.Convert] writes
// it in another syntax, as far as that can say the same.
//
// A syntax is a row of the table in syntax.go, which says how entries are read, written, compared and ranked, and a file of
// its own (syntax_attribute.go, syntax_arrow.go). Nothing else distinguishes syntaxes, except that the broker reads one of them.
//
// Why one index is enough. An entry matches each of the two regions by nothing, by * (any that is not empty) or by a
// literal, so it covers a rectangle of requests. Take the hardest request of a rectangle: no region where it asks for
// none, a region that no entry names where it asks for *, the literal otherwise. Every entry that matches this request
// covers the whole rectangle. One look-up at that request therefore decides for all requests of the rectangle whether an
// entry of higher priority takes them.
package rules
