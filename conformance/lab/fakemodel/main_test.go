package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestLastOrderOfATextCounts(t *testing.T) {
	for text, want := range map[string]order{
		"hello":                              {chunks: 1, size: 2},
		"N=5 S=4 D=0":                        {chunks: 5, size: 4},
		"N=5 S=4 D=0 and N=7 S=1 D=20 T=abc": {chunks: 7, size: 1, delay: 20 * time.Millisecond, word: "abc"},
		"N=-1 S=4 D=0":                       {chunks: 1, size: 2},
	} {
		if got := orderOf(text); got != want {
			t.Errorf("%q orders %+v, want %+v", text, got, want)
		}
	}
	if c := (order{size: 40, word: "w"}).chunk(3); len(c) != 40 || !strings.HasPrefix(c, "000003 w ") {
		t.Errorf("a chunk is filled up to its size: %q", c)
	}
}

func post(t *testing.T, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
	raw, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(raw)
}

// The order is that of the last message of the user, given as a string or in parts.
func TestStreamHasTheChunksThatAreOrdered(t *testing.T) {
	for _, content := range []string{`"N=3 S=1 D=0 T=word"`, `[{"type":"text","text":"N=3 S=1"},{"type":"text","text":"N=3 S=1 D=1 T=word"}]`} {
		code, got := post(t, `{"stream":true,"messages":[{"role":"user","content":"N=9 S=9 D=0"},{"role":"user","content":`+content+`},{"role":"system","content":"N=2 S=2 D=0"}]}`)
		if n := strings.Count(got, `"content":"00000`); code != 200 || n != 3 || strings.Count(got, " word ") != 3 {
			t.Errorf("status %d, %d chunks in %s", code, n, got)
		}
		if !strings.HasSuffix(got, "data: [DONE]\n\n") || !strings.Contains(got, `"finish_reason":"stop"`) || !strings.Contains(got, `"total_tokens":4`) {
			t.Errorf("the stream has an end: %s", got)
		}
	}
	if code, got := post(t, `{"messages":[]}`); code != 200 || !strings.Contains(got, `"object":"chat.completion"`) {
		t.Errorf("without a stream the answer is one: %d %s", code, got)
	}
	if code, _ := post(t, `{`); code != http.StatusBadRequest {
		t.Errorf("what is no request is refused: %d", code)
	}
}

// An order is not carried out for a client that has gone away.
func TestGoneClient(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body := `{"stream":true,"messages":[{"role":"user","content":"N=999999 S=9999999 D=0"}]}`
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)).WithContext(ctx))
	if n := w.Body.Len(); n > 100<<20 {
		t.Errorf("%d octets were written", n)
	}
}
