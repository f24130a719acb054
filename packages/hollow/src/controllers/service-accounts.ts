import { Controller } from '@fairway/kube/controller/controller';
import type { ConfigMap, ServiceAccount } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Namespaces, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ControllerContext } from './context.ts';

const DEFAULT_ACCOUNT = 'default';
const ROOT_CA_CONFIG_MAP = 'kube-root-ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Creates the `default` service account and the root CA ConfigMap in every namespace (serviceaccounts_controller.go, rootcacertpublisher). */
export function namespaceDefaults(context: ControllerContext): Controller {
  const { client, informers, clock, random, log, caBundle } = context;
  const namespaces = informers.informer(Namespaces);
  const accounts = informers.informer(ServiceAccounts, { fieldSelector: `metadata.name=${DEFAULT_ACCOUNT}` });
  const bundles = informers.informer(ConfigMaps, { fieldSelector: `metadata.name=${ROOT_CA_CONFIG_MAP}` });

  const controller = new Controller({
    name: 'namespace-essentials',
    clock,
    random,
    log,
    async reconcile(name) {
      const namespace = namespaces.get(name);
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return {};
      if (accounts.get(`${name}/${DEFAULT_ACCOUNT}`) === undefined) await createAccount(name);
      const bundle = bundles.get(`${name}/${ROOT_CA_CONFIG_MAP}`);
      if (bundle === undefined) await createBundle(name);
      else if (!jsonEqual(bundle.data, bundleData()))
        await client.resource(ConfigMaps).update({ ...bundle, data: bundleData() });
      return {};
    },
  });

  async function createAccount(namespace: string): Promise<void> {
    const account: ServiceAccount = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: DEFAULT_ACCOUNT, namespace },
    };
    await ignoreAlreadyExists(() => client.resource(ServiceAccounts).create(account));
  }

  async function createBundle(namespace: string): Promise<void> {
    const annotations = { 'kubernetes.io/description': DESCRIPTION };
    const bundle: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ROOT_CA_CONFIG_MAP, namespace, annotations },
      data: bundleData(),
    };
    await ignoreAlreadyExists(() => client.resource(ConfigMaps).create(bundle));
  }

  function bundleData(): Record<string, string> {
    return { 'ca.crt': caBundle };
  }

  const namespaceOf = ({ metadata }: KubeObject) => [metadata.namespace ?? ''];
  return controller.watch(namespaces).watch(accounts, namespaceOf).watch(bundles, namespaceOf);
}

async function ignoreAlreadyExists(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    // The namespace may have started terminating.
    if (!isApiError(error, 'AlreadyExists', 'Forbidden', 'NotFound')) throw error;
  }
}
