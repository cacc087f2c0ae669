package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"

	"reversi-board/engine/opponent/enginetest"
)

const (
	// underUnit names, in the environment of the program, the unit of systemd
	// whose filters of system calls it is to run under.
	underUnit = "REVERSI_BOARD_TEST_UNIT"
	// asksAddresses makes the confined program print its addresses and end.
	asksAddresses = "REVERSI_BOARD_TEST_ADDRESSES"
	// unitFile is the unit of the Debian package.
	unitFile = "../../configs/debian/reversi-board.service"
)

// confined puts this process under the filters of the unit in the environment, as
// systemd does before it starts a service, and reports whether there is one.
func confined() error {
	path := os.Getenv(underUnit)
	if path == "" {
		return nil
	}
	u, err := readUnit(path)
	if err != nil {
		return err
	}
	filter, err := u.filter()
	if err != nil {
		return err
	}
	if err := seccomp.LoadFilter(filter); err != nil {
		return fmt.Errorf("install the filter: %w", err)
	}
	if os.Getenv(asksAddresses) == "" {
		return nil
	}
	all, err := net.InterfaceAddrs()
	fmt.Println(all, err)
	os.Exit(exitOK)
	return nil
}

// unit is what a unit of systemd forbids its program.
type unit struct {
	families []string
	// calls are lines of SystemCallFilter, in their order, and what other settings
	// forbid.
	calls []string
	// fails says that a forbidden call fails, instead of ending the program.
	fails bool
	// devices are those that the program may open.
	devices []string
}

func readUnit(path string) (u unit, err error) {
	f, err := os.Open(path)
	if err != nil {
		return u, err
	}
	defer func() { _ = f.Close() }() // it was only read
	// Groups of calls that other settings forbid, whatever SystemCallFilter says.
	protects := map[string]string{
		"ProtectClock": "~@clock", "ProtectKernelModules": "~@module", "ProtectKernelLogs": "~syslog",
		"ProtectHostname": "~sethostname setdomainname",
	}
	var last []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch key, value, _ := strings.Cut(lines.Text(), "="); key {
		case "RestrictAddressFamilies":
			u.families = append(u.families, strings.Fields(value)...)
		case "SystemCallFilter":
			u.calls = append(u.calls, value)
		case "SystemCallErrorNumber":
			u.fails = value == "EPERM"
		case "DeviceAllow":
			u.devices = append(u.devices, value)
		default:
			if calls := protects[key]; calls != "" && value == "yes" {
				last = append(last, calls)
			}
		}
	}
	u.calls = append(u.calls, last...)
	return u, lines.Err()
}

// filter is what systemd makes of it (systemd.exec(5)): a call of a forbidden family
// of addresses fails, and every call that is not in the list ends the program. With the
// unit's SystemCallErrorNumber it only fails as well: here nothing may need that.
func (u unit) filter() (f seccomp.Filter, err error) {
	families := map[string]uint64{
		"AF_UNIX": unix.AF_UNIX, "AF_INET": unix.AF_INET, "AF_INET6": unix.AF_INET6, "AF_NETLINK": unix.AF_NETLINK,
	}
	var foreign seccomp.ArgumentConditions
	for _, name := range u.families {
		number, known := families[name]
		if !known {
			return f, fmt.Errorf("the test does not know the family %s", name)
		}
		foreign = append(foreign, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: number})
	}
	allowed, err := u.allowed()
	if err != nil {
		return f, err
	}
	return seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionTrap, // a stack in the log says which call it was
			Syscalls: []seccomp.SyscallGroup{
				{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{{Name: "socket", Conditions: foreign}}},
				{Action: seccomp.ActionAllow, Names: allowed},
			},
		},
	}, nil
}

