package substratemodel

import (
	"bytes"
	"slices"
)

// A Party is one side of a handshake, with all that it brings and draws.
type Party struct {
	Dials bool
	Offer Offer
	Peer  string
	Epoch [8]byte
	// Keys has the key that is shared with each peer that is known. Nil: auth is "none".
	Keys map[string][32]byte
	// Nonce and Challenge are drawn anew for each connection. Decoy is a key that nobody has: it stands in for that of a peer that is not known, which must not be told from one with
	// another key. SUBSTRATE-AUTH-007
	Nonce     [16]byte
	Challenge [32]byte
	Decoy     [32]byte
	// Age is how old the connection is, in milliseconds, when it hears.
	Age int64
}

// Bounds before ready. SUBSTRATE-HANDSHAKE-008
const (
	maxAge          = 5000
	maxHeardOctets  = 65536
	challengeOctets = 32
)

// A Heard is what a party has come to.
type Heard struct {
	Sends    [][]byte // all that it has sent
	Ready    *Agreed  // it is ready
	Closed   int      // the code that it has ended the connection with
	Messages int      // how many it has heard
}

// An Agreed is what a party that is ready holds. SUBSTRATE-HANDSHAKE-003
type Agreed struct {
	Tuple      Tuple
	Transcript [32]byte
	Peer       string
	Epoch      string
}

// Hear says what a party has come to that was sent these messages, as far as they reach: what follows the one that makes it ready, or end, is not heard. It is a function
// of the whole: which message means what follows from its place. SUBSTRATE-HANDSHAKE-001, SUBSTRATE-AUTH-007
func (p Party) Hear(messages [][]byte) Heard {
	c := conversation{Party: p}
	if p.Dials {
		c.mine = Hello{p.Offer, p.Peer, string(p.Nonce[:]), string(p.Epoch[:])}.Encode(false)
		c.send(c.mine)
	}
	steps := c.steps()
	heard := 0
	for i, b := range messages {
		if c.out.Closed != 0 || i == len(steps) {
			break
		}
		heard += len(b)
		c.out.Messages++
		c.hear(b, heard, steps[i])
	}
	if c.out.Closed == 0 && len(messages) >= len(steps) {
		c.out.Ready = &c.agreed
	}
	return c.out
}

// A conversation is a handshake while it is heard.
type conversation struct {
	Party
	out    Heard
	agreed Agreed

	mine                  []byte // the hello of this side
	key                   [32]byte
	known                 bool
	fromDialer, fromOther []byte // challenges: of the dialer, and of the listener
}

func (c *conversation) send(b []byte)  { c.out.Sends = append(c.out.Sends, b) }
func (c *conversation) close(code int) { c.out.Closed = code }
func (c *conversation) proves() bool   { return c.Keys != nil }
func (c *conversation) prove(role string) []byte {
	return Prove(c.key, role, c.agreed.Transcript, c.fromDialer, c.fromOther)
}

// steps are what the messages mean, in their order.
func (c *conversation) steps() []func(Item, []byte) {
	switch {
	case c.Dials && c.proves():
		return []func(Item, []byte){c.helloOK, c.response, c.ready}
	case c.Dials:
		return []func(Item, []byte){c.helloOK, c.ready}
	case c.proves():
		return []func(Item, []byte){c.hello, c.challenge, c.proof, c.ready}
	}
	return []func(Item, []byte){c.hello, c.ready}
}

// hear judges what every message is held to, and lets step do the rest.
func (c *conversation) hear(b []byte, heard int, step func(Item, []byte)) {
	// SUBSTRATE-HANDSHAKE-008
	if c.Age > maxAge || heard > maxHeardOctets {
		c.close(CloseTimedOut)
		return
	}
	it, err := DecodeItem(b)
	_, noFrame := DecodeWire(b)
	// SUBSTRATE-WIRE-006
	if err != nil || noFrame == 0 {
		c.close(CloseBadProtocol)
		return
	}
	step(it, b)
}

