package pool

import "time"

// Object is an object of the accounts' kind, whether it is an account or not, with what only a survey of the whole pool needs.
type Object struct {
	Account // with Credentials, where the object says them
	// Typed says that the object has the label of the hyperscaler type. Without it the object is no account.
	Typed bool
	// DirtySince is when the party that owns the label dirty last wrote on the object, by the server's clock: the label stands
	// at least since then. Zero where there is no such label, or the server does not say.
	DirtySince time.Time
}
