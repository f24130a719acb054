import { frontProxyIdentity } from '@fairway/apiserver/aggregation/front-proxy-identity';
import type { Auditor } from '@fairway/apiserver/audit/auditor';
import { createAuth } from '@fairway/apiserver/auth/create-auth';
import {
  JWKS_PATH,
  jsonWebKeySet,
  OPENID_CONFIGURATION_PATH,
  openidConfiguration,
} from '@fairway/apiserver/auth/issuer-discovery';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { flowMetrics } from '@fairway/apiserver/flow-control/flow-metrics';
import { flowControlUpkeep, writeFlowControlObjects } from '@fairway/apiserver/flow-control/upkeep';
import { builtinDefinitions, documentedDefinitions } from '@fairway/apiserver/kinds/definitions';
import { OutboundClient } from '@fairway/apiserver/outbound/outbound-client';
import { denyAll, type OutboundPolicy } from '@fairway/apiserver/outbound/outbound-policy';
import { WebhookCaller } from '@fairway/apiserver/outbound/webhook-caller';
import { QuotaLedger } from '@fairway/apiserver/quota/quota-ledger';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { jsonResponse } from '@fairway/apiserver/server/request';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Controller } from '@fairway/kube/controller/controller';
import { Manager } from '@fairway/kube/controller/manager';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import type { ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { Address4 } from 'ip-address';
import { hollowAdmission } from '../admission/all.ts';
import { allControllers } from '../controllers/all.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { createBootstrapObjects } from './bootstrap-objects.ts';
import { HOLLOW_RESOURCES } from './resources.ts';

export interface HollowControlPlaneOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly clusterName: string;
  /** The exact Kubernetes version that it emulates: `1.34.2`. */
  readonly version: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly apiServer?: {
    /** Admission plugins beyond the Kubernetes defaults: `AlwaysPullImages`. NodeRestriction is always enabled. */
    readonly admissionPlugins?: { readonly enabled: readonly string[]; readonly disabled: readonly string[] };
  };
  /** Authenticates bearer tokens from other issuers; none if undefined. */
  readonly reviewToken?: ((token: string) => Promise<UserInfo | undefined>) | undefined;
  /** Records audit events; disabled by default. */
  readonly auditor?: Auditor | undefined;
  /** Authorizer in addition to Node and RBAC; none if undefined. */
  readonly reviewAccess?: Authorizer | undefined;
  /** Public address, for the `kubernetes` Service, cluster-info and the token issuer. */
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly pki: {
    /** Signs certificates for the CSR API. */
    readonly ca: CertificateAuthority;
    /** PEM of every CA that may have signed the server's certificate. */
    readonly caBundle: string;
    /** PEM of every CA whose client certificates are accepted; `caBundle` by default. */
    readonly clientCaBundle?: string;
    readonly serviceAccountKeys: ServiceAccountKeys;
    /** Client certificate for API servers behind the aggregation layer; none is presented if undefined. */
    readonly frontProxy?: {
      readonly ca: CertificateAuthority;
      /** PEM of every CA that may have signed the proxy client certificate. */
      readonly caBundle: string;
    };
  };
  /** Addresses that the API server may connect to, for webhooks and aggregated API servers; none by default. */
  readonly outbound?: OutboundPolicy | undefined;
  /** `none` leaves scheduling and controllers to other processes; `own` by default. */
  readonly controllers?: Controllers;
}

/** Pending requests to aggregated API servers. */
const MAX_FORWARDED_REQUESTS = 256;

/** Runs the scheduler and controllers. */
export type Controllers = 'own' | 'none';

export interface HollowControlPlane {
  readonly server: ApiServer;
  /** Creates the bootstrap objects and starts the scheduler and controllers; idempotent on a store with content. */
  start(): Promise<void>;
  /** Stops the controllers and the server. Does not close the store, which the caller owns. */
  stop(): Promise<void>;
}

const CONTROLLER_MANAGER: UserInfo = {
  username: 'system:kube-controller-manager',
  groups: ['system:masters', 'system:authenticated'],
};

const METRICS = { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } };

