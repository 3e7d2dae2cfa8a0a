package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An order is what one answer consists of: N chunks of at least S octets, D milliseconds apart, each of which holds the word T.
type order struct {
	chunks, size int
	delay        time.Duration
	word         string
}

var wanted = regexp.MustCompile(`N=(\d{1,6}) S=(\d{1,7}) D=(\d{1,5})(?: T=(\S+))?`)

// orderOf reads the last order in a text; a text without one gets one chunk of two octets.
func orderOf(text string) order {
	found := wanted.FindAllStringSubmatch(text, -1)
	if found == nil {
		return order{chunks: 1, size: 2}
	}
	last := found[len(found)-1]
	number := func(i int) int {
		n, _ := strconv.Atoi(last[i]) // the expression admits nothing else
		return n
	}
	return order{number(1), number(2), time.Duration(number(3)) * time.Millisecond, last[4]}
}

// chunk returns the text of chunk i.
func (o order) chunk(i int) string {
	s := fmt.Sprintf("%06d %s ", i, o.word)
	if len(s) < o.size {
		s += strings.Repeat("x", o.size-len(s))
	}
	return s
}

// A request is what is read of a request; everything else in it is ignored.
type request struct {
	Stream   bool
	Messages []struct {
		Role    string
		Content json.RawMessage // a string, or a list of parts
	}
}

// asks returns the text of the last message of the user.
func (r request) asks() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := r.Messages[i]
		if m.Role != "user" {
			continue
		}
		var text string
		if json.Unmarshal(m.Content, &text) == nil {
			return text
		}
		var parts []struct{ Text string }
		_ = json.Unmarshal(m.Content, &parts) // neither text nor parts: nothing is asked
		for _, p := range parts {
			text += p.Text + "\n"
		}
		return text
	}
	return ""
}

type message struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`
}

type choice struct {
	Index   int      `json:"index"`
	Delta   *message `json:"delta,omitempty"`
	Message *message `json:"message,omitempty"`
	Finish  *string  `json:"finish_reason"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int      `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

// maxRequest bounds what is read of one request, in octets.
const maxRequest = 64 << 20

// handler answers every request for a completion with what it asks for.
func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", answer)
	return mux
}

// answer streams the chunks that the last message of the user orders, or sends them as one if no stream is asked for.
// Without a delay all chunks are written in one piece, so that whoever relays them gets them at once.
func answer(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o := orderOf(req.asks())
	out := completion{ID: "fake", Object: "chat.completion.chunk", Created: 1, Model: "fake"}
	stop := "stop"
	sum := &usage{Prompt: 1, Completion: o.chunks, Total: 1 + o.chunks}
	if !req.Stream {
		out.Object, out.Usage = "chat.completion", sum
		out.Choices = []choice{{Message: &message{Role: "assistant", Content: o.chunk(0)}, Finish: &stop}}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	body := bufio.NewWriterSize(w, 1<<20)
	send := func(c completion) {
		data, _ := json.Marshal(c) // strings and numbers cannot fail
		fmt.Fprintf(body, "data: %s\n\n", data)
	}
	flush := http.NewResponseController(w).Flush
	for i := range o.chunks {
		out.Choices = []choice{{Delta: &message{Role: "assistant", Content: o.chunk(i)}}}
		send(out)
		if r.Context().Err() != nil {
			return
		}
		if o.delay == 0 {
			continue
		}
		if body.Flush() != nil || flush() != nil {
			return
		}
		select {
		case <-time.After(o.delay):
		case <-r.Context().Done():
			return
		}
	}
	out.Choices, out.Usage = []choice{{Delta: &message{}, Finish: &stop}}, sum
	send(out)
	fmt.Fprint(body, "data: [DONE]\n\n")
	_ = body.Flush() // a peer that has gone away needs no answer
}
