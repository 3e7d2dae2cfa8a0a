package fuzz

// scripted is the first mode in which each octet stands for a piece of a session, so that mutation goes from frame to frame.
const scripted = 128

// spoken is what the octets of a script stand for.
func spoken(octets []byte) []byte {
	pieces := script()
	var out []byte
	for _, o := range octets {
		if piece := pieces[int(o)%len(pieces)]; len(out)+len(piece) <= longestSession {
			out = append(out, piece...)
		}
	}
	return out
}

func script() []string {
	return []string{
		"BEGIN\ntransaction:t\n\n\x00", "COMMIT\ntransaction:t\nreceipt:c\n\n\x00", "ABORT\ntransaction:t\n\n\x00",
		"BEGIN\ntransaction:u\n\n\x00", "COMMIT\ntransaction:u\n\n\x00", "ABORT\ntransaction:u\nreceipt:a\n\n\x00",
		"SEND\ndestination:/queue/a\n\n1\x00", "SEND\ndestination:/queue/a\ntransaction:t\n\n2\x00", "SEND\ndestination:/queue/b\ntransaction:u\n\n3\x00",
		"SEND\ndestination:/topic/a\n\n4\x00", "SEND\ndestination:/topic/a\ntransaction:t\n\n5\x00", "SEND\ndestination:/topic/a\ntransaction:u\nreceipt:s\n\n6\x00",
		"SUBSCRIBE\nid:1\ndestination:/queue/a\n\n\x00", "SUBSCRIBE\nid:2\ndestination:/queue/a\nack:client\n\n\x00",
		"SUBSCRIBE\nid:3\ndestination:/queue/b\nack:client-individual\n\n\x00", "SUBSCRIBE\nid:4\ndestination:/topic/a\nack:client\nreceipt:4\n\n\x00",
		"UNSUBSCRIBE\nid:1\n\n\x00", "UNSUBSCRIBE\nid:2\n\n\x00", "UNSUBSCRIBE\nid:3\nreceipt:3\n\n\x00", "UNSUBSCRIBE\nid:4\n\n\x00",
		"ACK\nid:1\n\n\x00", "ACK\nid:2\ntransaction:t\n\n\x00", "NACK\nid:1\n\n\x00", "NACK\nid:2\ntransaction:u\n\n\x00",
		"DISCONNECT\nreceipt:d\n\n\x00", "\n", "SEND\ndestination:/queue/a\ncontent-length:3\n\na\x00b\x00", "SEND\ndestination:/topic/a\n\nhalf",
		"BOGUS\n", "SEND\n\n\x00",
	}
}

func sessionSeeds() []string {
	send := func(kv, body string) string { return "SEND\ndestination:" + kv + "\n\n" + body + "\x00" }
	sub := func(kv string) string { return "SUBSCRIBE\ndestination:" + kv + "\n\n\x00" }
	tx := func(command, id string) string { return command + "\ntransaction:" + id + "\n\n\x00" }
	return []string{
		send("/queue/a\nreceipt:1", "x") + send("/topic/a\nreceipt:2", "y") + "DISCONNECT\nreceipt:3\n\n\x00" + send("/queue/a", "late"),
		tx("BEGIN", "t") + send("/queue/a\ntransaction:t", "x") + send("/topic/a\ntransaction:t", "y") + tx("COMMIT", "t"),
		tx("BEGIN", "t") + send("/queue/a\ntransaction:t", "x") + send("/topic/b", "y") + tx("ABORT", "t"),
		tx("BEGIN", "t") + send("/topic/a\ntransaction:t", "x"),
		tx("BEGIN", "t") + tx("BEGIN", "u") + send("/topic/a\ntransaction:u", "x") + tx("COMMIT", "u") + "BOGUS\n",
		sub("/queue/a\nid:1\nack:client") + send("/queue/a", "1") + send("/queue/a", "2") + "ACK\nid:2\nsubscription:1\nmessage-id:2\n\n\x00",
		sub("/queue/a\nid:1\nack:client-individual") + send("/queue/a", "1") + "NACK\nid:1\nsubscription:1\nmessage-id:1\n\n\x00",
		sub("/queue/a\nid:1\nack:client") + sub("/queue/b\nid:2\nack:client-individual") + send("/queue/a", "1") + send("/queue/b", "2") + send("/queue/a", "3"),
		sub("/topic/a\nid:1") + send("/topic/a", "1") + "UNSUBSCRIBE\nid:1\nreceipt:u\n\n\x00" + send("/topic/a", "2"),
		"SEND\n\nno destination\x00",
		"ERROR\n\n\x00",
	}
}
