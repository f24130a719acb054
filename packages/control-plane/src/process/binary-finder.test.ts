import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { BinaryFinder } from './binary-finder.ts';
import { perComponent } from './components.ts';

function start(...versions: string[]) {
  const clock = new FakeClock();
  const found = versions;
  let searches = 0;
  const finder = new BinaryFinder(() => {
    searches += 1;
    return Promise.resolve(found.map((version) => ({ version, paths: perComponent((name) => `/${version}/${name}`) })));
  }, clock);
  return { clock, found, finder, searches: () => searches };
}

test('lists each version once, and detects new ones within half a minute', async () => {
  const { clock, found, finder, searches } = start('1.36.3', '1.36.3');

  expect(await finder.versions()).toEqual(['1.36.3']);
  found.push('1.36.4');
  expect(await finder.versions()).toEqual(['1.36.3']);
  await clock.advance(30_000);
  expect(await finder.versions()).toEqual(['1.36.3', '1.36.4']);
  expect(searches()).toBe(2);
});

test('uses the exact version once it is installed, instead of another patch version', async () => {
  const { clock, found, finder } = start('1.36.3');

  expect(await finder.binariesFor('1.36.4')).toMatchObject({ version: '1.36.3' });
  found.push('1.36.4');
  await clock.advance(30_000);
  expect(await finder.binariesFor('1.36.4')).toMatchObject({ version: '1.36.4' });
});

test('reports which command downloads a missing version', async () => {
  const { finder } = start('1.36.3');

  expect(await finder.binariesFor('1.35.1')).toEqual({
    problem: expect.stringContaining('"fairway releases fetch 1.35.1" downloads them'),
  });
});
