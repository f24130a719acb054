# shellcheck shell=bash disable=SC2086,SC2154
# The OpenStack services.
uwsgi_app() { # NAME PORT THREADS [ENV...]
  local n=$1 p=$2 t=$3; shift 3
  start $n env HOME=$R/home "$@" /usr/bin/uwsgi --plugins python3 --http-socket 127.0.0.1:$p --wsgi-file $R/wsgi/$n.py \
    --processes 1 --threads $t --enable-threads --lazy-apps --need-app --die-on-term --buffer-size 65535 --post-buffering 65536 \
    --listen 100 --add-header 'Connection: close' --disable-logging --log-4xx --log-5xx --procname "ostest: $n"
}

start_services() {
  local e=$R/etc c i
  # With threads, Keystone 22 confuses the tokens of concurrent requests.
  uwsgi_app keystone 5000 1 OS_KEYSTONE_CONFIG_DIR=$e/keystone
  uwsgi_app placement 8778 6 OS_PLACEMENT_CONFIG_DIR=$e/placement
  local nova="--config-file $e/nova/nova.conf" db="--config-file $e/nova/db.conf" g=()
  for i in $(seq $OSTEST_COMPUTES); do
    g+=(-- nova-compute$i ostest_nova_compute:main $nova --config-file $e/nova/compute$i.conf)
  done
  start neutron env HOME=$R/home $RUN neutron-server neutron.cmd.eventlet.server:main --config-file $e/neutron/neutron.conf
  start nova env HOME=$R/home $RUN --group $R/log \
    -- nova-conductor nova.cmd.conductor:main $nova $db -- nova-scheduler nova.cmd.scheduler:main $nova $db \
    -- nova-api nova.cmd.api:main $nova $db "${g[@]}"
  start glance env HOME=$R/home $RUN glance-api glance.cmd.api:main --config-file $e/glance/glance-api.conf
  c="--config-file $e/cinder/cinder.conf"
  start cinder env HOME=$R/home $RUN --group $R/log -- cinder-api cinder.cmd.api:main $c \
    -- cinder-scheduler cinder.cmd.scheduler:main $c -- cinder-volume cinder.cmd.volume:main $c
  uwsgi_app octavia 9876 6
  uwsgi_app barbican 9311 4 HOME=$e/barbican
  c="--config-file $e/designate/designate.conf"
  start designate env HOME=$R/home $RUN --group $R/log -- designate-central designate.cmd.central:main $c \
    -- designate-mdns designate.cmd.mdns:main $c -- designate-worker designate.cmd.worker:main $c \
    -- designate-producer@8 designate.cmd.producer:main $c -- designate-api designate.cmd.api:main $c
  c="--config-file $e/manila/manila.conf"
  start manila env HOME=$R/home $RUN --group $R/log -- manila-scheduler manila.cmd.scheduler:main $c \
    -- manila-share manila.cmd.share:main $c -- manila-api manila.cmd.api:main $c
}

NAMES="manila designate barbican octavia cinder glance nova neutron placement keystone rabbitmq epmd mariadb"
APIS="keystone:5000/v3 placement:8778/ glance:9292/ nova:8774/ neutron:9696/ cinder:8776/ octavia:9876/ barbican:9311/ designate:9001/ manila:8786/"
