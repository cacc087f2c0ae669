package plaintext_test

import (
	"bytes"
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
		"":                               "",
		"a\rb\r\nc\nd\n\ne\r\rf\r":       "a\nb\nc\nd\n\ne\n\nf\n",
		"\xef\xbb\xbfa\r\n":              "a\n",
		utf16Text("f5d6\r\né🙂\r", true):  "f5d6\né🙂\n",
		utf16Text("f5d6\r\né🙂\r", false): "f5d6\né🙂\n",
		"\xff\xfea\x00b":                 "a\uFFFD",
		"\xff\xfe\x00\xd8a\x00":          "\uFFFDa",
		"caf\xe9\n":                      "caf\xe9\n",
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

// FuzzReader: whatever the bytes, no line ends with CR, text without CR and byte order
// mark stays as it is, and a second reading changes nothing but a mark.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\rb\r\nc\n"))
	f.Add([]byte("\xff\xfef\x005\x00\r\x00\n\x00"))
	f.Add([]byte("\xfe\xff\xd8\x00\x00a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := io.ReadAll(plaintext.NewReader(bytes.NewReader(b)))
		if err != nil || bytes.ContainsRune(got, '\r') {
			t.Fatalf("%q is read as %q, %v", b, got, err)
		}
		slowly, err := io.ReadAll(plaintext.NewReader(iotest.OneByteReader(bytes.NewReader(b))))
		if err != nil || !bytes.Equal(got, slowly) {
			t.Fatalf("%q is read as %q, byte by byte as %q, %v", b, got, slowly, err)
		}
		marked := bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) || bytes.HasPrefix(b, []byte("\xef\xbb\xbf"))
		if !marked && !bytes.ContainsRune(b, '\r') && !bytes.Equal(got, b) {
			t.Fatalf("%q is read as %q", b, got)
		}
	})
}
