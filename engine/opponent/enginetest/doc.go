// Package enginetest is a program for tests that plays Othello badly on
// purpose: the test binary starts itself again as a fake engine that speaks GTP
// or NBoard with the habits of real programs, and misbehaves as it is told.
//
// It is no engine: it plays the first legal square it finds.
//
//	func TestMain(m *testing.M) {
//		enginetest.Main()
//		os.Exit(m.Run())
//	}
//
//	command := enginetest.Command(enginetest.Edax, "die@3")
package enginetest
