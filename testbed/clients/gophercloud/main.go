// What a program with gophercloud asks of Magnum's API, from a template to the end of a cluster: a line of JSON for each
// step. By OS_CLOUD: `containerinfra TEMPLATE NEXT_TEMPLATE FLAVOR IMAGE`. It lies in a folder of gophercloud's module
// when it is built.
package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/config"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/certificates"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clusters"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/clustertemplates"
	"github.com/gophercloud/gophercloud/v2/openstack/containerinfra/v1/nodegroups"
)

const (
	name    = "of-gophercloud"
	another = "another"
)

var ctx = context.Background()

func main() {
	template, next, flavor, image := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	client := connect()
	offered := must(clustertemplates.Get(ctx, client, template).Extract())
	id := create(client, offered, flavor, image)
	list(client)
	changeNodes(client, id, flavor)
	must(clusters.Upgrade(ctx, at(client, "1.8"), id, clusters.UpgradeOpts{ClusterTemplate: next}).Extract())
	upgraded := wait(client, id, "UPDATE_COMPLETE")
	tell("upgraded", "version", upgraded.COEVersion)
	sign(client, id, upgraded.APIAddress)
	check(certificates.Update(ctx, client, id).ExtractErr())
	wait(client, id, "UPDATE_COMPLETE")
	tell("rotated")
	remove(client, id)
}

func connect() *gophercloud.ServiceClient {
	auth, endpoint, trusted, err := clouds.Parse()
	check(err)
	provider := must(config.NewProviderClient(ctx, auth, config.WithTLSConfig(trusted)))
	return must(openstack.NewContainerInfraV1(provider, endpoint))
}

// Of a microversion.
func at(client *gophercloud.ServiceClient, version string) *gophercloud.ServiceClient {
	asked := *client
	asked.Microversion = version
	return &asked
}

// A template of its own and a cluster of it, with labels beside those of the template.
func create(client *gophercloud.ServiceClient, offered *clustertemplates.ClusterTemplate, flavor, image string) string {
	made := must(clustertemplates.Create(ctx, client, clustertemplates.CreateOpts{
		Name: name, COE: "kubernetes", ImageID: image, FlavorID: flavor, Labels: offered.Labels,
	}).Extract())
	must(clustertemplates.Update(ctx, client, made.UUID, []clustertemplates.UpdateOpts{
		{Op: clustertemplates.ReplaceOp, Path: "/master_lb_enabled", Value: "false"},
	}).Extract())
	changed := must(clustertemplates.Get(ctx, client, made.UUID).Extract())
	tell("template", "name", changed.Name, "masterLB", changed.MasterLBEnabled)
	count, merge := 1, true
	id := must(clusters.Create(ctx, client, clusters.CreateOpts{
		Name: name, ClusterTemplateID: made.UUID, NodeCount: &count, MergeLabels: &merge,
		Labels: map[string]string{"auto_healing_enabled": "true"},
	}).Extract())
	cluster := wait(client, id, "CREATE_COMPLETE")
	tell("created", "nodes", len(cluster.NodeAddresses), "labels", cluster.LabelsAdded)
	return id
}

// In pages of one.
func list(client *gophercloud.ServiceClient) {
	pages := must(clusters.List(client, clusters.ListOpts{Limit: 1}).AllPages(ctx))
	var names []string
	for _, cluster := range must(clusters.ExtractClusters(pages)) {
		names = append(names, cluster.Name)
	}
	tell("listed", "names", names)
	_, err := clusters.Get(ctx, client, "nothing").Extract()
	tell("missing", "isNotFound", gophercloud.ResponseCodeIs(err, http.StatusNotFound))
}

func changeNodes(client *gophercloud.ServiceClient, id, flavor string) {
	two, most := 2, 3
	must(clusters.Resize(ctx, at(client, "1.7"), id, clusters.ResizeOpts{NodeCount: &two}).Extract())
	resized := wait(client, id, "UPDATE_COMPLETE")
	tell("resized", "nodes", len(resized.NodeAddresses))

	groups := at(client, "1.9")
	made := must(nodegroups.Create(ctx, groups, id, nodegroups.CreateOpts{Name: another, FlavorID: flavor}).Extract())
	wait(client, id, "UPDATE_COMPLETE")
	must(nodegroups.Update(ctx, groups, id, made.UUID, []nodegroups.UpdateOpts{
		{Op: nodegroups.ReplaceOp, Path: "/max_node_count", Value: most},
	}).Extract())
	var seen []string
	pages := must(nodegroups.List(groups, id, nodegroups.ListOpts{}).AllPages(ctx))
	for _, group := range must(nodegroups.ExtractNodeGroups(pages)) {
		seen = append(seen, group.Name)
	}
	changed := must(nodegroups.Get(ctx, groups, id, made.UUID).Extract())
	tell("nodegroups", "names", seen, "most", changed.MaxNodeCount)
	check(nodegroups.Delete(ctx, groups, id, made.UUID).ExtractErr())
	wait(client, id, "UPDATE_COMPLETE")
}

// A certificate for a key that stays here; what the cluster answers to it.
func sign(client *gophercloud.ServiceClient, id, address string) {
	key := must(rsa.GenerateKey(rand.Reader, 2048))
	subject := pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}}
	request := must(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key))
	written := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request})
	authority := must(certificates.Get(ctx, client, id).Extract())
	signed := must(certificates.Create(ctx, client, certificates.CreateOpts{
		ClusterUUID: id, CSR: string(written),
	}).Extract())
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(authority.PEM))
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	certificate := must(tls.X509KeyPair([]byte(signed.PEM), keyPEM))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}}}
	answer := must((&http.Client{Transport: transport}).Get(address + "/api/v1/nodes"))
	check(answer.Body.Close())
	tell("signed", "nodes", answer.StatusCode)
}

func remove(client *gophercloud.ServiceClient, id string) {
	check(clusters.Delete(ctx, client, id).ExtractErr())
	for {
		_, err := clusters.Get(ctx, client, id).Extract()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			break
		}
		check(err)
		time.Sleep(time.Second)
	}
	check(clustertemplates.Delete(ctx, client, name).ExtractErr())
	tell("deleted")
}

// Until it is in the state; any other than one of progress ends the program.
func wait(client *gophercloud.ServiceClient, id, status string) *clusters.Cluster {
	for {
		cluster := must(clusters.Get(ctx, client, id).Extract())
		switch cluster.Status {
		case status:
			return cluster
		case "CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS":
			time.Sleep(time.Second)
		default:
			check(fmt.Errorf("%s instead of %s: %s", cluster.Status, status, cluster.StatusReason))
		}
	}
}

func tell(step string, pairs ...any) {
	line := map[string]any{"step": step}
	for i := 0; i < len(pairs); i += 2 {
		line[pairs[i].(string)] = pairs[i+1]
	}
	check(json.NewEncoder(os.Stdout).Encode(line))
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
