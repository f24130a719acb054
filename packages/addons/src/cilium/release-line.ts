import { compareVersions } from '@fairway/api/domain/version-numbers';

const EXACT_VERSION = /^(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,3})){2}$/;

/**
 * Whether this version of Cilium belongs to the minor version `line` (`1.19`) or a later one; a pre-release counts as
 * the latest.
 */
export function isOfReleaseLine(version: string, line: string): boolean {
  return !EXACT_VERSION.test(version) || compareVersions(version, `${line}.0`) >= 0;
}
