import { useLocale } from '../../text/settings.ts';
import { useText } from '../../text/use-text.ts';
import type { ProjectRow } from './project-rows.ts';
import { projectsTexts } from './texts.ts';

/** Cores on nodes whose flavors are known. */
export function CoreUsage({
  of: { cores, hasMoreCores },
}: {
  readonly of: Pick<ProjectRow, 'cores' | 'hasMoreCores'>;
}) {
  const t = useText(projectsTexts);
  const locale = useLocale();
  if (!hasMoreCores) return <>{cores.toLocaleString(locale)}</>;
  return <span title={t('cores.title')}>{t('cores.atLeast', { count: cores })}</span>;
}
