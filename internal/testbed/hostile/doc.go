// Package hostile plays an API server that is not trusted, in process and without a Garden. It answers as a Garden and a platform cluster
// do, in JSON, out of an [API] in memory, until a test lets it do [Mischief]: to redirect, to send without an end, to speak to the
// terminal, to send credentials back, to lie about a write, to hang.
//
// What a server decides, such as a conflict, is no business of this package: that is shown before the real one.
package hostile
