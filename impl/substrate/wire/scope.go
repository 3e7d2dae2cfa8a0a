package wire

import "slices"

// AnyVerb in a Matrix is every verb.
const AnyVerb = "*"

// A Matrix says which verbs a scope allows.
type Matrix map[string][]string

// ScopeAllows reports whether some scope of scopes allows the verb. A scope that the matrix does not have allows nothing. This is the one
// place that knows the rule (SUBSTRATE-AUTHZ-006, SUBSTRATE-AUTHZ-007).
func ScopeAllows(m Matrix, scopes []string, verb string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool {
		return slices.ContainsFunc(m[scope], func(allowed string) bool { return allowed == verb || allowed == AnyVerb })
	})
}
