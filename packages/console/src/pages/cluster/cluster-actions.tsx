import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Dropdown, DropdownItem, DropdownList } from '@patternfly/react-core/dist/esm/components/Dropdown';
import { MenuToggle } from '@patternfly/react-core/dist/esm/components/MenuToggle';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useText } from '../../text/use-text.ts';
import { deleting, hibernating } from './actions.ts';
import { hibernate, isHibernating } from './hibernate.ts';
import { type MainAction, mainAction } from './main-action.ts';
import { clusterTexts } from './texts.ts';

const PATHS: Readonly<Record<Exclude<MainAction, 'wake'>, string>> = {
  access: 'access',
  addPool: 'add-pool',
  events: 'events',
};

export interface ClusterActionsProps {
  readonly cluster: Cluster;
  /** How many there are, where that is known. */
  readonly pools: number | undefined;
}

/** What is done with the whole cluster: what its state suggests as a button, the rest in a menu. */
export function ClusterActions({ cluster, pools }: ClusterActionsProps) {
  const say = useText(clusterTexts);
  const [isOpen, setIsOpen] = useState(false);
  const [action, setAction] = useState<Action>();
  const { run, isRunning, failure } = useWrite();
  const { namespace, name, deletionTimestamp } = cluster.metadata;
  const isAsleep = isHibernating(cluster);
  const isGoing = deletionTimestamp !== undefined;
  const main = mainAction(cluster, pools);
  const wake = () => void run(() => hibernate(cluster, false));
  return (
    <>
      <div className="fw-actions fw-title-actions">
        {main === 'wake' ? (
          <Button isLoading={isRunning} isDisabled={isRunning} onClick={wake}>
            {say('main.wake')}
          </Button>
        ) : (
          <Link href={`/clusters/${namespace}/${name}/${PATHS[main]}`} className="pf-v6-c-button pf-m-primary">
            {say(`main.${main}`)}
          </Link>
        )}
        <Dropdown
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          onSelect={() => setIsOpen(false)}
          popperProps={{ position: 'end' }}
          toggle={(ref) => (
            <MenuToggle
              ref={ref}
              variant="secondary"
              isExpanded={isOpen}
              isDisabled={isGoing || isRunning}
              onClick={() => setIsOpen(!isOpen)}
            >
              {say('actions')}
            </MenuToggle>
          )}
        >
          <DropdownList>
            {isAsleep ? (
              <DropdownItem key="wake" onClick={wake}>
                {say('main.wake')}
              </DropdownItem>
            ) : (
              <DropdownItem key="hibernate" onClick={() => setAction(hibernating(cluster, say))}>
                {say('action.hibernate')}
              </DropdownItem>
            )}
            <DropdownItem key="delete" isDanger onClick={() => setAction(deleting(cluster, say))}>
              {say('action.delete')}
            </DropdownItem>
          </DropdownList>
        </Dropdown>
      </div>
      <WriteFailure failure={failure} />
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}
