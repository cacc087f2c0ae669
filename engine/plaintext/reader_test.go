package plaintext_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"reversi-board/engine/plaintext"
)

// utf16Text is text in UTF-16 with a byte order mark.
func utf16Text(text string, little bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
		high, low := byte(u>>8), byte(u)
		if little {
			high, low = low, high
		}
		b.WriteByte(high)
		b.WriteByte(low)
	}
	return b.String()
}

func TestReaderGivesLineFeedsAndUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"a\rb\r\nc\nd\n\ne\r\rf\r":        "a\nb\nc\nd\n\ne\n\nf\n",
		"\xef\xbb\xbfa\r\n":               "a\n",
		utf16Text("f5d6\r\né🙂\r", true):  "f5d6\né🙂\n",
		utf16Text("f5d6\r\né🙂\r", false): "f5d6\né🙂\n",
		"\xff\xfea\x00b":                  "a\uFFFD",
		"\xff\xfe\x00\xd8a\x00":           "\uFFFDa",
		"caf\xe9\n":                       "caf\xe9\n",
	} {
		for name, in := range map[string]io.Reader{
			"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		} {
			got, err := io.ReadAll(plaintext.NewReader(in))
			if err != nil || string(got) != want {
				t.Errorf("%s: %q is read as %q, %v; want %q", name, text, got, err, want)
			}
		}
	}
	if err := iotest.TestReader(plaintext.NewReader(strings.NewReader("a\r\nb\rc")), []byte("a\nb\nc")); err != nil {
		t.Error(err)
	}
	broken := iotest.ErrReader(io.ErrClosedPipe)
	if _, err := io.ReadAll(plaintext.NewReader(broken)); err != io.ErrClosedPipe { //nolint:errorlint // it must stay the same
		t.Errorf("an error of the file is told as %v", err)
	}
}
