package main

import (
	"context"
	"flag"

	admission "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	registration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	certificates "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"github.com/cert-manager/cert-manager/pkg/util"
)

// Puts certificates of authorities into what refers to webhooks.
func runInjector(ctx context.Context, arguments []string) error {
	kubeconfig, err := parse("cainjector", arguments, func(*flag.FlagSet) {})
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admission.AddToScheme, core.AddToScheme, extensions.AddToScheme, registration.AddToScheme, certificates.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(util.RestConfigWithUserAgent(config, "cainjector"), ctrl.Options{
		Scheme:  scheme,
		Metrics: metrics.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	err = cainjector.RegisterAllInjectors(ctx, manager, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.MutatingWebhookConfigurationName:   true,
			cainjector.ValidatingWebhookConfigurationName: true,
			cainjector.APIServiceName:                     true,
			cainjector.CustomResourceDefinitionName:       true,
		},
	})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}
