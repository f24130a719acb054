/** Labels that Fairway implements; `docs/tenants/magnum.md` has a row for each. */
export const TRANSLATED_LABELS = [
  'kube_tag',
  'fairway_plan',
  'availability_zone',
  'boot_volume_size',
  'boot_volume_type',
  'fixed_network_cidr',
  'pods_network_cidr',
  'calico_ipv4pool',
  'flannel_network_cidr',
  'cilium_ipv4pool',
  'service_cluster_ip_range',
  'api_master_lb_allowed_cidrs',
  'master_lb_allowed_cidrs',
  'keystone_auth_enabled',
  'auto_scaling_enabled',
  'min_node_count',
  'max_node_count',
  'auto_healing_enabled',
] as const;

const ADDON_REASON = 'Fairway does not provide this add-on; install it with kubectl or Helm';
const OPTIONS_REASON = 'Fairway manages the options of Kubernetes components';

const STORAGE_CLASS_ADVICE = 'create a StorageClass in the cluster';
const PUBLIC_ADDRESS_ADVICE = 'API servers have a public address; restrict access with api_master_lb_allowed_cidrs';

/** Labels that are rejected unless their value turns the feature off or requests the default, with the reasons. */
export const REFUSED_LABELS: Readonly<Record<string, string>> = {
  kube_dashboard_enabled: ADDON_REASON,
  monitoring_enabled: ADDON_REASON,
  influx_grafana_dashboard_enabled: ADDON_REASON,
  prometheus_monitoring: ADDON_REASON,
  tiller_enabled: ADDON_REASON,
  admission_control_list: OPTIONS_REASON,
  kubeapi_options: OPTIONS_REASON,
  kubecontroller_options: OPTIONS_REASON,
  kubelet_options: 'set spec.kubelet of the NodePool with kubectl',
  kubeproxy_options: OPTIONS_REASON,
  kubescheduler_options: OPTIONS_REASON,
  etcd_volume_size: 'Fairway hosts the etcd databases; they use no volumes of the project',
  etcd_volume_type: 'Fairway hosts the etcd databases; they use no volumes of the project',
  fixed_subnet_cidr: 'use fixed_network_cidr',
  etcd_blockdevice_size: 'Fairway hosts the etcd databases; they use no volumes of the project',
  etcd_blockdevice_type: 'Fairway hosts the etcd databases; they use no volumes of the project',
  etcd_blockdevice_volume_type: 'Fairway hosts the etcd databases; they use no volumes of the project',
  etcd_blockdevice_volume_az: 'Fairway hosts the etcd databases; they use no volumes of the project',
  custom_nodes_image: 'use image_id of the template',
  docker_volume_type: 'use boot_volume_size and boot_volume_type',
  extra_network_name: 'all nodes are in one network: use fixed_network of the template',
  extra_network_names: 'all nodes are in one network: use fixed_network of the template',
  octavia_provider: 'use the annotation loadbalancer.fairway.dev/provider of Services',
  csi_cinder_availability_zone: STORAGE_CLASS_ADVICE,
  csi_cinder_volume_type: STORAGE_CLASS_ADVICE,
  csi_cinder_reclaim_policy: STORAGE_CLASS_ADVICE,
  csi_cinder_allowed_topologies: STORAGE_CLASS_ADVICE,
  csi_cinder_default_volume_type: STORAGE_CLASS_ADVICE,
  csi_cinder_volume_binding_mode: STORAGE_CLASS_ADVICE,
  dns_cluster_domain: 'the DNS domain of clusters is always cluster.local',
  selinux_mode: 'the node image determines it: use image_id of the template',
  post_install_manifest_url: 'apply the manifest with kubectl',
  ingress_controller: 'Fairway serves Ingresses of class octavia; install other controllers with kubectl or Helm',
  prometheus_adapter_enabled: ADDON_REASON,
  monitoring_ingress_enabled: ADDON_REASON,
  cluster_basic_auth_secret: ADDON_REASON,
};

/** Values of these labels that request the default behaviour, and are accepted. */
const DEFAULT_VALUES: Readonly<Record<string, readonly string[]>> = {
  dns_cluster_domain: ['cluster.local'],
  selinux_mode: ['permissive', 'disabled'],
  ingress_controller: ['octavia'],
};

/** Whether a label requests something unsupported. */
export function isUnsupported(name: string, value: string): boolean {
  if (!Object.hasOwn(REFUSED_LABELS, name) || isOff(value)) return false;
  return !(Object.hasOwn(DEFAULT_VALUES, name) && DEFAULT_VALUES[name]?.includes(value.toLowerCase()));
}

