import { MenuToggle } from '@patternfly/react-core/dist/esm/components/MenuToggle';
import { Select, SelectList, SelectOption } from '@patternfly/react-core/dist/esm/components/Select';
import { useState } from 'react';
import { type Project, projects, switchProject, useSession } from '../../session/session.ts';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { shellTexts } from './texts.ts';

/** The current project and a menu of the user's other projects, requested from Keystone when it opens. */
export function ProjectSwitcher() {
  const t = useText(shellTexts);
  const { kind, project, namespace } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const [known, setProjects] = useState<readonly Project[]>();
  const [problem, setProblem] = useState<string>();
  const name = plainName(project?.name ?? namespace ?? t('project.all'));
  if (kind !== 'keystone')
    return (
      <span className="fw-project" title={name}>
        {name}
      </span>
    );
  const open = () => {
    setIsOpen(!isOpen);
    if (isOpen) return;
    setProblem(undefined);
    void projects().then(setProjects, (error: Error) => setProblem(t('project.failed', { message: error.message })));
  };
  return (
    <Select
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      selected={project?.id}
      isScrollable
      aria-label={t('project.switch')}
      onSelect={(_event, id) => {
        setIsOpen(false);
        if (id === project?.id || id === undefined) return;
        void switchProject(String(id)).catch((error: Error) => {
          setProblem(t('project.notSwitched', { message: error.message }));
          setIsOpen(true);
        });
      }}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          isExpanded={isOpen}
          onClick={open}
          aria-label={`${t('project.label')}: ${name}`}
          title={name}
        >
          <span className="fw-wide fw-quiet">{t('project.label')}: </span>
          {name}
        </MenuToggle>
      )}
    >
      <SelectList aria-label={t('project.switch')}>
        {problem !== undefined && <SelectOption isDisabled>{problem}</SelectOption>}
        {known === undefined && problem === undefined && <SelectOption isDisabled>{t('project.loading')}</SelectOption>}
        {known?.map(({ id, name: title, domain }) => (
          <SelectOption key={id} value={id} description={plainName(domain ?? '')}>
            {plainName(title)}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
