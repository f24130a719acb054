import { ExpandableSection } from '@patternfly/react-core/dist/esm/components/ExpandableSection';
import { useState } from 'react';
import { useText } from '../text/use-text.ts';
import { Copyable } from './copyable.tsx';
import { partTexts } from './texts.ts';
import { yamlOf } from './yaml.ts';

/** The objects that a form would create, as a file, and the command that creates them. */
export function YamlView({ objects }: { readonly objects: readonly object[] }) {
  const t = useText(partTexts);
  const [isExpanded, setIsExpanded] = useState(false);
  return (
    <ExpandableSection
      toggleText={t('yaml.title')}
      isExpanded={isExpanded}
      onToggle={(_event, next) => setIsExpanded(next)}
    >
      {isExpanded && <ExpandedYaml yaml={yamlOf(...objects)} />}
    </ExpandableSection>
  );
}

function ExpandedYaml({ yaml }: { readonly yaml: string }) {
  const t = useText(partTexts);
  return (
    <>
      <Copyable label={t('yaml.text')} text={yaml} isTall />
      <Copyable label={t('yaml.kubectl')} text={`kubectl apply -f - <<'END'\n${yaml}END`} />
    </>
  );
}
