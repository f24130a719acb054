import { texts } from '../../text/texts.ts';

export const activityPageTexts = texts(
  {
    title: 'Activity',
    'title.of': 'Activity in project {name}',
    back: 'To the project',
    choose: 'Of which project?',
    'choose.body': 'Who did what is told project by project. You see all of them.',
    'choose.link': 'Choose a project',
  },
  {
    de: {
      title: 'Aktivität',
      'title.of': 'Aktivität im Projekt {name}',
      back: 'Zum Projekt',
      choose: 'In welchem Projekt?',
      'choose.body': 'Wer was getan hat, wird Projekt für Projekt erzählt. Sie sehen alle.',
      'choose.link': 'Ein Projekt wählen',
    },
  },
);
