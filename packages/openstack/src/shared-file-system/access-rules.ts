import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { AccessRule, type AccessRuleCreate } from '../types/shared-file-system.ts';

/** The microversion since which rules have metadata and a separate list (Rocky). */
const RULE_MICROVERSION = '2.45';

const RuleList = z.object({ access_list: list(AccessRule) });
const RuleEnvelope = z.object({ access: AccessRule });

/** https://docs.openstack.org/api-ref/shared-file-system/#share-access-rules-since-api-v2-45 */
export class AccessRules {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /share-access-rules`: all rules of a share in one call. */
  async list(shareId: string, options: CallOptions = {}): Promise<readonly AccessRule[]> {
    const call = { ...options, query: { share_id: shareId }, minMicroversion: RULE_MICROVERSION };
    return (await this.#api.get(RuleList, '/share-access-rules', call)).access_list;
  }

  /**
   * `POST /shares/{share_id}/action` `allow_access`: creates a rule that is applied later; fails with `badRequest` if a
   * rule for the same target exists.
   */
  async allow(
    shareId: string,
    { ip, level, metadata = {} }: AccessRuleCreate,
    options: CallOptions = {},
  ): Promise<AccessRule> {
    const rule = { access_type: 'ip', access_to: ip, access_level: level, metadata };
    const call = { ...options, params: { share_id: shareId }, body: { allow_access: rule } };
    const since = { minMicroversion: RULE_MICROVERSION };
    return (await this.#api.post(RuleEnvelope, '/shares/{share_id}/action', { ...call, ...since })).access;
  }

  /** `POST /shares/{share_id}/action` `deny_access`: done when the rule is no longer listed. */
  async deny(shareId: string, ruleId: string, options: CallOptions = {}): Promise<void> {
    const call = { ...options, params: { share_id: shareId }, body: { deny_access: { access_id: ruleId } } };
    await this.#api.send('POST', '/shares/{share_id}/action', { ...call, idempotent: true });
  }
}
