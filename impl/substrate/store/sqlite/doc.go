// Package sqlite keeps what the substrate keeps in SQLite: in a file of its own, see [Open], or in the host's database beside the host's
// tables, see [New]. A store of the host's can write inside the host's transactions, see [Store.ApplyIn].
//
// A file is written in WAL mode with synchronous FULL: when Apply has returned nil for a durable batch, the batch is on the disk
// (SUBSTRATE-OUTBOX-001, SUBSTRATE-ACK-002). Batches that wait for one another are written in one transaction, and a batch that is not
// durable waits for one that is, so that it costs no sync of its own.
//
// Keys are text, times are milliseconds since 1970, so that the host can read, count and remove rows of its inbox with SQL
// (SUBSTRATE-OBJ-008):
//
//	SELECT count(*) FROM substrate_inbox WHERE peer = 'gate' AND obj = 'jobs'
package sqlite
