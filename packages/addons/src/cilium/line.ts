import { compareVersions } from '@fairway/api/domain/version-numbers';

const EXACT = /^(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,3})){2}$/;

/** Whether this version of Cilium is of the minor version `line` (`1.19`) or a later one; a pre-release counts as the latest. */
export function isOfLine(version: string, line: string): boolean {
  return !EXACT.test(version) || compareVersions(version, `${line}.0`) >= 0;
}
