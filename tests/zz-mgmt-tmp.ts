import { copyFileSync } from 'node:fs';
import { findBinaries } from '/work/wt/backup/tests/contract/kubernetes/binaries.ts';
import { startManagementCluster } from '/work/wt/backup/tests/management/management-cluster.ts';

const [b] = findBinaries();
const m = await startManagementCluster(b!);
copyFileSync(m.kubeconfigs.admin, '/tmp/bk/admin.yaml');
copyFileSync(m.kubeconfigs.controllers, '/tmp/bk/controllers.yaml');
console.log('ready', b!.version);
process.on('SIGTERM', () => void m[Symbol.asyncDispose]().then(() => process.exit(0)));
setInterval(() => {}, 1000);
