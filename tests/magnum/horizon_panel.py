"""What Horizon's panel (magnum-ui) asks of Magnum's API when its forms are sent: a line of JSON for each step. Its own functions
run, without the web server around them, whose few names they use stand here.
By OS_CLOUD: horizon_panel.py FOLDER_OF_MAGNUM_UI TEMPLATE NEXT_TEMPLATE FLAVOR IMAGE."""

import json
import sys
import time
import types

import openstack

NAME = 'of-the-panel'


def tell(step, **facts):
    print(json.dumps({'step': step, **facts}), flush=True)


def stand_in(name, **attributes):
    module = types.ModuleType(name)
    vars(module).update(attributes)
    sys.modules[name] = module
    parent, _, child = name.rpartition('.')
    if parent:
        setattr(sys.modules[parent], child, module)


def panel(folder, conn):
    """magnum_ui.api.magnum, as it is."""

    class ServiceCatalogException(Exception):
        pass

    coe = conn.container_infrastructure_management
    # The client of the panel takes no file of authorities: it trusts what the machine trusts.
    settings = types.SimpleNamespace(OPENSTACK_SSL_NO_VERIFY=True)
    stand_in('django')
    stand_in('django.conf', settings=settings)
    stand_in('horizon')
    stand_in('horizon.exceptions', ServiceCatalogException=ServiceCatalogException, BadRequest=ValueError)
    stand_in('horizon.utils')
    stand_in('horizon.utils.memoized', memoized=lambda function: function)
    stand_in('openstack_dashboard')
    stand_in('openstack_dashboard.api')
    stand_in('openstack_dashboard.api.base', url_for=lambda request, service: coe.get_endpoint())
    sys.path.append(folder)
    from magnum_ui.api import magnum

    return magnum


def main(folder, template, following, flavor, image):
    conn = openstack.connect()
    magnum = panel(folder, conn)
    token = types.SimpleNamespace(id=conn.auth_token)
    user = types.SimpleNamespace(username='', tenant_id=conn.current_project_id, token=token)
    request = types.SimpleNamespace(user=user)

    def wait(status):
        """Until the cluster is in the state; any other than one of progress ends the program."""
        while True:
            cluster = magnum.cluster_show(request, NAME)
            if cluster.status == status:
                return cluster
            if not cluster.status.endswith('_IN_PROGRESS'):
                sys.exit(f'{cluster.status} instead of {status}: {cluster.status_reason}')
            time.sleep(1)

    offered = {one.name: one for one in magnum.cluster_template_list(request)}
    form = {
        'name': NAME,
        'coe': 'kubernetes',
        'image_id': image,
        'flavor_id': flavor,
        'docker_volume_size': None,
        'public': False,
        'tls_disabled': False,
        'network_driver': None,
        'labels': ','.join(f'{key}={value}' for key, value in offered[template].labels.items()),
    }
    own = magnum.cluster_template_create(request, **form).uuid
    magnum.cluster_template_update(request, own, **{**form, 'dns_nameserver': '192.0.2.53'})
    tell('template', nameserver=magnum.cluster_template_show(request, own).dns_nameserver)

    form = {
        'rollback': False,
        'name': NAME,
        'cluster_template_id': own,
        'keypair': None,
        'node_count': 1,
        'master_count': 1,
        'flavor_id': flavor,
        'docker_volume_size': None,
        'create_timeout': 60,
        'floating_ip_enabled': False,
        'master_lb_enabled': True,
        'merge_labels': True,
        'labels': 'auto_healing_enabled=true',
    }
    magnum.cluster_create(request, **form)
    cluster = wait('CREATE_COMPLETE')
    listed = [one.name for one in magnum.cluster_list(request)]
    tell('created', names=listed, labels=cluster.labels_added, floating=cluster.floating_ip_enabled)

    magnum.cluster_update(request, cluster.uuid, **{**form, 'rollback': False, 'node_count': 2})
    tell('updated', nodes=len(wait('UPDATE_COMPLETE').node_addresses))
    magnum.cluster_resize(request, cluster.uuid, 1)
    tell('resized', nodes=len(wait('UPDATE_COMPLETE').node_addresses))
    magnum.cluster_upgrade(request, cluster.uuid, offered[following].uuid)
    tell('upgraded', version=wait('UPDATE_COMPLETE').coe_version)
    authority = magnum.certificate_show(request, cluster.uuid).pem
    tell('certificate', isThere='BEGIN CERTIFICATE' in authority)
    stats = magnum.stats_list(request, project_id=conn.current_project_id)
    tell('stats', clusters=stats.clusters, nodes=stats.nodes)

    magnum.cluster_delete(request, cluster.uuid)
    while NAME in [one.name for one in magnum.cluster_list(request)]:
        time.sleep(1)
    magnum.cluster_template_delete(request, own)
    tell('deleted')


main(*sys.argv[1:])
