package record

// A Subscriber says that one tab subscribes one topic. Nobody but that tab writes it (DATABUS-KEY-005).
type Subscriber struct {
	TopicKey  string `json:"topicKey"`
	TabID     string `json:"tabId"`
	UpdatedAt int64  `json:"updatedAt"`
}

// Encode returns the stored form of s.
func (s *Subscriber) Encode() string {
	fields := s.fields()
	if text, ok := encodeFlat(fields[:]); ok {
		return text
	}
	return encodeAny(*s)
}

// DecodeSubscriber reads what is stored under the key of a subscriber. If it cannot be read, or speaks of another topic or tab than its
// key, cleanup removes it (DATABUS-RECORD-005).
func DecodeSubscriber(key Key, value string) (Subscriber, error) {
	var s Subscriber
	fields := s.fields()
	err := decode(SubscriberFamily, value, fields[:])
	switch {
	case err != nil:
	case s.TopicKey != key.TopicKey:
		err = &Error{SubscriberFamily, "topicKey", "is not that of the key"}
	case s.TabID != key.TabID:
		err = &Error{SubscriberFamily, "tabId", "is not that of the key"}
	}
	if err != nil {
		return Subscriber{}, err
	}
	return s, nil
}

// fields returns the members of s.
func (s *Subscriber) fields() [3]field {
	return [...]field{
		{name: "topicKey", text: &s.TopicKey},
		{name: "tabId", text: &s.TabID},
		{name: "updatedAt", number: &s.UpdatedAt},
	}
}
