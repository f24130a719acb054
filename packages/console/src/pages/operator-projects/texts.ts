import { texts } from '../../text/texts.ts';

export const projectsTexts = texts(
  {
    title: 'Projects',
    search: 'Search by project or plan',
    'empty.title': 'No project has a cluster',
    'empty.body': 'Projects appear here with their first cluster.',
    'filter.problems': 'With problems',
    'column.project': 'Project',
    'column.clusters': 'Clusters',
    'column.states': 'State',
    'column.nodes': 'Nodes ready',
    'column.cores': 'Cores',
    'column.problems': 'Problems',
    'cores.atLeast': 'at least {count}',
    'cores.title': 'Some flavors are not in the profile of the project’s cloud.',
  },
  {
    de: {
      title: 'Projekte',
      search: 'Nach Projekt oder Plan suchen',
      'empty.title': 'Kein Projekt hat einen Cluster',
      'empty.body': 'Projekte erscheinen hier mit ihrem ersten Cluster.',
      'filter.problems': 'Mit Problemen',
      'column.project': 'Projekt',
      'column.clusters': 'Cluster',
      'column.states': 'Zustand',
      'column.nodes': 'Knoten bereit',
      'column.cores': 'Kerne',
      'column.problems': 'Probleme',
      'cores.atLeast': 'mindestens {count}',
      'cores.title': 'Einige Flavors fehlen im Profil der Cloud des Projekts.',
    },
  },
);
