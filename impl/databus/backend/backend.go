package backend

// A Kind is a place where a transport can run.
type Kind string

// The kinds.
const (
	Shared     Kind = "shared worker"
	Dedicated  Kind = "dedicated worker"
	MainThread Kind = "main thread"
)

// A Mode is what the application wishes for.
type Mode string

// The modes. The empty mode is [ModeDedicated].
const (
	ModeDedicated Mode = "dedicated"
	ModeShared    Mode = "shared"
	ModeAuto      Mode = "auto"
)

// A ModeError is a mode that is none of the three.
type ModeError struct {
	Mode Mode
}

// Error returns a one line description.
func (e *ModeError) Error() string {
	return "databus backend: pick: unknown worker mode " + string(e.Mode)
}

// Chain returns the kinds in the order in which they are tried (DATABUS-DEGRADE-004). It fails with a [*ModeError].
func Chain(mode Mode) ([]Kind, error) {
	switch mode {
	case ModeShared, ModeAuto:
		return []Kind{Shared, Dedicated, MainThread}, nil
	case ModeDedicated, "":
		return []Kind{Dedicated, Shared, MainThread}, nil
	}
	return nil, &ModeError{mode}
}

// Pick returns the first kind of the chain of which one can be made. works is asked about workers only: the main thread is always there.
// It fails with a [*ModeError].
func Pick(mode Mode, works func(Kind) bool) (Kind, error) {
	chain, err := Chain(mode)
	if err != nil {
		return "", err
	}
	for _, kind := range chain {
		if kind == MainThread || works(kind) {
			return kind, nil
		}
	}
	panic("databus backend: a chain without the main thread")
}