const API_SERVER: UserInfo = { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** A Kubernetes control plane without etcd, processes or machines: the embedded API server with its scheduler and controllers. */
export function createHollowControlPlane(options: HollowControlPlaneOptions): HollowControlPlane {
  const { store, clock, random, log, pki, version, endpoint, podCidr, serviceCidr } = options;
  const plugins = options.apiServer?.admissionPlugins ?? { enabled: [], disabled: [] };
  const { clientCaBundle = pki.caBundle } = pki;
  const issuer = `https://${endpoint.host}:${endpoint.port}`;
  const auth = createAuth({
    reader: () => server.reader,
    clock,
    clientCaBundle: () => clientCaBundle,
    issuer,
    serviceAccountKeys: pki.serviceAccountKeys,
    apiAudiences: [issuer, 'https://kubernetes.default.svc.cluster.local'],
    reviewToken: options.reviewToken,
    authorizers: options.reviewAccess ? [options.reviewAccess] : [],
    allowAnonymous: true,
  });
  const ledger = new QuotaLedger(store);
  const policy = options.outbound ?? denyAll;
  const outbound = new OutboundClient({ clock, policy });
  const forwarding = new OutboundClient({ clock, policy, maxCalls: MAX_FORWARDED_REQUESTS });
  const caller = new WebhookCaller({ reader: () => server.reader, clock, random, client: outbound });
  const admission = hollowAdmission(
    {
      reader: () => server.reader,
      clock,
      log,
      random,
      store,
      ledger,
      serviceCidr,
      caller,
      authorizer: auth.authorizer,
      ...plugins,
    },
    auth.admission,
  );
  const server = new ApiServer({
    store,
    resources: HOLLOW_RESOURCES,
    definitions: builtinDefinitions(),
    documentation: documentedDefinitions,
    clock,
    random,
    log,
    version: versionInfo(version),
    authenticators: auth.authenticators,
    anonymous: true,
    ...(options.auditor && { auditor: options.auditor }),
    authorizer: auth.authorizer,
    access: auth.access,
    admission: admission.plugins,
    webhookCaller: caller,
    aggregation: {
      client: forwarding,
      checkingClient: outbound,
      identity: pki.frontProxy ? frontProxyIdentity(pki.frontProxy.ca, clock) : () => Promise.resolve(undefined),
    },
    watchCacheSize: 512,
    watchCacheBytes: 1024 * 1024,
  });
  addIssuerRoutes(server, issuer, pki.serviceAccountKeys);
  server.addRoute({ path: '/metrics', handle: () => ({ ...METRICS, body: flowMetrics(server.flowControl) }) });
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();

  return {
    server,
    async start() {
      const client = new KubeClient(server.transport(CONTROLLER_MANAGER), {
        userAgent: 'kube-controller-manager',
        clock,
      });
      const own = new KubeClient(server.transport(API_SERVER), { clock });
      const serviceAddress = firstAddress(serviceCidr);
      const isNew = server.reader.get(Namespaces, '', 'kube-system') === undefined;
      const bootstrap = async () => {
        await createBootstrapObjects(client, server.reader, {
          clusterName: options.clusterName,
          serviceAddress,
          serviceCidr,
          endpoint,
          caBundle: pki.caBundle,
          clientCaBundle,
          frontProxyCaBundle: pki.frontProxy?.caBundle,
        });
        return {};
      };
      // A tenant's policy or webhook may reject the missing objects, and the tenant could not fix that while the
      // API is down.
      const bootstrapping = new Controller({ name: 'bootstrap', reconcile: bootstrap, clock, random, log });
      await bootstrap().catch((err: unknown) => {
        if (isNew) throw err;
        log.warn({ err }, 'cannot write bootstrap objects');
        bootstrapping.enqueue('bootstrap');
      });
      await writeFlowControlObjects({ client: own, reader: server.reader, clock }).catch((err: unknown) => {
        log.warn({ err }, 'cannot write priority and fairness objects');
      });
      const informers = new InformerSet(client, { clock, random, log });
      const context: ControllerContext = {
        client,
        informers,
        events: (component) => new EventRecorder(client, { component, clock, random, log }),
        clock,
        random,
        log,
        reader: server.reader,
        store,
        kinds: server.kinds,
        ledger,
        podCidr,
        ca: pki.ca,
        caBundle: pki.caBundle,
        isAggregated: (type) => server.isAggregated(type),
        signToken: (subject, seconds) => auth.access.signToken(subject, auth.access.apiAudiences, seconds),
      };
      const controllers = options.controllers === 'none' ? [] : allControllers(context);
      const upkeep = flowControlUpkeep({ client: own, reader: server.reader, store, clock, random, log });
      const manager = new Manager({ log }).addInformers(informers).add(bootstrapping, upkeep, ...controllers);
      await new Promise<void>((resolve, reject) => {
        running = manager.run(stop.signal, resolve);
        running.catch(reject);
      });
    },
    async stop() {
      stop.abort();
      await running.catch(() => undefined);
      await server.close();
      admission.stop();
      outbound.close();
      forwarding.close();
      ledger.stop();
    },
  };
}

function versionInfo(version: string) {
  const [major = '1', minor = '0'] = version.split('.');
  return {
    major,
    minor,
    gitVersion: `v${version}+fairway-hollow`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node ${process.version}`,
    compiler: 'node',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}

function firstAddress(cidr: string): string {
  return Address4.fromBigInt(new Address4(cidr).startAddress().bigInt() + 1n).address;
}

function addIssuerRoutes(server: ApiServer, issuer: string, keys: ServiceAccountKeys): void {
  const documents = [
    { path: OPENID_CONFIGURATION_PATH, document: () => openidConfiguration(issuer, `${issuer}${JWKS_PATH}`, keys) },
    { path: JWKS_PATH, document: () => jsonWebKeySet(keys) },
  ];
  for (const { path, document } of documents) server.addRoute({ path, handle: () => jsonResponse(200, document()) });
}
