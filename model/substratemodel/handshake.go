package substratemodel

import "fmt"

// An Element is one of the things that the two sides of a handshake agree on. SUBSTRATE-HANDSHAKE-002
type Element uint8

// The elements of the tuple. The id of the connection comes from the nonces of both sides (SUBSTRATE-HANDSHAKE-004).
const (
	ElementVersion Element = iota
	ElementFeatures
	ElementAuth
	ElementSeal
	ElementSign
	ElementCodec
	ElementScope
	ElementConnID
	elements
)

func (e Element) String() string {
	return name(e, "version", "features", "auth", "e2eSeal", "e2eSign", "codec", "dedupeScope", "connId")
}

// A Tampering is what a middle man does to one element of one message.
type Tampering uint8

// What a middle man can do: put something else in its place, take it away, or change the order or the place of what is there.
const (
	Alter Tampering = iota
	Strip
	Swap
	tamperings
)

func (t Tampering) String() string { return name(t, "alter", "strip", "swap") }

// A Tamper is one change to one of the two messages that open a handshake: hello, from the dialer, or hello_ok, from the listener.
type Tamper struct {
	Element Element
	Reply   bool // to hello_ok
	How     Tampering
}

func (t Tamper) String() string {
	message := "hello"
	if t.Reply {
		message = "hello_ok"
	}
	return fmt.Sprintf("%v %v of %s", t.How, t.Element, message)
}

// An Attack is what a middle man without a key does to the proofs.
type Attack uint8

// The attacks. Each makes the two sides, or one of them, run the rest of the handshake as it should be.
const (
	// AttackNone leaves the proofs alone.
	AttackNone Attack = iota
	// AttackReflect sends the proof of each side back to it.
	AttackReflect
	// AttackSplice puts the proofs of another handshake of the same two sides, at the same time, in the place of those of this one.
	AttackSplice
	// AttackReplay plays a whole recorded handshake to one side.
	AttackReplay
	attacks
)

func (a Attack) String() string { return name(a, "none", "reflect", "splice", "replay") }

// A Handshake is one that a middle man meddles with.
type Handshake struct {
	Tampers []Tamper
	Attack  Attack
}

func (h Handshake) String() string { return fmt.Sprintf("%v, proofs: %v", h.Tampers, h.Attack) }

// Handshakes returns every single tamper, every pair of two, and every attack on the proofs, alone and with every single tamper.
func Handshakes() []Handshake {
	var single []Tamper
	for e := range elements {
		for how := range tamperings {
			single = append(single, Tamper{e, false, how}, Tamper{e, true, how})
		}
	}
	var out []Handshake
	for i, t := range single {
		out = append(out, Handshake{Tampers: []Tamper{t}})
		for _, other := range single[i+1:] {
			out = append(out, Handshake{Tampers: []Tamper{t, other}})
		}
	}
	for a := AttackReflect; a < attacks; a++ {
		out = append(out, Handshake{Attack: a})
		for _, t := range single {
			out = append(out, Handshake{Tampers: []Tamper{t}, Attack: a})
		}
	}
	return out
}

// A handshakeBug is a fault that a test seeds: an element that the transcript leaves out, or one of proofs.
type handshakeBug uint8

const (
	// bugLeavesOut plus an element leaves it out of the transcript, and the hellos with it.
	bugLeavesOut      handshakeBug = 1 // 39
	bugRelativeRoles               = bugLeavesOut + handshakeBug(elements)
	bugReusableProofs              = bugRelativeRoles + 1
	bugNoProof                     = bugReusableProofs + 1
	handshakeBugCount              = bugNoProof + 1
)

// Ready says which sides of the handshake come to be ready under a real auth method. Of one that was meddled with neither does (SUBSTRATE-HANDSHAKE-002,
// SUBSTRATE-AUTH-004, SUBSTRATE-AUTH-005, SUBSTRATE-AUTH-007); of one that was not, both do, with the same tuple.
func (h Handshake) Ready() (dialer, listener bool) { return h.ready(0) }

// Same says that both sides have the same tuple, whether they are ready or not.
func (h Handshake) Same() bool {
	views := h.views()
	return views[0].tuple == views[1].tuple
}

// An offer is what a message says about one element: the names in order of preference, or the one name chosen; a nonce is a name as well. 0 is no name.
type offer [2]uint8

// A hello is one of the two messages. Each element is there or not.
type hello [elements]offer

// A view is the handshake as one side sees it: both messages, and what came of them.
type view struct {
	hello, reply hello
	tuple        [elements]uint8
	refused      bool // there is no choice, or one that was not offered
}

// Names of the model: each side offers a good name and a fallback; the other is one that a middle man makes up.
const (
	nameGood     uint8 = 1
	nameFallback uint8 = 2
	nameOther    uint8 = 3
	nonceDialer  uint8 = 4
	nonceListen  uint8 = 5
)

