// Package child runs one foreign process under supervision: in a process group of its own, with
// bounded log capture, reaped by an owner that always waits, and ended by pid.
//
// Start with [Start]; end with [Process.Stop] or [Process.Kill]. When the process ends for any
// reason, whatever else is left in its group is killed before it is reaped, so that neither a
// zombie nor an orphan outlives it. On Linux the process is also killed when Assay itself dies.
//
// The package knows nothing about brokers: readiness is the caller's matter. It supervises only
// what it started, and must not be used for a daemon that leaves its process group.
package child
