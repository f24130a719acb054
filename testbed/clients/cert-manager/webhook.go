package main

import (
	"context"
	"flag"

	"k8s.io/klog/v2"

	"github.com/cert-manager/cert-manager/internal/webhook"
	"github.com/cert-manager/cert-manager/pkg/webhook/options"
	"github.com/cert-manager/cert-manager/pkg/webhook/server"
)

// Validates cert-manager's kinds, and says who has asked for a certificate. Its own authority is kept in a Secret.
func runWebhook(ctx context.Context, arguments []string) error {
	configuration, err := options.NewWebhookConfiguration()
	if err != nil {
		return err
	}
	port := 0
	dynamic := &configuration.TLSConfig.Dynamic
	kubeconfig, err := parse("webhook", arguments, func(flags *flag.FlagSet) {
		flags.IntVar(&port, "secure-port", 10250, "to serve at")
		flags.StringVar(&dynamic.SecretNamespace, "dynamic-serving-ca-secret-namespace", "cert-manager", "of its authority")
	})
	if err != nil {
		return err
	}
	configuration.KubeConfig = kubeconfig
	configuration.SecurePort = int32(port)
	configuration.MetricsListenAddress = "0"
	dynamic.SecretName = "cert-manager-webhook-ca"
	dynamic.DNSNames = []string{"localhost"}
	// Without a listener for health, which would be on all addresses.
	withoutHealth := func(all *server.Server) { all.HealthzAddr = nil }
	made, err := webhook.NewCertManagerWebhookServer(klog.Background(), *configuration, withoutHealth)
	if err != nil {
		return err
	}
	return made.Run(ctx)
}
