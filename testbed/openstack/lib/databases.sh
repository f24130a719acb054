# shellcheck shell=bash disable=SC2086,SC2154
# MariaDB and RabbitMQ, and the initial setup of the databases.
start_db() {
  if [ ! -d $R/mysql/mysql ]; then
    mariadb-install-db --no-defaults --user=root --datadir=$R/mysql --auth-root-authentication-method=socket \
      --skip-test-db >$R/log/mariadb-install.log 2>&1
  fi
  start mariadb /usr/sbin/mariadbd --no-defaults --user=root --datadir=$R/mysql --socket=$SOCK \
    --pid-file=$R/run/mariadbd.own.pid --skip-networking --skip-name-resolve \
    --character-set-server=utf8mb3 --collation-server=utf8mb3_general_ci \
    --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-use-native-aio=0 \
    --innodb-buffer-pool-size=128M --max-connections=600 --performance-schema=OFF
}
start_rabbit() {
  mkdir -p $R/rabbit/{mnesia,log,home}
  export ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=14369
  cat >$R/rabbit/rabbitmq.conf <<E
listeners.tcp.1 = 127.0.0.1:5672
loopback_users.guest = true
log.file.level = warning
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 50MB
E
  : >$R/rabbit/enabled_plugins; echo '[].' >$R/rabbit/enabled_plugins
  start epmd /usr/bin/epmd -address 127.0.0.1 -port 14369
  start rabbitmq env HOME=$R/rabbit/home RABBITMQ_NODENAME=ostest@localhost \
    RABBITMQ_CONFIG_FILE=$R/rabbit/rabbitmq.conf RABBITMQ_MNESIA_BASE=$R/rabbit/mnesia \
    RABBITMQ_LOG_BASE=$R/rabbit/log RABBITMQ_ENABLED_PLUGINS_FILE=$R/rabbit/enabled_plugins \
    RABBITMQ_PID_FILE=$R/run/rabbitmq.own.pid RABBITMQ_DIST_PORT=14370 RABBITMQ_CONF_ENV_FILE=/dev/null \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none" \
    /usr/lib/rabbitmq/bin/rabbitmq-server
}

db_ready() { [ -e $R/lib/.db-done ]; }
manage() { # NAME CMD...: a one-off set-up command, logged
  local n=$1; shift
  env HOME=$R/home "$@" >>$R/log/setup-$n.log 2>&1 || die "set-up of $n failed: $R/log/setup-$n.log"
}
setup_keystone() {
  local k="$RUN keystone-manage keystone.cmd.manage:main --config-file $R/etc/keystone/keystone.conf"
  mkdir -p $R/lib/keystone/{fernet-keys,credential-keys}; chmod 700 $R/lib/keystone/*-keys
  manage keystone $k db_sync
  manage keystone $k fernet_setup --keystone-user root --keystone-group root
  manage keystone $k credential_setup --keystone-user root --keystone-group root
  manage keystone $k bootstrap --bootstrap-username admin --bootstrap-password "$OSTEST_PASSWORD" \
    --bootstrap-project-name admin --bootstrap-role-name admin --bootstrap-service-name keystone \
    --bootstrap-region-id RegionOne --bootstrap-public-url http://127.0.0.1:5000/v3 \
    --bootstrap-internal-url http://127.0.0.1:5000/v3 --bootstrap-admin-url http://127.0.0.1:5000/v3
}
setup_nova() {
  local n="$RUN nova-manage nova.cmd.manage:main --config-file $R/etc/nova/nova.conf --config-file $R/etc/nova/db.conf"
  manage nova $n api_db sync
  manage nova $n cell_v2 map_cell0 --database_connection "$(dburl nova_cell0)"
  manage nova $n cell_v2 create_cell --name cell1
  manage nova $n db sync
}
setup_rest() {
  local e=$R/etc
  manage placement $RUN placement-manage placement.cmd.manage:main --config-file $e/placement/placement.conf db sync
  manage glance $RUN glance-manage glance.cmd.manage:main --config-file $e/glance/glance-api.conf db_sync
  manage neutron $RUN neutron-db-manage neutron.db.migration.cli:main --config-file $e/neutron/neutron.conf upgrade heads
  manage cinder $RUN cinder-manage cinder.cmd.manage:main --config-file $e/cinder/cinder.conf db sync
  manage octavia $RUN octavia-db-manage octavia.db.migration.cli:main --config-file $e/octavia/octavia.conf upgrade head
  manage barbican env HOME=$e/barbican $RUN barbican-manage barbican.cmd.barbican_manage:main db upgrade
  manage designate $RUN designate-manage designate.cmd.manage:main --config-file $e/designate/designate.conf database sync
  manage manila $RUN manila-manage manila.cmd.manage:main --config-file $e/manila/manila.conf db sync
}
setup_db() {
  local d
  for d in keystone placement glance nova_api nova nova_cell0 neutron cinder octavia barbican designate manila; do
    echo "DROP DATABASE IF EXISTS $d; CREATE DATABASE $d CHARACTER SET utf8mb3;"
  done | sql
  sql -e "CREATE OR REPLACE USER ostest@localhost IDENTIFIED BY 'ostest'; GRANT ALL ON *.* TO ostest@localhost;"
}
