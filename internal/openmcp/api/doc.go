// Package api has the objects of openMCP's API on a platform cluster: their fields, and how they are read, written and awaited. It writes
// with strict field validation, so that no field is dropped without a word, and it deletes and changes only the object that was judged, by
// its UID and its version. What waits shares one watch for each kind and namespace, and what reads many objects one list.
//
// What an object says of itself is read here, too: whether a request is granted, who holds a Cluster ([Grants]), and which configuration
// has made it ([MarkOf]).
package api
