import { texts } from '../../text/texts.ts';

export const projectsTexts = texts(
  {
    title: 'Projects',
    search: 'Search by project or plan',
    'empty.title': 'No project has a cluster',
    'empty.body': 'A project appears here with its first cluster.',
    'filter.problems': 'Needs attention',
    'column.project': 'Project',
    'column.clusters': 'Clusters',
    'column.states': 'State',
    'column.nodes': 'Nodes ready',
    'column.cores': 'Cores',
    'column.problems': 'Needs attention',
    'cores.atLeast': 'at least {count}',
    'cores.title': 'The profile of the project’s cloud lacks some flavors.',
  },
  {
    de: {
      title: 'Projekte',
      search: 'Nach Projekt oder Plan suchen',
      'empty.title': 'Kein Projekt hat einen Cluster',
      'empty.body': 'Ein Projekt erscheint hier mit seinem ersten Cluster.',
      'filter.problems': 'Handlungsbedarf',
      'column.project': 'Projekt',
      'column.clusters': 'Cluster',
      'column.states': 'Status',
      'column.nodes': 'Knoten bereit',
      'column.cores': 'Kerne',
      'column.problems': 'Handlungsbedarf',
      'cores.atLeast': 'mindestens {count}',
      'cores.title': 'Im Profil der Cloud des Projekts fehlen einige Flavors.',
    },
  },
);
