import type { Command, Option } from 'commander';
import type { CompletedKind, NameScope } from './completed-names.ts';
import { optionsOf, readLine, type TypedLine } from './typed-line.ts';

/** Sources of names. They never reject or print anything, since a completion can't show errors. */
export interface NameSources {
  /** Names of objects on the server; empty if it is unreachable. */
  readonly onServer: (kind: CompletedKind, scope: NameScope) => Promise<readonly string[]>;
  /** Entries in clouds.yaml. */
  readonly clouds: () => readonly string[];
  /** Projects named in clouds.yaml. */
  readonly projects: () => readonly string[];
  /** Contexts in the kubeconfig. */
  readonly contexts: (kubeconfig: string | undefined) => Promise<readonly string[]>;
}

/** Completions for the last word after `fairway`. Empty if the shell should complete file names. */
export async function complete(program: Command, words: readonly string[], sources: NameSources): Promise<string[]> {
  const last = words.at(-1) ?? '';
  // `--cluster=d` is completed as a whole. If the shell breaks words at `=`, it requests completions of the part after
  // it.
  const [, option = '', value] = /^(--[^=]+)=(.*)$/.exec(last) ?? [];
  const typed = value ?? (last === '=' ? '' : last);
  const line = readLine(program, value === undefined ? words.slice(0, -1) : [...words.slice(0, -1), option]);
  const candidates = await candidatesFor({ program, line, typed, sources });
  const prefix = value === undefined ? '' : `${option}=`;
  return candidates.filter((candidate) => candidate.startsWith(typed)).map((candidate) => `${prefix}${candidate}`);
}

interface CompletionRequest {
  readonly program: Command;
  readonly line: TypedLine;
  readonly typed: string;
  readonly sources: NameSources;
}

async function candidatesFor({ program, line, typed, sources }: CompletionRequest): Promise<readonly string[]> {
  const { command, args, pending } = line;
  const scope = scopeOf(line);
  if (pending !== undefined) return valuesOf(pending, { command, typed, sources, scope });
  if (typed.startsWith('-')) {
    return optionsOf(program, command).flatMap(({ hidden, long, short }) => (hidden ? [] : [long ?? short ?? '']));
  }
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0) return subcommands.map((subcommand) => subcommand.name());
  const expected = command.registeredArguments;
  const argument = expected[args.length] ?? (expected.at(-1)?.variadic ? expected.at(-1) : undefined);
  if (argument === undefined) return [];
  if (argument.argChoices) return argument.argChoices;
  const kind = kindOfArgument(command, argument.name());
  return kind === undefined ? [] : sources.onServer(kind, scope);
}

/** Takes the cluster from `--cluster`, or from the argument of a cluster command: `cluster scale demo --pool`. */
function scopeOf({ command, args, values }: TypedLine): NameScope {
  const clusterArgument = command.parent?.name() === 'cluster' ? args[0] : undefined;
  return {
    cluster: values['--cluster'] ?? clusterArgument,
    plan: values['--plan'],
    version: values['--version'],
    kubeconfig: values['--kubeconfig'],
    context: values['--context'],
    namespace: values['--namespace'],
  };
}

/** The kind of object that an option's value refers to. */
const KIND_BY_OPTION: Readonly<Record<string, CompletedKind>> = {
  '--namespace': 'namespace',
  '--cluster': 'cluster',
  '--pool': 'nodepool',
  '--plan': 'plan',
  '--version': 'version',
  '--to': 'upgradeversion',
  '--flavor': 'flavor',
  '--zones': 'zone',
  '--image': 'image',
  '--network': 'network',
  '--subnet': 'subnet',
  '--credential': 'cloudcredential',
};

const WAIT_TARGETS = ['Ready', 'deleted', 'upgraded', 'condition='];

interface OptionValueRequest {
  readonly command: Command;
  readonly typed: string;
  readonly sources: NameSources;
  readonly scope: NameScope;
}

async function valuesOf(
  option: Option,
  { command, typed, sources, scope }: OptionValueRequest,
): Promise<readonly string[]> {
  if (option.argChoices) return option.argChoices;
  const { long = '' } = option;
  if (long === '--cloud') return sources.clouds();
  if (long === '--context') return sources.contexts(scope.kubeconfig);
  if (long === '--for') return command.name() === 'wait' ? WAIT_TARGETS : [];
  if (long === '--project') {
    return command.name() === 'usage' ? sources.onServer('namespace', scope) : sources.projects();
  }
  const kind = KIND_BY_OPTION[long];
  // The name of a new object is not known yet.
  if (kind === undefined || (long === '--pool' && command.name() === 'create')) return [];
  const names = await sources.onServer(kind, scope);
  if (kind !== 'zone') return names;
  // A list of names; the last one is being typed.
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  return names.filter((name) => !before.split(',').includes(name)).map((name) => `${before}${name}`);
}

/** The kind of object whose names a command takes. */
function kindOfArgument(command: Command, argument: string): CompletedKind | undefined {
  if (argument === 'snapshot') return 'snapshot';
  if (command.name() === 'kubeconfig' || command.name() === 'limits') return 'cluster';
  if (command.name() === 'create') return undefined;
  const parent = command.parent?.name();
  if (parent === 'credential') return 'cloudcredential';
  if (parent === 'version') return 'kubernetesrelease';
  return parent === 'plan' || parent === 'cluster' || parent === 'nodepool' || parent === 'machine'
    ? parent
    : undefined;
}
