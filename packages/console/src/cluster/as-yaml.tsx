import { ExpandableSection } from '@patternfly/react-core/dist/esm/components/ExpandableSection';
import { useState } from 'react';
import { useText } from '../text/use-text.ts';
import { Copyable } from './copyable.tsx';
import { partTexts } from './texts.ts';
import { yamlOf } from './yaml.ts';

/** The objects that a form would create, as a file, and the command that creates them. */
export function AsYaml({ objects }: { readonly objects: readonly object[] }) {
  const say = useText(partTexts);
  const [isExpanded, setIsExpanded] = useState(false);
  return (
    <ExpandableSection
      toggleText={say('yaml.title')}
      isExpanded={isExpanded}
      onToggle={(_event, next) => setIsExpanded(next)}
    >
      {isExpanded && <Opened yaml={yamlOf(...objects)} />}
    </ExpandableSection>
  );
}

function Opened({ yaml }: { readonly yaml: string }) {
  const say = useText(partTexts);
  return (
    <>
      <Copyable label={say('yaml.text')} text={yaml} isTall />
      <Copyable label={say('yaml.kubectl')} text={`kubectl apply -f - <<'END'\n${yaml}END`} />
    </>
  );
}
