package hallanalog_test

import (
	"context"
	"fmt"
	"time"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/hallanalog"
)

// muxes switches all multiplexers of an emulated board.
type muxes [4]*emu.CD74HC4067

func (m *muxes) Select(channel int) error {
	for _, x := range m {
		x.SetLines(uint8(channel))
	}
	return nil
}

// A board of emulated chips with a disc on a1, south pole down: its sensor gives
// 2.03 V, all others 1.65 V. On a real board the bus and the pins come from
// hardware/pi, and nobody needs a clock.
func Example() {
	var now time.Duration
	clock := func() time.Duration { return now }
	adc := emu.NewADS1115(0x48, emu.ADS1115Options{Now: clock})
	var sel muxes
	for k := range sel {
		sel[k] = emu.NewCD74HC4067(emu.MuxOptions{Now: clock})
		for channel := range hallanalog.Channels {
			volts := 1.65
			if k == 0 && channel == 0 {
				volts = 2.03
			}
			sel[k].SetChannel(channel, func(time.Duration) float64 { return volts })
		}
		adc.SetInput(k, sel[k].Common)
	}
	bus := hardware.NewBus(emu.NewBus(adc), hardware.BusOptions{})
	defer func() {
		if err := bus.Close(); err != nil {
			fmt.Println(err)
		}
	}()
	config := hallanalog.Single()
	config.Sleep = func(d time.Duration) { now += d }
	board, err := hallanalog.New(bus, &sel, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	var f hardware.Frame
	for i := range 3 {
		if err := board.Scan(context.Background(), time.Duration(i)*100*time.Millisecond, &f); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("lost %016x a1 %d b1 %d h8 %d\n", f.Lost, f.Counts[0], f.Counts[1], f.Counts[63])
	}
	// Output:
	// lost ffffffffffffffff a1 0 b1 0 h8 0
	// lost 0000000000000000 a1 16240 b1 13200 h8 13200
	// lost 0000000000000000 a1 16240 b1 13200 h8 13200
}
