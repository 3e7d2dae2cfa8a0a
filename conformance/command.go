package conformance

import (
	"fmt"
	"strings"
)

// defaultSeed is the seed of a run that is given none.
const defaultSeed = 1

// commandLine returns the command that makes this run again with another selection, to be given in the folder in which
// the run was started; it is empty when nobody said what command that is. The default seed is left out: it says nothing,
// and not every command takes one.
func (cfg Config) commandLine(s Selection) string {
	if cfg.Command == "" {
		return ""
	}
	words := []string{cfg.Command}
	for _, selected := range s.Strings() {
		flag, value, _ := strings.Cut(selected, " ")
		words = append(words, flag, Quote(value))
	}
	if cfg.Seed != defaultSeed && cfg.Seed != 0 {
		words = append(words, fmt.Sprintf("--seed %d", cfg.Seed))
	}
	return strings.Join(words, " ")
}
