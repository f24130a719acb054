import type { Component } from './components.ts';

/*
 * Paths below a cluster's folder. Its programs work in that folder and are told relative paths: command lines stay short, the
 * home can be moved, and sockets stay within the 108 bytes that their paths may have.
 */

/** The folder itself for who works in it, whether or not those above let them in. */
export const WORKING_FOLDER = '/proc/self/cwd';
export const RECORD = 'record.json';
export const ETCD_DATA = 'etcd';
/** etcd takes a socket's path in the form of host:port alone. */
export const ETCD_SOCKET = 'etcd:0';
export const ETCD_PEER_SOCKET = 'etcd-peer:0';
export const AUDIT_LOG = 'logs/audit.log';
export const AUDIT_POLICY = 'config/audit-policy.yaml';
export const ENCRYPTION = 'config/encryption.yaml';
export const EGRESS_FOLDER = 'egress';
export const EGRESS_CONFIGURATION = 'config/egress.yaml';
export const AUTHENTICATION = 'config/authentication.yaml';
export const CLUSTER_CA = 'pki/ca.crt';
export const SIGNING_CERTIFICATE = 'pki/signing-ca.crt';
export const SIGNING_KEY = 'pki/signing-ca.key';
export const FRONT_PROXY_CA = 'pki/front-proxy-ca.crt';
export const SERVICE_ACCOUNT_KEY = 'pki/sa.key';
export const SERVICE_ACCOUNT_VERIFICATION = 'pki/sa.pub';

export function certificatePath(name: string): string {
  return `pki/${name}.crt`;
}

export function keyPath(name: string): string {
  return `pki/${name}.key`;
}

export function kubeconfigPath(name: string): string {
  return `config/${name}.kubeconfig`;
}

export function pidPath(component: Component): string {
  return `run/${component}.pid`;
}

export function logPath(component: Component): string {
  return `logs/${component}.log`;
}
