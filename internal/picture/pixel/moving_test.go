package pixel_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"trowel.example/internal/picture/pixel"
)

// frames splits an APNG: it decodes each frame with image/png, and draws it over the previous one.
func frames(t *testing.T, data []byte) []*image.NRGBA {
	t.Helper()
	var header, ends []byte
	var list []*image.NRGBA
	type frame struct {
		part image.Rectangle
		data bytes.Buffer
	}
	var all []*frame
	sequence := uint32(0)
	numbered := func(body []byte) []byte {
		if n := binary.BigEndian.Uint32(body); n != sequence {
			t.Fatalf("chunk %d is numbered %d", sequence, n)
		}
		sequence++
		return body[4:]
	}
	want := uint32(0)
	for at := 8; at < len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		name, body := string(data[at+4:at+8]), data[at+8:at+8+n]
		if binary.BigEndian.Uint32(data[at+8+n:]) != crc32.ChecksumIEEE(data[at+4:at+8+n]) {
			t.Fatalf("%s has a wrong sum", name)
		}
		at += 12 + n
		switch name {
		case "IHDR":
			header = body
		case "acTL":
			want = binary.BigEndian.Uint32(body)
		case "fcTL":
			body = numbered(body)
			v := func(i int) int { return int(binary.BigEndian.Uint32(body[4*i:])) }
			all = append(all, &frame{part: image.Rect(v(2), v(3), v(2)+v(0), v(3)+v(1))})
		case "fdAT":
			all[len(all)-1].data.Write(numbered(body))
		case "IDAT":
			all[len(all)-1].data.Write(body)
		case "IEND":
			ends = body
		}
	}
	if int(want) != len(all) || ends == nil {
		t.Fatalf("%d of %d frames", len(all), want)
	}
	for _, f := range all {
		var b bytes.Buffer
		b.WriteString("\x89PNG\r\n\x1a\n")
		chunk := func(name string, body []byte) {
			_ = binary.Write(&b, binary.BigEndian, uint32(len(body)))
			b.WriteString(name)
			b.Write(body)
			_ = binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(append([]byte(name), body...)))
		}
		h := bytes.Clone(header)
		binary.BigEndian.PutUint32(h, uint32(f.part.Dx()))
		binary.BigEndian.PutUint32(h[4:], uint32(f.part.Dy()))
		chunk("IHDR", h)
		chunk("IDAT", f.data.Bytes())
		chunk("IEND", nil)
		m, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		whole := image.NewNRGBA(image.Rect(0, 0, int(binary.BigEndian.Uint32(header)), int(binary.BigEndian.Uint32(header[4:]))))
		if len(list) > 0 {
			copy(whole.Pix, list[len(list)-1].Pix)
		}
		draw.Draw(whole, f.part, m, image.Point{}, draw.Src)
		list = append(list, whole)
	}
	return list
}

func TestAPNG(t *testing.T) {
	for _, kind := range []pixel.Kind{pixel.RGB, pixel.RGBA} {
		m := picture(1, 200, 150, 900, kind == pixel.RGB)
		var b bytes.Buffer
		w, err := pixel.NewAPNG(&b, m.Rect.Size(), kind, 4, 12.5)
		if err != nil {
			t.Fatal(err)
		}
		var want []*image.NRGBA
		for i := range 4 {
			if i == 1 {
				m.SetRGBA(3, 4, color.RGBA{255, 0, 0, 255})
				m.SetRGBA(180, 149, color.RGBA{0, 0, 255, 255})
			}
			if i == 3 { // equal to the previous frame
				for x := range 200 {
					m.SetRGBA(x, 0, color.RGBA{0, 9, 0, 255})
				}
			}
			one := image.NewNRGBA(m.Rect)
			for y := range 150 {
				for x := range 200 {
					one.Set(x, y, m.At(x, y))
				}
			}
			want = append(want, one)
			if err := w.Add(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if w.Add(m) == nil {
			t.Error("a frame more than there are")
		}
		for i, got := range frames(t, b.Bytes()) {
			if !bytes.Equal(got.Pix, want[i].Pix) {
				t.Errorf("frame %d differs", i)
			}
		}
	}
}

func TestY4M(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 5, 1))
	for x, c := range []color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}} {
		m.SetRGBA(x, 0, c)
	}
	var b bytes.Buffer
	w := pixel.NewY4M(&b, m.Rect.Size(), 29.97)
	for range 2 {
		if err := w.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	// Values of BT.601 for black, white, red, green and blue.
	frame := "FRAME\n" + string([]byte{16, 235, 81, 145, 41, 128, 128, 90, 54, 240, 128, 128, 240, 34, 110})
	if want := "YUV4MPEG2 W5 H1 F29970:1000 Ip A1:1 C444\n" + frame + frame; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
