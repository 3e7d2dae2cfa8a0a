/* Two objects, each a stop-and-wait sender and its receiver with three
 * messages, over a data link and an acknowledgement link that hold three
 * messages each and lose and duplicate, and so reorder. One process an object,
 * one d_step an action: the states and steps of linkMachine in links_test.go.
 * A place on a link holds the message's number plus 1, or 0 if it is free.
 */
#define MESSAGES 3

#define TAKE(q)	q[0] = q[1]; q[1] = q[2]; q[2] = 0

#define PUT(q, m) \
	if \
	:: q[0] == 0 -> q[0] = m \
	:: q[0] != 0 && q[1] == 0 -> q[1] = m \
	:: q[0] != 0 && q[1] != 0 && q[2] == 0 -> q[2] = m \
	:: else \
	fi

/* Scratch within a d_step, kept out of the state. */
hidden byte m;

active [2] proctype object()
{
	byte acked, expected, got;
	byte data[3];
	byte ack[3];
end:	do
	:: d_step { acked < MESSAGES && data[2] == 0 -> PUT(data, acked + 1) }
	:: d_step { data[0] != 0 ->
		m = data[0];
		TAKE(data);
		if
		:: m == expected + 1 ->
			expected++;
			got = got + (1 << (2 * (m - 1)));
			assert(((got >> (2 * (m - 1))) & 3) == 1)
		:: else
		fi;
		PUT(ack, m) }
	:: d_step { data[0] != 0 -> TAKE(data) }
	:: d_step { data[0] != 0 && data[2] == 0 -> PUT(data, data[0]) }
	:: d_step { ack[0] != 0 ->
		m = ack[0];
		TAKE(ack);
		if
		:: m == acked + 1 -> acked++
		:: else
		fi }
	:: d_step { ack[0] != 0 -> TAKE(ack) }
	:: d_step { ack[0] != 0 && ack[2] == 0 -> PUT(ack, ack[0]) }
	od
}
