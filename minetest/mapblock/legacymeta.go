package mapblock

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"trowel.example/fault"
)

// LegacyMeta is the metadata of a node up to block version 22: a body whose form depends on the id. Bodies of unknown
// ids are kept.
type LegacyMeta struct {
	ID   LegacyID
	Body []byte // at most 65535 bytes
}

// LegacyID identifies the form of legacy metadata. All ids but LegacyGeneric are the old node ids of the nodes that
// had this metadata.
type LegacyID int16

const (
	LegacyGeneric     LegacyID = 1
	LegacySign        LegacyID = 14
	LegacyChest       LegacyID = 15
	LegacyFurnace     LegacyID = 16
	LegacyChestLocked LegacyID = 17
)

func (id LegacyID) String() string {
	switch id {
	case LegacyGeneric:
		return "generic"
	case LegacySign:
		return "sign"
	case LegacyChest:
		return "chest"
	case LegacyFurnace:
		return "furnace"
	case LegacyChestLocked:
		return "locked chest"
	}
	return fmt.Sprintf("unknown id %d", int16(id))
}

// LegacyContent is the decoded body of legacy metadata. The id determines which fields are used.
type LegacyContent struct {
	Inventory []byte // all but signs
	Text      string // generic, sign
	Owner     string // generic, locked chest

	InfoText         string // generic
	DrawSpec         string // generic: the displayed form; called formspec later
	AllowTextInput   uint8  // generic; 0 or 1, like the next two
	RemovalDisabled  uint8
	EnforceOwner     uint8
	Vars             []Var // generic
	FuelTotal, Fuel  int   // furnace, in tenths of a second
	SourceTotal, Src int   // furnace, in tenths of a second

	Rest []byte // following bytes: in furnaces a state text in JSON; else usually none
}

// legacyMeta reads or writes an entry up to block version 22.
func (c *codec) legacyMeta(e *NodeMeta, _ uint16) {
	if e.Legacy == nil {
		if c.writing() {
			c.fail("id", "metadata with an id", "variables")
			return
		}
		e.Legacy = new(LegacyMeta)
	}
	id := int16(e.Legacy.ID)
	if c.i16("id", &id); !c.writing() {
		e.Legacy.ID = LegacyID(id)
	}
	c.means("%v", e.Legacy.ID)
	if c.tracer == nil {
		c.bytes16("body", &e.Legacy.Body)
		return
	}
	n := c.r.Count16("body_size", 1)
	if c.failed() {
		return
	}
	e.Legacy.Body = bytes.Clone(c.left()[:n])
	c.traceBody("body", n, func(c *codec) { new(LegacyContent).layout(c, e.Legacy.ID) })
}

// Content decodes the body. It fails for an unknown id, and for a body that does not have the form of its id.
func (m *LegacyMeta) Content() (LegacyContent, error) {
	c := newReader(m.Body, "")
	var l LegacyContent
	l.layout(c, m.ID)
	return l, c.fault()
}

// Meta returns the metadata of a node with the content. It fails if the content does not fit.
func (l LegacyContent) Meta(id LegacyID) (*LegacyMeta, error) {
	var c codec
	l.layout(&c, id)
	if len(c.w) > math.MaxUint16 {
		c.fail("body", "a body of at most 65535 bytes", fmt.Sprint(len(c.w)))
	}
	return &LegacyMeta{ID: id, Body: c.w}, c.err
}

func (l *LegacyContent) layout(c *codec, id LegacyID) {
	switch id {
	case LegacyGeneric:
		c.inventory("inventory", &l.Inventory)
		c.string32("text", &l.Text)
		c.string16("owner", &l.Owner)
		c.string16("infotext", &l.InfoText)
		c.string16("drawspec", &l.DrawSpec)
		c.u8("allow_text_input", &l.AllowTextInput)
		c.u8("removal_disabled", &l.RemovalDisabled)
		c.u8("enforce_owner", &l.EnforceOwner)
		n := len(l.Vars)
		if c.writing() {
			c.length32("num_vars", n)
		} else {
			n = c.r.Count32("num_vars", 2+4)
		}
		elements(c, "vars", n, 2+4, &l.Vars, func(v *Var) {
			c.string16("key", &v.Key)
			c.string32("value", &v.Value)
		})
	case LegacySign:
		c.string16("text", &l.Text)
	case LegacyChest:
		c.inventory("inventory", &l.Inventory)
	case LegacyChestLocked:
		c.string16("owner", &l.Owner)
		c.inventory("inventory", &l.Inventory)
	case LegacyFurnace:
		c.inventory("inventory", &l.Inventory)
		c.decimal("fuel_totaltime", &l.FuelTotal)
		c.decimal("fuel_time", &l.Fuel)
		c.decimal("src_totaltime", &l.SourceTotal)
		c.decimal("src_time", &l.Src)
	default:
		if c.writing() {
			c.fail("id", "an id of legacy metadata", fmt.Sprint(int16(id)))
		} else {
			c.r.Fail("", fault.ErrFormat, "an id of legacy metadata", fmt.Sprint(int16(id)))
		}
	}
	c.rest("rest", &l.Rest)
}

// decimal reads or writes a decimal number followed by a space. Old furnaces end after the second number; missing
// numbers are 0.
func (c *codec) decimal(name string, p *int) {
	if c.writing() {
		c.w = append(strconv.AppendInt(c.w, int64(*p), 10), ' ')
		return
	}
	if c.failed() || c.r.Len() == 0 {
		return
	}
	left := c.left()
	digits := bytes.TrimLeft(left, " \n\t\r")
	n := len(left) - len(digits)
	for i := 0; i < len(digits) && ('0' <= digits[i] && digits[i] <= '9' || i == 0 && digits[i] == '-'); i++ {
		n++
	}
	text := bytes.TrimSpace(left[:n])
	if n < len(left) && left[n] == ' ' {
		n++
	}
	v, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil {
		c.r.Fail(name, fault.ErrFormat, "a decimal number", fmt.Sprintf("%q", left[:min(12, len(left))]))
		return
	}
	c.r.Bytes(name, n)
	c.means("tenths of a second")
	*p = int(v)
}
