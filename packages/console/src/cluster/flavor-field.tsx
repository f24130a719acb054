import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { plainName } from '../text/plain.ts';
import { useRelativeTime } from '../text/relative-time.tsx';
import { useText } from '../text/use-text.ts';
import { Field } from './field.tsx';
import { type Flavor, flavorOf, isAllowed } from './flavors.ts';
import type { Shortage } from './shortages.ts';
import { partTexts } from './texts.ts';
import { maxNodesFor } from './usage.ts';

export interface FlavorFieldProps {
  readonly id: string;
  readonly value: string;
  readonly profile: CloudProfileStatus;
  readonly allowed: PlanSpec['allowed'];
  /** Flavors for which the cloud has no host, by name or ID. */
  readonly shortages: ReadonlyMap<string, Shortage>;
  readonly help?: string | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly onChange: (flavor: string) => void;
}

/** Flavors with their resources and how many more nodes the quota allows. While the cloud's list is unknown, the user types a name. */
export function FlavorField(props: FlavorFieldProps) {
  const { id, value, profile, allowed, shortages, help, problems, warnings, onChange } = props;
  const t = useText(partTexts);
  const flavorText = useFlavorText();
  const flavors = profile.flavors ?? [];
  const chosen = flavorOf(flavors, value);
  const nodeCapacity = chosen && maxNodesFor(chosen, profile);
  const shortageOf = ({ id: flavor, name }: Flavor) => shortages.get(name) ?? shortages.get(flavor);
  const shortage = chosen && shortageOf(chosen);
  const since = useRelativeTime(shortage?.since, 'past');
  const tooFew =
    shortage &&
    t('flavor.outOfStock', {
      pool: shortage.pool,
      when: since,
    });
  const notes = [
    tooFew,
    nodeCapacity !== undefined && (nodeCapacity === 0 ? t('flavor.noRoom') : t('flavor.room', { count: nodeCapacity })),
    help,
  ].filter(Boolean);
  return (
    <Field id={id} label={t('pool.flavor')} isRequired help={notes.join(' · ')} problems={problems} warnings={warnings}>
      {({ validated, ...input }) =>
        flavors.length === 0 ? (
          <TextInput
            {...input}
            value={value}
            validated={validated}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(_event, next) => onChange(next)}
          />
        ) : (
          <FormSelect
            {...input}
            value={chosen?.name ?? value}
            validated={validated}
            onChange={(_event, next) => onChange(next)}
          >
            {chosen === undefined && <FormSelectOption value={value} label={plainName(value)} />}
            {flavors.map((flavor) => (
              <FormSelectOption
                key={flavor.id}
                value={flavor.name}
                isDisabled={!isAllowed(flavor, allowed)}
                label={
                  isAllowed(flavor, allowed)
                    ? `${plainName(flavor.name)}: ${flavorText(flavor)}${shortageOf(flavor) === undefined ? '' : ` – ${t('flavor.outOfStock.short')}`}`
                    : t('flavor.notAllowed', { flavor: flavor.name })
                }
              />
            ))}
          </FormSelect>
        )
      }
    </Field>
  );
}

/** A description of a flavor's resources. */
function useFlavorText(): (flavor: Flavor) => string {
  const t = useText(partTexts);
  return ({ vcpus, memoryMiB, diskGiB }) =>
    t(diskGiB === 0 ? 'flavor.noDisk' : 'flavor.words', {
      vcpus,
      memory: Math.round((memoryMiB / 1024) * 10) / 10,
      disk: diskGiB,
    });
}
