import type { Declaration } from '../dependencies.ts';
import { ingressController } from '../ingresses/controller.ts';
import { loadBalancerController } from '../load-balancers/controller.ts';
import { cloudNodeLifecycleController } from '../node-lifecycle/controller.ts';
import { cloudNodeController } from '../nodes/controller.ts';
import { cloudRouteController } from '../routes/controller.ts';
import { volumeAttachmentController } from '../volume-attachments/controller.ts';
import { volumeController } from '../volumes/controller.ts';

interface Choice {
  /** Names beside its own: those of cloud-controller-manager. */
  readonly aliases: readonly string[];
  readonly isDefault: boolean;
  readonly declarations: readonly Declaration[];
}

/** What `--controllers` chooses from, by the names that cloud-controller-manager has for them, and those of what it does not do. */
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

/** As `--controllers` of cloud-controller-manager: `*` is those that are on by default, `-foo` leaves one out, whatever the order. Throws an Error that says what is wrong. */
export function chosenControllers(parts: readonly string[]): ReadonlySet<ControllerName> {
  const isAll = parts.includes('*');
  const asked = parts
    .filter((part) => part !== '*')
    .map((part) => ({ isOut: part.startsWith('-'), name: nameOf(part) }));
  const chosen = NAMES.filter((name) => {
    if (asked.some((each) => each.isOut && each.name === name)) return false;
    return asked.some((each) => each.name === name) || (isAll && CHOICES[name].isDefault);
  });
  if (chosen.length === 0) throw new Error(`${parts.join(',')} leaves no controller`);
  return new Set(chosen);
}

/** In start order. */
export function declarationsOf(chosen: ReadonlySet<ControllerName>): readonly Declaration[] {
  return NAMES.flatMap((name) => (chosen.has(name) ? CHOICES[name].declarations : []));
}

function nameOf(part: string): ControllerName {
  const text = part.replace(/^-/, '');
  const found = NAMES.find((name) => name === text || (CHOICES[name].aliases as readonly string[]).includes(text));
  if (found === undefined) throw new Error(`"${text}" is none of *, ${NAMES.join(', ')}`);
  return found;
}
