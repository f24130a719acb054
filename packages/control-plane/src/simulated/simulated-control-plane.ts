import type { AuditObserver } from '@fairway/apiserver/audit/audit-log';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { inSpan } from '@fairway/base/tracing';
import type { LocalCredentials, LocalServers } from '@fairway/kube/client/local-servers';
import type { Transport } from '@fairway/kube/client/transport';
import { type CertificateInfo, certificateInfo } from '@fairway/kube/pki/certificate-info';
import { openTenantAuditor, type TenantAuditor } from '../audit/tenant-auditor.ts';
import { clientAuthority, clientTrustBundle, trustBundle } from '../pki/cluster-pki.ts';
import { certificateRequirements, issueComponentCertificate } from '../pki/component-certificates.ts';
import { renewalTimeMs } from '../pki/plan-renewal.ts';
import { machineAddresses } from '../process/egress/egress-network.ts';
import { type EgressExceptions, egressPolicy } from '../process/egress/egress-policy.ts';
import type { ControlPlaneSpec, Endpoint } from '../runtime.ts';
import type { HollowControlPlane, HollowControlPlaneFactory, ServerTls, TlsListener } from './hollow-contract.ts';
import { findFreePort, recordedPort, recordPort } from './port-record.ts';

export interface SimulatedControlPlaneOptions {
  readonly createHollow: HollowControlPlaneFactory;
  readonly host: string;
  /**
   * Exceptions to the destinations that the API server may connect to; the same as those for process-based control
   * planes.
   */
  readonly egress?: EgressExceptions | undefined;
  /** File for the cluster's audit events, if requested. */
  readonly auditFolder: string;
  readonly auditObserver: AuditObserver;
  /** The registry in which clients in this process find the API server. */
  readonly locals?: LocalServers | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

type ValidityPeriod = Pick<CertificateInfo, 'notBeforeMs' | 'notAfterMs'>;

const NO_EXCEPTIONS: EgressExceptions = { allowed: [], denied: [] };

/** One running control plane: a hollow API server and controllers over a store, listening with TLS. */
export class SimulatedControlPlane {
  readonly endpoint: Endpoint;
  readonly version: string;
  readonly #hollow: HollowControlPlane;
  readonly #listener: TlsListener;
  readonly #audit: TenantAuditor | undefined;
  readonly #releaseTurn: () => void;
  readonly #clock: Clock;
  #certificate: string;
  #validity: ValidityPeriod;

  private constructor(
    parts: {
      endpoint: Endpoint;
      version: string;
      hollow: HollowControlPlane;
      audit: TenantAuditor | undefined;
      listener: TlsListener;
      certificate: string;
      validity: ValidityPeriod;
    },
    { clock, locals }: SimulatedControlPlaneOptions,
  ) {
    this.endpoint = parts.endpoint;
    this.version = parts.version;
    this.#hollow = parts.hollow;
    this.#audit = parts.audit;
    this.#listener = parts.listener;
    this.#certificate = parts.certificate;
    this.#validity = parts.validity;
    this.#clock = clock;
    this.#releaseTurn = locals?.add(parts.endpoint, this) ?? (() => {});
  }

  /** Starts on the cluster's previous port, or on a free one that is recorded first. */
  static async start(
    store: Store,
    spec: ControlPlaneSpec,
    options: SimulatedControlPlaneOptions,
  ): Promise<SimulatedControlPlane> {
    const { host, clock, random, log, createHollow, egress = NO_EXCEPTIONS } = options;
    const { auditFolder, auditObserver } = options;
    const port = await portOf(store, spec, host);
    const { audit: requestedAudit } = spec.apiServer;
    const audit =
      requestedAudit &&
      (await openTenantAuditor({ ...options, audit: requestedAudit, folder: auditFolder, observer: auditObserver }));
    const hollow = await createHollow({
      store,
      clock,
      random,
      log,
      clusterName: spec.cluster.name,
      version: spec.version,
      podCidr: spec.podCIDR,
      serviceCidr: spec.serviceCIDR,
      apiServer: spec.apiServer,
      auditor: audit?.auditor,
      reviewToken: spec.reviewToken,
      reviewAccess: spec.reviewAccess,
      endpoint: { host, port },
      // Simulated nodes have no addresses that this machine could reach: addresses in that range belong to other
      // machines.
      outbound: egressPolicy({ nodeNetworks: [], exceptions: egress, ownAddresses: machineAddresses }),
      pki: {
        ca: clientAuthority(spec.pki),
        caBundle: trustBundle(spec.pki.cluster),
        clientCaBundle: clientTrustBundle(spec.pki),
        serviceAccountKeys: spec.pki.serviceAccountKeys,
        frontProxy: { ca: spec.pki.frontProxy.active, caBundle: trustBundle(spec.pki.frontProxy) },
      },
    });
    try {
      const { tls, validity } = await issueServerTls(spec, clock);
      // A real control plane would be a separate process: its own work must not be attributed to a reconcile.
      await inSpan(undefined, () => hollow.start());
      const listener = await hollow.server.listen({ host, port, tls });
      const endpoint = { host, port: listener.port };
      const parts = { endpoint, version: spec.version, hollow, audit, listener, certificate: tls.cert, validity };
      return new SimulatedControlPlane(parts, options);
    } catch (error) {
      await hollow.stop();
      await audit?.close();
      throw error;
    }
  }

  /** PEM of the server's certificate. */
  get certificate(): string {
    return this.#certificate;
  }

  /** When the certificate expires, in Unix ms. */
  get certificateEndMs(): number {
    return this.#validity.notAfterMs;
  }

  /** For clients in this process. */
  connect(credentials: () => LocalCredentials): Transport {
    return this.#hollow.server.connect(credentials);
  }

  /** Replaces the server's certificate before it expires. */
  async renewCertificate(spec: ControlPlaneSpec): Promise<void> {
    if (this.#clock.now() < renewalTimeMs(this.#validity)) return;
    const { tls, validity } = await issueServerTls(spec, this.#clock);
    this.#listener.setTls(tls);
    this.#certificate = tls.cert;
    this.#validity = validity;
  }

  async stop(): Promise<void> {
    this.#releaseTurn();
    // Stopping the server ends its watches; closing only the listener would wait for them.
    await this.#hollow.stop();
    await this.#listener.close();
    await this.#audit?.close();
  }
}

async function portOf(store: Store, spec: ControlPlaneSpec, host: string): Promise<number> {
  const known = spec.endpoint?.port ?? recordedPort(store);
  if (known !== undefined) return known;
  const port = await findFreePort(host);
  await recordPort(store, port);
  return port;
}

async function issueServerTls(
  spec: ControlPlaneSpec,
  clock: Clock,
): Promise<{ tls: ServerTls; validity: ValidityPeriod }> {
  const [requirement] = certificateRequirements(spec);
  if (requirement === undefined) throw new Error('no requirement for the certificate of the API server');
  const { certificatePem, privateKeyPem } = await issueComponentCertificate(spec.pki, requirement, clock);
  const tls = { cert: certificatePem, key: privateKeyPem, clientCa: clientTrustBundle(spec.pki) };
  const { notBeforeMs, notAfterMs } = certificateInfo(certificatePem);
  return { tls, validity: { notBeforeMs, notAfterMs } };
}
