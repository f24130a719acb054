# A cluster through Magnum's API, with OpenTofu or Terraform: OS_CLOUD=mycloud tofu apply -var flavor=b3-8
terraform {
  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = ">= 3.4.0"
    }
  }
}

# Credentials come from clouds.yaml. With an application credential, the project must already have a CloudCredential "default".
provider "openstack" {}

variable "template" {
  description = "plan and version: openstack coe cluster template list; a change is an upgrade"
  default     = "k8s-1.36-free"
}

variable "flavor" {
  description = "flavor of the nodes: openstack flavor list"
}

variable "node_count" {
  default = 1
}

data "openstack_containerinfra_clustertemplate_v1" "chosen" {
  name = var.template
}

resource "openstack_containerinfra_cluster_v1" "demo" {
  name                = "demo"
  cluster_template_id = data.openstack_containerinfra_clustertemplate_v1.chosen.id
  flavor              = var.flavor
  node_count          = var.node_count
  labels              = { auto_healing_enabled = "true" }
  merge_labels        = true
}

resource "openstack_containerinfra_nodegroup_v1" "elastic" {
  cluster_id     = openstack_containerinfra_cluster_v1.demo.id
  name           = "elastic"
  flavor_id      = var.flavor
  min_node_count = 1
  max_node_count = 3
  labels         = { auto_scaling_enabled = "true" }
  merge_labels   = true

  # Fairway's autoscaling sets it.
  lifecycle {
    ignore_changes = [node_count]
  }
}

# Valid for 24 hours from the first apply; the provider does not renew it. The data source below returns a new one in every run.
output "kubeconfig" {
  value     = openstack_containerinfra_cluster_v1.demo.kubeconfig.raw_config
  sensitive = true
}

# For the providers kubernetes and helm, use host, cluster_ca_certificate, client_certificate and client_key of its kubeconfig.
data "openstack_containerinfra_cluster_v1" "demo" {
  name       = openstack_containerinfra_cluster_v1.demo.name
  depends_on = [openstack_containerinfra_nodegroup_v1.elastic]
}
