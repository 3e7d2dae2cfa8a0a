package mutants

import (
	"slices"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/fuzz"
)

// ByVectors returns which of the laws the reference breaks by the testimony of the corpus vectors that cite them.
func ByVectors(laws []string) (Verdict, error) {
	v := Verdict{Caught: map[string]string{}}
	vectors, err := corpus.Vectors()
	if err != nil {
		return v, err
	}
	for _, vector := range vectors {
		cites := slices.ContainsFunc(vector.Laws, func(law string) bool { return slices.Contains(laws, law) })
		if !cites || fuzz.RunVector(vector) == nil {
			continue
		}
		for _, law := range vector.Laws {
			if slices.Contains(laws, law) && v.Caught[law] == "" {
				v.Caught[law] = "vector " + vector.Name
			}
		}
	}
	return v, nil
}
