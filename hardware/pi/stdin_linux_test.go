package pi

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// childEnv makes the test binary a child process that may close its standard
// input without harm to the other tests.
const childEnv = "REVERSI_PI_TEST_CHILD"

func TestStandardInputSurvives(t *testing.T) {
	t.Parallel()
	if os.Getenv(childEnv) != "" {
		child()
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestStandardInputSurvives$")
	cmd.Env = append(os.Environ(), childEnv+"=1")
	cmd.Stdin = strings.NewReader("place e6\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"open: untouched", "closed: /dev/null", "taken: untouched", "kept: place e6"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("child did not say %q:\n%s", want, out)
		}
	}
}

// child goes through what may happen to file descriptor 0.
func child() {
	at := func() string {
		name, err := os.Readlink("/proc/self/fd/0")
		if err != nil {
			return err.Error()
		}
		return name
	}
	say := func(what string, err error) { fmt.Println(what, err) }
	stdin := keepStdin()
	before := at()
	say("guard", guardStdin())
	if at() == before {
		say("open: untouched", nil)
	}
	say("close", syscall.Close(0))
	say("guard", guardStdin())
	say("closed: "+at(), nil)
	say("close", syscall.Close(0))
	fd, err := syscall.Open("/proc/version", syscall.O_RDONLY, 0) // Gets the number 0.
	say(fmt.Sprint("open ", fd), err)
	say("guard", guardStdin())
	if strings.HasSuffix(at(), "/proc/version") {
		say("taken: untouched", nil)
	}
	line, err := bufio.NewReader(stdin).ReadString('\n')
	say("kept: "+line, err)
}

func TestTimeoutOfSomethingThatIsNoBus(t *testing.T) {
	t.Parallel()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := setI2CTimeout(f, timeoutTicks); !errors.Is(err, syscall.ENOTTY) {
		t.Errorf("got %v, want the kernel's refusal", err)
	}
}
