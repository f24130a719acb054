import { plainName } from '../text/plain.ts';
import type { KeyOf } from '../text/texts.ts';
import type { Translate } from '../text/use-text.ts';
import { type AuditEvent, type AuditUser, isDryRun, outcomeOf } from './audit-event.ts';
import { personOf } from './audit-user.ts';
import { auditedAction } from './audited-action.ts';
import { activityTexts } from './texts.ts';

type TranslateActivity = Translate<(typeof activityTexts)['en']>;

/** The reader's context, which the sentences do not repeat. */
export interface ReaderContext {
  /** Username of the reader. */
  readonly reader: string;
  readonly namespace?: string | undefined;
}

/** The user, and the impersonated user if there is one. */
export function actorText(
  t: TranslateActivity,
  { user, impersonatedUser }: AuditEvent,
  { reader }: ReaderContext,
): string {
  const name = userText(t, user, reader);
  if (impersonatedUser === undefined) return name;
  return t('who.as', { name, other: userText(t, impersonatedUser, reader) });
}

export function userText(t: TranslateActivity, user: AuditUser | undefined, reader: string): string {
  const person = personOf(user);
  const name = 'name' in person ? plainName(person.name) : '';
  switch (person.kind) {
    case 'fairway':
    case 'stranger':
      return t(`who.${person.kind}`);
    case 'node':
    case 'serviceAccount':
      return t(`who.${person.kind}`, { name });
    case 'user':
      return user?.username === reader ? t('who.you', { name }) : name;
  }
}

/** The predicate of the sentence: what the user did, or tried to do. */
export function actionText(t: TranslateActivity, event: AuditEvent, context: ReaderContext): string {
  const { action, subresource } = auditedAction(event);
  const object = objectText(t, event, context);
  const targetText = action === 'deletecollection' ? t('what.all', { what: object }) : object;
  const what =
    subresource === undefined ? targetText : t('what.part', { part: plainName(subresource), what: targetText });
  const actionText = t(`do.${action}`, { what });
  if (isDryRun(event)) return t('tried.dryRun', { action: actionText });
  return outcomeOf(event) === 'done' ? t(`did.${action}`, { what }) : t('tried.wanted', { action: actionText });
}

function objectText(
  t: TranslateActivity,
  { objectRef, requestURI = '' }: AuditEvent,
  { namespace }: ReaderContext,
): string {
  const { resource = '', name } = objectRef ?? {};
  if (resource === '') return plainName(requestURI.split('?', 1)[0] ?? '');
  const key = `kind.${resource}`;
  const kind = isKind(key) ? t(key, { count: name === undefined ? 2 : 1 }) : plainName(resource);
  const what = name === undefined ? kind : `${kind} ${plainName(name)}`;
  const other = objectRef?.namespace;
  const isOtherNamespace = other !== undefined && other !== '' && other !== namespace && resource !== 'namespaces';
  return isOtherNamespace ? t('what.in', { what, namespace: plainName(other) }) : what;
}

function isKind(key: string): key is Extract<KeyOf<typeof activityTexts>, `kind.${string}`> {
  return Object.hasOwn(activityTexts.en, key);
}
