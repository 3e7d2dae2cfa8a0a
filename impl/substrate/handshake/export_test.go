package handshake

// TupleOctets is what the transcript has of a tuple.
func TupleOctets(t Tuple) []byte { return t.octets() }

// Prove makes a proof.
func Prove(key Key, role string, th [32]byte, challengeDialer, challengeListener []byte) []byte {
	return prove(key, role, th, challengeDialer, challengeListener)
}

// Transcript hashes what a transcript covers.
func Transcript(dialer, listener []byte, t Tuple) [32]byte { return transcript(dialer, listener, &t) }

// An Offer is what one side can do.
type Offer struct {
	Versions                      []uint64
	Features                      []string
	Auth, Codec, E2ESeal, E2ESign []string
}

func (o Offer) plain() offer {
	return offer{
		versions: o.Versions, features: o.Features,
		slots: slots[[]string]{Auth: o.Auth, Codec: o.Codec, E2ESeal: o.E2ESeal, E2ESign: o.E2ESign},
	}
}

// Choose selects from two offers.
func Choose(dialer, listener Offer) (Tuple, *Failure) {
	return choose(dialer.plain(), listener.plain())
}

// Mischoose makes the machine believe that suites were chosen that its registries do not have.
func (m *machine) Mischoose(seal, sign string) { m.tuple.E2ESeal, m.tuple.E2ESign = seal, sign }
