package stomptest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientTransactionCases() []conformance.Case {
	needs := conformance.Needs{Options: []string{Transactions}}
	return []conformance.Case{
		{
			ID:       "stomp/client/transaction/begin-names-it",
			Title:    "BEGIN names its transaction",
			Laws:     []string{transactionCarries},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				f := c.Order("begin", fields{"transaction": "tx-1"}).leadsTo(p, "BEGIN")
				c.Check(f.Get("transaction") != "", transactionCarries, "BEGIN requires a transaction header", "transaction", f.String())
			}),
		},
		endsCase("commit", needs),
		endsCase("abort", needs),
		{
			ID:       "stomp/client/transaction/empty",
			Title:    "a transaction without a message begins and ends",
			Laws:     []string{transactionCarries},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				tx := c.begins(p, "tx-1").Get("transaction")
				c.ends(p, "commit", "tx-1", tx)
			}),
		},
		{
			ID:       "stomp/client/transaction/two-open-differ",
			Title:    "two open transactions have different names, and each SEND carries its own",
			Laws:     []string{"STOMP-TX-002", transactionCarries, joinsTransaction},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				one, two := c.begins(p, "tx-1").Get("transaction"), c.begins(p, "tx-2").Get("transaction")
				c.Check(one != two, "STOMP-TX-002", "different transactions have different names", "two names", one+" twice")
				c.joins(p, "tx-2", two, "in the second")
				c.joins(p, "tx-1", one, "in the first")
				c.joins(p, "tx-2", two, "in the second again")
				c.ends(p, "commit", "tx-1", one)
				c.joins(p, "tx-2", two, "still in the second")
				c.ends(p, "abort", "tx-2", two)
			}),
		},
		{
			ID:       "stomp/client/transaction/outside",
			Title:    "a SEND outside of the open transaction does not name it",
			Laws:     []string{joinsTransaction},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.begins(p, "tx-1")
				f := c.Sends(p, "", fields{"body": octets("outside")})
				c.Check(!headerNamed(f, "transaction"), joinsTransaction, "a SEND takes part in a transaction when it is told to", "no transaction", f.String())
				c.Do("commit", fields{"transaction": "tx-1"})
				f = c.Sends(p, "", fields{"body": octets("after")})
				c.Check(!headerNamed(f, "transaction"), joinsTransaction, "a transaction that has ended takes no SEND", "no transaction", f.String())
			}),
		},
		{
			ID:       "stomp/client/transaction/name-used-again",
			Title:    "a name may be used again after COMMIT and after ABORT",
			Laws:     []string{transactionCarries, joinsTransaction},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				for _, end := range []string{"commit", "abort", "commit"} {
					tx := c.begins(p, "tx-1").Get("transaction")
					c.joins(p, "tx-1", tx, "in it")
					c.ends(p, end, "tx-1", tx)
				}
			}),
		},
		{
			ID:       "stomp/client/transaction/name-with-escapes",
			Title:    "a name with a colon and a backslash is written as the version writes it, in every frame",
			Laws:     append([]string{transactionCarries, joinsTransaction}, encodingLaws...),
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				const name = `assay-tx:1\n`
				p, law := c.Connect(), encodingLaw(c.Version())
				begin := c.begins(p, name)
				if !strings.Contains(begin.Get("transaction"), "assay-tx") {
					c.Unsupported("the library names transactions itself: %q", begin.Get("transaction"))
				}
				c.Writes(begin, law, "transaction", name)
				c.Writes(c.Sends(p, joinsTransaction, fields{"transaction": name}), law, "transaction", name)
				c.Do("commit", fields{"transaction": name})
				c.Writes(p.Expect(transactionCarries, "the client commits", "COMMIT", is("COMMIT")), law, "transaction", name)
			}),
		},
		{
			ID:       "stomp/client/transaction/in-order",
			Title:    "the frames of a transaction leave in the user's order",
			Laws:     []string{joinsTransaction},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				p.Drain(anyFrame)
				c.Do("begin", fields{"transaction": "tx-1"})
				for _, body := range numbered("n", 3) {
					c.Do("send", fields{"destination": "/queue/a", "body": octets(body), "text": true, "transaction": "tx-1"})
				}
				c.Do("commit", fields{"transaction": "tx-1"})
				var got []string
				for range 5 {
					got = append(got, p.Expect(joinsTransaction, "each order leads to its frame", "a frame", anyFrame).Command)
				}
				c.CheckEqual(joinsTransaction, "what a transaction holds stands between its BEGIN and its COMMIT", "BEGIN SEND SEND SEND COMMIT", strings.Join(got, " "))
			}),
		},
		{
			ID:       "stomp/client/transaction/with-receipt",
			Title:    "a SEND in a transaction may ask for a receipt",
			Laws:     []string{joinsTransaction, "STOMP-RECEIPT-007"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Transactions, Receipts}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				tx := c.begins(p, "tx-1").Get("transaction")
				w := c.sendsForReceipt(p, fields{"transaction": "tx-1"})
				c.CheckEqual(joinsTransaction, "what belongs to a transaction names it", tx, w.frame.Get("transaction"))
				p.Send(frameOf("RECEIPT", "receipt-id", w.id))
				w.told("a receipt inside a transaction is told")
			}),
		},
	}
}

func endsCase(end string, needs conformance.Needs) conformance.Case {
	return conformance.Case{
		ID: "stomp/client/transaction/" + end, Title: "BEGIN, SEND and " + strings.ToUpper(end) + " name the same transaction",
		Laws: []string{transactionCarries, joinsTransaction}, Versions: every, Needs: needs, Run: runClient(func(c *clientT) {
			p := c.Connect()
			tx := c.begins(p, "tx-1").Get("transaction")
			c.joins(p, "tx-1", tx, "in it")
			c.ends(p, end, "tx-1", tx)
		}),
	}
}

// begins orders a transaction and returns its BEGIN.
func (c *clientT) begins(p *wire, name string) *wireFrame {
	o := c.Order("begin", fields{"transaction": name})
	f := o.leadsTo(p, "BEGIN")
	o.Done()
	if f.Get("transaction") == "" {
		c.Blocked("stomp/client/transaction/begin-names-it", "%s", f)
	}
	return f
}

// joins orders a SEND in a transaction and checks that it names it as its BEGIN did.
func (c *clientT) joins(p *wire, name, tx, body string) {
	f := c.Sends(p, joinsTransaction, fields{"transaction": name, "body": octets(body)})
	c.CheckEqual(joinsTransaction, "what belongs to a transaction names it", tx, f.Get("transaction"))
	c.CheckEqual(joinsTransaction, "the message is the user's", body, string(f.Body))
}

// ends orders COMMIT or ABORT and checks that it names the transaction as its BEGIN did.
func (c *clientT) ends(p *wire, do, name, tx string) {
	c.Do(do, fields{"transaction": name})
	command := strings.ToUpper(do)
	f := p.Expect(transactionCarries, "the transaction ends", command, is(command))
	c.CheckEqual(transactionCarries, command+" names its transaction", tx, f.Get("transaction"))
}
