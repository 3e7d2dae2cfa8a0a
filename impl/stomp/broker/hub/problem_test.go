package hub

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// STOMP-ERROR-003, STOMP-ERROR-004: what an ERROR shows of the frame at fault: bounded, and never a passcode.
func TestErrorShowsTheFrame(t *testing.T) {
	body := func(p *Problem, f *frame.Frame) string {
		_, text, _ := strings.Cut(string(p.describe(f).Body), "-----\n")
		return strings.TrimSuffix(text, "-----\n")
	}
	p := problem("wrong")
	f := frame.New(frame.CONNECT, "login", "me\x01", "passcode", "secret", "passcodes", "s")
	same(t, "a CONNECT", body(p, f), "CONNECT\nlogin:me\\x01\npasscode:(hidden)\npasscodes:s\n")
	for size, want := range map[int]string{
		0:   "SEND\n",
		1:   "SEND\n\nb\n",
		256: "SEND\n\n" + strings.Repeat("b", 256) + "\n",
		257: "SEND\n\n" + strings.Repeat("b", 256) + "(257 octets in all)\n",
	} {
		f := frame.New(frame.SEND)
		f.Body = []byte(strings.Repeat("b", size))
		same(t, "a body", body(p, f), want)
	}
	// Lines of 128 octets: eight of them are all that is shown, and the next is not begun.
	f = frame.New(frame.SEND)
	for range 8 {
		f.Headers = append(f.Headers, frame.Header{Name: "n", Value: strings.Repeat("v", 126)})
	}
	line := "n:" + strings.Repeat("v", 126) + "\n"
	same(t, "as much as is shown", body(p, f), "SEND\n"+strings.Repeat(line, 8))
	f.Headers = append(f.Headers, f.Headers[:3]...)
	same(t, "more than is shown", body(p, f), "SEND\n"+strings.Repeat(line, 8)+"(3 more headers)\n")
	f.Headers[0].Value = f.Headers[0].Value[1:]
	same(t, "an octet of room", body(p, f), "SEND\n"+strings.Replace(line, "v", "", 1)+strings.Repeat(line, 8)+"(2 more headers)\n")

	same(t, "without a frame", string((&Problem{Text: "wrong", Cause: errors.New("why")}).Frame().Body), "wrong\nwhy\n")
	same(t, "numbers", limit("things", 1, 2).Error(), "too many things: limit 1, found 2")
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""},
		{"a", 0, "..."},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc..."},
		{`"\`, 9, `"\\`},
		{"é", 1, "..."},
		{"éa", 2, `\u00e9...`},
		{"\x80\x80", 1, "..."},
	} {
		same(t, c.text, printable(c.text, c.most), c.want)
	}
}

// What 1.0 cannot say of a message is left out, and the rest is said: STOMP-HDR-003.
func TestMessagesThat10CannotSay(t *testing.T) {
	h := newHub(t, Config{})
	old, modern := open(t, h, "1.0"), open(t, h, "1.2")
	for _, s := range []*Session{old, modern} {
		speak(t, h, s, subscribe("s", "/topic/a", "auto")+"\x00")
	}
	speak(t, h, modern, "SEND\ndestination:/topic/a\nplain:x\nn\\cn:x\nvalue:é\ncontent-length:0\n\n\x00")
	same(t, "1.0", take(t, h, old, 0), "MESSAGE\ndestination:/topic/a\nmessage-id:a-1.1\nsubscription:s\nplain:x\ncontent-length:0\n\n\x00")
	same(t, "1.2", take(t, h, modern, 0),
		"MESSAGE\ndestination:/topic/a\nmessage-id:a-1.2\nsubscription:s\nplain:x\nn\\cn:x\nvalue:é\ncontent-length:0\n\n\x00")
	speak(t, h, modern, "SEND\ndestination:/topic/a\n\n\x00")
	same(t, "without a body", take(t, h, old, 0), "MESSAGE\ndestination:/topic/a\nmessage-id:a-2.1\nsubscription:s\n\n\x00")
	same(t, "delivered", h.Stats().Delivered, 4)
}

// A subscription whose messages could not be said in its version takes none from others: STOMP-SUBSCRIBE-002, STOMP-SUBSCRIBE-010.
func TestSubscriptionsThat10CannotSay(t *testing.T) {
	for _, headers := range []string{"destination:/queue/\u00e9\n", "destination:/topic/\u00e9\nid:s\n", "destination:/queue/a\nid:\x8f\n", "destination:/queue/a\nid:\n"} {
		h := newHub(t, Config{})
		old, modern := open(t, h, "1.0"), open(t, h, "1.2")
		speak(t, h, old, "SUBSCRIBE\n"+headers+"ack:client\n\n\x00")
		if answer := take(t, h, old, 0); !strings.HasPrefix(answer, "ERROR\nmessage:no message for the subscription can be said in this version\n") {
			t.Errorf("%q is answered with %q", headers, answer)
		}
		speak(t, h, modern, send("/queue/a", 1)+"\x00")
		speak(t, h, modern, subscribe("m", "/queue/a", "auto")+"\x00")
		got := h.Stats()
		same(t, "discarded", got.Discarded, 0)
		same(t, "delivered", got.Delivered, 1)
		if err := check(h, []*Session{modern}); err != nil {
			t.Error(err)
		}
	}
}
