//go:build !unix

package growth

import "time"

// cpu returns how long processors have worked for this process, 0 where that is not known.
func cpu() time.Duration { return 0 }
