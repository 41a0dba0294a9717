package modedit_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/torchlight/modedit"
)

// TestCorpusStrings tests PO and CSV with the texts of all mods: unchanged texts give the same mod; translated texts
// change only these values; translating them back restores the mod.
func TestCorpusStrings(t *testing.T) {
	total := 0
	for name, data := range realMods(t) {
		texts, err := modedit.OfMod(open(t, data), modedit.Options{}).Texts(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		total += len(texts)
		t.Run("msgfmt", func(t *testing.T) { msgfmt(t, modedit.FormatPO(texts, name, "de")) })
		translated, back := make([]modedit.Text, len(texts)), make([]modedit.Text, len(texts))
		for i, text := range texts {
			text.Translation = "«" + text.Value + "»"
			translated[i] = text
			text.Value, text.Translation = text.Translation, text.Value
			back[i] = text
		}
		for way, exchange := range map[string]func([]modedit.Text) []modedit.Text{
			"po": func(list []modedit.Text) []modedit.Text {
				out := modedit.FormatPO(list, "x", "de")
				list, fuzzy, err := modedit.ParsePO(out)
				if err != nil || fuzzy > 0 {
					t.Fatal(err)
				}
				return list
			},
			"csv": func(list []modedit.Text) []modedit.Text {
				list, err := modedit.ParseCSV(modedit.FormatCSV(list))
				if err != nil {
					t.Fatal(err)
				}
				return list
			},
		} {
			put := func(data []byte, list []modedit.Text) []byte {
				got, changes, missed := edit(t, data, func(e *modedit.Editor) error { return second(e.Translate(exchange(list))) })
				if len(missed) > 0 {
					t.Errorf("%s: %s: %v", name, way, missed)
				}
				if len(changes) > 0 && way == "po" && got[0] == 4 {
					sane(t, name, data, got, changes)
				}
				return got
			}
			if got := put(data, texts); !bytes.Equal(got, data) {
				t.Errorf("%s: out to %s and back it is another mod", name, way)
			}
			there := put(data, translated)
			now, err := modedit.OfMod(open(t, there), modedit.Options{}).Texts(t.Context(), "")
			if err != nil || len(now) != len(texts) {
				t.Fatalf("%s: %v, %d texts became %d", name, err, len(texts), len(now))
			}
			for i := range now {
				if now[i].Value != translated[i].Translation {
					t.Errorf("%s: %s: %+v became %q", name, way, texts[i], now[i].Value)
				}
			}
			was, is := contents(t, data), contents(t, put(there, back))
			for path, content := range was {
				if is[path] != content {
					t.Errorf("%s: %s: %s is another after there and back", name, way, path)
				}
			}
		}
	}
	t.Logf("%d texts", total)
	if total == 0 {
		t.Error("no texts")
	}
}

// msgfmt checks a PO file with the program of gettext.
func msgfmt(t *testing.T, data []byte) {
	program := judge.Find(t, "msgfmt")
	name := filepath.Join(t.TempDir(), "x.po")
	judge.Write(t, name, data)
	if out, err := exec.Command(program, "--check-header", "--check-domain", "-o", os.DevNull, name).CombinedOutput(); err != nil {
		t.Errorf("msgfmt: %v: %s", err, out)
	}
}

const speaking = "[SKILL]\n<STRING>NAME:A\n<TRANSLATE>DISPLAYNAME:Leap\n<TRANSLATE>DESCRIPTION:One\\nTwo\n[X]\n" +
	"<TRANSLATE>TITLE:Leap\n[/X]\n[X]\n<TRANSLATE>TITLE:Jump\n[/X]\n[/SKILL]"

func TestStrings(t *testing.T) {
	const path = "MEDIA/SKILLS/A.DAT"
	data := made(t, map[string]string{path: speaking, "MEDIA/X.DDS": "x"})
	texts, _ := modedit.OfMod(open(t, data), modedit.Options{}).Texts(t.Context(), "")
	if len(texts) != 4 || texts[1].Value != "One\nTwo" || texts[3].Node != "SKILL.X[2].TITLE" || texts[3].Path != path {
		t.Errorf("%+v", texts)
	}
	if po := string(modedit.FormatPO(texts, "M", "DE")); strings.Count(po, `msgid "Leap"`) != 1 ||
		!strings.Contains(po, "#. MEDIA/SKILLS/A.DAT: SKILL.X.TITLE\n") || !strings.Contains(po, "Language: de") {
		t.Error(po)
	}
	po := "msgid \"Leap\"\nmsgstr \"Sprung\"\n\n#, fuzzy\nmsgid \"Jump\"\nmsgstr \"Hupf\"\n\nmsgid \"One\\nTwo\"\n" +
		"msgstr \"Eins\\nZwei\"\n\nmsgid \"None\"\nmsgstr \"Nichts\"\n"
	list, fuzzy, err := modedit.ParseTexts("a.PO", []byte(po))
	if err != nil || fuzzy != 1 || len(list) != 3 {
		t.Fatalf("%v %d %+v", err, fuzzy, list)
	}
	got, changes, missed := edit(t, data, func(e *modedit.Editor) error { return second(e.Translate(list)) })
	if s := said(t, got, path); s != `NAME:A DISPLAYNAME:Sprung DESCRIPTION:Eins\nZwei TITLE:Sprung TITLE:Jump` ||
		len(changes) != 1 || changes[0].Count != 3 || len(missed) != 1 {
		t.Errorf("%s %+v %v", s, changes, missed)
	}

	// Translations are written to the file of a language and read from it.
	got, _, _ = edit(t, data, func(e *modedit.Editor) error { return second(e.AddTranslations("de", list)) })
	const file = "MEDIA/TRANSLATIONS/DE/MADE_STRINGS.DAT"
	if s := said(t, got, file); s != `ORIGINAL:Leap TRANSLATION:Sprung ORIGINAL:One\nTwo TRANSLATION:Eins\nZwei `+
		`ORIGINAL:None TRANSLATION:Nichts` {
		t.Error(s)
	}
	texts, err = modedit.OfMod(open(t, got), modedit.Options{}).Texts(t.Context(), "DE")
	if err != nil || len(texts) != 5 || texts[0].Translation != "Sprung" || texts[1].Translation != "Eins\nZwei" ||
		texts[3].Translation != "" || texts[4] != (modedit.Text{Path: file, Node: "TRANSLATIONS.TRANSLATION[3].ORIGINAL",
		Value: "None", Translation: "Nichts"}) {
		t.Errorf("%v %+v", err, texts)
	}
	again, changes, _ := edit(t, got, func(e *modedit.Editor) error { return second(e.AddTranslations("DE", texts)) })
	if !bytes.Equal(again, got) || len(changes) > 0 {
		t.Errorf("%+v", changes)
	}
	more, _, _ := edit(t, got, func(e *modedit.Editor) error {
		return second(e.AddTranslations("DE", []modedit.Text{{Value: "Leap", Translation: "Satz"}, {Value: "Jump", Translation: "Hupf"}}))
	})
	if s := said(t, more, file); !strings.HasPrefix(s, "ORIGINAL:Leap TRANSLATION:Satz ") ||
		!strings.HasSuffix(s, " ORIGINAL:Jump TRANSLATION:Hupf") {
		t.Error(s)
	}

	// Invalid translations and languages are errors.
	e := modedit.OfMod(open(t, data), modedit.Options{})
	for what, err := range map[string]error{
		"two":      second(e.Translate([]modedit.Text{{Value: "Leap", Translation: "a"}, {Value: "Leap", Translation: "b"}})),
		"cr":       second(e.Translate([]modedit.Text{{Value: "Leap", Translation: "a\rb"}})),
		"language": second(e.AddTranslations("../x", nil)),
		"name":     third(modedit.ParseTexts("x.doc", nil)),
		"column":   second2(modedit.ParseCSV([]byte("file,node\n"))),
		"half":     second2(modedit.ParseCSV([]byte("file,node,original,translation\nA,,b,c\n"))),
		"latin":    second2(modedit.ParseCSV([]byte("original,translation\n\xff,\xfe\n"))),
		"quote":    second2(modedit.ParseCSV([]byte("original,translation\n\"a,b\n"))),
		"empty":    second2(modedit.ParseCSV(nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	list, err = modedit.ParseCSV([]byte("Translation;original;note\r\nSprung;Leap;\r\n;Jump\r\n"))
	if err != nil || len(list) != 2 || list[0] != (modedit.Text{Value: "Leap", Translation: "Sprung"}) {
		t.Errorf("%v %+v", err, list)
	}
}

// TestTranslationFile tests that the list of translations that the file of a language names is read and written.
func TestTranslationFile(t *testing.T) {
	const list = "[TRANSLATIONS]\n[TRANSLATION]\n<STRING>ORIGINAL:Wolf\n<STRING>TRANSLATION:Loup\n[/TRANSLATION]\n[/TRANSLATIONS]"
	const language, file = "MEDIA/TRANSLATIONS/FRENCH.DAT", "MEDIA/TEXTS/FRENCH/ALL.DAT"
	named := map[string]string{language: "[LANGUAGE]\n[A]\n<STRING>TRANSLATIONFILE:media\\texts\\french\\all.dat\n[/A]\n[/LANGUAGE]"}
	for _, there := range []bool{true, false} {
		if named[file] = list; !there {
			delete(named, file)
		}
		data := made(t, named)
		texts, err := modedit.OfMod(open(t, data), modedit.Options{}).Texts(t.Context(), "french")
		if want := (modedit.Text{Path: file, Node: "TRANSLATIONS.TRANSLATION.ORIGINAL", Value: "Wolf", Translation: "Loup"}); err != nil ||
			there && (len(texts) != 1 || texts[0] != want) {
			t.Errorf("%+v, %v", texts, err)
		}
		got, _, _ := edit(t, data, func(e *modedit.Editor) error {
			return second(e.AddTranslations("FRENCH", []modedit.Text{{Value: "Fox", Translation: "Renard"}}))
		})
		want := "ORIGINAL:Fox TRANSLATION:Renard"
		if there {
			want = "ORIGINAL:Wolf TRANSLATION:Loup " + want
		}
		if s := said(t, got, file); s != want {
			t.Errorf("%s, want %s", s, want)
		}
	}
	// A list alone is translated in its place.
	e := modedit.OfFile("TRANSLATION.DAT", []byte(list), modedit.Options{})
	texts, err := e.Texts(t.Context(), "")
	if err != nil || len(texts) != 1 || texts[0].Value != "Wolf" || texts[0].Translation != "Loup" {
		t.Errorf("%+v, %v", texts, err)
	}
	texts[0].Translation = "Le loup"
	n, err := e.Translate(texts)
	out, fileErr := e.File()
	if want := strings.Replace(list, ":Loup", ":Le loup", 1); n != 1 || err != nil || fileErr != nil || string(out) != want {
		t.Errorf("%d, %v, %v: %s", n, err, fileErr, out)
	}
}

func third[A, B any](_ A, _ B, err error) error { return err }
func second2[A any](_ A, err error) error       { return err }

func FuzzParseCSV(f *testing.F) {
	f.Add([]byte("file,node,original,translation\nA,B,\"c\nd\",\"e\"\"f\"\n"))
	f.Add([]byte("\ufefforiginal;translation\r\na;b\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := modedit.ParseCSV(data)
		if err != nil {
			return
		}
		back, err := modedit.ParseCSV(modedit.FormatCSV(list))
		if err != nil || len(back) != len(list) {
			t.Fatalf("%v, %d texts became %d", err, len(list), len(back))
		}
		for i := range list {
			if strings.Contains(list[i].Value+list[i].Translation+list[i].Path+list[i].Node, "\r") {
				continue // line ends become line feeds
			}
			if back[i] != list[i] {
				t.Errorf("%+v became %+v", list[i], back[i])
			}
		}
	})
}
