# shellcheck shell=bash disable=SC2086,SC2154
# Writes the configuration of all services below $R/etc, and $R/clouds.yaml.
dburl() { echo "mysql+pymysql://ostest:ostest@localhost/$1?unix_socket=$SOCK&charset=utf8"; }

authtoken() { cat <<E
[keystone_authtoken]
www_authenticate_uri = http://127.0.0.1:5000
$(auth $1)
service_token_roles = service
service_token_roles_required = true
token_cache_time = 300
E
}
auth() { cat <<E
auth_url = http://127.0.0.1:5000
auth_type = password
project_domain_id = default
user_domain_id = default
project_name = service
username = $1
password = $OSTEST_PASSWORD
region_name = RegionOne
E
}
rabbitconf() { cat <<E
[oslo_messaging_rabbit]
heartbeat_in_pthread = false
[oslo_messaging_notifications]
driver = noop
[oslo_concurrency]
lock_path = $R/run/lock-$1
E
}
database() { printf '[%s]\nconnection = %s\nmax_pool_size = 10\nmax_overflow = 40\n' "${2:-database}" "$(dburl $1)"; }

configure() {
  local e=$R/etc d=$R/dist s
  mkdir -p $R/{run,log,lib,etc,home,wsgi}
  rm -rf $R/plugins; cp -r "$HERE/plugins" $R/plugins
  for s in keystone placement glance nova neutron cinder octavia barbican designate manila; do mkdir -p $e/$s $R/lib/$s $R/run/lock-$s; done
  configure_identity
  configure_compute
  configure_storage

  cat >$R/wsgi/keystone.py <<'E'
from keystone.server.wsgi import initialize_public_application
application = initialize_public_application()
E
  cat >$R/wsgi/placement.py <<'E'
from placement.wsgi import init_application
application = init_application()
E
  cat >$R/wsgi/barbican.py <<E
from paste import deploy
application = deploy.loadapp('config:$e/barbican/barbican-api-paste.ini')
E
  cat >$R/wsgi/octavia.py <<E
from octavia.api.app import setup_app
application = setup_app(argv=['octavia-api', '--config-file', '$e/octavia/octavia.conf'])
import ostest_octavia
ostest_octavia.start()
E

  cat >$R/clouds.yaml <<E
clouds:
$(for n in admin:admin:admin demo-a:demo-a:demo-a demo-b:demo-b:demo-b reader-a:reader-a:demo-a; do IFS=: read -r c u p <<<"$n"; cat <<F
  ostest-$c:
    auth:
      auth_url: http://127.0.0.1:5000/v3
      username: $u
      password: $OSTEST_PASSWORD
      project_name: $p
      user_domain_id: default
      project_domain_id: default
    region_name: RegionOne
    identity_api_version: 3
    interface: public
F
done)
E
}