// allowed lists the calls that the unit leaves over. What the groups hold says
// systemd itself. Besides them systemd allows what starting a program needs.
func (u unit) allowed() ([]string, error) {
	here, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	set := map[string]bool{"execve": true, "exit": true, "exit_group": true, "rt_sigreturn": true, "getrlimit": true, "time": true}
	for _, line := range u.calls {
		list, deny := strings.CutPrefix(line, "~")
		for name := range strings.FieldsSeq(list) {
			calls, err := callsOf(name)
			if err != nil {
				return nil, err
			}
			for _, call := range calls {
				set[call] = !deny
			}
		}
	}
	// As root SQLite gives its files to the owner of the folder (robustFchown in
	// os_unix.c). The service is never root.
	set["fchown"] = set["fchown"] || os.Geteuid() == 0
	var names []string
	for name, in := range set {
		if _, here := here.SyscallNames[name]; in && here {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// callsOf lists the calls of a name: one call, or a group with those in it.
func callsOf(name string) (calls []string, err error) {
	if !strings.HasPrefix(name, "@") {
		return []string{name}, nil
	}
	text, err := exec.Command("systemd-analyze", "syscall-filter", name).Output() //nolint:noctx // before the program has a context
	if err != nil {
		return nil, fmt.Errorf("ask systemd-analyze for %s (apt-get install systemd): %w", name, err)
	}
	for line := range strings.Lines(string(text)) {
		inner := strings.TrimSpace(line)
		if inner == "" || inner == name || inner[0] == '#' {
			continue
		}
		more, err := callsOf(inner)
		if err != nil {
			return nil, err
		}
		calls = append(calls, more...)
	}
	return calls, nil
}

// Under the filters of its unit the program finds the addresses of this computer,
// one of which it prints as that of its page.
func TestUnitLetsAddressesBeFound(t *testing.T) {
	want, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(underUnit, unitFile)
	t.Setenv(asksAddresses, "1")
	p := launch(t)
	if code := p.wait(); code != exitOK || p.stdout.String() != fmt.Sprintln(want, error(nil)) {
		t.Errorf("status %d, the program finds %q, want %v\n%s", code, p.stdout, want, p.stderr)
	}
}

// Under the filters of its unit the program plays, keeps its journal, evaluates the
// game, which it does with a low priority, and ends properly; its log tells of nothing
// that it was not allowed.
func TestPlaysUnderTheFiltersOfTheUnit(t *testing.T) {
	b := newBench(t, embedded, quick)
	t.Setenv(underUnit, unitFile)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	for _, m := range theFinal(t).plies(t, 6) {
		p.play(w, m)
	}
	if a := p.order("evaluate", map[string]bool{"on": true}); a.Status != "ok" {
		t.Errorf("evaluations are answered %+v", a)
	}
	evaluated := regexp.MustCompile(`"evals":\[[^]]*[0-9]`)
	until(t, patience, "an evaluation", func() bool {
		_, page := p.download("/api/v1/state", "")
		return evaluated.Match(page)
	})
	if code, _ := p.signal(unix.SIGTERM); code != exitOK {
		t.Errorf("status %d", code)
	}
	for _, word := range []string{"not permitted", "not supported", "level=ERROR"} {
		if strings.Contains(p.stderr.String(), word) {
			t.Errorf("the log says %q:\n%s", word, p.stderr)
		}
	}
}

// Under the filters of its unit another program plays, is heard and ended, and a bug
// report is made.
func TestProgramPlaysUnderTheFiltersOfTheUnit(t *testing.T) {
	b := newBench(t, noBroker, rivalProgram(enginetest.Command(enginetest.Edax), ""))
	t.Setenv(underUnit, unitFile)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	p.play(w, pliesOf(t, "f5")[0])
	w.says("White plays " + legalAfter(t, "f5"))
	if code, report := p.download("/api/v1/report", ""); code != http.StatusOK || !bytes.HasPrefix(report, []byte("PK")) {
		t.Errorf("the report: status %d, %d bytes", code, len(report))
	}
	if code, _ := p.signal(unix.SIGTERM); code != exitOK {
		t.Errorf("status %d\n%s", code, p.stderr)
	}
}

// What nobody has thought of, such as a call of another program that plays, fails under
// the unit and does not end the program in the middle of a game.
func TestUnitEndsNoGame(t *testing.T) {
	t.Parallel()
	if u, err := readUnit(unitFile); err != nil || !u.fails {
		t.Errorf("a forbidden call ends the program: %+v, %v", u, err)
	}
}

// The unit lets the program open the buses and pins under the names that the drivers
// register (register_chrdev in drivers/i2c/i2c-dev.c and drivers/spi/spidev.c,
// GPIOCHIP_NAME in drivers/gpio/gpiolib.h); systemd passes over one that it does not know.
func TestUnitNamesDevicesAsTheKernelDoes(t *testing.T) {
	t.Parallel()
	u, err := readUnit(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"char-i2c rw", "char-spi rw", "char-gpiochip rw"}; !slices.Equal(u.devices, want) {
		t.Errorf("the unit allows %q, want %q", u.devices, want)
	}
}

// The user of the package has the groups of the device nodes itself, and not only
// the service: the doctor and the calibration are run as that user by hand. systemd
// makes the users, as when the package is installed.
func TestPackageUserMayUseTheBuses(t *testing.T) {
	t.Parallel()
	u, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(u), "SupplementaryGroups=")
	list, _, _ = strings.Cut(list, "\n")
	groups := strings.Fields(list)
	if !found || len(groups) == 0 {
		t.Fatal("the unit names no groups")
	}
	file, err := filepath.Abs("../../configs/debian/sysusers.conf")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o700); err != nil {
		t.Fatal(err)
	}
	made := exec.CommandContext(t.Context(), tool(t, "systemd-sysusers", "systemd"), "--root="+root, "-")
	if made.Stdin, err = os.Open(file); err != nil {
		t.Fatal(err)
	}
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	users, err := os.ReadFile(filepath.Join(root, "etc", "group"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("../../configs/debian/udev.rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		if !strings.Contains(string(rules), `, GROUP="`+group+`", MODE="0660"`) {
			t.Errorf("no device node is given to the group %s:\n%s", group, rules)
		}
		if !regexp.MustCompile(`(?m)^` + group + `:.*[:,]reversi-board(,|$)`).Match(users) {
			t.Errorf("reversi-board is not in the group %s:\n%s", group, users)
		}
	}
}
