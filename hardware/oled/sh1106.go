package oled

// sh1106Shift is how many of the memory's columns lie left of the panel.
const sh1106Shift = 2

// sh1106Init returns the control byte and the commands that bring a SH1106 into
// the state in which periph's driver has an SSD1306, all of them, whatever the
// reset values.
func sh1106Init() []byte {
	return []byte{
		controlCommands,
		0xAE,       // Display off.
		0xD5, 0x80, // Clock: as after reset.
		0xA8, 0x3F, // 64 rows.
		0xD3, 0x00, // No offset.
		0x40,       // From the memory's first row.
		0xAD, 0x8B, // DC-DC converter on.
		0xA1, 0xC8, // Segments and rows reversed: how panels are mounted.
		0xDA, 0x12, // Rows alternate.
		0x81, 0xFF, // Full contrast.
		0xD9, 0x22, // Charge periods: as after reset.
		0xDB, 0x35, // VCOM: as after reset.
		0xA4, 0xA6, // Show the memory, set bits lit.
		displayOn,
	}
}
