# shellcheck shell=bash disable=SC2086,SC2154
# Nova and Neutron.
configure_compute() {
  local e=$R/etc d=$R/dist
  cat >$e/nova/nova.conf <<E
[DEFAULT]
my_ip = 127.0.0.1
host = ostest-compute1
state_path = $R/lib/nova
transport_url = $RABBIT
compute_driver = ostest_nova.OstestDriver
enabled_apis = osapi_compute
osapi_compute_listen = 127.0.0.1
osapi_compute_listen_port = 8774
osapi_compute_workers = 1
allow_resize_to_same_host = true
reserved_host_memory_mb = 0
report_interval = 10
service_down_time = 60
[api]
auth_strategy = keystone
[wsgi]
api_paste_config = $d/usr/share/nova-common/api-paste.ini
[quota]
instances = 50
cores = 400
ram = 1600000
[conductor]
workers = 1
[scheduler]
workers = 1
# Concurrent discoveries of the same host collide, so only the testbed runs discovery.
discover_hosts_in_cells_interval = -1
[filter_scheduler]
track_instance_changes = false
[placement]
$(auth placement)
[neutron]
$(auth neutron)
service_metadata_proxy = false
[cinder]
os_region_name = RegionOne
catalog_info = volumev3::publicURL
[glance]
api_servers = http://127.0.0.1:9292
[service_user]
send_service_user_token = true
$(auth nova)
[vnc]
enabled = true
novncproxy_base_url = http://127.0.0.1:6080/vnc_auto.html
server_listen = 127.0.0.1
[key_manager]
backend = barbican
$(authtoken nova)
$(rabbitconf nova)
E
  # nova-compute fails its RPC version check at startup if it sees a database.
  { database nova_api api_database; database nova; } >$e/nova/db.conf
  local i; for i in $(seq $OSTEST_COMPUTES); do
    printf '[DEFAULT]\nhost = ostest-compute%s\nstate_path = %s/lib/nova/compute%s\n' $i $R $i >$e/nova/compute$i.conf
    mkdir -p $R/lib/nova/compute$i/instances
  done

  cat >$e/neutron/neutron.conf <<E
[DEFAULT]
bind_host = 127.0.0.1
bind_port = 9696
host = ostest-net1
state_path = $R/lib/neutron
transport_url = $RABBIT
core_plugin = ml2
service_plugins = router,qos,trunk,port_forwarding
api_workers = 1
rpc_workers = 0
rpc_state_report_workers = 0
auth_strategy = keystone
api_paste_config = $d/usr/share/neutron-common/api-paste.ini
notify_nova_on_port_status_changes = true
notify_nova_on_port_data_changes = true
send_events_interval = 0
dhcp_agent_notification = false
max_allowed_address_pair = 30
$(database neutron)
$(authtoken neutron)
[nova]
$(auth nova)
[ml2]
type_drivers = flat,vlan,vxlan,local
tenant_network_types = vxlan
mechanism_drivers = ostest
extension_drivers = port_security,qos,dns
[ml2_type_flat]
flat_networks = *
[ml2_type_vlan]
network_vlan_ranges = physnet1:1:4000
[ml2_type_vxlan]
vni_ranges = 1:2000
[securitygroup]
enable_security_group = true
$(rabbitconf neutron)
E
}
