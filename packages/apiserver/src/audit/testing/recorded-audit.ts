import { type Clock, systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { ResourcePath } from '../../server/router.ts';
import type { AuditEvent } from '../audit-event.ts';
import { Auditor } from '../auditor.ts';
import type { AuditPolicy } from '../policy-rules.ts';

/** An audit log in memory. */
export class RecordedAudit {
  readonly auditor: Auditor;
  /** Events as they would be written. */
  readonly lines: string[] = [];
  suppressed = 0;

  constructor(
    clock: Clock = systemClock,
    isSensitive: (resource: ResourcePath) => boolean = () => false,
    policy?: AuditPolicy,
  ) {
    const sink = {
      record: (line: string) => void this.lines.push(line),
      recordSuppressed: () => void this.suppressed++,
    };
    this.auditor = new Auditor({ sink, isSensitive, policy, clock, log: silentLogger });
  }

  get events(): AuditEvent[] {
    return this.lines.map((line) => JSON.parse(line) as AuditEvent);
  }

  /** Like the result of a NamespaceArchive, including all rejections. */
  read(namespace: string): Promise<readonly string[]> {
    const found = this.events.flatMap(({ objectRef, stageTimestamp }, index) =>
      objectRef?.namespace === namespace ? [`${stageTimestamp} ${this.lines[index]}`] : [],
    );
    return Promise.resolve(found);
  }

  clear(): void {
    this.lines.length = 0;
    this.suppressed = 0;
  }
}
