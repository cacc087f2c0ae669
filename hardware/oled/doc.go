// Package oled shows pictures of 128 by 64 pixels on a small panel with an
// SSD1306 or SH1106 controller on the bus of the sensors, without getting in
// their way.
//
// It is NOT a drawing library: a picture comes complete, from display/oled. The
// controller's commands are periph's; this package decides when they are sent,
// and what becomes of a panel that fails.
//
// # Slices
//
// A whole picture is 24 ms on a bus of 400 kHz, a hundred at 100 kHz, and the
// cells must be scanned every 20. So periph's driver writes into a queue, and a
// Step sends one slice of it, as one request of the lowest priority: a part of
// one page (eight rows), at most half of it, or a whole page while everything is
// drawn. A scan waits for one slice at most:
//
//	n columns of a page                w4 w(n+1)   67 + 9n bits
//	a digit of a clock, 13 columns                 184      0.5 ms at 400 kHz
//	half a page, 64 columns                        643      1.6 ms
//	a whole page, 128 columns                      1219     3.1 ms
//	the initialisation                 w33         308      0.8 ms
//	the question whether it is lit     r1          20       0.05 ms
//	a panel that is not there          w0          11       0.03 ms
//
// # Life of a panel
//
//	absent --> initialised, dark --> drawn page by page, then lit --> shows changes
//	  ^                                                                 |
//	  +----------------- any error, or found dark ----------------------+
//
// periph's driver takes what it has tried to send for shown. So after any error
// it is thrown away and a new one begins from nothing. The same happens every
// five minutes, for neither the picture nor the settings can be read back, and a
// disturbance would otherwise stay for good. A panel that may have been without
// power stays dark until it has been drawn, for its memory holds noise.
//
// Every five seconds the panel is asked for its status, a byte with one bit of
// use: whether it is lit. One that has lost its registers is not; one that has
// been unplugged does not answer. Only a panel that has once said that it is lit
// is believed when it says that it is not.
//
// A panel that is not there is looked for less and less often, every six seconds
// in the end: a transfer of one byte that is not acknowledged, and never
// repeated. It may be plugged in at any time.
//
// # SH1106
//
// It looks the same and is sold under the same name, mostly with 1.3 inches. Its
// memory has 132 columns of which the panel shows the middle ones, and it knows
// nothing of the SSD1306's addressing modes and charge pump. A picture that is
// shifted by two columns, with noise at its edge, asks for this setting.
//
// # Sources
//
//   - Solomon Systech SSD1306, rev. 1.1: tables 9-1 and 9-2 (commands), section 8.1.5
//     (the bus, control bytes), section 8.7 (the display's memory).
//   - Sino Wealth SH1106, version 2.3: command table.
package oled
