import type { Logger } from '@fairway/base/log';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Components of Fairway whose log lines have their name as `component`. */
const COMPONENTS = [
  'api',
  'audit',
  'backup',
  'control-planes',
  'controllers',
  'gateway',
  'metrics',
  'openstack',
  'replicas',
  'simulator',
  'tenants',
  'tracing',
] as const;
export type LogComponent = (typeof COMPONENTS)[number];

/** Fairway's own controllers; log lines of `controllers/machine` contain `controller: machine`. */
export const FAIRWAY_CONTROLLERS = [
  'addons',
  'autoscaling',
  'certificate-approval',
  'cloud-credential',
  'cloud-node',
  'cloud-node-lifecycle',
  'cloud-profile',
  'cloud-route',
  'cluster',
  'cluster-network',
  'gateway-api',
  'gateway-class',
  'healing',
  'in-cluster-pools',
  'ingress',
  'kubernetes-release',
  'load-balancer',
  'machine',
  'namespace-limits',
  'node-pool',
  'node-servers',
  'node-template',
  'orphan-sweeper',
  'plan',
  'project-quota',
  'security-groups',
  'server-labels',
  'shares',
  'upgrade',
  'usage',
  'vanished-cluster',
  'volume-attachments',
  'volume-snapshots',
  'volumes',
] as const;

/** Names for which a level can be set. */
export const LOGGER_NAMES: readonly string[] = [
  ...COMPONENTS,
  ...FAIRWAY_CONTROLLERS.map((name) => `controllers/${name}`),
].sort();

/** Parses `openstack=debug`. Throws an Error that describes the problem. */
export function parseLevelByName(text: string): readonly [name: string, level: LogLevel] {
  const [name = '', level] = text.split('=').map((part) => part.trim());
  if (!LOGGER_NAMES.includes(name)) throw new Error(`"${name}" must be one of ${LOGGER_NAMES.join(', ')}`);
  const known = LOG_LEVELS.find((each) => each === level);
  if (known === undefined) throw new Error(`"${level ?? ''}" must be one of ${LOG_LEVELS.join(', ')}`);
  return [name, known];
}

/** Levels by name; `controllers` applies to all controllers that have no level of their own. */
export type LevelsByName = Readonly<Record<string, LogLevel>>;

/** Minimum levels of log lines; can be changed while loggers use them. */
export class LogLevels {
  #level: LogLevel;
  #byName: ReadonlyMap<string, LogLevel>;

  constructor(level: LogLevel, byName: LevelsByName = {}) {
    this.#level = level;
    this.#byName = new Map(Object.entries(byName));
  }

  set(level: LogLevel, byName: LevelsByName = {}): void {
    this.#level = level;
    this.#byName = new Map(Object.entries(byName));
  }

  isEnabled(level: LogLevel, name: string | undefined): boolean {
    return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(this.#levelOf(name));
  }

  #levelOf(name: string | undefined): LogLevel {
    if (name === undefined || this.#byName.size === 0) return this.#level;
    const [group = name] = name.split('/');
    return this.#byName.get(name) ?? this.#byName.get(group) ?? this.#level;
  }
}

/** The name of a child logger with these fields; controllers and components have their own names. */
export function loggerName(parent: string | undefined, fields: object): string | undefined {
  if (parent !== undefined) return parent;
  const { component, controller } = fields as { readonly component?: string; readonly controller?: string };
  return component ?? (controller === undefined ? undefined : `controllers/${controller}`);
}

/** The logger for a component of Fairway. */
export function logFor(log: Logger, component: LogComponent): Logger {
  return log.child({ component });
}
