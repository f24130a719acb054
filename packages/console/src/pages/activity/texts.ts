import { texts } from '../../text/texts.ts';

export const activityPageTexts = texts(
  {
    title: 'Activity',
    'title.of': 'Activity in project {name}',
    back: 'Go to the project',
    choose: 'Activity by project',
    'choose.body': 'Activity is recorded by project. You have access to all projects.',
    'choose.link': 'Select a project',
  },
  {
    de: {
      title: 'Aktivität',
      'title.of': 'Aktivität im Projekt {name}',
      back: 'Zum Projekt',
      choose: 'Aktivität nach Projekt',
      'choose.body': 'Aktivitäten werden nach Projekt erfasst. Sie haben Zugriff auf alle Projekte.',
      'choose.link': 'Projekt auswählen',
    },
  },
);