// hello: a listener chooses. SUBSTRATE-HANDSHAKE-004, SUBSTRATE-HANDSHAKE-006
func (c *conversation) hello(it Item, b []byte) {
	h, ok := readHello(it, false)
	t, agreed := h.Choose(c.Offer)
	if !ok || !agreed || h.Nonce == string(c.Nonce[:]) {
		c.close(CloseDisagreed)
		return
	}
	c.mine = Hello{
		Offer{[]uint64{t.Version}, t.Features, []string{t.Auth}, []string{t.Codec}, []string{t.Seal}, []string{t.Sign}},
		c.Peer, string(c.Nonce[:]), string(c.Epoch[:]),
	}.Encode(true)
	t.ConnID = ConnID([]byte(h.Nonce), c.Nonce[:])
	c.meet(h, t, b, c.mine)
	c.send(c.mine)
	if !c.proves() {
		c.sayReady()
	}
}

// helloOK: a dialer chooses again, from its own offer and what was chosen, and comes to the same. SUBSTRATE-HANDSHAKE-006
func (c *conversation) helloOK(it Item, b []byte) {
	h, ok := readHello(it, true)
	t, agreed := c.Offer.Choose(h.Offer)
	if !ok || !agreed || !slices.Equal(t.Features, h.Features) || h.Nonce == string(c.Nonce[:]) {
		c.close(CloseDisagreed)
		return
	}
	t.ConnID = ConnID(c.Nonce[:], []byte(h.Nonce))
	c.meet(h, t, c.mine, b)
	if c.proves() {
		c.send(Map(Member{"t", Text("challenge")}, Member{"c", Octets(c.Challenge[:])}).Encode())
	}
}

// meet: the key is that of whom the other side claims to be. SUBSTRATE-AUTH-008
func (c *conversation) meet(h Hello, t Tuple, dialer, listener []byte) {
	c.agreed = Agreed{t, Transcript(dialer, listener, t), h.Peer, h.Epoch}
	c.key, c.known = c.Keys[h.Peer]
	if !c.known {
		c.key = c.Decoy
	}
}

func (c *conversation) challenge(it Item, _ []byte) {
	theirs, ok := octetsOf(it, "c", challengeOctets)
	if !ok || !messageOf(it, "challenge", "c") {
		c.close(CloseDisagreed)
		return
	}
	c.fromDialer, c.fromOther = theirs, c.Challenge[:]
	c.send(Map(Member{"t", Text("response")}, Member{"c", Octets(c.Challenge[:])}, Member{"proof", Octets(c.prove("listener"))}).Encode())
}

// response: a dialer proves nothing to one that has not proven itself. SUBSTRATE-AUTH-004
func (c *conversation) response(it Item, _ []byte) {
	theirs, ok := octetsOf(it, "c", challengeOctets)
	if !ok || !messageOf(it, "response", "c", "proof") {
		c.close(CloseDisagreed)
		return
	}
	c.fromDialer, c.fromOther = c.Challenge[:], theirs
	if c.verify(it, "listener") {
		c.send(Map(Member{"t", Text("proof")}, Member{"proof", Octets(c.prove("dialer"))}).Encode())
	}
}

func (c *conversation) proof(it Item, _ []byte) {
	if !messageOf(it, "proof", "proof") {
		c.close(CloseDisagreed)
		return
	}
	if c.verify(it, "dialer") {
		c.sayReady()
	}
}

// verify holds the proof of the other side, whose role is given, against the one that there must be. SUBSTRATE-AUTH-005, SUBSTRATE-AUTH-007
func (c *conversation) verify(it Item, role string) bool {
	theirs, ok := octetsOf(it, "proof", 32)
	switch {
	case !ok:
		c.close(CloseDisagreed)
	case !c.known || !bytes.Equal(theirs, c.prove(role)):
		c.close(CloseUnproven)
	}
	return c.out.Closed == 0
}

// ready: without proofs the hashes of the transcript are compared. SUBSTRATE-AUTH-006
func (c *conversation) ready(it Item, _ []byte) {
	fine := messageOf(it, "ready")
	if !c.proves() {
		th, ok := octetsOf(it, "th", 32)
		fine = ok && messageOf(it, "ready", "th") && bytes.Equal(th, c.agreed.Transcript[:])
	}
	if !fine {
		c.close(CloseDisagreed)
		return
	}
	if c.Dials {
		c.sayReady()
	}
}

func (c *conversation) sayReady() {
	m := Map(Member{"t", Text("ready")})
	if !c.proves() {
		m.Members = append(m.Members, Member{"th", Octets(c.agreed.Transcript[:])})
	}
	c.send(m.Encode())
}
