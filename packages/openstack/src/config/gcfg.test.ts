import { describe, expect, it } from 'vitest';
import { parseGcfg } from './gcfg.ts';

describe('gcfg', () => {
  it.each<{ line: string; value: string | undefined }>([
    { line: 'region=RegionOne', value: 'RegionOne' },
    { line: 'region = RegionOne  ', value: 'RegionOne' },
    { line: '  REGION\t=\tRegionOne', value: 'RegionOne' },
    { line: 'region = Region One', value: 'Region One' },
    { line: 'region = RegionOne ; the first', value: 'RegionOne' },
    { line: 'region = RegionOne # the first', value: 'RegionOne' },
    { line: 'region = "Region;One # "', value: 'Region;One # ' },
    { line: 'region = a" b "c', value: 'a b c' },
    { line: String.raw`region = "say \"it\" \\ twice"`, value: String.raw`say "it" \ twice` },
    { line: 'region = a \\\n  b', value: 'a   b' },
    { line: 'region =', value: '' },
    { line: 'region = ""', value: '' },
    { line: 'region', value: undefined },
    { line: 'region ; a flag', value: undefined },
  ])('reads $line', ({ line, value }) => {
    const { entries } = parseGcfg(`[Global]\n${line}\n`);

    expect(entries).toEqual([{ section: 'global', subsection: undefined, key: 'region', value, line: 2 }]);
  });

  it('reads sections with and without a name, and repeated keys in order', () => {
    const { sections, entries } = parseGcfg(
      '\uFEFF; clouds\r\n[Networking]\r\npublic-network-name=a\r\npublic-network-name=b\r\n\r\n[LoadBalancerClass "My \\"fast\\""]\r\nsubnet-id=c',
    );

    expect(sections.map(({ section, subsection }) => [section, subsection])).toEqual([
      ['networking', undefined],
      ['loadbalancerclass', 'My "fast"'],
    ]);
    expect(entries.map(({ key, value, line }) => [key, value, line])).toEqual([
      ['public-network-name', 'a', 3],
      ['public-network-name', 'b', 4],
      ['subnet-id', 'c', 7],
    ]);
  });

  it.each([
    { text: 'region=a', says: 'line 1: is before any [section]' },
    { text: '[Global\nregion=a', says: 'line 1: is neither [section] nor [section "name"]' },
    { text: '[Global]\n1region=a', says: 'line 2: is neither "key = value" nor a comment' },
    { text: '[Global]\nregion="a', says: 'line 2: a quote is not closed' },
    { text: '[Global]\npassword=a\\b', says: 'line 2: \\b is not a valid escape: write \\\\ for a backslash' },
  ])('refuses $text', ({ text, says }) => {
    expect(() => parseGcfg(text)).toThrow(says);
  });
});
