import type { Row } from './row.ts';

const DURATION =
  'must be at least 30m, so that a node can be drained and updated in it, and at most 23h, so that it ends before the next one starts';

export const CLUSTER_MAINTENANCE_ROWS: readonly Row[] = [
  {
    name: 'a daily maintenance window',
    spec: { maintenance: { window: { start: '02:30' } } },
    has: {
      'spec.maintenance.window': { start: '02:30', duration: '1h', timeZone: 'UTC' },
      'spec.maintenance.confineSpecChanges': false,
    },
  },
  {
    name: 'a window on weekends',
    spec: {
      maintenance: {
        window: { days: ['Saturday', 'Sunday'], start: '22:00', duration: '6h', timeZone: 'Europe/Berlin' },
        confineSpecChanges: true,
      },
    },
  },
  {
    name: 'a window in an unknown time zone',
    spec: { maintenance: { window: { start: '02:30', timeZone: 'Europe/Berln' } } },
    refused: [
      'spec.maintenance.window.timeZone: Invalid value: "Europe/Berln": is not a time zone of the IANA database: use one such as Europe/Berlin or UTC; did you mean "Europe/Berlin" or "Europe/Dublin" or "Europe/Jersey"?',
    ],
  },
  {
    name: 'a window in an offset',
    spec: { maintenance: { window: { start: '02:30', timeZone: '+01:00' } } },
    refused: [
      'spec.maintenance.window.timeZone: Invalid value: "+01:00": is a UTC offset: use a time zone with daylight saving time rules, such as Europe/Berlin, or UTC',
    ],
  },
  {
    name: 'a window without a start',
    spec: { maintenance: { window: {} } },
    refused: ['spec.maintenance.window.start: Required value'],
  },
  {
    name: 'a window that starts at 24:30',
    spec: { maintenance: { window: { start: '24:30' } } },
    refused: [
      'spec.maintenance.window.start: Invalid value: "24:30": must be a time of the day such as 02:30, from 00:00 to 23:59',
    ],
  },
  {
    name: 'a window on an unknown day',
    spec: { maintenance: { window: { start: '02:30', days: ['Caturday'] } } },
    refused: [
      'spec.maintenance.window.days[0]: Unsupported value: "Caturday": supported values: "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"',
    ],
  },
  {
    name: 'a window that is too short',
    spec: { maintenance: { window: { start: '02:30', duration: '29m' } } },
    refused: [`spec.maintenance.window.duration: Invalid value: "29m": ${DURATION}`],
    refusedByCrd: [`spec.maintenance.window.duration: Invalid value: ${DURATION}`],
  },
  {
    name: 'a window of a year',
    spec: { maintenance: { window: { start: '02:30', duration: '8760h' } } },
    refused: [`spec.maintenance.window.duration: Invalid value: "8760h": ${DURATION}`],
    refusedByCrd: [`spec.maintenance.window.duration: Invalid value: ${DURATION}`],
  },
  {
    name: 'changes confined to no window',
    spec: { maintenance: { confineSpecChanges: true } },
    refused: [
      'spec.maintenance.confineSpecChanges: Invalid value: true: requires window, which changes of the spec wait for: set it, or remove confineSpecChanges',
    ],
    refusedByCrd: [
      'spec.maintenance.confineSpecChanges: Invalid value: requires window, which changes of the spec wait for: set it, or remove confineSpecChanges',
    ],
  },
];
