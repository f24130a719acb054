import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Dropdown, DropdownItem, DropdownList } from '@patternfly/react-core/dist/esm/components/Dropdown';
import { MenuToggle } from '@patternfly/react-core/dist/esm/components/MenuToggle';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useFeatureLimit } from '../../limits/use-feature-limit.ts';
import { useText } from '../../text/use-text.ts';
import { deleteAction, hibernateAction } from './actions.ts';
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
  /** The number of pools, if known. */
  readonly pools: number | undefined;
}

/** Actions on the whole cluster: a button for the most likely one, and a menu with the rest. */
export function ClusterActions({ cluster, pools }: ClusterActionsProps) {
  const t = useText(clusterTexts);
  const [isOpen, setIsOpen] = useState(false);
  const [action, setAction] = useState<Action>();
  const { run, isRunning, failure } = useWrite();
  const { namespace, name, deletionTimestamp } = cluster.metadata;
  const showsWake = isHibernating(cluster);
  const isHibernationRefused = useFeatureLimit(cluster, 'Hibernation')?.isRefused === true;
  const isDeleting = deletionTimestamp !== undefined;
  const mainButton = mainAction(cluster, pools);
  const wake = () => void run(() => hibernate(cluster, false));
  return (
    <>
      <div className="fw-actions fw-title-actions">
        {mainButton === 'wake' ? (
          <Button isLoading={isRunning} isDisabled={isRunning} onClick={wake}>
            {t('main.wake')}
          </Button>
        ) : (
          <Link href={`/clusters/${namespace}/${name}/${PATHS[mainButton]}`} className="pf-v6-c-button pf-m-primary">
            {t(`main.${mainButton}`)}
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
              isDisabled={isDeleting || isRunning}
              onClick={() => setIsOpen(!isOpen)}
            >
              {t('actions')}
            </MenuToggle>
          )}
        >
          <DropdownList>
            {showsWake ? (
              <DropdownItem key="wake" onClick={wake}>
                {t('main.wake')}
              </DropdownItem>
            ) : (
              <DropdownItem
                key="hibernate"
                isDisabled={isHibernationRefused}
                onClick={() => setAction(hibernateAction(cluster, t))}
              >
                {t('action.hibernate')}
              </DropdownItem>
            )}
            <DropdownItem key="delete" isDanger onClick={() => setAction(deleteAction(cluster, t))}>
              {t('action.delete')}
            </DropdownItem>
          </DropdownList>
        </Dropdown>
      </div>
      <WriteFailure failure={failure} />
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}
