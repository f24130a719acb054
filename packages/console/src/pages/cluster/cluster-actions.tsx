import type { Cluster } from '@fairway/api/kinds/cluster';
import { Dropdown, DropdownItem, DropdownList } from '@patternfly/react-core/dist/esm/components/Dropdown';
import { MenuToggle } from '@patternfly/react-core/dist/esm/components/MenuToggle';
import { useState } from 'react';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useText } from '../../text/use-text.ts';
import { DeleteCluster } from './delete-cluster.tsx';
import { hibernate, isHibernating } from './hibernate.ts';
import { clusterTexts } from './texts.ts';

/** What is done with the whole cluster. */
export function ClusterActions({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(clusterTexts);
  const [isOpen, setIsOpen] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const { run, isRunning, failure } = useWrite();
  const isAsleep = isHibernating(cluster);
  const isGoing = cluster.metadata.deletionTimestamp !== undefined;
  return (
    <>
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
          <DropdownItem key="hibernate" onClick={() => void run(() => hibernate(cluster, !isAsleep))}>
            {say(isAsleep ? 'action.wake' : 'action.hibernate')}
          </DropdownItem>
          <DropdownItem key="delete" isDanger onClick={() => setIsDeleting(true)}>
            {say('action.delete')}
          </DropdownItem>
        </DropdownList>
      </Dropdown>
      <WriteFailure failure={failure} />
      {isDeleting && <DeleteCluster cluster={cluster} onClose={() => setIsDeleting(false)} />}
    </>
  );
}
