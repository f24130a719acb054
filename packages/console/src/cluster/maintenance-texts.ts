import { texts } from '../text/texts.ts';

export const maintenanceTexts = texts(
  {
    title: 'Limit non-urgent work to a maintenance window',
    help: 'New patches wait for a window. Without a window they are applied as soon as the rollout reaches the cluster.',
    start: 'Starts at',
    duration: 'Duration',
    'duration.help': 'For example 2h or 90m.',
    days: 'Days',
    'days.help': 'None selected: every day. Times are in {zone}.',
    'day.Sunday': 'Sunday',
    'day.Monday': 'Monday',
    'day.Tuesday': 'Tuesday',
    'day.Wednesday': 'Wednesday',
    'day.Thursday': 'Thursday',
    'day.Friday': 'Friday',
    'day.Saturday': 'Saturday',
  },
  {
    de: {
      title: 'Nicht dringende Arbeiten nur im Wartungsfenster',
      help: 'Neue Patches warten auf ein Fenster. Ohne Fenster werden sie eingespielt, sobald die Verteilung den Cluster erreicht.',
      start: 'Beginn',
      duration: 'Dauer',
      'duration.help': 'Zum Beispiel 2h oder 90m.',
      days: 'Tage',
      'days.help': 'Keiner ausgewählt: jeden Tag. Die Zeiten gelten in {zone}.',
      'day.Sunday': 'Sonntag',
      'day.Monday': 'Montag',
      'day.Tuesday': 'Dienstag',
      'day.Wednesday': 'Mittwoch',
      'day.Thursday': 'Donnerstag',
      'day.Friday': 'Freitag',
      'day.Saturday': 'Samstag',
    },
  },
);
