package substratetest

import "github.com/seed-6f28358b/assay/impl/substrate/wire"

// scope asks the rule of scopes, as what authenticates would.
func (b *nodeBridge) scope(q scopeRequest) (any, error) {
	return scopeReply{wire.ScopeAllows(q.Matrix, q.Scopes, q.Verb)}, nil
}
