import { plainName } from '../text/plain.ts';
import type { KeyOf } from '../text/texts.ts';
import type { Say } from '../text/use-text.ts';
import { type AuditEvent, type AuditUser, isDryRun, outcomeOf } from './audit-event.ts';
import { auditedAction } from './audited-action.ts';
import { personOf } from './person.ts';
import { activityTexts } from './texts.ts';

type SayActivity = Say<(typeof activityTexts)['en']>;

/** Where events are read: what goes without saying. */
export interface Place {
  /** Username of the reader. */
  readonly reader: string;
  readonly namespace?: string | undefined;
}

/** Who did it; with in whose name, where that is another. */
export function whoWords(say: SayActivity, { user, impersonatedUser }: AuditEvent, { reader }: Place): string {
  const name = nameWords(say, user, reader);
  if (impersonatedUser === undefined) return name;
  return say('who.as', { name, other: nameWords(say, impersonatedUser, reader) });
}

export function nameWords(say: SayActivity, user: AuditUser | undefined, reader: string): string {
  const person = personOf(user);
  const name = 'name' in person ? plainName(person.name) : '';
  switch (person.kind) {
    case 'fairway':
    case 'stranger':
      return say(`who.${person.kind}`);
    case 'node':
    case 'serviceAccount':
      return say(`who.${person.kind}`, { name });
    case 'user':
      return user?.username === reader ? say('who.you', { name }) : name;
  }
}

/** What was done, as a sentence goes on after who did it; of what came to nothing, what was wanted. */
export function whatWords(say: SayActivity, event: AuditEvent, place: Place): string {
  const { action, subresource } = auditedAction(event);
  const named = objectWords(say, event, place);
  const whole = action === 'deletecollection' ? say('what.all', { what: named }) : named;
  const what = subresource === undefined ? whole : say('what.part', { part: plainName(subresource), what: whole });
  const wanted = say(`do.${action}`, { what });
  if (isDryRun(event)) return say('tried.dryRun', { action: wanted });
  return outcomeOf(event) === 'done' ? say(`did.${action}`, { what }) : say('tried.wanted', { action: wanted });
}

function objectWords(say: SayActivity, { objectRef, requestURI = '' }: AuditEvent, { namespace }: Place): string {
  const { resource = '', name } = objectRef ?? {};
  if (resource === '') return plainName(requestURI.split('?', 1)[0] ?? '');
  const key = `kind.${resource}`;
  const kind = isKind(key) ? say(key, { count: name === undefined ? 2 : 1 }) : plainName(resource);
  const what = name === undefined ? kind : `${kind} ${plainName(name)}`;
  const other = objectRef?.namespace;
  const isElsewhere = other !== undefined && other !== '' && other !== namespace && resource !== 'namespaces';
  return isElsewhere ? say('what.in', { what, namespace: plainName(other) }) : what;
}

function isKind(key: string): key is Extract<KeyOf<typeof activityTexts>, `kind.${string}`> {
  return Object.hasOwn(activityTexts.en, key);
}
