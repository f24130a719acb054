import type { Declaration } from '../dependencies.ts';
import { ingressController } from '../ingresses/controller.ts';
import { loadBalancerController } from '../load-balancers/controller.ts';
import { cloudNodeLifecycleController } from '../node-lifecycle/controller.ts';
import { cloudNodeController } from '../nodes/controller.ts';
import { cloudRouteController } from '../routes/controller.ts';
import { volumeAttachmentController } from '../volume-attachments/controller.ts';
import { volumeController } from '../volumes/controller.ts';

interface ControllerOption {
  /** Aliases from cloud-controller-manager. */
  readonly aliases: readonly string[];
  readonly isDefault: boolean;
  readonly declarations: readonly Declaration[];
}

/** The values of `--controllers`: names from cloud-controller-manager, and additional ones. */
const CONTROLLERS = {
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
} as const satisfies Readonly<Record<string, ControllerOption>>;

export type ControllerName = keyof typeof CONTROLLERS;

const CONTROLLER_NAMES = Object.keys(CONTROLLERS) as ControllerName[];

/**
 * Selects controllers like `--controllers` of cloud-controller-manager: `*` selects the default controllers, `foo` adds
 * one, `-foo` removes one, and the first mention wins. Throws an Error that describes the problem.
 */
export function selectedControllers(parts: readonly string[]): ReadonlySet<ControllerName> {
  const isAll = parts.includes('*');
  const selected = parts
    .filter((part) => part !== '*')
    .map((part) => ({ isOut: part.startsWith('-'), name: nameOf(part) }));
  const chosen = CONTROLLER_NAMES.filter((name) => {
    const setting = selected.find((each) => each.name === name);
    return setting ? !setting.isOut : isAll && CONTROLLERS[name].isDefault;
  });
  if (chosen.length === 0) throw new Error(`${parts.join(',')} enables no controller`);
  return new Set(chosen);
}

/** In start order. */
export function declarationsOf(chosen: ReadonlySet<ControllerName>): readonly Declaration[] {
  return CONTROLLER_NAMES.flatMap((name) => (chosen.has(name) ? CONTROLLERS[name].declarations : []));
}

function nameOf(part: string): ControllerName {
  const text = part.replace(/^-/, '');
  const found = CONTROLLER_NAMES.find(
    (name) => name === text || (CONTROLLERS[name].aliases as readonly string[]).includes(text),
  );
  if (found === undefined) throw new Error(`"${text}" must be * or one of ${CONTROLLER_NAMES.join(', ')}`);
  return found;
}
