//go:build race

package calibrate_test

// racing says that the race detector makes everything ten times slower.
const racing = true
