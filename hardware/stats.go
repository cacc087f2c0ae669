package hardware

import "time"

// Snapshot is a copy of a bus's counters. Counters only grow.
type Snapshot struct {
	// At is the bus's own time of the copy.
	At time.Duration
	// Requests counts finished requests by Priority.
	Requests [priorities]uint64
	// Open says that the whole bus is believed dead and probed only now and
	// then; Cause says why.
	Open  bool
	Cause error
	// Opens counts how often that happened, Recoveries how often the recovery
	// hook ran, Unfreed how often of these it failed. RecoveryErr is what the
	// last one ended with.
	Opens       uint64
	Recoveries  uint64
	Unfreed     uint64
	RecoveryErr error
	// Devices are the addresses used so far, ascending.
	Devices []DeviceStats
}

// DeviceStats are the counters of one address.
type DeviceStats struct {
	Addr uint16
	// Classes counts transfers on the wire by Class.
	Classes [classes]uint64
	// Retries counts transfers that repeated a failed one, FailedFast requests
	// refused without touching the wire.
	Retries    uint64
	FailedFast uint64
	// Open says that the address is believed dead; Opens counts how often.
	Open  bool
	Opens uint64
	// Last is the last failure, or nil.
	Last error
}

// Count returns how many transfers ended in class c.
func (d *DeviceStats) Count(c Class) uint64 {
	if int(c) >= len(d.Classes) {
		return 0
	}
	return d.Classes[c]
}

// Device returns the counters of one address; ok is false if it was never
// used.
func (s Snapshot) Device(addr uint16) (d DeviceStats, ok bool) {
	for i := range s.Devices {
		if s.Devices[i].Addr == addr {
			return s.Devices[i], true
		}
	}
	return DeviceStats{Addr: addr}, false
}

// Stats returns a copy of the bus's counters. It may be called at any time
// from any goroutine.
func (b *Bus) Stats() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Snapshot{
		At:          b.now(),
		Requests:    b.served,
		Open:        b.breaker.open,
		Opens:       b.breaker.opens,
		Recoveries:  b.recoveries,
		Unfreed:     b.unfreed,
		RecoveryErr: b.recoverErr,
	}
	if b.breaker.cause != nil {
		s.Cause = b.breaker.cause
	}
	for addr, d := range b.devices {
		if d == nil {
			continue
		}
		ds := DeviceStats{
			Addr:       uint16(addr),
			Classes:    d.classes,
			Retries:    d.retries,
			FailedFast: d.failedFast,
			Open:       d.breaker.open,
			Opens:      d.breaker.opens,
		}
		if d.last != nil {
			ds.Last = d.last
		}
		s.Devices = append(s.Devices, ds)
	}
	return s
}

// Open reports whether a transfer to addr would be refused or be a mere probe,
// because the address or the whole bus is believed dead. It allocates nothing.
func (b *Bus) Open(addr uint16) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.breaker.open {
		return true
	}
	return addr < addresses && b.devices[addr] != nil && b.devices[addr].breaker.open
}
