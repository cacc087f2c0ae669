// Package lights holds one suite of tests that every kind of LED passes, from
// the scene to the light: rendering, driver and emulated chip together. What a
// light means is read from the light alone, by the tables of package led, and
// not by asking the code that drew it.
//
// It is NOT part of the program: it has no code but tests. A new kind of LED
// is one more entry in its list of modules.
//
// What the suite asks of every kind:
//
//   - each meaning of a scene shows on exactly its squares, told from all
//     others by its rhythm (and color, where there is any); dark is dark
//   - Dark darkens everything, and the next frame shows again
//   - an error of the bus comes back once, at once; the frame after it is right
//   - a chip that lost its supply shows the scene again within two seconds, if a
//     frame is shown every second
//   - strips stay within the current that they may draw
//   - drawing and sending a frame allocates nothing
//
// What it cannot ask: only a chip on I²C can be missed. Strips and the MAX7219
// take whatever is sent, whether they are there or not.
package lights
