import { expect, test } from 'vitest';
import { isKnown } from './known-labels.ts';

/** Labels from Magnum's user guide and from the options of magnum-capi-helm, July 2026. */
const DOCUMENTED_LABELS = {
  magnum: `
  admission_control_list auto_healing_controller auto_healing_enabled auto_scaling_enabled autoscaler_tag
  availability_zone boot_volume_size boot_volume_type calico_ipv4pool calico_ipv4pool_ipip calico_tag
  cert_manager_api cgroup_driver cinder_csi_enabled cinder_csi_plugin_tag cloud_provider_enabled
  cloud_provider_tag cluster_basic_auth_secret cluster_root_domain_name container_infra_prefix container_runtime
  containerd_tarball_sha256 containerd_tarball_url containerd_version coredns_tag csi_attacher_tag
  csi_node_driver_registrar_tag csi_provisioner_tag csi_resizer_tag csi_snapshotter_tag docker_volume_type
  draino_tag etcd_tag etcd_volume_size etcd_volume_type fixed_subnet_cidr flannel_backend flannel_cni_tag
  flannel_network_cidr flannel_network_subnetlen flannel_tag grafana_admin_passwd heapster_enabled
  heat_container_agent_tag helm_client_sha256 helm_client_tag helm_client_url hyperkube_prefix
  influx_grafana_dashboard_enabled ingress_controller ingress_controller_role k8s_keystone_auth_tag
  keystone_auth_enabled kube_dashboard_enabled kube_dashboard_version kube_tag kubeapi_options
  kubecontroller_options kubelet_options kubeproxy_options kubescheduler_options magnum_auto_healer_tag
  master_lb_allowed_cidrs master_lb_floating_ip_enabled max_node_count metrics_scraper_tag
  metrics_server_chart_tag metrics_server_enabled min_node_count monitoring_enabled monitoring_ingress_enabled
  monitoring_interval_seconds monitoring_retention_days monitoring_retention_size monitoring_storage_class_name
  nginx_ingress_controller_chart_tag nginx_ingress_controller_tag node_problem_detector_tag npd_enabled
  octavia_ingress_controller_tag octavia_lb_algorithm octavia_lb_healthcheck octavia_provider
  prometheus_adapter_chart_tag prometheus_adapter_configmap prometheus_adapter_enabled
  prometheus_operator_chart_tag selinux_mode service_cluster_ip_range traefik_ingress_controller_tag use_podman
  `,
  'magnum-capi-helm': `
  api_master_lb_allowed_cidrs auto_healing_enabled auto_scaling_enabled boot_volume_size boot_volume_type
  capi_helm_chart_version csi_cinder_allow_volume_expansion csi_cinder_allowed_topologies
  csi_cinder_availability_zone csi_cinder_default_volume_type csi_cinder_fstype csi_cinder_reclaim_policy
  csi_cinder_volume_binding_mode etcd_blockdevice_size etcd_blockdevice_type etcd_blockdevice_volume_az
  etcd_blockdevice_volume_type etcd_volume_size etcd_volume_type extra_network_name extra_network_names
  fixed_subnet_cidr keystone_auth_enabled kube_dashboard_enabled master_lb_floating_ip_enabled max_node_count
  min_node_count monitoring_enabled octavia_lb_algorithm octavia_lb_healthcheck octavia_provider
  `,
};

const rows = Object.entries(DOCUMENTED_LABELS).flatMap(([guide, names]) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => ({ guide, name })),
);

test.each(rows)('$name from $guide is translated, refused, or known to be harmless', ({ name }) => {
  expect(isKnown(name)).toBe(true);
});
