//go:build race

package doctor_test

const raceDetector = true
