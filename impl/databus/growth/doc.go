// Package growth measures the data bus: how what it does grows with the tabs and the topics of an origin, and how fast it is beside the
// original library. It has tests only.
package growth
