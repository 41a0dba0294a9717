package minetestmapper

// Usage is the list of options.
const Usage = `minetestmapper -i WORLD -o PICTURE.png [option]...
Draw a world of Minetest or Luanti from above.

  -i, --input WORLD        the folder of the world
  -o, --output PICTURE     the file to write or replace: .png, .jpg, .gif or .bmp
      --colors FILE        colours of nodes; else colors.txt of the world, of
                           ~/.minetest, of the system or of the current folder
      --geometry X:Z+W+H   only this area, in nodes, made larger to whole blocks
      --min-y Y, --max-y Y only nodes at these heights
      --zoom N             N x N pixels for a node
      --drawalpha          see through nodes whose colour is not opaque
      --noshading          no relief
      --noemptyimage       write nothing if there is no block
      --drawscale          scales at the edges
      --scales [t][b][l][r]  at which edges: top, bottom, left, right (tl)
      --drawplayers        players, of whatever store the world has
      --draworigin         a circle at 0,0
      --bgcolor, --scalecolor, --playercolor, --origincolor '#rrggbb'
      --backend NAME       sqlite3, leveldb, postgresql, redis or sectors,
                           in place of what world.mt says
      --exhaustive MODE    never, y, full or auto: with full, rows without
                           blocks interrupt the relief
      --remote             ask a database server on another machine
      --extent             print the area that has blocks, and draw nothing
      --dumpblock X,Y,Z    print the bytes of a block in hexadecimal
  -v, --verbose            say more
  -h, --help               this list
`
