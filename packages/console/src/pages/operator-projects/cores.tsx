import { useLocale } from '../../text/settings.ts';
import { useText } from '../../text/use-text.ts';
import type { ProjectRow } from './project-rows.ts';
import { projectsTexts } from './texts.ts';

/** Cores of nodes, as far as their flavors are known. */
export function Cores({ of: { cores, hasMoreCores } }: { readonly of: Pick<ProjectRow, 'cores' | 'hasMoreCores'> }) {
  const say = useText(projectsTexts);
  const locale = useLocale();
  if (!hasMoreCores) return <>{cores.toLocaleString(locale)}</>;
  return <span title={say('cores.title')}>{say('cores.atLeast', { count: cores })}</span>;
}
