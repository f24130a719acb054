import { RecordedAudit } from '@fairway/apiserver/audit/testing/recorded-audit';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { silentLogger } from '@fairway/base/log';
import { FastClock } from '@fairway/base/testing/fast-clock';
import { ProjectNamespaces } from '@fairway/identity/project-namespaces';
import { type KeystoneSettings, keystoneSettings } from '@fairway/identity/settings';
import { startKeystoneAt, type TestKeystone } from '@fairway/identity/testing/test-keystone';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Budget, DEFAULT_BUDGET } from '@fairway/openstack/http/budget';
import { HttpClient } from '@fairway/openstack/http/http-client';
import { UndiciTransport } from '@fairway/openstack/http/undici-transport';
import { keystoneSignIn } from '@fairway/openstack/sign-in/keystone-sign-in';
import { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { type ConsoleOptions, createConsole } from '../console/console.ts';
import { ConsoleFiles } from '../console/console-files.ts';
import { embeddedForm } from './embedded-form.ts';
import type { GatewayForm } from './gateway-form.ts';
import { managementForm } from './management-form.ts';
import type { Form } from './test-gateway.ts';

/** A gateway with the users of a simulated Keystone. */
export interface KeystoneGateway {
  readonly keystone: TestKeystone<FastClock>;
  readonly form: GatewayForm;
  /** Client of the API with its objects. */
  readonly store: MemoryStore;
  readonly audit: RecordedAudit;
  /** Client with a new token for an entry in the simulator's clouds.yaml. */
  as(entry: string): Promise<KubeClient>;
  by(token: string): Promise<KubeClient>;
  close(): Promise<void>;
}

const CLOCK_FACTOR = 4;

export interface KeystoneGatewayOptions {
  readonly consoleFiles?: ConsoleFiles;
  readonly limits?: Partial<ServerLimits>;
}

export async function startKeystoneGateway(
  form: Form,
  settings: Partial<KeystoneSettings> = {},
  { consoleFiles = new ConsoleFiles('', []), limits }: KeystoneGatewayOptions = {},
): Promise<KeystoneGateway> {
  const clock = new FastClock(CLOCK_FACTOR);
  const keystone = await startKeystoneAt(clock);
  const audit = new RecordedAudit(clock);
  const transport = new UndiciTransport({ tls: { verify: true }, connections: 4, connectTimeoutMs: 5_000 });
  const http = new HttpClient({
    cloud: 'simulator',
    transport,
    clock,
    random: Math.random,
    budget: new Budget(clock, DEFAULT_BUDGET),
  });
  const signInService = keystoneSignIn(http, await keystone.as('simulator').session.endpoint('identity'));
  const clouds = new ConfiguredClouds({
    nameOf: () => undefined,
    open: () => undefined,
    credentialOf: () => undefined,
    openProject: () => undefined,
  });
  const store = new MemoryStore();
  const all = keystoneSettings('simulator-service', settings);
  const namespaces = new ProjectNamespaces({
    settings: all,
    reader: () => gateway.server.reader,
    client: () => gateway.client,
    clock,
  });
  const parts = {
    store,
    auditor: audit.auditor,
    clock,
    random: Math.random,
    log: silentLogger,
    clouds,
    credentials: () => new ClusterCredentials(gateway.client, clock),
    unenforcedFields: () => Promise.resolve({}),
    upgradePlans: () => undefined,
    keystone: {
      settings: all,
      tokens: keystone.tokens,
      namespaces,
      signInService: {
        ...signInService,
        revoke: (token: string) => signInService.revoke(token).then(() => keystone.tokens.forget(token)),
      },
    },
    ...(limits && { limits }),
    console: (options: ConsoleOptions) => createConsole({ ...options, files: consoleFiles }),
  };
  const gateway: GatewayForm = await (form === 'embedded' ? embeddedForm(parts) : managementForm(parts));
  const by = async (token: string) => new KubeClient(await gateway.createTransport(token), { clock });
  return {
    keystone,
    form: gateway,
    store,
    audit,
    by,
    as: async (entry) => by(await keystone.tokenOf(entry)),
    async close() {
      await gateway.close();
      await transport.close();
      await keystone.close();
    },
  };
}
