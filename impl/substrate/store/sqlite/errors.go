package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What went wrong, for errors.Is. Every error of this package is an [*Error] that wraps one of them, or none if the cause is of no
// kind that a caller could act upon.
var (
	ErrFull     = errors.New("disk or file is full")
	ErrReadOnly = errors.New("file cannot be written")
	ErrCorrupt  = errors.New("file is damaged")
	ErrLocked   = errors.New("another process or connection holds the lock")
	ErrForeign  = errors.New("not a file of the substrate")
	ErrNewer    = errors.New("written by a newer version")
	ErrIO       = errors.New("input or output failed")
	ErrClosed   = errors.New("store is closed")
)

// An Error says which operation failed on which file, and why. It wraps Kind and Cause.
type Error struct {
	Op    string // open, load, look up, apply, read inbox, count inbox, expire, flush, close
	Path  string // of the file; of a host's database: its prefix, in brackets
	Kind  error  // one of the errors of this package, or nil
	Cause error  // what SQLite or the operating system said; nil if this package found it
}

// Error says all of it.
func (e *Error) Error() string {
	text := fmt.Sprintf("substrate store: %s %s", e.Op, e.Path)
	for _, err := range e.Unwrap() {
		text += ": " + err.Error()
	}
	return text
}

// Unwrap returns Kind and Cause, as far as they are there.
func (e *Error) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Kind, e.Cause}, func(err error) bool { return err == nil })
}

// A VersionError is the cause of an error of kind [ErrNewer].
type VersionError struct {
	Found, Known int
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("schema version is %d, known up to %d", e.Found, e.Known)
}

// fail makes an error out of one of SQLite. It returns nil for nil.
func (s *Store) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	var already *Error
	if errors.As(err, &already) {
		return err
	}
	return &Error{Op: op, Path: s.path, Kind: kindOf(err), Cause: err}
}

// opening makes an error of what went wrong before there was a store. A kind that the error wraps already wins over SQLite's code.
func opening(path string, err error) error {
	for _, kind := range []error{ErrForeign, ErrNewer, ErrCorrupt, ErrReadOnly, ErrIO} {
		if errors.Is(err, kind) {
			return &Error{Op: "open", Path: path, Kind: kind, Cause: without(kind, err)}
		}
	}
	return &Error{Op: "open", Path: path, Kind: kindOf(err), Cause: err}
}

// without returns what err wraps beside kind.
func without(kind, err error) error {
	if both, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range both.Unwrap() {
			if one != kind {
				return one
			}
		}
	}
	return errors.New(strings.TrimPrefix(err.Error(), kind.Error()+": "))
}

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

func kindOf(err error) error {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return nil
	}
	// The low octet is the primary code, whatever the driver says beyond it.
	switch coded.Code() & 0xff {
	case codeBusy, codeLocked:
		return ErrLocked
	case codeReadOnly:
		return ErrReadOnly
	case codeIO, codeCantOpen:
		return ErrIO
	case codeCorrupt:
		return ErrCorrupt
	case codeFull:
		return ErrFull
	case codeNotADB:
		return ErrForeign
	}
	return nil
}
