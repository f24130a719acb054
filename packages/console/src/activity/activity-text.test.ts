import { describe, expect, it } from 'vitest';
import { fill, type Language } from '../text/texts.ts';
import { actionText, actorText } from './activity-text.ts';
import type { AuditEvent } from './audit-event.ts';
import { activityTexts } from './texts.ts';

const EVENT: AuditEvent = {
  auditID: 'a',
  verb: 'create',
  stageTimestamp: '2026-11-26T10:00:00.000000Z',
  responseStatus: { code: 200 },
};
const CONTEXT = { reader: 'keystone:1', namespace: 'team' };

const translatorIn =
  (language: Language) =>
  (key: keyof (typeof activityTexts)['en'], values: object = {}) =>
    fill(activityTexts[language][key], { ...values }, language);
const shop = { resource: 'clusters', namespace: 'team', name: 'shop' };

describe('the action', () => {
  it.each<{ event: Partial<AuditEvent>; en: string; de: string }>([
    { event: { objectRef: shop }, en: 'created cluster shop', de: 'hat Cluster shop angelegt' },
    {
      event: { objectRef: shop, responseStatus: { code: 403 } },
      en: 'tried to create cluster shop',
      de: 'wollte Cluster shop anlegen',
    },
    {
      event: { verb: 'delete', objectRef: shop, annotations: { 'fairway.dev/dry-run': 'true' } },
      en: 'did a dry run to delete cluster shop',
      de: 'hat einen Probelauf ausgeführt: Cluster shop löschen',
    },
    {
      event: { verb: 'delete', objectRef: shop, responseStatus: {} },
      en: 'tried to delete cluster shop',
      de: 'wollte Cluster shop löschen',
    },
    {
      event: { objectRef: { ...shop, subresource: 'kubeconfig' } },
      en: 'got a kubeconfig of cluster shop',
      de: 'hat eine Kubeconfig für Cluster shop abgerufen',
    },
    {
      event: { verb: 'patch', objectRef: { ...shop, subresource: 'status' } },
      en: 'changed status of cluster shop',
      de: 'hat status von Cluster shop geändert',
    },
    {
      event: { verb: 'deletecollection', objectRef: { resource: 'secrets', namespace: 'team' } },
      en: 'deleted all Secrets',
      de: 'hat alle Secrets gelöscht',
    },
    {
      event: { verb: 'list', objectRef: { resource: 'secrets', namespace: 'team' } },
      en: 'listed Secrets',
      de: 'hat Secrets aufgelistet',
    },
    {
      event: { verb: 'patch', objectRef: { resource: 'widgets', namespace: 'other', name: 'w' } },
      en: 'changed widgets w in other',
      de: 'hat widgets w in other geändert',
    },
    {
      event: { verb: 'delete', objectRef: { resource: 'namespaces', namespace: 'web', name: 'web' } },
      en: 'deleted namespace web',
      de: 'hat Namespace web gelöscht',
    },
    // Every object inherits a property with this name.
    {
      event: { verb: 'get', objectRef: { resource: 'toString', name: 'x' } },
      en: 'read toString x',
      de: 'hat toString x gelesen',
    },
    {
      event: { verb: 'post', requestURI: '/console/session?a=b' },
      en: 'called /console/session',
      de: 'hat /console/session aufgerufen',
    },
  ])('$en', ({ event, en, de }) => {
    expect(actionText(translatorIn('en'), { ...EVENT, ...event }, CONTEXT)).toBe(en);
    expect(actionText(translatorIn('de'), { ...EVENT, ...event }, CONTEXT)).toBe(de);
  });
});

it.each<{ event: Partial<AuditEvent>; who: string }>([
  { event: { user: { username: 'keystone:1' } }, who: 'keystone:1 (you)' },
  { event: { user: { username: 'system:fairway:controllers' } }, who: 'Fairway' },
  {
    event: { user: { username: 'operator' }, impersonatedUser: { username: 'keystone:1' } },
    who: 'operator as keystone:1 (you)',
  },
  { event: { user: { username: 'system:serviceaccount:team:ci' } }, who: 'service account ci' },
  { event: {}, who: 'Unknown user' },
])('$who is the actor', ({ event, who }) => {
  expect(actorText(translatorIn('en'), { ...EVENT, ...event }, CONTEXT)).toBe(who);
});
