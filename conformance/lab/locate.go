package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// program returns the absolute path of a command.
func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", missingError("program " + name)
	}
	return filepath.Abs(path)
}

// newest returns the match of pattern with the highest version, which is what the star stands
// for. The pattern has one star.
func newest(pattern string) (path, version string, err error) {
	before, after, _ := strings.Cut(pattern, "*")
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return "", "", fmt.Errorf("look for %s: %w", pattern, err)
	}
	star := func(m string) string { return strings.TrimSuffix(strings.TrimPrefix(m, before), after) }
	matches = slices.DeleteFunc(matches, func(m string) bool { return !startsWithDigit(star(m)) })
	if len(matches) == 0 {
		return "", "", missingError(pattern)
	}
	path = slices.MaxFunc(matches, func(a, b string) int { return compareVersions(star(a), star(b)) })
	return path, star(path), nil
}

func startsWithDigit(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

// compareVersions compares dotted numbers; a part that is not a number counts as its leading digits.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	return slices.CompareFunc(as, bs, func(x, y string) int { return leadingNumber(x) - leadingNumber(y) })
}

func leadingNumber(s string) int {
	end := 0
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[:end])
	return n
}

var javaVersion = regexp.MustCompile(`version "([0-9]+)`)

// java returns the Java launcher if it is at least of the given release.
func java(ctx context.Context, release int) (string, error) {
	path, err := program("java")
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run %s -version: %w", path, err)
	}
	m := javaVersion.FindSubmatch(out)
	if m == nil {
		return "", missingError(fmt.Sprintf("Java %d (%s does not say its version)", release, path))
	}
	if n, _ := strconv.Atoi(string(m[1])); n < release {
		return "", missingError(fmt.Sprintf("Java %d (%s is Java %d)", release, path, n))
	}
	return path, nil
}

// files checks that every path exists.
func files(paths ...string) error {
	for _, p := range paths {
		if _, err := os.Stat(p); err != nil {
			return missingError(p)
		}
	}
	return nil
}
