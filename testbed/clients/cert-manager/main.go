// The three programs of cert-manager, as far as a cluster needs them that has a certificate authority of its own:
// `cert-manager controller|cainjector|webhook`. Upstream's commands are Go modules of their own that can't be built
// outside of its repository; this starts the same controllers of the main module. It lies in a folder of that
// module when it is built, whose internal packages it uses.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

var programs = map[string]func(context.Context, []string) error{
	"controller": runControllers,
	"cainjector": runInjector,
	"webhook":    runWebhook,
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	run, known := programs[name]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: cert-manager controller|cainjector|webhook [FLAGS]")
		os.Exit(2)
	}
	ctrl.SetLogger(klog.Background())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(klog.NewContext(ctx, klog.Background()), os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// The kubeconfig, and whatever else a program takes.
func parse(name string, arguments []string, declare func(*flag.FlagSet)) (kubeconfig string, err error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.StringVar(&kubeconfig, "kubeconfig", "", "of the cluster to run for")
	declare(flags)
	if err := flags.Parse(arguments); err != nil {
		return "", err
	}
	if kubeconfig == "" || flags.NArg() > 0 {
		return "", fmt.Errorf("--kubeconfig is needed, and no arguments: %s", strings.Join(flags.Args(), " "))
	}
	return kubeconfig, nil
}
