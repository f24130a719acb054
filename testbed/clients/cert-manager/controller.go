package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cert-manager/cert-manager/pkg/controller"
	ingresses "github.com/cert-manager/cert-manager/pkg/controller/certificate-shim/ingresses"
	"github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	requestsca "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	requestsselfsigned "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	"github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	"github.com/cert-manager/cert-manager/pkg/controller/issuers"
	// Makers of issuers register themselves.
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

// Those that upstream enables by itself, without ACME, Vault and Venafi.
var enabled = []string{
	issuers.ControllerName,
	clusterissuers.ControllerName,
	ingresses.ControllerName,
	approver.ControllerName,
	requestsca.CRControllerName,
	requestsselfsigned.CRControllerName,
	trigger.ControllerName,
	issuing.ControllerName,
	keymanager.ControllerName,
	requestmanager.ControllerName,
	readiness.ControllerName,
	revisionmanager.ControllerName,
}

const workers = 5

func runControllers(ctx context.Context, arguments []string) error {
	namespace := ""
	kubeconfig, err := parse("controller", arguments, func(flags *flag.FlagSet) {
		flags.StringVar(&namespace, "cluster-resource-namespace", "cert-manager", "of what ClusterIssuers refer to")
	})
	if err != nil {
		return err
	}
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig: kubeconfig,
		// Upstream's defaults from here on.
		KubernetesAPIQPS:   20,
		KubernetesAPIBurst: 50,
		IssuerOptions:      controller.IssuerOptions{ClusterResourceNamespace: namespace},
		IngressShimOptions: controller.IngressShimOptions{
			DefaultIssuerKind:                 "Issuer",
			DefaultIssuerGroup:                "cert-manager.io",
			DefaultAutoCertificateAnnotations: []string{"kubernetes.io/tls-acme"},
		},
		CertificateOptions: controller.CertificateOptions{
			CopiedAnnotationPrefixes:                 []string{"*", "-kubectl.kubernetes.io/", "-fluxcd.io/", "-argocd.argoproj.io/"},
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return err
	}
	// Informers are made while controllers are, and must not run before all of them are there.
	var all []controller.Interface
	for _, name := range enabled {
		each, err := controller.Known()[name](factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, each)
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	group, ctx := errgroup.WithContext(ctx)
	for _, each := range all {
		group.Go(func() error { return each.Run(workers, ctx) })
	}
	return group.Wait()
}
