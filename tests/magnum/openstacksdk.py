"""What a program with openstacksdk asks of Magnum's API, from a template to the end of a cluster: a line of JSON for each
step. By OS_CLOUD: openstacksdk.py TEMPLATE NEXT_TEMPLATE FLAVOR IMAGE."""

import json
import subprocess
import sys
import tempfile
import time

import openstack
import requests

NAME = 'of-openstacksdk'


def tell(step, **facts):
    print(json.dumps({'step': step, **facts}), flush=True)


def wait(conn, status):
    """Until the cluster is in the state; any other than one of progress ends the program."""
    while True:
        cluster = conn.get_coe_cluster(NAME)
        if cluster['status'] == status:
            return cluster
        if not cluster['status'].endswith('_IN_PROGRESS'):
            sys.exit(f"{cluster['status']} instead of {status}")
        time.sleep(1)


def signed(conn, cluster, address):
    """A certificate for a key that stays here; what the cluster answers to it."""
    with tempfile.TemporaryDirectory() as folder:
        subject = ['-subj', '/O=system:masters/CN=admin', '-keyout', f'{folder}/key', '-out', f'{folder}/csr']
        subprocess.run(['openssl', 'req', '-new', '-newkey', 'rsa:2048', '-nodes', *subject], check=True, stderr=-3)
        with open(f'{folder}/csr') as file:
            certificate = conn.sign_coe_cluster_certificate(cluster['uuid'], file.read())
        with open(f'{folder}/ca', 'w') as file:
            file.write(conn.get_coe_cluster_certificate(cluster['uuid'])['pem'])
        with open(f'{folder}/crt', 'w') as file:
            file.write(certificate['pem'])
        own = (f'{folder}/crt', f'{folder}/key')
        return requests.get(f'{address}/api/v1/nodes', cert=own, verify=f'{folder}/ca').status_code


def main(template, following, flavor, image):
    conn = openstack.connect()
    coe = conn.container_infrastructure_management
    offered = conn.get_coe_cluster_template(template)
    conn.create_coe_cluster_template(
        NAME, image_id=image, coe='kubernetes', flavor_id=flavor, labels=dict(offered['labels'])
    )
    changed = conn.update_coe_cluster_template(NAME, 'replace', dns_nameserver='192.0.2.53')
    tell('template', name=changed['name'], labels=dict(changed['labels']) == dict(offered['labels']))

    conn.create_coe_cluster(NAME, changed['uuid'], node_count=1)
    wait(conn, 'CREATE_COMPLETE')
    tell('created', names=[cluster['name'] for cluster in conn.list_coe_clusters()])
    tell('missing', found=conn.get_coe_cluster('nothing'))

    conn.update_coe_cluster(NAME, 'replace', node_count=2)
    resized = wait(conn, 'UPDATE_COMPLETE')
    tell('resized', nodes=len(coe.get(f"/clusters/{resized['uuid']}").json()['node_addresses']))

    body = {'cluster_template': following}
    coe.post(f"/clusters/{resized['uuid']}/actions/upgrade", json=body, microversion='1.8').raise_for_status()
    upgraded = wait(conn, 'UPDATE_COMPLETE')
    shown = coe.get(f"/clusters/{upgraded['uuid']}").json()
    tell('upgraded', version=shown['coe_version'])
    tell('signed', nodes=signed(conn, upgraded, shown['api_address']))

    conn.delete_coe_cluster(NAME)
    while conn.get_coe_cluster(NAME) is not None:
        time.sleep(1)
    tell('deleted', template=conn.delete_coe_cluster_template(NAME))


main(*sys.argv[1:])