// views returns the handshake as the dialer and the listener see it. SUBSTRATE-HANDSHAKE-005, SUBSTRATE-HANDSHAKE-006
func (h Handshake) views() [2]view {
	var dialer, listener view
	for e := range elements {
		dialer.hello[e] = offer{nameGood, nameFallback}
	}
	dialer.hello[ElementConnID] = offer{nonceDialer}
	listener.hello = h.tamper(dialer.hello, false)
	for e := range elements {
		choice := nameOf(listener.hello[e])
		if e == ElementConnID {
			choice = nonceListen
			// Equal nonces, or none: SUBSTRATE-HANDSHAKE-004.
			listener.refused = listener.refused || listener.hello[e][0] == 0 || listener.hello[e][0] == nonceListen
		} else if choice == 0 {
			listener.refused = true
		}
		listener.reply[e] = offer{choice}
		listener.tuple[e] = choice
	}
	listener.tuple[ElementConnID] = listener.hello[ElementConnID][0]<<4 | nonceListen
	dialer.reply = h.tamper(listener.reply, true)
	for e := range elements {
		choice := dialer.reply[e][0]
		dialer.tuple[e] = choice
		if e == ElementConnID {
			dialer.refused = dialer.refused || choice == 0 || choice == nonceDialer
			continue
		}
		dialer.refused = dialer.refused || choice == 0 || choice != nameGood && choice != nameFallback
	}
	dialer.tuple[ElementConnID] = nonceDialer<<4 | dialer.reply[ElementConnID][0]
	return [2]view{dialer, listener}
}

// nameOf returns the first name of an offer that the listener knows: it offers the same as the dialer.
func nameOf(o offer) uint8 {
	for _, n := range o {
		if n == nameGood || n == nameFallback {
			return n
		}
	}
	return 0
}

// tamper returns the message as it arrives. To alter is to put another name that is known in the place of the first, which no check of the choice sees. To swap the one name of a reply,
// or a nonce, is to put there what belongs elsewhere: the fallback, or the nonce of the other side.
func (h Handshake) tamper(m hello, reply bool) hello {
	for _, t := range h.Tampers {
		if t.Reply != reply {
			continue
		}
		o := &m[t.Element]
		switch t.How {
		case Alter:
			o[0] = nameOther
			if t.Element != ElementConnID && reply {
				o[0] = nameFallback
			}
			if t.Element != ElementConnID && !reply {
				*o = offer{nameFallback, nameOther}
			}
		case Strip:
			*o = offer{}
		case Swap:
			o[0], o[1] = o[1], o[0]
			switch {
			case t.Element == ElementConnID && reply:
				*o = offer{nonceDialer}
			case t.Element == ElementConnID:
				*o = offer{nonceListen}
			case reply:
				*o = offer{nameFallback}
			}
		}
	}
	return m
}

// A proof is what a side shows that it has the key, and to what it shows it. Two proofs are equal if they are over the same. SUBSTRATE-AUTH-006
type proof struct {
	role       uint8
	transcript [2]hello
	tuple      [elements]uint8
	challenges [2]uint8
}

// Roles and challenges of the model.
const (
	roleDialer   uint8 = 1
	roleListener uint8 = 2
	challengeD   uint8 = 1
	challengeL   uint8 = 2
	challengeOld uint8 = 3
)

// prove returns the proof of a role over what a side saw.
func (v *view) prove(role uint8, challenges [2]uint8, bug handshakeBug) proof {
	p := proof{role: role, transcript: [2]hello{v.hello, v.reply}, tuple: v.tuple, challenges: challenges}
	if bug >= bugLeavesOut && bug < bugLeavesOut+handshakeBug(elements) {
		e := Element(bug - bugLeavesOut)
		p.tuple[e], p.transcript[0][e], p.transcript[1][e] = 0, offer{}, offer{}
	}
	switch bug {
	case bugRelativeRoles:
		p.role = 0
	case bugReusableProofs:
		p.challenges = [2]uint8{}
		p.tuple[ElementConnID], p.transcript[0][ElementConnID], p.transcript[1][ElementConnID] = 0, offer{}, offer{}
	}
	return p
}

func (h Handshake) ready(bug handshakeBug) (dialer, listener bool) {
	views := h.views()
	if views[0].refused || views[1].refused && h.Attack != AttackReplay {
		return false, false
	}
	if bug == bugNoProof {
		return true, true
	}
	fresh := [2]uint8{challengeD, challengeL}
	// What each side wants to see, and what it makes.
	wantFromListener := views[0].prove(roleListener, fresh, bug)
	wantFromDialer := views[1].prove(roleDialer, fresh, bug)
	fromDialer := views[0].prove(roleDialer, fresh, bug)
	fromListener := views[1].prove(roleListener, fresh, bug)
	switch h.Attack {
	case AttackReflect:
		// The middle man has each side's own proof, and nothing else.
		fromDialer, fromListener = views[1].prove(roleListener, fresh, bug), views[0].prove(roleDialer, fresh, bug)
	case AttackSplice, AttackReplay:
		// Another handshake has other nonces and other challenges; what was recorded is of an earlier one, with nothing tampered.
		other := Handshake{Tampers: h.Tampers}.views()
		if h.Attack == AttackReplay {
			other = Handshake{}.views()
		}
		for i := range other {
			other[i].tuple[ElementConnID] = 0xff
			other[i].hello[ElementConnID], other[i].reply[ElementConnID] = offer{0xf0}, offer{0x0f}
		}
		old := [2]uint8{challengeOld, challengeOld}
		fromDialer, fromListener = other[0].prove(roleDialer, old, bug), other[1].prove(roleListener, old, bug)
	}
	dialer = fromListener == wantFromListener
	// A dialer that is not sure of the listener never shows its own proof; one who plays a recording, or reflects, has it already.
	listener = fromDialer == wantFromDialer && (dialer || h.Attack != AttackNone) && !views[1].refused
	return dialer, listener
}

// meddled says that something was changed on the way: two tampers may undo each other.
func (h Handshake) meddled() bool {
	v := h.views()
	return h.Attack != AttackNone || v[0].hello != v[1].hello || v[0].reply != v[1].reply
}
