import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { delayingSocket } from './delaying-socket.ts';

const Report = z.array(
  z.object({
    SpecReports: z
      .array(
        z.object({
          ContainerHierarchyTexts: z.array(z.string()).nullable(),
          LeafNodeText: z.string(),
          State: z.string(),
          RunTime: z.number(),
          Failure: z.object({ Message: z.string() }).optional(),
        }),
      )
      .nullable(),
  }),
);

export interface Spec {
  readonly name: string;
  readonly state: string;
  readonly seconds: number;
  /** Why the spec failed or was skipped. */
  readonly message: string;
}

type SpecReport = NonNullable<z.infer<typeof Report>[number]['SpecReports']>[number];

/** Specs that are not selected are reported as skipped, without a reason. */
function wasSelected({ LeafNodeText: leaf, State: state, Failure: failure }: SpecReport): boolean {
  return leaf !== '' && state !== 'pending' && (state !== 'skipped' || failure !== undefined);
}

export interface SanityOptions {
  /** Path of the csi-sanity binary. */
  readonly program: string;
  /** The directory for its files. */
  readonly folder: string;
  readonly controllerSocket: string;
  readonly nodeSocket: string;
}

/**
 * csi-sanity's Controller and Identity specs, in a fixed order. The node and group specs do not apply to a
 * controller.
 */
export async function runSanity({
  program,
  folder,
  controllerSocket,
  nodeSocket,
}: SanityOptions): Promise<readonly Spec[]> {
  const report = join(folder, 'sanity.json');
  const [controller, node] = [join(folder, 'late-csi.sock'), join(folder, 'late-node.sock')];
  const sockets = [await delayingSocket(controller, controllerSocket), await delayingSocket(node, nodeSocket)];
  const flags = [
    `--csi.endpoint=unix://${node}`,
    `--csi.controllerendpoint=unix://${controller}`,
    `--csi.mountdir=${join(folder, 'mount')}`,
    `--csi.stagingdir=${join(folder, 'staging')}`,
    `--csi.testvolumesize=${2 ** 30}`,
    '--ginkgo.focus=Controller Server|Identity Service',
    '--ginkgo.skip=GroupController',
    '--ginkgo.seed=1',
    `--ginkgo.json-report=${report}`,
  ];
  await new Promise<void>((resolve) => execFile(program, flags, { maxBuffer: 2 ** 26 }, () => resolve()));
  for (const socket of sockets) socket.close();
  const suites = Report.parse(JSON.parse(await readFile(report, 'utf8')));
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(wasSelected)
    .map((spec) => ({
      name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
      state: spec.State,
      seconds: spec.RunTime / 1e9,
      message: spec.Failure?.Message ?? '',
    }));
}
