package nodecolor

import (
	"sync"

	"trowel.example/minetest/nodedef"
)

// Choice determines the colour of a node from several sources in turn. The zero value uses the built-in table and
// guesses other colours.
type Choice struct {
	List     List         // the list chosen for a world
	Only     bool         // use no other source, as minetestmapper does
	Textures *Textures    // nil: none
	Nodes    nodedef.List // nil: none
	General  List         // a list for all worlds

	// Means returns, before colours are guessed, the colours of a node for all values of param2, of which there may be only one;
	// none if they are unknown. Nil: no colour is known.
	Means func(name string) []Color

	mu      sync.Mutex
	guessed map[string]bool
}

// Color returns the colour of a node.
func (c *Choice) Color(name string) (Color, bool) {
	if color, ok := c.List[name]; ok || c.Only {
		return color, ok
	}
	def := c.Nodes[name]
	_, usual := Usual()[name]
	convention := usual && def != nil && def.LiquidType != "" && def.LiquidType != "none" // map convention: water is dark
	if c.Textures != nil && !convention {
		if color, ok := c.Textures.Of(name, def); ok {
			return color, true
		}
	}
	if def != nil && def.DrawType == "airlike" {
		return Color{}, true
	}
	for _, list := range []List{c.General, Usual()} {
		if color, ok := list[name]; ok {
			return color, true
		}
	}
	if means := c.means(name); len(means) > 0 {
		return means[0], true
	}
	guess := Guess(name)
	if guess.A > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.guessed == nil {
			c.guessed = make(map[string]bool)
		}
		c.guessed[name] = true
	}
	return guess, true
}

// Palette returns the colours of a node for all values of param2, or nil if it has no palette or if a list sets its
// colour.
func (c *Choice) Palette(name string) *[256]Color {
	if _, listed := c.List[name]; listed || c.Only {
		return nil
	}
	if c.Textures == nil {
		_, general := c.General[name]
		_, usual := Usual()[name]
		if all := c.means(name); len(all) == 256 && !general && !usual {
			return (*[256]Color)(all)
		}
		return nil
	}
	base, ok := c.Textures.Of(name, c.Nodes[name])
	if !ok {
		return nil
	}
	return c.Textures.Palette(c.Nodes[name], base)
}

func (c *Choice) means(name string) []Color {
	if c.Means == nil {
		return nil
	}
	return c.Means(name)
}

// Guesses reports whether Color has guessed the colour of a node.
func (c *Choice) Guesses(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.guessed[name]
}

// Guessed returns the names whose colour has been guessed so far, except for invisible nodes.
func (c *Choice) Guessed() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]bool, len(c.guessed))
	for name := range c.guessed {
		all[name] = true
	}
	return all
}
