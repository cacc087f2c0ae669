package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"reversi-board/configs"
)

// checkPage tries the address of the page, without which nothing starts.
func checkPage(ctx context.Context, d *doctor, c *Check) {
	listen := d.c.Web.Listen
	if listen == "" {
		c.skip("There is no page in the settings.")
		return
	}
	err := tryListen(ctx, listen)
	switch {
	case err == nil:
		c.foundf("The page can be on %s.", d.c.Web.URL(listen))
	case errors.Is(err, syscall.EADDRINUSE) && d.running:
		c.foundf("A running reversi-board has the page on %s.", d.c.Web.URL(listen))
	case errors.Is(err, syscall.EADDRINUSE):
		c.foundf("Another program listens on %s.", listen)
		c.blame(Problem{Part: "page", Where: listen, Cause: "in_use", Found: c.Found, Next: "End it, or choose another address with web.listen."})
	default:
		c.foundf("The page cannot be on %s: %s.", listen, brief(err))
		c.blame(Problem{Part: "page", Where: listen, Cause: "cannot_listen", Found: c.Found, Next: "Choose another address with web.listen."})
	}
	if d.c.Web.Encrypted() {
		checkCertificate(&d.c.Web, c)
	}
}

// checkCertificate looks at the certificate of the page as a browser will.
func checkCertificate(page *configs.Web, c *Check) {
	pair, err := page.Certificate()
	if err != nil {
		c.blame(Problem{Part: "page", Where: page.CertFile, Cause: "no_certificate", Found: sentence(err.Error()), Next: "See to web.cert_file and web.key_file."})
		return
	}
	var names []string
	names = append(names, pair.Leaf.DNSNames...)
	for _, ip := range pair.Leaf.IPAddresses {
		names = append(names, ip.String())
	}
	until := pair.Leaf.NotAfter.UTC().Format(time.DateOnly)
	c.Found += fmt.Sprintf(" Its certificate is for %s, until %s.", strings.Join(names, ", "), until)
	blame := func(cause, found, next string) {
		c.blame(Problem{Part: "page", Where: page.CertFile, Cause: cause, Found: found, Next: next})
	}
	switch now := time.Now(); {
	case len(names) == 0:
		blame("no_name", "The certificate of the page is for no name.", "Make one for the name by which browsers call the page.")
	case now.After(pair.Leaf.NotAfter):
		blame("expired", "The certificate of the page was valid until "+until+".", "Renew it: the page takes it without a restart.")
	case now.Before(pair.Leaf.NotBefore):
		blame("not_yet", "The certificate of the page is valid from "+pair.Leaf.NotBefore.UTC().Format(time.DateOnly)+" on.", "Look at the clock of this computer (timedatectl).")
	}
}
