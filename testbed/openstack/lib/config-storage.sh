# shellcheck shell=bash disable=SC2086,SC2154
# Cinder, Octavia, Barbican, Designate and Manila.
configure_storage() {
  local e=$R/etc d=$R/dist
  cat >$e/cinder/cinder.conf <<E
[DEFAULT]
my_ip = 127.0.0.1
host = ostest
state_path = $R/lib/cinder
transport_url = $RABBIT
auth_strategy = keystone
osapi_volume_listen = 127.0.0.1
osapi_volume_listen_port = 8776
osapi_volume_workers = 1
api_paste_config = $d/usr/share/cinder-common/api-paste.ini
resource_query_filters_file = $d/etc/cinder/resource_filters.json
enabled_backends = ostest
default_volume_type = classic
glance_api_servers = http://127.0.0.1:9292
image_conversion_dir = $R/lib/cinder/conversion
report_interval = 10
service_down_time = 60
quota_volumes = 100
quota_snapshots = 100
quota_gigabytes = 20000
[ostest]
volume_driver = ostest_cinder.OstestVolumeDriver
volume_backend_name = ostest
[coordination]
backend_url = file://$R/lib/cinder/coord
[nova]
$(auth nova)
[service_user]
send_service_user_token = true
$(auth cinder)
[key_manager]
backend = barbican
$(database cinder)
$(authtoken cinder)
$(rabbitconf cinder)
E
  mkdir -p $R/lib/cinder/{coord,conversion}

  cat >$e/octavia/octavia.conf <<E
[DEFAULT]
use_stderr = true
transport_url = $RABBIT
[api_settings]
bind_host = 127.0.0.1
bind_port = 9876
auth_strategy = keystone
api_base_uri = http://127.0.0.1:9876
enabled_provider_drivers = ostest:'No data plane; everything becomes ACTIVE.'
default_provider_driver = ostest
[driver_agent]
status_socket_path = $R/run/octavia-status.sock
stats_socket_path = $R/run/octavia-stats.sock
get_socket_path = $R/run/octavia-get.sock
[controller_worker]
network_driver = allowed_address_pairs_driver
[certificates]
cert_manager = barbican_cert_manager
region_name = RegionOne
endpoint_type = public
[neutron]
region_name = RegionOne
[nova]
region_name = RegionOne
[service_auth]
$(auth octavia)
[oslo_policy]
policy_file = $e/octavia/policy.yaml
$(database octavia)
$(authtoken octavia)
$(rabbitconf octavia)
E
  # Octavia's own admin_or_owner-policy.yaml: no special load-balancer roles needed.
  cat >$e/octavia/policy.yaml <<'E'
"context_is_admin": "role:admin or role:load-balancer_admin"
"admin_or_owner": "is_admin:True or project_id:%(project_id)s"
"load-balancer:read": "rule:admin_or_owner"
"load-balancer:read-global": "is_admin:True"
"load-balancer:write": "rule:admin_or_owner"
"load-balancer:read-quota": "rule:admin_or_owner"
"load-balancer:read-quota-global": "is_admin:True"
"load-balancer:write-quota": "is_admin:True"
E

  cat >$e/barbican/barbican.conf <<E
[DEFAULT]
use_stderr = true
host_href = http://127.0.0.1:9311
sql_connection = $(dburl barbican)
db_auto_create = false
transport_url = $RABBIT
[secretstore]
enabled_secretstore_plugins = store_crypto
[crypto]
enabled_crypto_plugins = simple_crypto
[simple_crypto_plugin]
kek = 'dGhpcnR5X3R3b19ieXRlX2tleWJsYWhibGFoYmxhaGg='
[queue]
enable = false
$(authtoken barbican)
$(rabbitconf barbican)
E
  cp $d/usr/share/barbican-common/barbican-api-paste.ini $e/barbican/

  cat >$e/designate/designate.conf <<E
[DEFAULT]
host = ostest
state_path = $R/lib/designate
transport_url = $RABBIT
[service:api]
listen = 127.0.0.1:9001
auth_strategy = keystone
enable_api_v2 = true
enabled_extensions_v2 = quotas, reports
api_base_uri = http://127.0.0.1:9001/
enable_host_header = true
workers = 1
api_paste_config = $d/usr/share/designate-common/api-paste.ini
[service:central]
workers = 1
[service:mdns]
listen = 127.0.0.1:5354
workers = 1
[service:worker]
workers = 1
poll_timeout = 5
poll_retry_interval = 1
poll_delay = 1
threads = 20
[service:producer]
workers = 1
[storage:sqlalchemy]
connection = $(dburl designate)
[coordination]
heartbeat_interval = 5
[heartbeat_emitter]
heartbeat_interval = 10
$(authtoken designate)
$(rabbitconf designate)
E
  cat >$e/designate/pools.yaml <<E
- name: default
  description: no name server behind it; designate-mdns answers the polls
  attributes: {}
  ns_records:
    - hostname: ns1.ostest.example.
      priority: 1
  nameservers:
    - host: 127.0.0.1
      port: 5354
  targets:
    - type: fake
      description: fake
      masters:
        - host: 127.0.0.1
          port: 5354
      options: {host: 127.0.0.1, port: 5354}
E

  cat >$e/manila/manila.conf <<E
[DEFAULT]
my_ip = 127.0.0.1
host = ostest
state_path = $R/lib/manila
transport_url = $RABBIT
auth_strategy = keystone
osapi_share_listen = 127.0.0.1
osapi_share_listen_port = 8786
osapi_share_workers = 1
api_paste_config = $d/usr/share/manila-common/api-paste.ini
rootwrap_config = $d/usr/share/manila-common/rootwrap.conf
enabled_share_backends = ostest
enabled_share_protocols = NFS,CIFS
default_share_type = default
report_interval = 10
service_down_time = 60
[ostest]
share_driver = manila.tests.share.drivers.dummy.DummyDriver
share_backend_name = ostest
driver_handles_share_servers = false
dummy_driver_default_driver_method_delay = 0
dummy_driver_driver_methods_delays = create_share:0.1
[coordination]
backend_url = file://$R/lib/manila/coord
$(database manila)
$(authtoken manila)
$(rabbitconf manila)
E
  mkdir -p $R/lib/manila/coord
}
