import { expect, it } from 'vitest';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { renderManPage } from './man-page.ts';

const page = renderManPage(buildProgram(fakeContext()), '1.2.3');

it('contains the sections of a manual page in order', () => {
  const headings = page.match(/^\.SH .*$/gm);

  expect(page).toMatch(/^\.TH FAIRWAY 1 "" "fairway 1\.2\.3" "Fairway"\n/);
  expect(headings).toEqual([
    '.SH NAME',
    '.SH SYNOPSIS',
    '.SH OPTIONS OF EVERY COMMAND',
    '.SH COMMANDS',
    '.SH EXIT STATUS',
  ]);
});

it('lists each command with its options, without hidden ones', () => {
  expect(page).toContain('.SS fairway auth token [options]\n');
  expect(page).toContain('.B \\-\\-project <project>\n');
  expect(page).not.toContain('complete \\-\\-');
  expect(page).not.toContain('__complete');
});

it('has no line that roff would read as a request', () => {
  const requests = new Set(page.match(/^[.'][^ \n]*/gm));

  expect(requests).toEqual(new Set(['.TH', '.SH', '.SS', '.TP', '.B', '.I']));
});
