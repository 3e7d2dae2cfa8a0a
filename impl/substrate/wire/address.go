package wire

import "strings"

// ValidAddress says whether s is an address: 1 to 128 octets of a-z, 0-9, ".", "_", "/" and "-". The error is a *AddressError. Addresses
// are equal if their octets are; nothing in one means anything (SUBSTRATE-ADDR-001, SUBSTRATE-ADDR-004).
func ValidAddress(s string) error {
	if code := addressFault(s); code != "" {
		return &AddressError{Code: code, Length: len(s)}
	}
	return nil
}

// addressFault returns the code of what is wrong with an address, empty if nothing is.
func addressFault(s string) string {
	switch {
	case strings.IndexByte(s, '@') >= 0:
		// SUBSTRATE-ADDR-002: whatever else is wrong with it.
		return RoutingNotSupported
	case len(s) < 1 || len(s) > MaxAddress || !made(s, addressOctet):
		// SUBSTRATE-ADDR-003
		return BadAddress
	}
	return ""
}

// An AddressError is a string that is no address. It does not hold the string, which must not be repeated to anybody (SUBSTRATE-ADDR-003).
type AddressError struct {
	Code   string // RoutingNotSupported or BadAddress
	Length int    // octets
}

// Error returns a one line description.
func (e *AddressError) Error() string {
	if e.Code == RoutingNotSupported {
		return "substrate address: holds an @: routing is not supported [SUBSTRATE-ADDR-002]"
	}
	return "substrate address: not 1 to 128 octets of [a-z0-9._/-] [SUBSTRATE-ADDR-001]"
}

// ValidID reports whether s is an id: 1 to 64 characters of A-Z, a-z, 0-9, "_" and "-" (SUBSTRATE-WIRE-002).
func ValidID(s string) bool { return len(s) >= 1 && len(s) <= MaxID && made(s, idOctet) }

// ValidCode reports whether s is a code: 1 to 64 characters of a-z, 0-9 and "_" (SUBSTRATE-WIRE-002).
func ValidCode(s string) bool { return len(s) >= 1 && len(s) <= MaxCode && made(s, codeOctet) }

// made reports whether every octet of s is one of the kind.
func made(s string, of func(byte) bool) bool {
	for i := range len(s) {
		if !of(s[i]) {
			return false
		}
	}
	return true
}

func codeOctet(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' }

func idOctet(c byte) bool { return codeOctet(c) || c >= 'A' && c <= 'Z' || c == '-' }

func addressOctet(c byte) bool { return codeOctet(c) || c == '.' || c == '/' || c == '-' }
