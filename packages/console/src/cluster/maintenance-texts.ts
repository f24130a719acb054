import { texts } from '../text/texts.ts';

export const maintenanceTexts = texts(
  {
    title: 'Do what is not urgent only at a certain time',
    help: 'New patches wait for a window. Without one they come when it is their turn.',
    start: 'Begins at',
    duration: 'Lasts',
    'duration.help': 'Such as 2h or 90m.',
    days: 'On',
    'days.help': 'None chosen: every day. Times are of {zone}.',
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
      title: 'Was nicht eilt, nur zu bestimmter Zeit tun',
      help: 'Neue Patches warten auf ein Fenster. Ohne Fenster kommen sie, wenn sie an der Reihe sind.',
      start: 'Beginnt um',
      duration: 'Dauert',
      'duration.help': 'Etwa 2h oder 90m.',
      days: 'Am',
      'days.help': 'Keiner gewählt: jeden Tag. Die Zeiten gelten in {zone}.',
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
