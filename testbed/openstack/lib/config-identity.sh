# shellcheck shell=bash disable=SC2086,SC2154
# Keystone, Placement and Glance.
configure_identity() {
  local e=$R/etc d=$R/dist
  cat >$e/keystone/keystone.conf <<E
[DEFAULT]
use_stderr = true
$(database keystone)
[auth]
methods = external,password,token,oauth1,mapped,application_credential,totp
[token]
provider = fernet
[fernet_tokens]
key_repository = $R/lib/keystone/fernet-keys
[credential]
key_repository = $R/lib/keystone/credential-keys
[identity]
password_hash_rounds = 4
[cache]
enabled = true
backend = dogpile.cache.memory
expiration_time = 60
[oslo_messaging_notifications]
driver = noop
E
  cat >$e/placement/placement.conf <<E
[DEFAULT]
use_stderr = true
[api]
auth_strategy = keystone
$(database placement placement_database)
$(authtoken placement)
E
  cat >$e/glance/glance-api.conf <<E
[DEFAULT]
bind_host = 127.0.0.1
bind_port = 9292
workers = 0
public_endpoint = http://127.0.0.1:9292
enabled_backends = file:file
transport_url = $RABBIT
[glance_store]
default_backend = file
[file]
filesystem_store_datadir = $R/lib/glance/images
[os_glance_staging_store]
filesystem_store_datadir = $R/lib/glance/staging
[os_glance_tasks_store]
filesystem_store_datadir = $R/lib/glance/tasks
[paste_deploy]
flavor = keystone
config_file = $d/usr/share/glance-common/glance-api-paste.ini
$(database glance)
$(authtoken glance)
$(rabbitconf glance)
E
  mkdir -p $R/lib/glance/{images,staging,tasks}
  cp $d/usr/share/glance-common/schema-image.json $e/glance/ 2>/dev/null || true
}
