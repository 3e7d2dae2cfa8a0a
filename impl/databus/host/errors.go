package host

import (
	"errors"
	"fmt"
	"slices"
)

// What is wrong with a storage, for errors.Is. Every error of a storage is a [*StorageError] that wraps one of them, or none if the cause
// is of no kind that a caller could act upon.
var (
	ErrBusy     = errors.New("another process holds the lock")
	ErrFull     = errors.New("file or disk is full")
	ErrReadOnly = errors.New("file cannot be written")
	ErrDamaged  = errors.New("file is damaged")
	ErrForeign  = errors.New("not a storage of data buses")
	ErrNewer    = errors.New("written by a newer version")
	ErrIO       = errors.New("input or output failed")
	ErrClosed   = errors.New("is closed")
)

// A StorageError says which operation failed on which file, and why. It wraps Kind and Cause.
type StorageError struct {
	Op    string // open, get, set, remove, list, look, load or close
	Path  string
	Kind  error // one of the errors of this package, or nil
	Cause error // nil: this package found it
}

// Error returns a one line description.
func (e *StorageError) Error() string {
	text := fmt.Sprintf("databus storage: %s %s", e.Op, e.Path)
	for _, err := range e.Unwrap() {
		text += ": " + err.Error()
	}
	return text
}

// Unwrap returns Kind and Cause, as far as they are there.
func (e *StorageError) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Kind, e.Cause}, func(err error) bool { return err == nil })
}

// A SizeError is a key, a value or a list of keys that is too large for the storage.
type SizeError struct {
	Op    string // get, set or list
	What  string // key, value or keys
	Limit int    // octets; keys: how many
	Found int
}

// Error returns a one line description.
func (e *SizeError) Error() string {
	if e.What == "keys" {
		return fmt.Sprintf("databus storage: %s: more than %d keys", e.Op, e.Limit)
	}
	return fmt.Sprintf("databus storage: %s: a %s of more than %d octets (%d)", e.Op, e.What, e.Limit, e.Found)
}

// A ConfigError is a field of [Config] that is out of range.
type ConfigError struct {
	Field, Problem string
}

// Error returns a one line description.
func (e *ConfigError) Error() string { return "databus host: " + e.Field + " " + e.Problem }

// A ChannelError is something that failed on a channel, or in making the directory of a host.
type ChannelError struct {
	Op   string // open, listen, accept or post
	Path string // of what it was tried on; of an opening on a closed host: the name of the channel
	Err  error
}

// Error returns a one line description.
func (e *ChannelError) Error() string {
	return fmt.Sprintf("databus channel: %s %s: %v", e.Op, e.Path, e.Err)
}

// Unwrap returns why.
func (e *ChannelError) Unwrap() error { return e.Err }

// Primary result codes of SQLite.
const (
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// kindOf returns what kind of error SQLite's is.
func kindOf(err error) error {
	for _, kind := range []error{ErrForeign, ErrNewer, ErrDamaged, ErrClosed} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return nil
	}
	// The low octet is the primary code.
	switch coded.Code() & 0xff {
	case codeBusy, codeLocked:
		return ErrBusy
	case codeReadOnly:
		return ErrReadOnly
	case codeIO, codeCantOpen:
		return ErrIO
	case codeCorrupt, codeNotADB:
		return ErrDamaged
	case codeFull:
		return ErrFull
	}
	return nil
}