/** Labels from the guides of Magnum and magnum-capi-helm that can safely be ignored: they select or tune components that Fairway manages. */
export const HARMLESS_LABELS: readonly string[] = [
  'auto_healing_controller',
  'autoscaler_tag',
  'calico_ipv4pool_ipip',
  'calico_kube_controllers_tag',
  'calico_tag',
  'capi_helm_chart_version',
  'cert_manager_api',
  'cgroup_driver',
  'cinder_csi_plugin_tag',
  'cloud_provider_tag',
  'cluster_root_domain_name',
  'container_infra_prefix',
  'container_runtime',
  'containerd_tarball_sha256',
  'containerd_tarball_url',
  'containerd_version',
  'coredns_tag',
  'csi_attacher_tag',
  'csi_cinder_allow_volume_expansion',
  'csi_cinder_fstype',
  'csi_liveness_probe_tag',
  'csi_node_driver_registrar_tag',
  'csi_provisioner_tag',
  'csi_resizer_tag',
  'csi_snapshotter_tag',
  'draino_tag',
  'etcd_tag',
  'flannel_backend',
  'flannel_cni_tag',
  'flannel_network_subnetlen',
  'flannel_tag',
  'grafana_admin_passwd',
  'grafana_tag',
  'heapster_enabled',
  'heat_container_agent_tag',
  'helm_client_sha256',
  'helm_client_tag',
  'helm_client_url',
  'hyperkube_prefix',
  'ingress_controller_role',
  'k8s_keystone_auth_tag',
  'kube_dashboard_version',
  'kube_version',
  'magnum_auto_healer_tag',
  'metrics_scraper_tag',
  'metrics_server_chart_tag',
  'monitoring_interval_seconds',
  'monitoring_retention_days',
  'monitoring_retention_size',
  'monitoring_storage_class_name',
  'nginx_ingress_controller_chart_tag',
  'nginx_ingress_controller_tag',
  'node_problem_detector_tag',
  'npd_enabled',
  'octavia_ingress_controller_tag',
  'octavia_lb_algorithm',
  'octavia_lb_healthcheck',
  'ostree_commit',
  'ostree_remote',
  'prometheus_adapter_chart_tag',
  'prometheus_adapter_configmap',
  'prometheus_operator_chart_tag',
  'prometheus_tag',
  'tiller_namespace',
  'tiller_tag',
  'traefik_ingress_controller_tag',
  'use_podman',
];

/** Parts of unknown label names that suggest an access restriction or a placement. */
const RESTRICTIVE_WORDS = [
  'allowed',
  'allowlist',
  'whitelist',
  'cidr',
  'firewall',
  'security_group',
  'floating_ip',
  'server_group',
  'affinity',
  'encrypt',
  'pod_security',
  'oidc',
  'audit_log',
  'internal_lb',
  'private',
];

/** Whether an unknown label would restrict access or placement. */
export function isUnknownRestriction(name: string, value: string): boolean {
  if (isKnown(name) || isOff(value)) return false;
  const lowerCase = name.toLowerCase();
  return RESTRICTIVE_WORDS.some((word) => lowerCase.includes(word));
}

/** Whether Fairway recognizes the label. */
export function isKnown(name: string): boolean {
  const lists: readonly (readonly string[])[] = [
    TRANSLATED_LABELS,
    Object.keys(REFUSED_LABELS),
    Object.keys(ALWAYS_ON_LABELS),
    HARMLESS_LABELS,
  ];
  return lists.some((names) => names.includes(name));
}

/** Whether a label's value turns its feature off. */
export function isOff(value: string): boolean {
  return value === '' || ['false', 'no', 'off', '0'].includes(value.toLowerCase());
}

/** Features that are always on: `false` is rejected with this reason. */
export const ALWAYS_ON_LABELS = {
  cloud_provider_enabled: 'it is part of every cluster',
  cinder_csi_enabled: 'it is part of every cluster',
  metrics_server_enabled: 'it is part of every cluster',
  master_lb_floating_ip_enabled: PUBLIC_ADDRESS_ADVICE,
} as const;

/** Cluster labels that have no effect and are only returned; `status_reason` reports them to the user. */
export function labelsWithoutEffect(labels: Readonly<Record<string, string>>): readonly string[] {
  const namesWithEffect: readonly string[] = [
    ...TRANSLATED_LABELS,
    ...Object.keys(REFUSED_LABELS),
    ...Object.keys(ALWAYS_ON_LABELS),
  ];
  return Object.keys(labels).filter((name) => !namesWithEffect.includes(name));
}
