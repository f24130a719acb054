import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { CredentialSource } from '@fairway/openstack/auth/credential-source';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud } from '@fairway/openstack/cloud';
import type { CloudConfig } from '@fairway/openstack/config/cloud-config';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { Timeouts } from '@fairway/openstack/http/http-client';
import type { OpenStackMetrics } from '@fairway/openstack/http/metrics';
import type { Service } from '@fairway/openstack/service';
import { CACHE_FILTERS } from '@fairway/tenancy/cloud/ownership';
import { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

export interface CloudOpening {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: OpenStackMetrics | undefined;
  /** User agent, shown in the cloud's logs. */
  readonly userAgent?: string | undefined;
  /** Timeouts of calls; a minute each by default. */
  readonly timeouts?: Timeouts | undefined;
  /** Interval at which a project's servers are listed while no change is expected; a minute by default. */
  readonly observeMs?: number | undefined;
  /**
   * Whether consumers can request faster polling. If so, resources are listed less often while no consumer requests it.
   */
  readonly supportsFastPolling?: boolean | undefined;
  /** How long the cloud may still be processing a request that received no response. */
  readonly settleMs?: number | undefined;
}

const DEFAULT_OBSERVE_INTERVAL_MS = 60_000;
/** Multiplier for the polling interval while all nodes are Ready and report their servers' state themselves. */
const IDLE_POLL_FACTOR = 5;

/** A joining node shows that its server is running, so servers need not be listed often while one boots. */
const MAX_SERVER_POLL_MS = 10_000;

/** The clouds.yaml from the standard locations of OpenStack clients, or the given file. */
export function readCloudsYaml(file?: string): CloudsYaml {
  return new CloudsYaml({
    env: file === undefined ? process.env : { OS_CLIENT_CONFIG_FILE: file },
    cwd: process.cwd(),
    home: homedir(),
    readFile: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  });
}

export function openCloud(yaml: CloudsYaml, name: string, opening: CloudOpening): Cloud {
  return openConfiguredCloud(yaml.get(name), opening);
}

export function openConfiguredCloud(config: CloudConfig, opening: CloudOpening): Cloud {
  const { clock, random, log, metrics, timeouts, userAgent } = opening;
  return new Cloud({
    config,
    clock,
    random,
    logger: log,
    userAgent,
    readFile: (path) => readFileSync(path, 'utf8'),
    ...(metrics && { metrics }),
    ...(timeouts && { timeouts }),
  });
}

/** Connections to a project, with the entry's own credentials or with a tenant's. */
export interface ProjectLogin {
  readonly credentialKey: string;
  readonly source: CredentialSource;
}

/**
 * A project in a cloud, shared by its clusters. `services` determines what its cache lists, and how; by default, what
 * Fairway needs.
 */
export function openProject(
  cloud: Cloud,
  opening: CloudOpening,
  login?: ProjectLogin,
  services?: readonly Service[],
): ProjectCloud {
  const {
    clock,
    random,
    log,
    settleMs,
    observeMs = DEFAULT_OBSERVE_INTERVAL_MS,
    supportsFastPolling = false,
  } = opening;
  const client = cloud.client(login?.source);
  const cache = new ProjectCache({
    client,
    clock,
    random,
    budget: cloud.budget,
    groups: cloud.listGroups,
    paces: cloud.paces,
    ...(services && { services }),
    filters: CACHE_FILTERS,
    intervals: {
      fastMaxMs: MAX_SERVER_POLL_MS,
      slowMs: observeMs,
      ...(supportsFastPolling && { idleMs: IDLE_POLL_FACTOR * observeMs }),
    },
    logger: log,
  });
  const region = cloud.config.region ?? '';
  return new ProjectCloud({
    name: cloud.config.name,
    region,
    credentialKey: login?.credentialKey,
    client,
    cache,
    ...(cloud.config.nodeAddresses && { nodeAddresses: cloud.config.nodeAddresses }),
    ...(cloud.config.configDrive && { configDrive: true }),
    ...(cloud.config.loadBalancers && { loadBalancers: cloud.config.loadBalancers }),
    clock,
    random,
    log,
    ...(settleMs !== undefined && { settleMs }),
  });
}
