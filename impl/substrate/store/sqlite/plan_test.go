package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// No statement looks at all rows of a table or sorts them: what an op costs does not grow with what is kept.
func TestEveryStatementGoesByAKey(t *testing.T) { // SUBSTRATE-DEDUPE-002
	s := open(t, filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
	for _, text := range s.Texts() {
		args := make([]any, strings.Count(text, "?"))
		rows, err := s.Reader().Query("EXPLAIN QUERY PLAN "+text, args...)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			// SQLite may walk the list that a subquery has made.
			if strings.Contains(detail, "TEMP B-TREE") || strings.HasPrefix(detail, "SCAN substrate_") {
				t.Errorf("%s\nis done by: %s", text, detail)
			}
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
}
