package minetestmapper

// Usage is the list of options.
const Usage = `minetestmapper -i WORLD -o PICTURE.png [option]...
Draw a world of Minetest or Luanti from above.

  -i, --input WORLD        the folder of the world
  -o, --output PICTURE     the file to write or replace: .png, .jpg, .gif or .bmp
      --colors FILE        colours of nodes; default: colors.txt of the world, of
                           ~/.minetest, of the system or of the current folder
      --geometry X:Z+W+H   only this area, in nodes, extended to whole blocks
      --min-y Y, --max-y Y only nodes at these heights
      --zoom N             N x N pixels for a node
      --drawalpha          see through nodes whose colour is not opaque
      --noshading          no relief
      --noemptyimage       write nothing if there is no block
      --drawscale          scales at the edges
      --scales [t][b][l][r]  the edges with scales: top, bottom, left, right (tl)
      --drawplayers        players, from any backend
      --draworigin         a circle at 0,0
      --bgcolor, --scalecolor, --playercolor, --origincolor '#rrggbb'
      --backend NAME       sqlite3, leveldb, postgresql, redis or sectors,
                           instead of that in world.mt
      --exhaustive MODE    never, y, full or auto: with full, rows without
                           blocks interrupt the relief
      --remote             allow a database server on another machine
      --extent             print the area with blocks, and draw nothing
      --dumpblock X,Y,Z    print the bytes of a block in hexadecimal
  -v, --verbose            print more
  -h, --help               print this list
`
