package otelsink

// MaxSets lets tests reach the bound.
const MaxSets = maxSets
