import type { Row } from './row.ts';

const CRON_FIELDS_MESSAGE =
  'is not a cron expression with five fields (minute hour day month weekday) such as "0 20 * * 1-5"';

export const CLUSTER_HIBERNATION_ROWS: readonly Row[] = [
  {
    name: 'a cluster that hibernates at night and on weekends',
    spec: {
      hibernation: { schedules: [{ hibernate: '0 20 * * 1-5', wake: '0 7 * * 1-5', timeZone: 'Europe/Berlin' }] },
    },
    has: { 'spec.hibernation.enabled': false },
  },
  {
    name: 'a cluster that is hibernated',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { hibernation: { enabled: true, requestedAt: '2026-11-23T20:00:00Z' } },
  },
  {
    name: 'a schedule that only wakes',
    spec: { hibernation: { schedules: [{ wake: '@daily' }] } },
    has: { 'spec.hibernation.schedules': [{ wake: '@daily', timeZone: 'UTC' }] },
  },
  {
    name: 'a schedule that does nothing',
    spec: { hibernation: { schedules: [{ timeZone: 'UTC' }] } },
    refused: [
      'spec.hibernation.schedules: Invalid value: [{"timeZone":"UTC"}]: has an item without effect: set hibernate, wake, or both in each item',
    ],
    refusedByCrd: [
      'spec.hibernation.schedules: Invalid value: has an item without effect: set hibernate, wake, or both in each item',
    ],
  },
  {
    name: 'a schedule in prose',
    spec: { hibernation: { schedules: [{ hibernate: 'in the evening' }] } },
    refused: [
      `spec.hibernation.schedules[0].hibernate: Invalid value: "in the evening": ${CRON_FIELDS_MESSAGE}: invalid configuration format ('in the evening'), exactly five, six, or seven space separated parts are required.`,
    ],
  },
  {
    name: 'a schedule of every minute',
    spec: { hibernation: { schedules: [{ hibernate: '* 20 * * *' }] } },
    refused: [
      'spec.hibernation.schedules[0].hibernate: Invalid value: "* 20 * * *": matches again after 1 min: leave at least an hour between two times, such as "0 20 * * *"',
    ],
  },
  {
    name: 'a schedule that never comes',
    spec: { hibernation: { schedules: [{ wake: '0 7 30 2 *' }] } },
    refused: [
      'spec.hibernation.schedules[0].wake: Invalid value: "0 7 30 2 *": never matches: no year has such a day; change the day or the month',
    ],
  },
  {
    name: 'a schedule on Mars',
    spec: { hibernation: { schedules: [{ wake: '0 7 * * *', timeZone: 'Mars/Olympus_Mons_North' }] } },
    refused: [
      'spec.hibernation.schedules[0].timeZone: Invalid value: "Mars/Olympus_Mons_North": is not a time zone of the IANA database: use one such as Europe/Berlin or UTC',
    ],
  },
  {
    name: 'a request at no time',
    spec: { hibernation: { enabled: true, requestedAt: 'now' } },
    refused: ['spec.hibernation.requestedAt: Invalid value: "now": must be a time in UTC such as 2026-11-21T16:30:00Z'],
  },
];
