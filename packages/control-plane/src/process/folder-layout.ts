import type { Component } from './components.ts';

/*
 * Paths relative to a cluster's directory, which is its programs' working directory. Programs are given relative paths:
 * command lines stay short, the home can be moved, and socket paths stay within Linux's limit of 108 bytes.
 */

/**
 * The cluster's directory, for programs that have it as their working directory, whether or not they may traverse its
 * parents.
 */
export const WORKING_FOLDER = '/proc/self/cwd';
export const RECORD_FILE = 'record.json';
export const ETCD_DATA_FOLDER = 'etcd';
/** etcd accepts a socket's path only in the form `host:port`. */
export const ETCD_SOCKET = 'etcd:0';
export const ETCD_PEER_SOCKET = 'etcd-peer:0';
export const AUDIT_LOG = 'logs/audit.log';
export const AUDIT_POLICY = 'config/audit-policy.yaml';
export const ENCRYPTION_CONFIGURATION = 'config/encryption.yaml';
export const EGRESS_FOLDER = 'egress';
export const EGRESS_CONFIGURATION = 'config/egress.yaml';
export const AUTHENTICATION_CONFIGURATION = 'config/authentication.yaml';
/** Address and credentials of kube-apiserver's token webhook. */
export const TOKEN_WEBHOOK = 'config/token-webhook.yaml';
/** The access webhook and the order of authorizers. */
export const ACCESS_WEBHOOK = 'config/access-webhook.yaml';
export const AUTHORIZATION_CONFIGURATION = 'config/authorization.yaml';
/** The folder of policies for kube-apiserver. */
export const ADMISSION_CONFIGURATION = 'config/admission.yaml';
export const LIMIT_POLICIES_FOLDER = 'limit-policies';
/** One file, so that it is replaced as a whole. */
export const LIMIT_POLICIES = `${LIMIT_POLICIES_FOLDER}/policies.yaml`;
export const CLUSTER_CA = 'pki/ca.crt';
/** All CAs whose clients are admitted. */
export const CLIENT_CA = 'pki/client-ca.crt';
export const SIGNING_CERTIFICATE = 'pki/signing-ca.crt';
export const SIGNING_KEY = 'pki/signing-ca.key';
export const FRONT_PROXY_CA = 'pki/front-proxy-ca.crt';
export const SERVICE_ACCOUNT_KEY = 'pki/sa.key';
export const SERVICE_ACCOUNT_VERIFICATION_KEYS = 'pki/sa.pub';

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
