package plaintext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"reversi-board/engine/plaintext"
)

// hidden are characters that change the line around them, by their code points.
func hidden() []string {
	points := []rune{
		0x00, 0x07, 0x08, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029,
		0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0xFEFF,
	}
	texts := make([]string, 0, len(points)+2)
	for _, r := range points {
		texts = append(texts, string(r))
	}
	return append(texts, "\xff", "\xc3")
}

func TestParseRefusesHiddenCharacters(t *testing.T) {
	for _, h := range hidden() {
		text := "Ana" + h + "Lima"
		if got, err := plaintext.Parse("name", text, 64); err == nil {
			t.Errorf("Parse(%q) = %q, want it refused", text, got)
		} else if shown := err.Error(); strings.Contains(shown, h) || !strings.HasPrefix(shown, "name ") {
			t.Errorf("the error %q shows the character raw, or not the name of the text", shown)
		}
		if got := plaintext.Clean(text, 64).String(); strings.Contains(got, h) || !strings.HasPrefix(got, "Ana") || !strings.HasSuffix(got, "Lima") {
			t.Errorf("Clean(%q) = %q, want the character replaced", text, got)
		}
		if got := plaintext.EscapeLine(text); strings.Contains(got, h) || !strings.Contains(got, `\`) {
			t.Errorf("EscapeLine(%q) = %q, want the character visible", text, got)
		}
	}
}

func TestParseTakesNamesOfAllScripts(t *testing.T) {
	for _, name := range []string{"Ana Lima", "Jürgen Groß", "井上 博", "علی\u200cرضا", "אילן", "क्षमा", "👩\u200d💻", "O'Neill-Łoś"} {
		got, err := plaintext.Parse("name", name, 64)
		if err != nil || got.String() != name {
			t.Errorf("Parse(%q) = %q, %v", name, got, err)
		}
	}
	if _, err := plaintext.Parse("name", strings.Repeat("é", 65), 64); err == nil {
		t.Error("65 characters were taken where 64 are allowed")
	}
	if _, err := plaintext.Parse("name", strings.Repeat("é", 64), 64); err != nil {
		t.Errorf("64 characters: %v", err)
	}
}

func TestJSONOfTextIsThatOfItsString(t *testing.T) {
	type form struct {
		Name plaintext.Text `json:"name,omitzero"`
	}
	got, err := json.Marshal(form{plaintext.Const("Ana & Bo")})
	if err != nil || string(got) != `{"name":"Ana \u0026 Bo"}` {
		t.Errorf("Marshal = %s, %v", got, err)
	}
	if got, err := json.Marshal(form{}); err != nil || string(got) != "{}" {
		t.Errorf("Marshal of nothing = %s, %v", got, err)
	}
	var back form
	if err := json.Unmarshal([]byte(`{"name":"Ana\u001b[2J"}`), &back); err == nil {
		t.Errorf("Unmarshal took a control character: %q", back.Name)
	}
	if err := json.Unmarshal([]byte(`{"name":"Ana"}`), &back); err != nil || back.Name != plaintext.Const("Ana") {
		t.Errorf("Unmarshal = %q, %v", back.Name, err)
	}
}

func TestEscapeKeepsJSON(t *testing.T) {
	text := "{\"a\":\"x\u202ey\u007f\u009bz\"}"
	var before, after map[string]string
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(plaintext.Escape(text)), &after); err != nil || before["a"] != after["a"] {
		t.Errorf("Escape changed a JSON document: %q, %v", after["a"], err)
	}
}

func FuzzText(f *testing.F) {
	f.Add("Ana\x1b[2J")
	f.Add("\u202eevil\xff\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		clean := plaintext.Clean(text, 64).String()
		if again, err := plaintext.Parse("text", clean, 64); err != nil || again.String() != clean {
			t.Fatalf("Clean(%q) = %q, which Parse refuses: %v", text, clean, err)
		}
		if parsed, err := plaintext.Parse("text", text, 64); err == nil && parsed.String() != strings.TrimSpace(text) {
			t.Fatalf("Parse changed %q to %q", text, parsed)
		} else if err == nil && plaintext.Clean(parsed.String(), plaintext.MaxLine) != parsed {
			t.Fatalf("Clean changes %q, which Parse returns", parsed)
		}
		for _, shown := range []string{plaintext.EscapeLine(text), plaintext.CleanComment(text, 64).String()} {
			if !utf8.ValidString(shown) || strings.ContainsFunc(strings.ReplaceAll(shown, "\n", ""), plaintext.Hidden) {
				t.Fatalf("%q is shown as %q", text, shown)
			}
		}
	})
}
