package mapdraw

import "image"

func ownSigns() *image.NRGBA                    { return image.NewNRGBA(image.Rect(0, 0, 1024, 1024)) }
func arrowSheet() *sheet                        { return newSheet(ownSigns()) }
func numberSheets() [3]*sheet                   { return [3]*sheet{arrowSheet(), arrowSheet(), arrowSheet()} }
func (c *canvas) drawSounds(f *frame, l *layer) {}
