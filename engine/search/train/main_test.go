package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/engine/search/eval"
)

// trained runs the program and returns the file it writes.
func trained(t *testing.T, args ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.weights")
	if err := run(t.Context(), append([]string{"-out", out}, args...)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheSameSeedTrainsTheSameWeights(t *testing.T) {
	for _, goal := range []string{"most", "fewest"} {
		args := []string{"-goal", goal, "-quick", "5", "-slow", "4", "-depth", "1", "-epochs", "1"}
		if goal == "most" {
			args = append(args, "../../notation/testdata/WTH_1978.wtb")
		}
		a, b := trained(t, args...), trained(t, args...)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two runs differ", goal)
		}
		if _, err := eval.Read(bytes.NewReader(a)); err != nil {
			t.Errorf("%s: %v", goal, err)
		}
		if goal == "most" {
			continue
		}
		if c := trained(t, append([]string{"-seed", "2"}, args...)...); bytes.Equal(a, c) {
			t.Errorf("%s: another seed makes no difference", goal)
		}
	}
}

func TestMargins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "zero.weights")
	var b bytes.Buffer
	if err := eval.Zero().Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-margins", file, "-quick", "1"}); err != nil {
		t.Error(err)
	}
}

func TestWrongUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "-out is missing"},
		{[]string{"-out", "x", "-goal", "some"}, "want most or fewest"},
		{[]string{"-out", "x", missing}, "missing"},
		{[]string{"-out", "x", "main.go"}, "read main.go"},
		{[]string{"-margins", missing}, "missing"},
		{[]string{"-margins", "main.go"}, "read the weights"},
		{[]string{"-nonsense"}, "nonsense"},
	} {
		if err := run(t.Context(), test.args); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.args, err, test.want)
		}
	}
}
