package stomptest

import "testing"

func TestWhereNamesFrameAndOctet(t *testing.T) {
	frames := []string{"BEGIN\n\n\x00", "SEND\n\n\x00"}
	for _, c := range []struct {
		at   int
		want string
	}{
		{0, "cut in frame 1 behind octet 0 of 8"},
		{8, "cut in frame 1 behind octet 8 of 8"},
		{9, "cut in frame 2 behind octet 1 of 7"},
		{15, "cut in frame 2 behind octet 7 of 7"},
		{16, "cut behind the last frame"},
	} {
		if got := where(frames, c.at); got != c.want {
			t.Errorf("where(%d) = %q, want %q", c.at, got, c.want)
		}
	}
}

func TestNumberOfFindsWholeBodiesOnly(t *testing.T) {
	if m := numberOf.FindStringSubmatch(bodyOf("0017")); m == nil || m[1] != "0017" {
		t.Errorf("a whole body gives %q, want its number 0017", m)
	}
	whole := bodyOf("0017")
	for n := range whole {
		if numberOf.MatchString(whole[:n]) {
			t.Errorf("a body cut to %d octets passes for a whole one", n)
		}
	}
}
