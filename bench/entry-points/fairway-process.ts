import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { keystoneSettings } from '@fairway/identity/settings';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';

/** Sent when the process is ready to serve requests. */
export interface EntryPointsReady {
  readonly url: string;
  readonly magnumUrl: string;
}

// A separate process, to measure Fairway's CPU alone. bench/entry-points.ts starts it with a state directory and a
// clouds.yaml.
const [folder = '', cloudsFile = ''] = process.argv.slice(2);
const home = new Home(folder);
home.create();
const fairway = await up({
  home,
  host: '127.0.0.1',
  port: 0,
  cloud: 'simulator',
  cloudsFile,
  keystone: keystoneSettings('simulator-service'),
  magnumListen: { host: '127.0.0.1', port: 0 },
  latency: 'none',
  defaultImage: undefined,
  version: '0.0.0-bench',
  clock: systemClock,
  random: Math.random,
  log: silentLogger,
});
process.once('SIGTERM', () => {
  void fairway.stop().then(() => process.exit(0));
});
process.send?.({ url: fairway.url, magnumUrl: fairway.magnumUrl ?? '' } satisfies EntryPointsReady);
