import type { Declaration } from '../dependencies.ts';
import { ingressController } from '../ingresses/controller.ts';
import { loadBalancerController } from '../load-balancers/controller.ts';
import { cloudNodeLifecycleController } from '../node-lifecycle/controller.ts';
import { cloudNodeController } from '../nodes/controller.ts';
import { cloudRouteController } from '../routes/controller.ts';
import { volumeAttachmentController } from '../volume-attachments/controller.ts';
import { volumeController } from '../volumes/controller.ts';

interface Choice {
  /** Aliases from cloud-controller-manager. */
  readonly aliases: readonly string[];
  readonly isDefault: boolean;
  readonly declarations: readonly Declaration[];
}

/** Choices of `--controllers`, by their names in cloud-controller-manager, and additional ones. */
const CHOICES = {
  'cloud-node': { aliases: ['cloud-node-controller'], isDefault: true, declarations: [cloudNodeController] },
  'cloud-node-lifecycle': {
    aliases: ['cloud-node-lifecycle-controller'],
    isDefault: true,
    declarations: [cloudNodeLifecycleController],
  },
  service: { aliases: ['service-lb-controller'], isDefault: true, declarations: [loadBalancerController] },
  route: {
    aliases: ['node-route-controller', 'service-route-controller'],
    isDefault: true,
    declarations: [cloudRouteController],
  },
  volume: { aliases: [], isDefault: false, declarations: [volumeController, volumeAttachmentController] },
  ingress: { aliases: [], isDefault: false, declarations: [ingressController] },
} as const satisfies Readonly<Record<string, Choice>>;

export type ControllerName = keyof typeof CHOICES;

const NAMES = Object.keys(CHOICES) as ControllerName[];

/**
 * Like `--controllers` of cloud-controller-manager: `*` selects the default controllers, `foo` adds one, `-foo` removes one, and the first mention wins.
 * Throws an Error that describes the problem.
 */
export function selectedControllers(parts: readonly string[]): ReadonlySet<ControllerName> {
  const isAll = parts.includes('*');
  const asked = parts
    .filter((part) => part !== '*')
    .map((part) => ({ isOut: part.startsWith('-'), name: nameOf(part) }));
  const chosen = NAMES.filter((name) => {
    const said = asked.find((each) => each.name === name);
    return said ? !said.isOut : isAll && CHOICES[name].isDefault;
  });
  if (chosen.length === 0) throw new Error(`${parts.join(',')} enables no controller`);
  return new Set(chosen);
}

/** In start order. */
export function declarationsOf(chosen: ReadonlySet<ControllerName>): readonly Declaration[] {
  return NAMES.flatMap((name) => (chosen.has(name) ? CHOICES[name].declarations : []));
}

function nameOf(part: string): ControllerName {
  const text = part.replace(/^-/, '');
  const found = NAMES.find((name) => name === text || (CHOICES[name].aliases as readonly string[]).includes(text));
  if (found === undefined) throw new Error(`"${text}" must be * or one of ${NAMES.join(', ')}`);
  return found;
}
