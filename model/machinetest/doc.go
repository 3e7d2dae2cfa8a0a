// Package machinetest holds the tests that every machine of a protocol should pass. Each is one call in a test of the machine's own package: that every
// invariant can fail ([Faults]), that small scopes hold and are as large as ever ([Holds]), that walks put every law to the test ([Walks]), and that the list of
// laws is true ([Laws]).
package machinetest
